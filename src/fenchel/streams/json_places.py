"""Where in a line of JSON the value of a column stands, to show it in an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Place(NamedTuple):
    """A column of a line: where its key begins, and its value as JSON writes it."""

    column: str
    start: int
    value: bytes


def place_of(line: bytes, column: str) -> Place | None:
    """Find a column, whose name is that of a key or of keys joined by dots, in a sound line.

    >>> place_of(b'{"x": {"u": 7}, "u": "red"}', "u")
    Place(column='u', start=16, value=b'"red"')
    >>> place_of(b'{"x": {"u": 7}, "u": "red"}', "x.u").start, place_of(b'{"x": [1, 2]}', "x.1").start
    (7, 10)
    """
    found = [place for place in _places(line) if place.column == column]
    return found[-1] if found else None  # of a key that comes twice the last counts


def shown(value: bytes) -> str:
    """A value as an error shows it: text without its quotes.

    >>> shown(b'"red"'), shown(b"[1, {}]")
    ('red', '[1, {}]')
    """
    decoded = msgspec.json.decode(value)
    return decoded if isinstance(decoded, str) else value.decode()


def _places(line: bytes) -> Iterator[Place]:
    """Every member of every object, and every item of every list, innermost first."""
    # Of each object or list around: where it began, its name, its items so far.
    outer: list[Any] = []
    name, start = "", 0
    for at, end, token, is_key in _tokens(line):
        if token in b":,":
            continue
        if is_key:
            name, start = _joined(outer[-1][2], msgspec.json.decode(line[at:end])), at
            continue
        if token in b"}]":
            begin, start, name, _ = outer.pop()
        else:
            begin = at
            if outer and outer[-1][3] is not None:
                name, start = _joined(outer[-1][2], str(outer[-1][3])), at
                outer[-1][3] += 1
            if token in b"{[":
                outer.append([begin, start, name, 0 if token == b"[" else None])
                continue
        if outer:
            yield Place(name, start, line[begin:end])


def _tokens(line: bytes) -> Iterator[tuple[int, int, bytes, bool]]:
    """Where each token begins and ends, its first byte, and whether a colon follows."""
    found = TOKEN.finditer(line)
    at, end = next(found).span()
    for match in found:
        yield at, end, line[at : at + 1], line[match.start() : match.start() + 1] == b":"
        at, end = match.span()
    yield at, end, line[at : at + 1], False


def _joined(outer: str, inner: str) -> str:
    return f"{outer}.{inner}" if outer else inner

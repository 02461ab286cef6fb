"""Common ground of the compiled text parsers: bytes with a meaning, and steps along a line.

The text always ends with a line end, so a step that looks for one needs no other bound.
"""

from __future__ import annotations

from typing import Any

from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import leaf

TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32
HASH, COLON, BAR, QUOTE, TICK = 35, 58, 124, 34, 39


@leaf
def is_blank(byte: Any) -> Any:
    """Whether a byte separates words inside a line."""
    return byte in (SPACE, TAB, RETURN)


@leaf
def is_end(byte: Any) -> Any:
    """Whether a byte ends a word: a blank, a line end, the start of a comment."""
    return byte in (SPACE, NEWLINE, TAB, RETURN, HASH)


@leaf
def skip_blanks(data: Any, i: Any) -> Any:
    """The position of the first byte from ``i`` on that is not blank."""
    while is_blank(byte_at(data, i)):
        i += 1
    return i


@leaf
def next_line(data: Any, i: Any) -> Any:
    """The position after the next line end."""
    while byte_at(data, i) != NEWLINE:
        i += 1
    return i + 1


@leaf
def count(data: Any, wanted: Any) -> Any:
    """The number of times a byte occurs, and of lines; bounds for the arrays to fill."""
    found = 0
    lines = 0
    for byte in data:
        found += byte == wanted
        lines += byte == NEWLINE
    return found, lines

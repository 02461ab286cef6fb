"""JSON lines: one object a line, ``{"label": 1, "age": 41, "job": "cook", "car": {"doors": 5}}``.

A number is the feature ``age``, a string the feature ``job=cook``, an object inside gives ``car.doors``;
true is 1; false, null and 0 are absent. What else a column may be, the schema says.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import Any

import msgspec

from fenchel.schema import Schema
from fenchel.schema.schema import flattened
from fenchel.streams.batch import UNKNOWN, Batch, Refusal
from fenchel.streams.chunks import Bytes, Labelled
from fenchel.streams.json_places import place_of, shown
from fenchel.streams.names import Names
from fenchel.streams.raw_rows import RawRows, UnreadableRowError
from fenchel.streams.readers import LineReader

JSON_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
BYTE = re.compile(r" \(byte (\d+)\)")


class JsonReader(LineReader):
    """JSON lines; columns have names.

    Threads only cut the lines; what the columns are depends on all lines before, so that they are
    taken up in order.
    """

    named = True
    word_ends = b"\r\n,}"

    def __init__(self, schema: Schema, labelled: Labelled, stop: bool, names: Names) -> None:
        super().__init__(schema, labelled, stop)
        self._names = names
        self._kind = UNKNOWN  # of the labels
        self._first = b""  # the first lines

    @property
    def columns(self) -> list[str]:
        """The columns that any of the first rows has, as far as they can be read."""
        found: dict[str, None] = {}
        for line in self._first.splitlines():
            with suppress(ValueError, RecursionError):
                row = msgspec.json.decode(line, type=dict)
                found.update((name, None) for name, _ in flattened(row, self.schema.kinds))
        return list(found)

    def parse(self, data: Bytes) -> Batch:
        """Nothing yet."""
        return RawRows(self.schema, self._names, self._labelled, gaps=self._gaps).batch(lines=0)

    def settle(self, data: Bytes, batch: Batch) -> Batch:
        """The rows of a chunk."""
        rows = RawRows(self.schema, self._names, self._labelled, self._kind, self._gaps)
        decode = msgspec.json.Decoder(dict).decode
        refusals: list[Refusal] = []
        offset = wrong = 0
        self._first = self._first or data.tobytes()
        lines = data.tobytes().split(b"\n")[:-1]
        for line in lines:
            if line.strip():
                refusal = _add_line(rows, decode, line)
                if refusal is not None:
                    wrong += 1
                    refusals.append(refusal._replace(offset=offset + refusal.offset))
                    if self._stop:
                        break
            offset += len(line) + 1
        self._kind = rows.kind
        return rows.batch(tuple(refusals[:10]), wrong, len(lines))


def _add_line(rows: RawRows, decode: Any, line: bytes) -> Refusal | None:
    """Add the line's row, or say why not."""
    try:
        rows.add(decode(line))
    except UnreadableRowError as bad:
        return _unreadable(line, bad)
    except UnicodeDecodeError:
        return Refusal(
            _first_bad_byte(line), "bytes that are not UTF-8", "convert the file to UTF-8"
        )
    except (msgspec.DecodeError, RecursionError) as error:
        return _malformed(line, str(error))
    return None


def _unreadable(line: bytes, bad: UnreadableRowError) -> Refusal:
    """Why a row is refused, at the place of the column in its line."""
    place = place_of(line, bad.column)
    at = 0 if place is None else place.start
    if bad.value is not None:
        return Refusal(at, str(bad), bad.remedy, bad.value)
    value = "" if place is None else shown(place.value)
    return Refusal(at, f"in the column {bad.column}: {bad}", bad.remedy, value)


def _first_bad_byte(line: bytes) -> int:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _malformed(line: bytes, message: str) -> Refusal:
    if message.startswith("Number out of range"):
        for match in JSON_NUMBER.finditer(line):
            if math.isinf(float(match.group())):
                remedy = "leave the entry out or write a number below 1.8e308"
                return Refusal(match.start(), "the number is not finite", remedy)
    if message.startswith("Expected `object`"):
        return Refusal(0, "the line is not an object", 'write one object a line: {"name": 1}')
    found = BYTE.search(message)
    at = int(found.group(1)) if found else len(line.rstrip())
    at -= "trailing" in message  # msgspec has read one byte further there
    what = BYTE.sub("", message).replace("JSON is malformed: ", "").lower()
    return Refusal(at, f"malformed JSON, {what}", "write one JSON object a line")

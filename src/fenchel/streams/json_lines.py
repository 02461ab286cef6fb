"""JSON lines: one object a line, ``{"label": 1, "age": 41, "job": "cook", "car": {"doors": 5}}``.

A number is the feature ``age``, a string the feature ``job=cook``, an object one level down gives
``car.doors``; true is 1; false, null and 0 are absent.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from fenchel.streams.batch import (
    UNKNOWN,
    Batch,
    Parsed,
    Refusal,
    Vocabulary,
    batch_of_names,
    must_parse_again,
)
from fenchel.streams.chunks import Bytes
from fenchel.streams.errors import EXPLANATIONS, Mistake
from fenchel.streams.names import joined
from fenchel.streams.readers import LineReader
from fenchel.streams.vw import LONGEST_NAME

LABELS = ("label", "y")
NUMBER, TEXT = 1, 2  # kinds of labels, besides UNKNOWN
JSON_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
BYTE = re.compile(r" \(byte (\d+)\)")


class _LineError(Exception):
    """An error in a line: the reason, the remedy, the value, and the bytes to look for."""

    def __init__(self, what: str, remedy: str, value: str | None, key: str) -> None:
        super().__init__(what)
        self.remedy, self.value, self.key = remedy, value, key


class _Rows:
    """Rows as they are collected from the lines of a chunk."""

    def __init__(self, label: str | None, labelled: bool, kind: int) -> None:
        self.kind = kind
        self.names: dict[str, int] = {}
        self.classes: dict[str, int] = {}
        self.indptr, self.indices, self.values, self.labels = [0], [], [], []  # type: ignore[var-annotated]
        self._label, self._labelled = label, labelled

    def add(self, row: dict[str, Any]) -> None:
        """One more row, or nothing at all if it is refused."""
        key = self._label or next((key for key in LABELS if key in row), LABELS[0])
        label = row.pop(key, None)
        entries = list(_entries(row))
        if self._labelled:
            self.labels.append(self._label_of(key, label))
        for name, value in entries:
            self.indices.append(self.names.setdefault(name, len(self.names)))
            self.values.append(value)
        self.indptr.append(len(self.indices))

    def _label_of(self, key: str, label: Any) -> float:
        if label is None:
            raise _LineError("the label is missing", f"give each line the key {key!r}", "", key)
        if not isinstance(label, (str, bool, int, float)):
            raise _LineError("the label is not a number or a string", "write one", str(label), key)
        kind = TEXT if isinstance(label, str) else NUMBER
        if self.kind not in (UNKNOWN, kind):
            what = "labels of text and labels that are numbers"
            raise _LineError(what, "use one kind of label throughout", str(label), key)
        if isinstance(label, str):
            value: float = self.classes.setdefault(label, len(self.classes))
        else:
            value = _finite(key, label)
        self.kind = kind
        return value


def _entries(row: dict[str, Any], prefix: str = "") -> Any:
    """The features of an object: name and value, in order, those of value 0 left out."""
    for key, value in row.items():
        if isinstance(value, str):
            yield _short(f"{prefix}{key}={value}", key), 1.0
        elif isinstance(value, dict) and not prefix:
            yield from _entries(value, f"{key}.")
        elif isinstance(value, (int, float)):
            number = _finite(key, value)
            if number != 0.0:
                yield _short(prefix + key, key), number
        elif value is not None:
            kind = "a list" if isinstance(value, list) else "an object two levels down"
            raise _LineError(f"{kind} as a value", "write numbers, strings or true", None, key)


def _short(name: str, key: str) -> str:
    """The name, unless it is too long to be one."""
    if len(name) > LONGEST_NAME // 4 and len(name.encode()) > LONGEST_NAME:
        raise _LineError(*EXPLANATIONS[Mistake.NAME_TOO_LONG], name, key)
    return name


def _finite(key: str, value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        shown = f"{str(value)[:20]}…"
        raise _LineError(
            "the number is not finite", "write one below 1.8e308", shown, key
        ) from None


class JsonReader(LineReader):
    """JSON lines; columns have names."""

    named = True
    word_ends = b"\r\n,}"

    def __init__(self, bits: int | None, label: str | None, labelled: bool, stop: bool) -> None:
        self.label = label
        self._bits, self._labelled, self._stop = bits, labelled, stop
        self._kinds = np.array([UNKNOWN], np.int8)  # of the labels

    def parse(self, data: Bytes) -> Batch:
        """The rows of a chunk."""
        assumed = self._kinds
        rows = _Rows(self.label, self._labelled, int(assumed[0]))
        decode = msgspec.json.Decoder(dict).decode
        refusals: list[Refusal] = []
        offset = wrong = 0
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
        batch = self._batch(rows, refusals, wrong, len(lines))
        return batch._replace(assumed=assumed, found=np.array([rows.kind], np.int8))

    def _batch(self, rows: _Rows, refusals: list[Refusal], wrong: int, lines: int) -> Batch:
        nothing: NDArray[np.int64] = np.empty((0, 2), np.int64)
        parsed = Parsed(
            np.array(rows.indptr, np.int64),
            np.array(rows.indices, np.uint32),
            np.array(rows.values, np.float64),
            np.array(rows.labels, np.float64),
            np.empty(0),
            np.empty(0, np.int64),
            nothing,
            nothing,
            0,
            lines,
            0,
        )
        batch = batch_of_names(parsed, Vocabulary(*joined(rows.names)), self._bits)
        return batch._replace(
            parsed=batch.parsed._replace(wrong=wrong),
            classes=list(rows.classes) if rows.kind == TEXT else None,
            refusals=tuple(refusals[:10]),
        )

    def settle(self, data: Bytes, batch: Batch) -> Batch:
        """Parse again if an earlier chunk has labels of another kind."""
        if must_parse_again(batch, self._kinds):
            batch = self.parse(data)
        self._kinds = np.where(self._kinds == UNKNOWN, batch.found, self._kinds)
        return batch


def _add_line(rows: _Rows, decode: Any, line: bytes) -> Refusal | None:
    """Add the line's row, or say why not."""
    try:
        rows.add(decode(line))
    except _LineError as bad:
        quoted = b'"' + bad.key.encode() + b'"'
        at = line.find(quoted)
        return Refusal(max(at, 0), str(bad), bad.remedy, bad.value)
    except UnicodeDecodeError:
        return Refusal(
            _first_bad_byte(line), "bytes that are not UTF-8", "convert the file to UTF-8"
        )
    except (msgspec.DecodeError, RecursionError) as error:
        return _malformed(line, str(error))
    return None


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

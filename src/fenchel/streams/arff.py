"""ARFF, the files of WEKA and MOA: columns declared in a header, then rows as in CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain

import numpy as np

from fenchel.schema import Category, Date, Kind, Number, Schema, Text
from fenchel.streams.chunks import Bytes, Labelled, after_last_line
from fenchel.streams.csv_reader import CsvReader
from fenchel.streams.names import Names

NAME = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)"""
ATTRIBUTE = re.compile(rf"@attribute\s+({NAME})\s*(.+)", re.IGNORECASE)
WORD = re.compile(NAME)
TYPES: dict[str, Kind] = {
    "numeric": Number(),
    "real": Number(),
    "integer": Number(),
    "string": Text(),
    "date": Date(),
}
ODD = np.frombuffer(b"'%{\\", np.uint8)  # what rows of CSV do not have


class ArffReader(CsvReader):
    """ARFF text: the header says what the columns are; where no label is named it is the last."""

    def __init__(
        self, file: str, schema: Schema, names: Names, *, labelled: Labelled, stop: bool
    ) -> None:
        super().__init__(
            file, schema, names, labelled=labelled, stop=stop, separator=",", decimal="."
        )
        self._first_levels: list[str] = []  # what a sparse row means by what it leaves out

    def split(self, data: Bytes) -> int:
        """Records end with their line."""
        return after_last_line(data)

    def begin(self, pieces: Iterator[Bytes]) -> Iterator[Bytes]:
        """Read the header; yields the pieces after it, as CSV."""
        columns: list[str] = []
        self.header_lines = 0
        for piece in pieces:
            text = io.BytesIO(piece.tobytes())
            for raw in text:
                self.header_lines += 1
                line = raw.decode(errors="replace").strip()
                if line.lower().startswith("@data"):
                    self._set_columns(columns)
                    rest = piece[text.tell() :]
                    yield from map(self._as_csv, self._rows_of(chain([rest], pieces)))
                    return
                self._declare(line, columns)
        raise self._refused("there is no @data", "check that the file is whole ARFF")

    def _declare(self, line: str, columns: list[str]) -> None:
        """Take up one line of the header."""
        if not line or line.startswith("%") or line.lower().startswith("@relation"):
            return
        found = ATTRIBUTE.fullmatch(line)
        if found is None:
            what, remedy = (
                "a line that ARFF does not have in its header",
                "write @attribute or @data",
            )
            raise self._refused(what, remedy, line, self.header_lines)
        name, kind = _unquoted(found[1]), found[2].strip()
        columns.append(name)
        levels = _levels(kind)
        self._first_levels.append(levels[0] if levels else "0")
        if name in self.schema.kinds:
            return
        word = kind.split()[0].lower()
        if not kind.startswith("{") and word not in TYPES:
            remedy = f"choose from {', '.join(TYPES)} and {{a, b}}"
            raise self._refused("a type that is not read", remedy, kind, self.header_lines)
        self.schema.recognise(name, Category() if kind.startswith("{") else TYPES[word])

    def _as_csv(self, piece: Bytes) -> Bytes:
        """Rows as CSV has them, line by line: comments blank, quotes doubled, sparse rows whole."""
        if not np.isin(piece, ODD).any():
            return piece
        lines = piece.tobytes().decode(errors="surrogateescape").split("\n")
        text = "\n".join(map(self._line_as_csv, lines))
        return np.frombuffer(text.encode(errors="surrogateescape"), np.uint8).copy()

    def _line_as_csv(self, line: str) -> str:
        line = line.strip()
        if line.startswith("%"):
            return ""
        if line.startswith("{") and line.endswith("}"):
            return self._whole(line[1:-1])
        if "'" not in line and "\\" not in line:
            return line
        return _csv_line(_cells(line))

    def _whole(self, sparse: str) -> str:
        """A sparse row, ``0 5.1, 3 'x'``, with every cell."""
        cells = list(self._first_levels)
        for entry in _cells(sparse):
            place, _, value = entry.strip().partition(" ")
            if place.isdecimal() and int(place) < len(cells):
                cells[int(place)] = _unquoted(value.strip())
            elif entry.strip():
                return _csv_line([*cells, entry])  # too many cells: the parser says where
        return _csv_line(cells)


def _cells(line: str) -> list[str]:
    """The cells of a row, without quotes."""
    cells, start, quote, k = [], 0, "", 0
    while k < len(line):
        if line[k] == "\\":
            k += 1
        elif quote:
            quote = "" if line[k] == quote else quote
        elif line[k] in "'\"" and not line[start:k].strip().strip("0123456789"):
            quote = line[k]
        elif line[k] == ",":
            cells.append(line[start:k])
            start = k + 1
        k += 1
    return [_unquoted(cell.strip()) for cell in (*cells, line[start:])]


def _unquoted(word: str) -> str:
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _levels(kind: str) -> list[str]:
    return _cells(kind.strip("{} ")) if kind.startswith("{") else []


def _csv_line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()

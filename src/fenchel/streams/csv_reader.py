"""CSV as a stream: separator, header, label, and the kinds of the columns along the way."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.schema import Category, Ignored, Number, Schema, Text
from fenchel.streams.batch import (
    UNKNOWN,
    Batch,
    Refusal,
    batch_of_names,
    must_parse_again,
    vocabulary_of,
)
from fenchel.streams.chunks import Bytes, Labelled
from fenchel.streams.columns import (
    BadCellError,
    Encoder,
    Entries,
    beside,
    column_entries,
    text_entries,
)
from fenchel.streams.csv import CATEGORY, IGNORED, NUMBER, RAW, Layout, RawCells, parse
from fenchel.streams.csv_cells import LONGEST_CELL, NO_QUOTE, after_last_record
from fenchel.streams.csv_header import (
    DECIMAL_COMMA,
    decimals,
    first_number_of_a_row,
    is_header,
    names_of,
)
from fenchel.streams.decimal_fallback import Hard, parse_exactly
from fenchel.streams.errors import EXPLANATIONS, Argument, BadInput, Mistake, Remedy
from fenchel.streams.lines import QUOTE
from fenchel.streams.names import Names, joined

SEPARATORS = ",;\t|"
COMMA, POINT = np.uint8(44), np.uint8(46)
BOM = b"\xef\xbb\xbf"
CODES = {Number(): NUMBER, Category(): CATEGORY, Ignored(): IGNORED}
FOUND = {NUMBER: Number(), CATEGORY: Category()}

TEXT_IN_NUMBERS = EXPLANATIONS[Mistake.TEXT_IN_NUMBERS].what

Kinds = NDArray[np.int8]


class CsvReader:
    """CSV text; columns have names, cells that are not numbers are categories."""

    named = True

    def __init__(
        self,
        file: str,
        schema: Schema,
        names: Names,
        *,
        labelled: Labelled,
        stop: bool,
        separator: str | None,
        decimal: str | None,
        quotes: bool = True,
    ) -> None:
        self.schema = schema
        self.header_lines = 0
        self._file, self._labelled, self._stop = file, bool(labelled), stop
        self._gaps = labelled == "some"
        self._names = names
        self._separator, self._header, self._decimal = separator, schema.header, decimal
        self._quote = QUOTE if quotes else NO_QUOTE
        learned = bool(set(schema.kinds) - schema.declared)
        self._remembered = set(schema.kinds) | schema.roles if learned else set()
        self._columns: list[str] = []
        self._kinds: Kinds = np.empty(0, np.int8)
        self._raw: list[str] = []
        self._encoder = Encoder(schema)

    @property
    def columns(self) -> list[str]:
        """The columns of the file, once its header was read."""
        return self._columns

    @property
    def word_ends(self) -> bytes:
        """An error shows the whole cell."""
        return b"\r\n" + (self._separator or ",").encode()

    def begin(self, pieces: Iterator[Bytes]) -> Iterator[Bytes]:
        """Read the header; yields the pieces after it."""
        blank = 0
        for piece in pieces:
            start = _skip_blank_lines(piece)
            blank += piece[:start].tobytes().count(b"\n")
            if start < len(piece):
                stop = start + self._read_header(piece[start:])
                self.header_lines = blank + piece[start:stop].tobytes().count(b"\n")
                yield from self._rows_of(chain([piece[stop:]], pieces))
                return

    def _rows_of(self, pieces: Iterator[Bytes]) -> Iterator[Bytes]:
        """The pieces that hold rows; the first row tells how decimals are written."""
        found = False
        for piece in pieces:
            if len(piece) and not found:
                found = True
                self._find_decimal(piece)
                self._set_layout(self._columns)
            if len(piece):
                yield piece

    def _find_decimal(self, data: Bytes) -> None:
        """Tell decimal points from decimal commas by the first row, where nothing was said."""
        if self._decimal is not None:
            return
        line = data[:LONGEST_CELL].tobytes().split(b"\n", 1)[0].decode(errors="replace")
        points, commas = decimals(line, self._separator or ",", self._columns)
        commas = {name: commas[name] for name in commas if self._code(name) in (UNKNOWN, NUMBER)}
        if commas and points:
            name, cell = next(iter(commas.items()))
            what = f"a decimal comma in the column {name}, where others have points"
            remedy = ("write one of them throughout, or say ", Argument("decimal", ","))
            raise self._refused(what, remedy, cell, self.header_lines + 1)
        self._decimal = "," if commas else "."

    def split(self, data: Bytes) -> int:
        """Find the end of the last record: a line end that is not inside quotes."""
        return int(after_last_record(data, self._separator_in(data), self._quote))

    def _separator_in(self, data: Bytes) -> int:
        """Return the separator, found in the first line if none was named."""
        if self._separator is None:
            line = data[_skip_blank_lines(data) :].tobytes().split(b"\n", 1)[0]
            self._separator = max(SEPARATORS, key=lambda s: line.count(s.encode()))
        return ord(self._separator)

    def header_alone(self, line: bytes) -> tuple[list[str], str]:
        """The columns and the separator that a header tells of, or the schema where it names columns."""
        if isinstance(self._header, tuple):
            self._set_columns(list(self._header))
        else:
            self._read_header(np.frombuffer(line.removeprefix(BOM) + b"\n", np.uint8))
            if not self._header:
                remedy = "send the header above it, or name the columns: --columns A,B,C"
                raise self._refused("a row where the header should be", remedy, line.decode()[:40])
        return self._columns, self._separator or ","

    def _read_header(self, data: Bytes) -> int:
        """Learn the columns from the first record; where the rows begin."""
        stop = _first_record(data, self._separator_in(data), self._quote)
        cells = self._cells(data[:stop].tobytes())
        named = self._header if isinstance(self._header, tuple) else None
        if self._header is None:
            self._header = self._told_by(cells)
        if named is None and self._header:
            columns = names_of(cells)
        elif named is not None:
            columns, stop = self._given(named, cells), stop if set(named) == set(cells) else 0
        else:
            columns, stop = self._numbered(len(cells)), 0
        self._set_columns(columns)
        return stop

    def _given(self, names: tuple[str, ...], cells: list[str]) -> list[str]:
        """Name columns as was said; a header that has these names, in whatever order, is right."""
        label = self.schema.label
        if set(cells) == set(names):
            return cells
        if not self._labelled and len(cells) + 1 == len(names) and label in names:
            return [name for name in names if name != label]
        if len(cells) != len(names):
            what = f"a row of {len(cells)} cells, {len(names)} columns were named"
            raise self._refused(what, "name them all, in their order", cells[0])
        return list(names)

    def _numbered(self, count: int) -> list[str]:
        """Name columns without a header; those of a model, less its label if that is gone."""
        numbers = [str(k) for k in range(1, count + 1)]
        label, known = self.schema.label, len(self._remembered)
        if known and all(map(str.isdecimal, self._remembered)):
            known = max(map(int, self._remembered))  # a column that was always empty has no kind
        if known in (0, count):
            return numbers
        if not self._labelled and count + 1 == known and label in self._remembered:
            return [name for name in [*numbers, str(count + 1)] if name != label]
        remedy = "give rows like those that the model learned from, with or without the label"
        what = f"a row of {count}, the model knows {known} columns"
        raise self._refused(what, remedy)

    def _told_by(self, cells: list[str]) -> bool:
        """Tell whether the first line is a header; what could be taken for the other is refused."""
        header_or_row = (Argument("header", True), " or ", Argument("header", False))
        which = ("say which it is: ", *header_or_row)
        header = is_header(cells)
        if header is None:
            raise self._refused("the first line may be a header or a row", which, ",".join(cells))
        row = first_number_of_a_row(cells, self.schema.label) if header else None
        if row is not None:
            remedy = ("add a header, or ", *which)
            raise self._refused("the first line looks like a row, not a header", remedy, row)
        return header

    def _cells(self, record: bytes) -> list[str]:
        try:
            text = record.decode()
            separator, strict = self._separator or ",", self._quote == QUOTE
            how: dict[str, Any] = {"quoting": csv.QUOTE_MINIMAL if strict else csv.QUOTE_NONE}
            rows = csv.reader([text], delimiter=separator, skipinitialspace=True, **how)
            return [cell.strip() for cell in next(rows)]
        except UnicodeDecodeError:
            told = EXPLANATIONS[Mistake.NOT_UTF8]
            shown = record.decode(errors="backslashreplace").strip()
            raise self._refused(told.what, told.remedy, shown) from None
        except (csv.Error, StopIteration) as error:
            if b"\r" in record.rstrip():
                what, remedy = "the lines end with carriage returns", "end them with line feeds"
                raise self._refused(what, remedy) from None
            raise self._refused(f"the header cannot be read: {error}", "correct it") from None

    def _set_columns(self, columns: list[str]) -> None:
        remedy: Remedy
        twice = sorted({name for name in columns if columns.count(name) > 1})
        if twice:
            no_header = Argument("header", False)
            remedy = ("rename one of them, or say ", no_header, " if the first line is a row")
            raise self._refused("two columns have one name", remedy, twice[0])
        long = next((name for name in columns if len(name.encode()) > LONGEST_CELL), None)
        if long is not None:
            raise self._refused(f"a name of more than {LONGEST_CELL} bytes", "shorten it", long)
        for name in self.schema.absent_from(columns) if self._labelled else ():
            raise self._refused("no such column", f"choose from {', '.join(columns)}", name)
        self._find_label(columns)
        self._columns = columns
        self._set_layout(columns)

    def _find_label(self, columns: list[str]) -> None:
        """The label's column: the one named, or the last."""
        schema = self.schema
        if not self._labelled:
            return
        if len(columns) == 1:
            remedy = "separate columns by a comma, a semicolon or a tab"
            raise self._refused("one column, the label, and no features", remedy, columns[0])
        if schema.label is None:
            schema.label = columns[-1]
        if schema.label not in columns:
            remedy = f"name the label's column: {', '.join(columns)}"
            raise self._refused("no column has the name of the label", remedy, schema.label)
        said: Remedy = ("name the label's column with ", Argument("label"))
        if schema.label in (schema.id, schema.weight):
            what = "the last column, otherwise the label, is the identifier or the importance"
            raise self._refused(what, said, schema.label)
        if self._code(schema.label) == IGNORED:
            raise self._refused("the label is to be ignored", said, schema.label)

    def _set_layout(self, columns: list[str]) -> None:
        heads, offsets = joined([f"{name}=" for name in columns])
        label, weight = (
            columns.index(name) if name in columns else -1
            for name in (self.schema.label, self.schema.weight)
        )
        kinds = [self._code(name) for name in columns]
        for role in (label, weight):
            if role >= 0 and not self._labelled:
                kinds[role] = IGNORED
        if weight >= 0 and self._labelled:
            kinds[weight] = NUMBER
        self._kinds = np.array(kinds, np.int8)
        self._raw = [name for name, code in zip(columns, kinds, strict=True) if code == RAW]
        raw = [self._raw.index(name) if name in self._raw else -1 for name in columns]
        self._layout = Layout(
            ord(self._separator or ","),
            self._quote,
            ord(self._decimal or "."),
            heads.copy(),
            offsets[1:].copy(),
            label if self._labelled else -1,
            weight if self._labelled else -1,
            np.array(raw, np.int64),
            self._gaps,
        )

    def _code(self, name: str) -> int:
        """The compiled parser's view of a column; more than numbers and levels is handed on."""
        kind = self.schema.kinds.get(name)
        if name == self.schema.id:
            return RAW
        if kind is None:
            return NUMBER if name in self._names else UNKNOWN
        return CODES.get(kind, RAW)

    def _refused(
        self, what: str, remedy: Remedy, value: str | None = None, line: int = 1
    ) -> BadInput:
        return BadInput(what, remedy, value=value, file=self._file, line=line)

    def parse(self, data: Bytes) -> Batch:
        """Parse the rows of a chunk; its columns' kinds as far as they are known."""
        assumed = self._kinds
        kinds = assumed.copy()
        # Numbers are read from a copy in which commas are points.
        numbers = np.where(data == COMMA, POINT, data) if self._decimal == "," else data

        def parse_with(hard: Hard) -> Any:
            kinds[:] = assumed
            return parse(data, numbers, self._layout, kinds, self._stop, hard)

        parsed, names, classes, raw = parse_exactly(numbers, parse_with)
        hashed: Entries | None = None
        refusals: tuple[Refusal, ...] = ()
        if self._raw or not self._encoder.is_idle:  # else nothing is to be added to the rows
            rows = Entries(parsed.indptr, parsed.indices.astype(np.int64), parsed.values)
            if self._raw:
                rows, names, refusals = self._with_raw(data, rows, names, raw)
            rows, names, hashed = self._encoder.finished(rows, names, self._words(kinds))
            parsed = parsed._replace(
                indptr=rows.indptr, indices=rows.numbers.astype(np.uint32), values=rows.values
            )
        batch = batch_of_names(parsed, vocabulary_of(names), self.schema.bits, tabular=True)
        batch = batch._replace(refusals=tuple(_hinted(data, each) for each in batch.refusals))
        if self._layout.label >= 0 and kinds[self._layout.label] == CATEGORY:
            text, offsets = vocabulary_of(classes)
            words = [text[a:b].tobytes().decode() for a, b in pairwise(offsets)]
            batch = batch._replace(classes=words)
        ids = self._cells_of(raw, self.schema.id) if self.schema.id in self._raw else None
        return batch._replace(
            assumed=assumed, found=kinds, hashed=hashed, ids=ids, refusals=batch.refusals + refusals
        )

    def _words(self, found: Kinds) -> dict[str, str]:
        """The columns, with the words of their kinds: found in this chunk, or known."""
        known = self.schema.kinds
        here = {name: FOUND.get(int(k)) for name, k in zip(self._columns, found, strict=True)}
        kinds = {name: known.get(name) or kind for name, kind in here.items()}
        return {name: kind.word if kind is not None else "" for name, kind in kinds.items()}

    def _with_raw(
        self, data: Bytes, rows: Entries, names: Any, raw: RawCells
    ) -> tuple[Entries, Any, tuple[Refusal, ...]]:
        """The rows with the features of raw columns; a cell that cannot be read is refused."""
        for name in self._raw:
            kind = self.schema.kinds.get(name)
            if kind is None or name in self.schema.roles:
                continue
            try:
                found, names = self._column(name, kind, raw, names)
            except BadCellError as bad:
                cell = self._cells_of(raw, name)[bad.row]
                what = f"in the column {name}: {bad.error.what}"
                line = self.header_lines + 1 + bad.row
                raise self._refused(what, bad.error.remedy, cell, line) from None
            rows = beside(rows, found)
        return rows, names, ()

    def _column(self, name: str, kind: Any, raw: RawCells, names: Any) -> tuple[Entries, Any]:
        if isinstance(kind, Text) and kind.missing == "absent":
            place, count = self._raw.index(name), len(self._raw)
            starts, stops = raw.ends[:-1][place::count], raw.ends[1:][place::count]
            return text_entries(
                raw.text, starts, stops, raw.present[place::count], name, kind, names
            )
        return column_entries(name, kind, self._cells_of(raw, name), names)

    def _cells_of(self, raw: RawCells, name: str | None) -> list[str]:
        """The cells of a raw column as text."""
        assert name is not None, "asked for a column that is there"
        place, count, text = self._raw.index(name), len(self._raw), raw.text.tobytes()
        starts, stops = raw.ends[:-1][place::count], raw.ends[1:][place::count]
        return [text[a:b].decode() for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]

    def settle(self, data: Bytes, batch: Batch) -> Batch:
        """Parse again, which is rare, if an earlier chunk settled a column otherwise."""
        if must_parse_again(batch, self._kinds):
            batch = self.parse(data)
        new = (self._kinds == UNKNOWN) & (batch.found != UNKNOWN)
        for place in np.flatnonzero(new):
            self.schema.recognise(self._columns[place], FOUND[int(batch.found[place])])
        self._kinds = np.where(new, batch.found, self._kinds)
        return batch


def _hinted(data: Bytes, refusal: Refusal) -> Refusal:
    """A refusal of a number with a comma in it names the remedy for that."""
    text = data[refusal.offset : refusal.offset + 40].tobytes().decode(errors="replace")
    if refusal.what == TEXT_IN_NUMBERS and DECIMAL_COMMA.match(text):
        return refusal._replace(remedy=("if it is a decimal comma say ", Argument("decimal", ",")))
    return refusal


def _skip_blank_lines(data: Bytes) -> int:
    start = 0
    for k, byte in enumerate(data):
        if byte == 10:
            start = k + 1
        elif byte not in b" \t\r":
            return start
    return len(data)


def _first_record(data: Bytes, separator: int, quote: int) -> int:
    """Find the position after the first record: a quoted cell may hold line ends."""
    for part in (data[:4096], data):  # most headers are short
        for end in np.flatnonzero(part == 10):
            stop = int(after_last_record(data[: end + 1], separator, quote))
            if stop:
                return stop
    return len(data)

"""Frames to rows: pandas, Polars and Arrow tables, all through narwhals.

What a column is, the schema says; a column that it does not know is one of numbers, of categories, of
dates or of lists of words by its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from fenchel.rows import Block
from fenchel.schema import CannotReadError, Category, Date, Kind, Number, Schema, WordList
from fenchel.streams.batch import Parsed, batch_of_names, rows_by_name, vocabulary_of
from fenchel.streams.columns import (
    BadCellError,
    Encoder,
    Entries,
    beside,
    column_entries,
    nothing,
)
from fenchel.streams.errors import Argument, BadInput
from fenchel.streams.intern_table import add_all, empty_table
from fenchel.streams.names import Names, joined
from fenchel.streams.stream import Stream
from fenchel.streams.writable import refuse_unwritable

CELLS = 1 << 21  # in a block, about

NARROW = {"Float16": np.float16, "Float32": np.float32}

Frame = Any  # a narwhals DataFrame over any library
Numbers = tuple[NDArray[np.float64], NDArray[np.bool_]]  # and which of them are missing


def is_frame(table: Any) -> bool:
    """Whether this is a table of a library of frames, by what such tables offer."""
    offers = hasattr(table, "__dataframe__") or hasattr(table, "__arrow_c_stream__")
    return offers or _is_lazy(table)


def _is_lazy(table: Any) -> bool:
    """Whether this is a plan for a frame of Polars, which has no rows yet."""
    return type(table).__name__ == "LazyFrame"


def as_frame(table: Any) -> Frame:
    """A table of any library that narwhals knows."""
    if _is_lazy(table):
        raise ValueError("the frame is a LazyFrame, which has no rows yet: collect() it first")
    try:
        return nw.from_native(table, eager_only=True)
    except DuplicateError:
        names = list(getattr(table, "column_names", table.columns))
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"the frame has the column {twice!r} twice: rename one of them, or drop it"
        ) from None
    except TypeError:
        raise ValueError(
            f"the frame is a {type(table).__name__}: give a pandas or Polars frame or an Arrow "
            "table; from_arrays(X, y) takes arrays, open_stream(file) files"
        ) from None


class FrameStream(Stream):
    """A stream of frames with the same columns; ``frames`` starts a pass over them."""

    def __init__(
        self,
        frames: Callable[[], Iterator[Frame]],
        file: str,
        schema: Schema,
        names: Names,
        *,
        labelled: bool,
        frozen: bool = False,
        block_rows: int | None = None,
    ) -> None:
        super().__init__(block_rows, schema, frozen)
        self.names: Names = names
        self._frames, self._file, self._labelled = frames, file, labelled
        self._raw_columns: list[str] = []
        self._encoder = Encoder(schema)

    @property
    def raw_columns(self) -> list[str]:
        """The columns of the frames, once the first was seen."""
        return self._raw_columns

    def follow(self, schema: Schema, names: Names | None) -> None:
        """Go on with what a learner knows of its columns."""
        super().follow(schema, names)
        self._encoder = Encoder(self.schema)

    def _blocks(self) -> Iterator[Block]:
        first_row = 0
        for frame in self._frames():
            rows = max(CELLS // max(len(frame.columns), 1), 1)
            for start in range(0, len(frame), rows):
                part = frame[start : start + rows]
                yield self._block(part, first_row)
                first_row += len(part)

    def _block(self, frame: Frame, first_row: int) -> Block:
        schema = self.schema
        self._raw_columns = list(frame.columns)
        self._refuse_unwritable()
        if schema.label is None and self._labelled:
            schema.label = self._raw_columns[-1]
        self._refuse_absent()
        labels = self._labels(frame[schema.label], first_row) if self._labelled else None
        entries, table = self._entries(frame, first_row)
        entries, table, hashed = self._encoder.finished(entries, table, self._words_of(frame))
        batch = batch_of_names(_parsed(entries), vocabulary_of(table), schema.bits)
        batch = batch._replace(hashed=hashed)
        return Block(
            rows_by_name(batch, self.names, frozen=self._frozen, tabular=True),
            labels,
            importance=self._importance(frame, first_row),
            ids=self._ids(frame),
            first_row=first_row,
        )

    def _words_of(self, frame: Frame) -> dict[str, str]:
        """The columns that are there, with the words of their kinds."""
        kinds = self.schema.kinds
        return {name: kinds[name].word if name in kinds else "" for name in frame.columns}

    def _ids(self, frame: Frame) -> list[str] | None:
        name = self.schema.id
        there = name is not None and name in frame.columns
        return list(map(str, frame[name].to_list())) if there else None

    def _refuse_unwritable(self) -> None:
        """Refuse a frame with a column whose name no file could hold."""
        for name in self._raw_columns:
            try:
                refuse_unwritable(name, name)
            except CannotReadError as error:
                what = f"the name of the column {error.what}"
                raise BadInput(what, "rename it", file=self._file) from None

    def _refuse_absent(self) -> None:
        """Refuse a frame that lacks a column which was named."""
        if not self._labelled:
            return
        schema, there = self.schema, self._raw_columns
        remedy = f"choose from {', '.join(there)}"
        if schema.label not in there:
            what = "no column has the name of the label"
            raise BadInput(what, remedy, value=schema.label, file=self._file)
        if schema.label in (schema.id, schema.weight):
            what = "the last column, otherwise the label, is the identifier or the importance"
            said = ("name the label's column with ", Argument("label"))
            raise BadInput(what, said, value=schema.label, file=self._file)
        for name in schema.absent_from(there):
            raise BadInput("no such column", remedy, value=name, file=self._file)

    def _labels(self, column: Any, first_row: int) -> NDArray[Any]:
        numbers = _numbers(column)
        if numbers is None:
            values: NDArray[Any] = self._words(column)
            missing = column.is_null().to_numpy().astype(bool)
        else:
            values, missing = numbers
            if np.isinf(values).any():
                self._refuse("the label is not finite", values, np.isinf(values), first_row)
        if missing.any():
            names = np.full(len(missing), column.name, object)  # there is no value to show
            self._refuse("the label is missing", names, missing, first_row)
        return values

    def _importance(self, frame: Frame, first_row: int) -> NDArray[np.float64] | None:
        weight = self.schema.weight
        if weight is None or not self._labelled:
            return None
        column = frame[weight]
        numbers = _numbers(column)
        bad = np.ones(len(frame), np.bool_)
        if numbers is not None:
            bad = numbers[1] | ~np.isfinite(numbers[0]) | (numbers[0] < 0.0)
        if bad.any():
            what = "the importance is not a number of 0 or more"
            self._refuse(what, column.to_list(), bad, first_row)
        assert numbers is not None
        return numbers[0]

    def _refuse(self, what: str, cells: Any, where: NDArray[Any], first_row: int) -> None:
        """Refuse the first row where something is wrong, and show its cell."""
        row = int(np.flatnonzero(where)[0])
        remedy, line = "drop the row or give it a value", first_row + row + 1
        raise BadInput(what, remedy, value=str(cells[row]), file=self._file, line=line)

    def _words(self, column: Any) -> NDArray[Any]:
        """A column's cells as text."""
        if column.dtype.is_nested() or column.dtype == nw.Binary:
            what = f"a column of {column.dtype}"
            remedy = "drop it, or spread it over columns of numbers or text"
            raise BadInput(what, remedy, value=column.name, file=self._file)
        return np.array(column.cast(nw.String).to_list(), dtype=object)

    # ── features ────────────────────────────────────────────────────────────────────────────────

    def _entries(self, frame: Frame, first_row: int) -> tuple[Entries, Any]:
        """The features of all columns, and the table of their names."""
        found, table = nothing(len(frame)), empty_table()
        met: dict[str, Kind] = {}
        for name in frame.columns:
            if name in self.schema.roles:
                continue
            column = frame[name]
            kind = self.schema.kinds.get(name)
            if kind is None and _holds_vectors(column):
                more, table = self._of_vectors(column, table, met)
                found = beside(found, more)
                continue
            kind = kind or self._recognised(column)
            if kind is not None:
                more, table = self._of_column(column, kind, table, first_row)
                found = beside(found, more)
                met[name] = kind
        self.schema.recognise_all({n: k for n, k in met.items() if n not in self.schema.kinds})
        return found, table

    def _recognised(self, column: Any) -> Kind | None:
        """The kind of a column by its type; None where it has no value yet."""
        if column.is_null().all():
            return None
        if column.name in self.names or _is_numeric(column):
            return Number()
        if column.dtype.is_temporal():
            return Date()
        return WordList() if column.dtype == nw.List else Category()

    def _of_column(
        self, column: Any, kind: Kind, table: Any, first_row: int
    ) -> tuple[Entries, Any]:
        numbers = _numbers(column) if kind == Number() else None
        if numbers is not None:
            return self._of_numbers(column.name, *numbers, table, first_row)
        nested = column.dtype.is_nested() or column.dtype == nw.Binary
        if nested and kind.word not in ("words", "ignored"):
            self._words(column)  # says what to do
        try:
            return column_entries(column.name, kind, _cells(column), table, self.names)
        except BadCellError as bad:
            what = f"in the column {column.name}: {bad.error.what}"
            line = first_row + bad.row + 1
            raise BadInput(what, bad.error.remedy, file=self._file, line=line) from None

    def _of_vectors(self, column: Any, table: Any, met: dict[str, Kind]) -> tuple[Entries, Any]:
        """A column of lists of numbers is as many columns, by place."""
        cells = column.to_list()
        found = nothing(len(cells))
        for k in range(max((len(cell) for cell in cells if cell is not None), default=0)):
            name = f"{column.name}.{k}"
            values = [cell[k] if cell is not None and k < len(cell) else None for cell in cells]
            more, table = column_entries(name, Number(), values, table)
            found, met[name] = beside(found, more), Number()
        return found, table

    def _of_numbers(
        self,
        name: str,
        values: NDArray[np.float64],
        missing: NDArray[np.bool_],
        table: Any,
        first_row: int,
    ) -> tuple[Entries, Any]:
        if np.isinf(values).any():
            what = f"in the column {name}: a number that is not finite"
            self._refuse(what, values, np.isinf(values), first_row)
        present = ~missing & (values != 0.0)
        ends = np.zeros(len(values) + 1, np.int64)
        np.cumsum(present, out=ends[1:])
        if not ends[-1]:
            return nothing(len(values)), table
        table, number = add_all(table, *joined([name]))
        return Entries(ends, np.full(ends[-1], number[0]), values[present]), table


def _parsed(entries: Entries) -> Parsed:
    empty, pairs = np.empty(0), np.empty((0, 2), np.int64)
    indices = entries.numbers.astype(np.uint32)
    whole = np.empty(0, np.int64)
    return Parsed(
        entries.indptr, indices, entries.values, empty, empty, whole, pairs, pairs, 0, 0, 0
    )


def _holds_vectors(column: Any) -> bool:
    kind = column.dtype
    return kind in (nw.List, nw.Array) and kind.inner.is_numeric()


def _cells(column: Any) -> list[Any]:
    """A column's values; its numbers of fewer digits than Python's as NumPy has them."""
    cells: list[Any] = column.to_list()
    narrow = NARROW.get(str(column.dtype))
    if narrow is None:
        return cells
    missing = column.is_null().to_list()
    return [None if gone else narrow(cell) for cell, gone in zip(cells, missing, strict=True)]


def _is_numeric(column: Any) -> bool:
    return bool(column.dtype.is_numeric() or column.dtype == nw.Boolean)


def _numbers(column: Any) -> Numbers | None:
    """A column's numbers and which are missing (null or NaN); None if it holds anything else."""
    if not _is_numeric(column):
        return None
    missing = column.is_null().to_numpy().astype(bool)
    values = column.cast(nw.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
    return values, missing | np.isnan(values)

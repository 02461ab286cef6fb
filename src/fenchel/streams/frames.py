"""Frames to rows: pandas, Polars and Arrow tables, all through narwhals.

The same features as in CSV: a number is ``column``, a string or a category ``column=value``, true
is 1; zeros and missing values are absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fenchel.rows import Block, Rows
from fenchel.streams.batch import Parsed, Vocabulary, batch_of_names
from fenchel.streams.errors import BadInput
from fenchel.streams.names import Names, joined
from fenchel.streams.stream import Stream

CELLS = 1 << 21  # in a block, about

Frame = Any  # a narwhals DataFrame over any library


def as_frame(table: Any) -> Frame:
    """A table of any library that narwhals knows."""
    try:
        return nw.from_native(table, eager_only=True)
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
        *,
        label: str | None,
        labelled: bool,
        names: Names,
        block_rows: int | None,
    ) -> None:
        super().__init__(block_rows)
        self.names: Names = names
        self._frames, self._file = frames, file
        self._label, self._labelled = label, labelled

    @property
    def label(self) -> str | None:
        """The name of the label's column."""
        return self._label

    def _blocks(self) -> Iterator[Block]:
        first_row = 0
        for frame in self._frames():
            rows = max(CELLS // max(len(frame.columns), 1), 1)
            for start in range(0, len(frame), rows):
                part = frame[start : start + rows]
                yield self._block(part, first_row)
                first_row += len(part)

    def _block(self, frame: Frame, first_row: int) -> Block:
        columns = list(frame.columns)
        if self._label is None and self._labelled:
            self._label = columns[-1]
        labels = self._labels(frame, first_row) if self._labelled else None
        features = [name for name in columns if name != self._label]
        parsed, vocabulary = self._rows(frame, features, first_row)
        batch = batch_of_names(parsed, vocabulary, self.names.bits)
        assert batch.vocabulary is not None
        indices = self.names.columns(*batch.vocabulary).astype(np.uint32)[batch.parsed.indices]
        values = batch.parsed.values
        rows = Rows.sparse(batch.parsed.indptr, indices, values, self.columns)
        return Block(rows, labels, first_row=first_row)

    def _labels(self, frame: Frame, first_row: int) -> NDArray[Any]:
        if self._label not in frame.columns:
            remedy = f"name the label's column: {', '.join(frame.columns)}"
            what = "no column has the name of the label"
            raise BadInput(what, remedy, value=self._label, file=self._file)
        column = frame[self._label]
        values, missing = _numbers(column)
        if values is None:
            values = self._words(column, str(self._label))
        elif np.isinf(values).any():
            self._refuse("the label is not finite", self._label, np.isinf(values), first_row)
        if missing.any():
            self._refuse("the label is missing", self._label, missing, first_row)
        return values

    def _refuse(self, what: str, column: str | None, where: NDArray[Any], first_row: int) -> None:
        row = first_row + int(np.flatnonzero(where)[0]) + 1
        remedy = "drop the row or give it a value"
        raise BadInput(what, remedy, value=column, file=self._file, line=row)

    def _words(self, column: Any, name: str) -> NDArray[Any]:
        """A column's cells as text."""
        if column.dtype.is_nested() or column.dtype == nw.Binary:
            what = f"a column of {column.dtype}"
            remedy = "drop it, or spread it over columns of numbers or text"
            raise BadInput(what, remedy, value=name, file=self._file)
        return np.array(column.cast(nw.String).to_list(), dtype=object)

    def _rows(self, frame: Frame, features: list[str], first_row: int) -> tuple[Parsed, Vocabulary]:
        """The frame's cells row by row; names in order of first appearance."""
        names: list[str] = []
        rows, numbers, values = [], [], []
        for feature in features:
            which, cells, present = self._entries(frame[feature], feature, names, first_row)
            rows.append(np.flatnonzero(present))
            numbers.append(which)
            values.append(cells)
        nothing = np.empty(0, np.int64)
        row = np.concatenate([*rows, nothing])
        order = np.argsort(row, kind="stable")
        indptr = np.zeros(len(frame) + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=len(frame)), out=indptr[1:])
        number, names = _by_appearance(np.concatenate([*numbers, nothing])[order], names)
        value = np.concatenate([*values, np.empty(0)])[order]
        pairs = np.empty((0, 2), np.int64)
        empty = np.empty(0)
        parsed = Parsed(indptr, number, value, empty, empty, nothing, pairs, pairs, 0, 0, 0)
        return parsed, Vocabulary(*joined(names))

    def _entries(
        self, column: Any, feature: str, names: list[str], first_row: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
        """A column's entries that are not absent: number of the name, value; and which rows."""
        values, missing = _numbers(column)
        if values is not None:
            if np.isinf(values).any():
                self._refuse("a number that is not finite", feature, np.isinf(values), first_row)
            present = ~missing & (values != 0.0)
            names.append(feature)
            return np.full(present.sum(), len(names) - 1), values[present], present
        present = ~missing
        cells = self._words(column, feature)[present].astype(str)
        words, inverse = np.unique(cells, return_inverse=True)
        first = len(names)
        names.extend(f"{feature}={word}" for word in words)
        return first + inverse.astype(np.int64), np.ones(len(cells)), present


def _numbers(column: Any) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
    """A column's numbers, None if it holds text, and which are missing (null or NaN)."""
    missing = column.is_null().to_numpy().astype(bool)
    if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
        return None, missing
    values = column.cast(nw.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
    return values, missing | np.isnan(values)


def _by_appearance(
    numbers: NDArray[np.int64], names: list[str]
) -> tuple[NDArray[np.uint32], list[str]]:
    """The same names, numbered in the order in which the entries first use them."""
    used, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    return rank[inverse], [names[k] for k in used[order]]

"""NumPy arrays and SciPy matrices as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._kernel import border
from fenchel._kernel.rows import DenseRows, SparseRows
from fenchel.streams.block import Block
from fenchel.streams.stream import Stream

ENTRIES = 1 << 21  # in a block, about


class ArrayStream(Stream):
    """The rows of a matrix; columns are numbers. What learners refuse is refused here, as there."""

    def __init__(self, X: Any, y: Any, weights: Any, block_rows: int | None) -> None:
        super().__init__(block_rows)
        self._rows, self._count, self._columns = border.as_rows(X)
        self._labels = None if y is None else _labels(y, self._count)
        self._weights = None if weights is None else border.as_importance(weights, self._count)
        border.refuse_unsound(self._rows, self._columns)

    def _blocks(self) -> Iterator[Block]:
        density = self._rows.values.size / max(self._count, 1)
        step = max(int(ENTRIES / max(density, 1)), 1)
        for start in range(0, self._count, step):
            yield self._block(start, min(start + step, self._count))

    def _block(self, start: int, stop: int) -> Block:
        rows = self._part(start, stop)
        return Block(
            rows.indptr,
            rows.indices,
            np.ascontiguousarray(rows.values, np.float64),
            None if self._labels is None else self._labels[start:stop],
            None if self._weights is None else self._weights[start:stop],
            None,
            None,
            start,
        )

    def _part(self, start: int, stop: int) -> SparseRows:
        """Some rows, columns in order; checked again, since the arrays belong to the caller."""
        if isinstance(self._rows, DenseRows):
            values = self._rows.values[start:stop]
            row, columns = np.nonzero(values)
            lengths = np.bincount(row, minlength=stop - start)
            indptr = np.concatenate([[0], np.cumsum(lengths)])
            values = values[row, columns]
            part = SparseRows(indptr, columns.astype(np.uint32), values, values)
        else:
            first, last = self._rows.indptr[start], self._rows.indptr[stop]
            indptr = self._rows.indptr[start : stop + 1] - first
            part = SparseRows(indptr, *(array[first:last] for array in self._rows[1:]))
        return border.ordered(part, stop - start, self._columns)


def _labels(y: Any, count: int) -> NDArray[Any]:
    """Labels as strings, or as finite numbers."""
    border.refuse_masked(y, "y")
    labels = np.asarray(y)
    if labels.dtype.kind in "OU" and all(isinstance(label, str) for label in labels.ravel()):
        border.refuse_length(labels, "y", count)
        return labels.astype(object)
    return border.as_targets(labels, count)

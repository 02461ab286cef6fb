"""NumPy arrays and SciPy matrices as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.streams.block import Block
from fenchel.streams.errors import BadInput
from fenchel.streams.stream import Stream

ENTRIES = 1 << 21  # in a block, about


class ArrayStream(Stream):
    """The rows of a matrix; columns are numbers."""

    def __init__(
        self, X: Any, y: Any, weights: NDArray[np.float64] | None, block_rows: int | None
    ) -> None:
        super().__init__(block_rows)
        self._sparse = hasattr(X, "tocsr")
        self._X: Any = X.tocsr() if self._sparse else np.asarray(X)
        if self._X.ndim != 2:
            raise _refused(f"X has {self._X.ndim} dimensions", "give rows × columns")
        self._labels = None if y is None else _labels(y)
        self._weights = None if weights is None else np.asarray(weights, np.float64)
        for name, array in (("y", self._labels), ("weights", self._weights)):
            if array is not None and array.shape != (self._X.shape[0],):
                what = f"{name} has shape {array.shape}, X has {self._X.shape[0]} rows"
                raise _refused(what, "give one for each row")
        if self._weights is not None and not np.all(
            (self._weights >= 0) & (self._weights < np.inf)
        ):
            raise _refused("a weight is negative or not finite", "give weights of 0 or more")
        self._columns = int(self._X.shape[1])

    def _blocks(self) -> Iterator[Block]:
        rows, columns = self._X.shape
        density = self._X.nnz / max(rows, 1) if self._sparse else columns
        step = max(int(ENTRIES / max(density, 1)), 1)
        for start in range(0, rows, step):
            yield self._block(start, min(start + step, rows))

    def _block(self, start: int, stop: int) -> Block:
        part = self._X[start:stop]
        if self._sparse:
            part = part.copy()
            part.sum_duplicates()
            indptr, indices, values = part.indptr, part.indices, part.data
        else:
            row, indices = np.nonzero(part)
            values = part[row, indices]
            indptr = np.zeros(stop - start + 1, np.int64)
            np.cumsum(np.bincount(row, minlength=stop - start), out=indptr[1:])
        values = np.ascontiguousarray(values, np.float64)
        self._check(values, indptr, indices, start)
        return Block(
            np.ascontiguousarray(indptr, np.int64),
            np.ascontiguousarray(indices, np.uint32),
            values,
            None if self._labels is None else self._labels[start:stop],
            None if self._weights is None else self._weights[start:stop],
            None,
            None,
            start,
        )

    def _check(self, values: Any, indptr: Any, indices: Any, start: int) -> None:
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            row = start + int(np.searchsorted(indptr, bad[0], side="right")) - 1
            what = f"X[{row}, {indices[bad[0]]}] is not finite"
            raise _refused(what, "drop the row or fill it in", str(values[bad[0]]))


def _labels(y: Any) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.dtype.kind in "OUS":
        if all(isinstance(label, str) for label in labels.ravel()):
            return labels.astype(object)
        return _labels([float(label) for label in labels.ravel()])
    labels = labels.astype(np.float64)
    if not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise _refused(f"y[{row}] is not finite", "drop the row", str(labels[row]))
    return labels


def _refused(what: str, remedy: str, value: str | None = None) -> BadInput:
    return BadInput(what, remedy, value=value, file="array")

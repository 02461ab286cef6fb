"""NumPy arrays and SciPy matrices as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.rows import Block, Rows, validate
from fenchel.streams.stream import Stream

ENTRIES = 1 << 21  # in a block, about


class ArrayStream(Stream):
    """The rows of a matrix; columns are numbers. What learners refuse is refused here, as there."""

    def __init__(self, X: Any, y: Any, importance: Any, block_rows: int | None) -> None:
        super().__init__(block_rows)
        self._rows = validate.as_rows(X)
        self._columns = self._rows.width
        self._labels = None if y is None else _labels(y, len(self._rows))
        self._importance = (
            None if importance is None else validate.as_importance(importance, len(self._rows))
        )
        validate.refuse_unsound(self._rows)

    def _blocks(self) -> Iterator[Block]:
        count = len(self._rows)
        density = self._rows.view.values.size / max(count, 1)
        step = max(int(ENTRIES / max(density, 1)), 1)
        for start in range(0, count, step):
            yield self._block(start, min(start + step, count))

    def _block(self, start: int, stop: int) -> Block:
        # Checked again, since the arrays belong to the caller.
        view = validate.ordered(self._rows.part(start, stop).compact()).csr()
        values = np.ascontiguousarray(view.values, np.float64)
        return Block(
            Rows.sparse(view.indptr, view.indices, values, self._columns),
            None if self._labels is None else self._labels[start:stop],
            None if self._importance is None else self._importance[start:stop],
            first_row=start,
        )


def _labels(y: Any, count: int) -> NDArray[Any]:
    """Labels as strings, or as finite numbers."""
    validate.refuse_masked(y, "y")
    labels = np.asarray(y)
    if labels.dtype.kind in "OU" and all(isinstance(label, str) for label in labels.ravel()):
        validate.refuse_length(labels, "y", count)
        return labels.astype(object)
    numbers = validate.as_targets(labels)
    validate.refuse_length(numbers, "y", count)
    return numbers

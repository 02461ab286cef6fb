"""Some rows of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Block(NamedTuple):
    """Rows as CSR: row i is indices[indptr[i]:indptr[i + 1]] with the same slice of values.

    ``labels`` are numbers or strings (objects), never both in one stream, or None. ``groups`` are
    the query ids, −1 for a row without one. ``first_row`` counts the rows before this block.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.uint32]
    values: NDArray[np.float64]
    labels: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    groups: NDArray[np.int64] | None
    tags: list[str] | None
    first_row: int

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self.indptr) - 1

    def parts(self, rows: int | None) -> Iterator[Block]:
        """The block in pieces of at most so many rows."""
        if rows is None or self.rows <= rows:
            yield self
            return
        for start in range(0, self.rows, rows):
            yield self.part(start, min(start + rows, self.rows))

    def part(self, start: int, stop: int) -> Block:
        """Rows start … stop − 1."""
        first, last = self.indptr[start], self.indptr[stop]
        return Block(
            self.indptr[start : stop + 1] - first,
            self.indices[first:last],
            self.values[first:last],
            None if self.labels is None else self.labels[start:stop],
            None if self.weights is None else self.weights[start:stop],
            None if self.groups is None else self.groups[start:stop],
            None if self.tags is None else self.tags[start:stop],
            self.first_row + start,
        )

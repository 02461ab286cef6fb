"""A block of a stream: rows with what belongs to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.parts.state import Array
from fenchel.rows.rows import Rows

ONE = np.ones(1)


@dataclass(frozen=True, slots=True)
class Block:
    """Rows, and one label, importance, query and identifier a row, each where there is one.

    ``labels`` are numbers or strings (objects), never both in one stream. ``importance`` is how often
    an example counts, 1 everywhere where it is None. ``groups`` are the query ids, −1 for a row without
    one; ``ids`` are texts. ``first_row`` counts the rows before this block.
    """

    rows: Rows
    labels: NDArray[Any] | None = None
    importance: Array | None = None
    groups: NDArray[np.int64] | None = None
    ids: list[str] | None = None
    first_row: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def indptr(self) -> NDArray[np.int64]:
        """Row i is indices[indptr[i]:indptr[i + 1]] with the same slice of values."""
        return self.rows.csr().indptr

    @property
    def indices(self) -> NDArray[np.uint32]:
        """The columns of the entries, row by row."""
        return self.rows.csr().indices

    @property
    def values(self) -> NDArray[Any]:
        """The values of the entries, row by row."""
        return self.rows.csr().values

    @property
    def weights(self) -> Array:
        """One importance a row."""
        return np.broadcast_to(ONE if self.importance is None else self.importance, len(self))

    @property
    def amounts(self) -> Array:
        """The importance as compiled code takes it: one number a row, or a single 1 for all."""
        return ONE if self.importance is None else self.importance

    @property
    def nbytes(self) -> int:
        """The bytes that a copy of the block takes."""
        others = (self.labels, self.importance, self.groups)
        return self.rows.nbytes + sum(array.nbytes for array in others if array is not None)

    def part(self, start: int, stop: int) -> Block:
        """Return rows start … stop − 1."""
        return Block(
            self.rows.part(start, stop),
            None if self.labels is None else self.labels[start:stop],
            None if self.importance is None else self.importance[start:stop],
            None if self.groups is None else self.groups[start:stop],
            None if self.ids is None else self.ids[start:stop],
            self.first_row + start,
        )

    def parts(self, count: int | None) -> Iterator[Block]:
        """Cut the block into pieces of at most so many rows."""
        if count is None or len(self) <= count:
            yield self
            return
        for start in range(0, len(self), count):
            yield self.part(start, min(start + count, len(self)))

    def select(self, keep: NDArray[np.bool_]) -> Block:
        """Select the rows for which ``keep`` is true."""
        return Block(
            self.rows.select(keep),
            None if self.labels is None else self.labels[keep],
            None if self.importance is None else self.importance[keep],
            None if self.groups is None else self.groups[keep],
            None if self.ids is None else [self.ids[i] for i in np.flatnonzero(keep)],
            self.first_row,
        )

    def replace(self, **changes: Any) -> Block:
        """Copy the block with some fields changed."""
        return replace(self, **changes)

    def copy(self) -> Block:
        """Copy the block into arrays of its own."""
        return Block(
            self.rows.copy(),
            None if self.labels is None else self.labels.copy(),
            None if self.importance is None else self.importance.copy(),
            None if self.groups is None else self.groups.copy(),
            None if self.ids is None else list(self.ids),
            self.first_row,
        )

    @staticmethod
    def concatenate(several: Sequence[Block]) -> Block:
        """Join blocks in turn; what one of them lacks is left out."""
        if len(several) == 1:
            return several[0]

        def joined(arrays: list[Any]) -> Any:
            return None if any(a is None for a in arrays) else np.concatenate(arrays)

        importance = None
        if any(block.importance is not None for block in several):
            importance = np.concatenate([block.weights for block in several])
        ids = [block.ids for block in several]
        return Block(
            Rows.concatenate([block.rows for block in several]),
            joined([block.labels for block in several]),
            importance,
            joined([block.groups for block in several]),
            None if None in ids else [i for each in ids for i in each],  # type: ignore[union-attr]
            several[0].first_row,
        )


# Opens a stream anew each time it is called.
ReadBlocks = Callable[[], Iterable[Block]]

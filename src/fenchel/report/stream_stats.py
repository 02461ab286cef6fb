"""Statistics of a stream for a page, gathered as its blocks pass: features, and the first rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from fenchel.rows import Block

MOST_ROWS, MOST_ENTRIES = 20_000, 1_000_000


class StreamStats:
    """Counts and sizes of the features over the whole stream, and its first rows.

    >>> from fenchel.streams import from_arrays
    >>> stats = StreamStats()
    >>> for block in stats.through(from_arrays([[1.0, 0.0], [2.0, -3.0]], [1, -1])):
    ...     pass
    >>> stats.counts, stats.sizes, stats.rounds
    (array([2., 1.]), array([3., 3.]), 2)
    """

    def __init__(self) -> None:
        self.rounds = 0
        self.counts = np.zeros(0)
        self.sizes = np.zeros(0)
        self.blocks: list[Block] = []
        self.kept = 0
        self._entries = 0

    def through(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The same blocks, looked at on their way."""
        for block in blocks:
            self._count(block)
            self._keep(block)
            yield block

    def _count(self, block: Block) -> None:
        there = block.values != 0.0
        indices, values = block.indices[there], np.abs(block.values[there])
        width = max(len(self.counts), int(indices.max(initial=0)) + 1)
        self.counts = _wider(self.counts, width) + np.bincount(indices, minlength=width)
        self.sizes = _wider(self.sizes, width) + np.bincount(indices, values, minlength=width)
        self.rounds += len(block)

    def _keep(self, block: Block) -> None:
        if self._entries >= MOST_ENTRIES or self.kept >= MOST_ROWS or self.kept != block.first_row:
            return
        fits = np.diff(block.indptr).cumsum() + self._entries <= MOST_ENTRIES
        fits &= np.arange(len(block)) + self.kept < MOST_ROWS
        if fits.any():
            self.blocks.append(block.select(fits))
            self.kept += int(fits.sum())
            self._entries += len(self.blocks[-1].values)

    def pieces(self, ends: list[int]) -> Iterator[list[Block]]:
        """The first rows cut at these rounds: the blocks of each piece."""
        start = 0
        for end in ends:
            yield [
                block.select(where)
                for block in self.blocks
                if (where := _between(block, start, end)).any()
            ]
            start = end


def _wider(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    return np.pad(values, (0, width - len(values)))


def _between(block: Block, start: int, end: int) -> NDArray[np.bool_]:
    rounds = np.arange(block.first_row, block.first_row + len(block))
    return np.asarray((rounds >= start) & (rounds < end))

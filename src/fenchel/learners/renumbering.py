"""The places of a learner's columns and outputs when it is merged with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.loops.online import ROUNDS
from fenchel.parts.state import MOST_WAITING, Array

Longs = NDArray[np.int64]


class Places(NamedTuple):
    """The place of each column, of so many, and of each output (a class, a label, a task), of so many."""

    columns: Longs
    width: int
    outputs: Longs
    total: int

    @property
    def slots(self) -> Longs:
        """The place of each slot, the intercept's first."""
        return np.concatenate([[0], 1 + self.columns])

    def move(self, smaller: Array, larger: Array) -> None:
        """Put the slots of one array into their places in another, in both dimensions of a matrix."""
        to, stays = self.slots, np.array_equal(self.columns, np.arange(len(self.columns)))
        if smaller.ndim == 1 and stays:
            larger[: len(to)] = smaller[: len(to)]
        elif smaller.ndim == 1:
            larger[to] = smaller[: len(to)]
        elif smaller.shape[0] == MOST_WAITING:  # no matrix is so wide: its rows begin with a line
            larger[:, to] = smaller[:, : len(to)]
        else:
            larger[np.ix_(to, to)] = smaller[: len(to), : len(to)]


def shares_of(engines: Sequence[Any], start: Any) -> list[float]:
    """Each engine's share of the rounds since the start; equal ones where there were none."""
    rounds = [float(engine.counts[ROUNDS] - start.counts[ROUNDS]) for engine in engines]
    total = sum(rounds)
    return [r / total if total > 0.0 else 1.0 / len(rounds) for r in rounds]

"""The average loss along a stream, each round counted by its importance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fenchel.parts.state import Array


class MeanLoss(NamedTuple):
    """So many rounds, their importance and their loss; it never changes, more rounds give another.

    >>> before = MeanLoss().plus(np.array([1.0, 0.0]), None)
    >>> before.rounds, before.mean
    (2, 0.5)
    >>> third, fourth = before.at([3, 4], np.array([0.0, 1.0]), None)
    >>> third.mean, fourth.mean, fourth.since(before).mean
    (0.3333333333333333, 0.5, 0.5)
    """

    rounds: int = 0
    weight: float = 0.0
    total: float = 0.0

    @property
    def mean(self) -> float:
        """The average loss of a round."""
        return self.total / self.weight if self.weight else 0.0

    def plus(self, losses: Array, importance: Array | None) -> MeanLoss:
        """Count in some more rounds."""
        with np.errstate(over="ignore"):
            total = losses.sum() if importance is None else (losses * importance).sum()
        weight = len(losses) if importance is None else importance.sum()
        return MeanLoss(
            self.rounds + len(losses), self.weight + float(weight), self.total + float(total)
        )

    def with_more(self, other: MeanLoss) -> MeanLoss:
        """Count in the rounds of another."""
        return MeanLoss(
            self.rounds + other.rounds, self.weight + other.weight, self.total + other.total
        )

    def since(self, before: MeanLoss) -> MeanLoss:
        """Leave out the rounds before."""
        return MeanLoss(
            self.rounds - before.rounds, self.weight - before.weight, self.total - before.total
        )

    def at(self, rounds: Sequence[int], losses: Array, importance: Array | None) -> list[MeanLoss]:
        """Tell how it stands after some of the rounds that come next."""
        if not rounds:
            return []
        weights = np.ones(len(losses)) if importance is None else importance
        with np.errstate(over="ignore"):
            totals = self.total + np.cumsum(losses * weights)
        amounts = self.weight + np.cumsum(weights)
        places = [(n, n - self.rounds - 1) for n in rounds]
        return [MeanLoss(n, float(amounts[k]), float(totals[k])) for n, k in places]

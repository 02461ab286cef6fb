"""The average loss along a stream, at rounds evenly spaced on a logarithmic axis."""

from __future__ import annotations

import numpy as np

from fenchel.parts.state import Array

# So many points each time the rounds double.
PER_DOUBLING = 4


class Curve:
    """Rounds and the average loss up to them; where the blocks are cut makes no difference.

    >>> curve = Curve()
    >>> curve.see(np.array([1.0, 0.0, 1.0]), None)
    >>> curve.see(np.array([0.0]), None)
    >>> curve.points()
    [(1, 1.0), (2, 0.5), (3, 0.6666666666666666), (4, 0.5)]
    """

    def __init__(self) -> None:
        self._rounds = 0
        self._weight = self._loss = 0.0
        self._points: list[tuple[int, float]] = []
        self._next = 1

    def see(self, losses: Array, weights: Array | None) -> None:
        """Some more rounds, in their order."""
        end = self._rounds + len(losses)
        if end >= self._next:
            self._record(losses, weights, end)
        self._rounds = end
        self._weight += float(len(losses) if weights is None else weights.sum())
        self._loss += float(losses.sum() if weights is None else losses @ weights)

    def _record(self, losses: Array, weights: Array | None, end: int) -> None:
        importance = np.ones(len(losses)) if weights is None else weights
        with np.errstate(over="ignore"):
            sums = self._loss + np.cumsum(losses * importance)
        amounts = self._weight + np.cumsum(importance)
        while self._next <= end:
            at = self._next - self._rounds - 1
            if amounts[at] > 0.0:
                self._points.append((self._next, float(sums[at] / amounts[at])))
            self._next = max(self._next + 1, round(self._next * 2 ** (1 / PER_DOUBLING)))

    def points(self) -> list[tuple[int, float]]:
        """The points so far, the last round among them."""
        if not self._weight or (self._points and self._points[-1][0] == self._rounds):
            return list(self._points)
        return [*self._points, (self._rounds, self._loss / self._weight)]

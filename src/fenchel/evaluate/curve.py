"""The average loss along a stream, at rounds evenly spaced on a logarithmic axis."""

from __future__ import annotations

from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.parts.state import Array

# So many points each time the rounds double.
PER_DOUBLING = 4


class Curve:
    """Collects rounds and the average loss up to them, wherever the blocks are cut.

    >>> import numpy as np
    >>> curve, losses = Curve(), np.array([1.0, 0.0, 1.0])
    >>> curve.see(MeanLoss(), losses, None)
    >>> curve.points(MeanLoss().plus(losses, None))
    [(1, 1.0), (2, 0.5), (3, 0.6666666666666666)]
    """

    def __init__(self) -> None:
        self._points: list[tuple[int, float]] = []
        self._next = 1

    def see(self, before: MeanLoss, losses: Array, importance: Array | None) -> None:
        """Take the points that are due within a block; ``before`` is the average before it."""
        due = []
        while self._next <= before.rounds + len(losses):
            due.append(self._next)
            self._next = max(self._next + 1, round(self._next * 2 ** (1 / PER_DOUBLING)))
        found = before.at(due, losses, importance)
        self._points += [(now.rounds, now.mean) for now in found if now.weight > 0.0]

    def points(self, now: MeanLoss) -> list[tuple[int, float]]:
        """Return the points so far, and how it stands now."""
        if not now.weight or (self._points and self._points[-1][0] == now.rounds):
            return list(self._points)
        return [*self._points, (now.rounds, now.mean)]

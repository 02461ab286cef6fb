"""The last label that was known, as a prediction: what any learner of a stream has to beat."""

from __future__ import annotations

import numpy as np

from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.parts.state import Array


class PreviousLabel:
    """Predicts the label of ``lag`` rounds ago; rounds before there is one are not counted.

    >>> previous = PreviousLabel(regression=False)
    >>> previous.see(np.array([1.0, 1.0, -1.0]), None)
    >>> previous.loss
    0.5
    """

    def __init__(self, regression: bool, lag: int = 1) -> None:
        self._regression = regression
        self._last = np.zeros(0)
        self._lag = lag
        self._total = MeanLoss()

    @property
    def loss(self) -> float | None:
        """The average loss; None before there was a label to repeat."""
        return self._total.mean if self._total.rounds else None

    def see(self, targets: Array, importance: Array | None) -> None:
        """Count in a block."""
        known = np.concatenate([self._last, targets])
        count = max(0, len(known) - self._lag)
        said, right = known[:count], known[self._lag : self._lag + count]
        with np.errstate(over="ignore"):
            losses = np.square(said - right) if self._regression else (said != right) * 1.0
        amounts = None if importance is None else importance[len(targets) - count :]
        self._total = self._total.plus(np.asarray(losses, np.float64), amounts)
        self._last = known[max(0, len(known) - self._lag) :]

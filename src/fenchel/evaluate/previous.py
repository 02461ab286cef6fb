"""The last label that was known, as a prediction: what any learner of a stream has to beat."""

from __future__ import annotations

import numpy as np

from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.evaluate.metrics import Mean, MeanSquared
from fenchel.evaluate.own_loss import losses_in
from fenchel.parts.state import Array


class PreviousLabel:
    """Predicts the label of the round before; rounds before there is one are not counted.

    >>> previous = PreviousLabel(regression=False)
    >>> previous.see(np.array([1.0, 1.0, -1.0]), None)
    >>> previous.loss
    0.5
    """

    def __init__(self, regression: bool, loss: Mean | None = None) -> None:
        self._regression, self._loss = regression, loss or MeanSquared()
        self._last = np.zeros(0)
        self._total = MeanLoss()

    @property
    def loss(self) -> float | None:
        """The average loss; None before there was a label to repeat."""
        return self._total.mean if self._total.rounds else None

    def see(self, targets: Array, importance: Array | None) -> None:
        """Count in a block."""
        known = np.concatenate([self._last, targets])
        said, right = known[:-1], known[1:]
        amounts = None if importance is None else importance[len(targets) - len(right) :]
        self.see_said(said, right, amounts)
        self._last = known[-1:]

    def see_said(self, said: Array, right: Array, importance: Array | None) -> None:
        """Count in rows by the label that is repeated, and the right one."""
        losses = losses_in(self._loss, said, right) if self._regression else (said != right) * 1.0
        self._total = self._total.plus(np.asarray(losses, np.float64), importance)

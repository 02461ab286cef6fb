"""The loss of a model frozen along the run, on the rows ahead of it.

At rounds that nearly double, and grow by a quarter once there are a thousand, the learner is set aside as it
would be saved, and predicts a sample of the rows up to the next such round. Their losses in the last six
windows, about three quarters of the stream, are what to expect of the model on rows like those that follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.evaluate.measures import outcome
from fenchel.evaluate.metrics import Mean
from fenchel.learners import Learner
from fenchel.learners.frozen import WINDOWS, next_round, sampled, share_of
from fenchel.parts.state import Array
from fenchel.rows import Block

# Rows of a window that are looked at: all while they are few, a quarter, and no more than a number.
FEW, QUARTER, SAMPLE = 64, 0.25, 1024


class FrozenMeter:
    """Measures a learner frozen; see ``Run``, which cuts blocks where it is due."""

    def __init__(self, learner: Learner, loss: Mean | None = None) -> None:
        self._learner, self._loss = learner, loss
        self._still: Any = None
        self._known = 0  # classes, when it was set aside
        self._windows = [MeanLoss()]
        self.rounds = 0

    @property
    def measured(self) -> MeanLoss:
        """The loss over the latest windows."""
        parts = self._windows[-WINDOWS:]
        sums = zip(*parts, strict=True)
        return MeanLoss(*(sum(numbers) for numbers in sums))

    def see(self, block: Block, targets: Array) -> None:
        """Score rows that the learner had not seen when it was set aside."""
        count = len(block)
        if self._still is not None:
            share = share_of(next_round(self.rounds), FEW, QUARTER, SAMPLE)
            keep = sampled(self.rounds, count, share)
            if not len(keep):
                self.rounds += count
                return
            rows, own = block.rows.take(keep), targets[keep]
            margins = self._still.read(rows, "frozen")
            if margins.ndim == 2:  # classes that came since are not known to it
                missing = max(0, int(own.max(initial=-1)) + 1 - margins.shape[1])
                margins = np.pad(margins, ((0, 0), (0, missing)), constant_values=-np.inf)
            scored = outcome(self._learner, margins, own, 1 << 30, self._loss)
            amounts = None if block.importance is None else block.importance[keep]
            self._windows[-1] = self._windows[-1].plus(scored.losses, amounts)
        self.rounds += count

    def after(self) -> None:
        """Set the learner aside where that is due."""
        if next_round(self.rounds - 1) == self.rounds:
            self._still = self._learner.engine.still()
            self._windows = [*self._windows[-WINDOWS + 1 :], MeanLoss()]

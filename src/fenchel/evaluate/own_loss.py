"""The loss that numbers are told in: that of the task, and the constant that would have cost least in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fenchel.evaluate.constant import BestConstant
from fenchel.evaluate.metrics import Mean, MeanSquared, PoissonDeviance, QuantileLoss, Seen
from fenchel.learners import Learner
from fenchel.learners.interval import Interval
from fenchel.losses.protocol import level_of
from fenchel.parts.state import Array

NONE = np.zeros(0)
MOST = 1 << 16  # targets that are kept as they are; beyond, neighbours are joined


def own_loss(learner: Learner) -> Mean:
    """Return the loss of the learner's task: of a quantile its pinball loss, of counts the deviance.

    Every other regression is told in squared errors.

    >>> from fenchel import learners
    >>> own_loss(learners.lms()).name, own_loss(learners.auto("regression", loss="poisson")).name
    ('squared', 'poisson')
    >>> own_loss(learners.auto("regression", loss="quantile:0.9")).name
    'quantile:0.9'
    """
    engine = learner.engine.inner if isinstance(learner.engine, Interval) else learner.engine
    if engine.predicts_counts:
        return PoissonDeviance()
    loss = engine.blend.loss if hasattr(engine, "blend") else getattr(engine, "loss", None)
    level = level_of(loss)
    return MeanSquared() if level is None else QuantileLoss(level)


def common_loss(learners: Iterable[Learner]) -> Mean:
    """Return the loss that all learners have in common, the squared one where they differ."""
    found = {loss.name: loss for loss in map(own_loss, learners)}
    return next(iter(found.values())) if len(found) == 1 else MeanSquared()


def losses_in(loss: Mean, predicted: Array, targets: Array) -> Array:
    """Compute the loss of each prediction."""
    with np.errstate(over="ignore"):
        return loss.losses(Seen(targets, predicted, None, NONE))


def best_constant(task: str, loss: Mean) -> BestConstant:
    """Make what finds the constant that costs least in a loss of the task's."""
    if task != "regression":
        return BestConstant(regression=False)
    if isinstance(loss, QuantileLoss):
        return BestQuantile(loss.level)
    return BestMean() if isinstance(loss, PoissonDeviance) else BestConstant(regression=True)


class BestQuantile(BestConstant):
    """Finds the quantile of the targets, and what it costs in the pinball loss.

    Exact up to 65,536 different targets; beyond, neighbours count as their mean.

    >>> constant = BestQuantile(0.75)
    >>> constant.see(np.array([1.0, 2.0, 3.0, 4.0]))
    >>> constant.value, constant.loss
    (3.0, 0.375)
    """

    def __init__(self, level: float) -> None:
        super().__init__(regression=True)
        self._level = level
        self._targets, self._amounts = NONE, NONE  # in order; what came since comes last
        self._sorted = 0

    def _see_numbers(self, targets: Array, importance: Array) -> None:
        self._targets = np.concatenate([self._targets, targets])
        self._amounts = np.concatenate([self._amounts, importance])
        self._weight += float(importance.sum())
        if len(self._targets) > 2 * MOST:
            self._put_in_order()

    def _put_in_order(self) -> None:
        """Sort the targets, equal ones as one; join neighbours while there are too many."""
        if self._sorted == len(self._targets):
            return
        values, place = np.unique(self._targets, return_inverse=True)
        amounts: Array = np.bincount(place, self._amounts, len(values)).astype(np.float64)
        while len(values) > MOST:
            values, amounts = _in_pairs(values, amounts)
        self._targets, self._amounts, self._sorted = values, amounts, len(values)

    @property
    def value(self) -> float:
        """The least target that the level's share of all is not above."""
        self._put_in_order()
        if not self._weight:
            return 0.0
        below = np.cumsum(self._amounts)
        place = np.searchsorted(below, self._level * below[-1] * (1.0 - 1e-12))
        return float(self._targets[min(int(place), len(below) - 1)])

    @property
    def loss(self) -> float:
        """Its average pinball loss."""
        if not self._weight:
            return 0.0
        losses = losses_in(QuantileLoss(self._level), np.full(1, self.value), self._targets)
        return float(losses @ self._amounts) / self._weight


def _in_pairs(values: Array, amounts: Array) -> tuple[Array, Array]:
    """Join each two neighbours to their mean; the last may stay alone."""
    starts = np.arange(0, len(values), 2)
    total = np.add.reduceat(amounts, starts)
    sums = np.add.reduceat(values * amounts, starts)
    return np.divide(sums, total, out=values[starts].copy(), where=total > 0.0), total


class BestMean(BestConstant):
    """Finds the mean of counts, and what it costs in the Poisson deviance.

    >>> constant = BestMean()
    >>> constant.see(np.array([0.0, 4.0]))
    >>> constant.value, round(constant.loss, 6)
    (2.0, 2.772589)
    """

    def __init__(self) -> None:
        super().__init__(regression=True)
        self._entropy = 0.0  # Σ y·ln y

    def _see_numbers(self, targets: Array, importance: Array) -> None:
        super()._see_numbers(targets, importance)
        counts = np.maximum(targets, 0.0)
        self._entropy += float(importance @ (counts * np.log(np.where(counts > 0.0, counts, 1.0))))

    @property
    def loss(self) -> float:
        """2·(mean of y·ln y − m·ln m), the deviance of the mean m."""
        if not (self._weight and self._mean > 0.0):
            return 0.0
        apart = self._entropy / self._weight - self._mean * float(np.log(self._mean))
        return max(0.0, 2.0 * apart)


def told_as(loss: Any) -> str:
    """Name a loss for people.

    >>> told_as(MeanSquared()), told_as(QuantileLoss(0.9)), told_as(PoissonDeviance())
    ('squared', 'quantile:0.9', 'Poisson deviance')
    """
    return "Poisson deviance" if loss.name == "poisson" else str(loss.name)

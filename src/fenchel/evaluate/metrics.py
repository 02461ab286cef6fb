"""Scores of predictions along a stream, in bounded memory: one block at a time, several at once.

Classes: ``error``, ``log_loss``, ``brier``, ``auc``, ``f1``, ``precision``, ``recall``, ``ece``. Numbers:
``squared``, ``absolute``, ``quantile:LEVEL``, ``r2``, and ``poisson`` of counts. All are exact save ``auc``,
whose error is at most half the share of pairs that fall into one of 16,384 bins, which ``Area.error`` tells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.parts.state import Array

LEAST_CHANCE = 1e-15  # of what happened: a log loss is at most 34.5


class Seen(NamedTuple):
    """Some rows: what came, what was predicted before, and how much each counts.

    Classes: ``targets`` and ``predicted`` are class numbers, ``chances`` one column a class (class 1 is the
    positive one of two). Numbers: targets and predictions.
    """

    targets: NDArray[Any]
    predicted: NDArray[Any]
    chances: Array | None
    weights: Array


class Metric(ABC):
    """One figure over all rows so far."""

    name = ""
    tasks: tuple[str, ...] = ("binary", "multiclass")
    needs_chances = False
    higher_is_better = False
    is_mean = False  # over rows, of ``losses``

    @abstractmethod
    def see(self, seen: Seen) -> None:
        """Count in some more rows."""

    @property
    @abstractmethod
    def value(self) -> float:
        """The figure; NaN before there is one."""

    def losses(self, seen: Seen) -> Array | None:
        """The share of each row in the figure; None where it is no mean over rows."""
        return None


class Mean(Metric):
    """A mean of losses, each row counted by its weight."""

    is_mean = True

    def __init__(self) -> None:
        self._total = self._weight = 0.0

    @abstractmethod
    def losses(self, seen: Seen) -> Array:
        """The loss of each row."""

    def see(self, seen: Seen) -> None:
        """Count in some more rows."""
        with np.errstate(over="ignore"):
            self._total = _summed(self._total, self.losses(seen) * seen.weights)
        self._weight = _summed(self._weight, seen.weights)

    @property
    def value(self) -> float:
        """The mean."""
        return self._total / self._weight if self._weight else float("nan")


def _summed(before: float, terms: Array) -> float:
    """Before + Σ terms, in their order: the same sum, however rows come in blocks."""
    return float(np.add.accumulate(np.concatenate([[before], terms]))[-1])


class Error(Mean):
    """The share of mistakes."""

    name = "error"

    def losses(self, seen: Seen) -> Array:
        """1 for a mistake."""
        return np.asarray(seen.predicted != seen.targets, np.float64)


class LogLoss(Mean):
    """The mean of −ln p of the class that came."""

    name, needs_chances = "log_loss", True

    def losses(self, seen: Seen) -> Array:
        """−ln p, p held above 1e-15."""
        return -np.log(np.maximum(_chance_of_label(seen), LEAST_CHANCE))


class Brier(Mean):
    """The mean squared distance of the probabilities from what came; of two classes (p − y)²."""

    name, needs_chances = "brier", True

    def losses(self, seen: Seen) -> Array:
        """Σ_c (p_c − 1[c = y])², of two classes half of it."""
        assert seen.chances is not None
        p = _chance_of_label(seen)
        squares = np.square(seen.chances).sum(axis=1) - 2.0 * p + 1.0
        return np.asarray(squares / 2.0 if seen.chances.shape[1] == 2 else squares)


class Area(Metric):
    """The area under the ROC curve: the share of pairs of the two classes that are in order.

    Logits are counted in bins, 0.005 wide up to ±40: pairs inside one bin count half, which is wrong by at
    most ``error``.

    >>> area = Area()
    >>> chances = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    >>> area.see(Seen(np.array([0, 0, 1, 1]), np.zeros(4), chances, np.ones(4)))
    >>> area.value, area.error
    (0.75, 0.0)
    """

    name, needs_chances, higher_is_better, tasks = "auc", True, True, ("binary",)
    bins, farthest = 1 << 14, 40.0

    def __init__(self) -> None:
        self.counts = np.zeros((2, self.bins))

    def see(self, seen: Seen) -> None:
        """Count in some more rows."""
        assert seen.chances is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            logits = np.log(seen.chances[:, 1]) - np.log(seen.chances[:, 0])
        share = (np.nan_to_num(logits) / self.farthest + 1.0) / 2.0
        places = np.clip(share * self.bins, 0.0, self.bins - 1.0).astype(np.int64)
        for label in (0, 1):
            chosen = seen.targets == label
            self.counts[label] += np.bincount(places[chosen], seen.weights[chosen], self.bins)

    @property
    def _pairs(self) -> float:
        return float(self.counts[0].sum() * self.counts[1].sum())

    @property
    def value(self) -> float:
        """The area; NaN while one class is missing."""
        below = np.cumsum(self.counts[0]) - 0.5 * self.counts[0]
        return float(self.counts[1] @ below) / self._pairs if self._pairs else float("nan")

    @property
    def error(self) -> float:
        """The largest error of the area: half the share of pairs inside a bin."""
        return float(self.counts[0] @ self.counts[1]) / 2.0 / self._pairs if self._pairs else 0.0

    def curve(self) -> tuple[Array, Array]:
        """Return, from the highest score down, how many of each class lie above: (negatives, positives)."""
        falling = np.cumsum(self.counts[:, ::-1], axis=1)
        return falling[0], falling[1]


class Confusion(Metric):
    """Counts of right and wrong predictions by class; a mean over classes where there are several."""

    higher_is_better = True

    def __init__(self) -> None:
        self.right, self.said, self.came = np.zeros(2), np.zeros(2), np.zeros(2)

    def see(self, seen: Seen) -> None:
        """Count in some more rows."""
        targets, predicted = seen.targets.astype(np.int64), seen.predicted.astype(np.int64)
        most = int(max(targets.max(initial=0), predicted.max(initial=0))) + 1
        if most > len(self.came):
            grow = (0, most - len(self.came))
            self.right, self.said, self.came = (
                np.pad(a, grow) for a in (self.right, self.said, self.came)
            )
        known, count = predicted >= 0, len(self.came)
        hit = targets == predicted
        self.right += np.bincount(targets[hit], seen.weights[hit], count)
        self.said += np.bincount(predicted[known], seen.weights[known], count)
        self.came += np.bincount(targets, seen.weights, count)

    @abstractmethod
    def by_class(self) -> Array:
        """The figure of each class."""

    @property
    def value(self) -> float:
        """The figure of the positive class of two, the mean over those that came of several."""
        each = self.by_class()
        if len(each) == 2:
            return float(each[1])
        came = self.came > 0.0
        return float(each[came].mean()) if came.any() else float("nan")


class Precision(Confusion):
    """Of the rows said to be of a class, the share that is; 0 where none was."""

    name = "precision"

    def by_class(self) -> Array:
        """Right of said."""
        return _ratio(self.right, self.said)


class Recall(Confusion):
    """Of the rows of a class, the share that was said to be."""

    name = "recall"

    def by_class(self) -> Array:
        """Right of came."""
        return _ratio(self.right, self.came)


class F1(Confusion):
    """The harmonic mean of precision and recall."""

    name = "f1"

    def by_class(self) -> Array:
        """2·right/(said + came)."""
        return _ratio(2.0 * self.right, self.said + self.came)


class CalibrationError(Metric):
    """The distance of probabilities from shares: Σ over 15 bins of |Σ p − Σ 1[class]|/n.

    Of two classes the probability of the positive one, of several that of the likeliest.
    """

    name, needs_chances, bins = "ece", True, 15

    def __init__(self) -> None:
        self.table = np.zeros((3, self.bins))  # weight, Σ p, Σ of what came

    def see(self, seen: Seen) -> None:
        """Count in some more rows."""
        assert seen.chances is not None
        if seen.chances.shape[1] == 2:
            p, came = seen.chances[:, 1], seen.targets == 1
        elif seen.chances.shape[1]:
            top = np.argmax(seen.chances, axis=1)
            p, came = seen.chances[np.arange(len(top)), top], seen.targets == top
        else:
            return
        places = np.minimum((p * self.bins).astype(np.int64), self.bins - 1)
        for row, amount in enumerate((seen.weights, seen.weights * p, seen.weights * came)):
            self.table[row] += np.bincount(places, amount, self.bins)

    @property
    def value(self) -> float:
        """The expected calibration error."""
        total = float(self.table[0].sum())
        apart = float(np.abs(self.table[1] - self.table[2]).sum())
        return apart / total if total else float("nan")


class MeanSquared(Mean):
    """The mean squared error."""

    name, tasks = "squared", ("regression",)

    def losses(self, seen: Seen) -> Array:
        """(prediction − target)²."""
        with np.errstate(over="ignore"):
            return np.asarray(np.square(seen.predicted - seen.targets))


class MeanAbsolute(Mean):
    """The mean absolute error."""

    name, tasks = "absolute", ("regression",)

    def losses(self, seen: Seen) -> Array:
        """|prediction − target|."""
        return np.asarray(np.abs(seen.predicted - seen.targets))


class QuantileLoss(Mean):
    """The mean pinball loss at a level."""

    tasks = ("regression",)

    def __init__(self, level: float = 0.5) -> None:
        super().__init__()
        self.level, self.name = level, f"quantile:{float(level)!r}"

    def losses(self, seen: Seen) -> Array:
        """max(τ·(y − p), (1 − τ)·(p − y))."""
        over = seen.targets - seen.predicted
        return np.asarray(np.maximum(self.level * over, (self.level - 1.0) * over))


class PoissonDeviance(Mean):
    """The mean Poisson deviance of counts and their predicted means."""

    name, tasks = "poisson", ("regression",)

    def losses(self, seen: Seen) -> Array:
        """2·(y·ln(y/p) − y + p); a mean that is not positive counts as the smallest float."""
        y, p = seen.targets, np.maximum(seen.predicted, 5e-324)
        logs = np.log(np.where(y > 0.0, y, 1.0)) - np.log(p)
        return np.asarray(2.0 * np.maximum(np.where(y > 0.0, y * logs, 0.0) - y + p, 0.0))


class R2(MeanSquared):
    """1 − squared error/that of the mean of all targets seen."""

    name, higher_is_better = "r2", True  # in the order of the squared error

    def __init__(self) -> None:
        super().__init__()
        self._mean = self._squares = self._sum = 0.0

    def losses(self, seen: Seen) -> Array:
        """(prediction − target)²."""
        return super().losses(seen)

    def see(self, seen: Seen) -> None:
        """Count in some more rows; squares about the mean are merged as Chan, Golub & LeVeque do."""
        super().see(seen)
        weight = float(seen.weights.sum())
        if weight:
            mean = float(seen.weights @ seen.targets) / weight
            apart, total = mean - self._mean, self._sum + weight
            self._squares += float(seen.weights @ np.square(seen.targets - mean))
            self._squares += apart * apart * self._sum * weight / total
            self._mean += apart * weight / total
            self._sum = total

    @property
    def value(self) -> float:
        """R²."""
        return 1.0 - self._total / self._squares if self._squares else float("nan")


KINDS: tuple[type[Metric], ...] = (
    Error, LogLoss, Brier, Area, F1, Precision, Recall, CalibrationError, MeanSquared, MeanAbsolute, R2,
)  # fmt: skip
BY_NAME: dict[str, type[Metric]] = {kind.name: kind for kind in KINDS}
BY_NAME["poisson"] = PoissonDeviance  # for counts alone


def metric(name: str, task: str) -> Metric:
    """Make the metric of a name, or refuse one that does not suit the task.

    >>> metric("quantile:0.9", "regression").name
    'quantile:0.9'
    """
    key, _, level = name.strip().replace("-", "_").partition(":")
    if key == "quantile":
        made: Metric = QuantileLoss(_level(name, level))
    elif key in BY_NAME and not level:
        made = BY_NAME[key]()
    else:
        known = ", ".join([*BY_NAME, "quantile:LEVEL"])
        raise ValueError(f"metric {name!r} is unknown: choose of {known}")
    if task not in made.tasks:
        suited = ", ".join(metrics_of(task)) or "none"
        raise ValueError(f"metric {name!r} is for {' and '.join(made.tasks)}: for {task} {suited}")
    return made


def metrics_of(task: str) -> list[str]:
    """List the metrics that suit a task.

    >>> metrics_of("regression")
    ['squared', 'absolute', 'r2']
    """
    return [kind.name for kind in KINDS if task in kind.tasks]


def _level(name: str, level: str) -> float:
    try:
        found = float(level or 0.5)
    except ValueError:
        found = -1.0
    if not 0.0 < found < 1.0:
        raise ValueError(f"metric {name!r}: the level lies between 0 and 1, as in quantile:0.9")
    return found


class Metrics:
    """Several metrics over the same rows."""

    def __init__(self, names: Sequence[str], task: str) -> None:
        made = [metric(name, task) for name in dict.fromkeys(names)]
        self.each = {one.name: one for one in made}
        self.needs_chances = any(one.needs_chances for one in made)

    def see(self, seen: Seen) -> None:
        """Count in some more rows."""
        for one in self.each.values():
            one.see(seen)

    def values(self) -> dict[str, float]:
        """Return every figure by its name."""
        return {name: one.value for name, one in self.each.items()}


def _chance_of_label(seen: Seen) -> Array:
    """The probability given to what came; 0 for a class that was not known."""
    assert seen.chances is not None
    labels = seen.targets.astype(np.int64)
    known = labels < seen.chances.shape[1]
    out = np.zeros(len(labels))
    out[known] = seen.chances[np.flatnonzero(known), labels[known]]
    return out


def _ratio(part: Array, whole: Array) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0.0)

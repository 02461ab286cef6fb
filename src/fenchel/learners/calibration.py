"""Probabilities of any classifier: its margins calibrated online, each strictly before its label.

The margins of a loss that models probabilities are taken for logits, scaled down only where they are large on
average; any others are put on the scale of their mean size. What comes out is never worse, by more than
ln N + ln(T + 1) in all, than the logits as given (``fenchel.loops.newton_mixture``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.certificates import Certificate
from fenchel.certificates.aggregate import bayes_bound
from fenchel.learners.engine import ONE, Engine
from fenchel.loops.adahedge import named_arrays
from fenchel.loops.calibration import (
    DECAYS,
    FARTHEST,
    calibrate_several,
    calibrate_two,
    new_calibration,
    standardised,
)
from fenchel.loops.newton_mixture import unite_refinements
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards

# The first rounds are all learned from, then one in 32: eight weights are known well by then, and it takes a
# fifth of the time of a Perceptron's pass, not twice that time. Several classes cost more: one row in 128.
ALL_OF_FIRST = 1 << 12
STRIDE, STRIDE_OF_SEVERAL = 32, 128

# Logits that are larger on average were learned on features of no common scale: they are scaled down.
LARGE = 4.0

# Where logits are looked at to see whether they rise, and how much they rise at least.
GRID = np.concatenate(
    [np.linspace(-FARTHEST, -4.5, 72), np.linspace(-4.0, 4.0, 161), np.linspace(4.5, FARTHEST, 72)]
)
LEAST_SLOPE = 1e-6

FAR = 1e280  # of a margin: sums of as many as there are rounds stay within the floats
SMALLEST = 1e-300  # of a probability that is given
NOTHING = np.empty(0)


class Lessons(NamedTuple):
    """Rows to be learned from: their logits (of several classes probabilities), labels and importances."""

    logits: Array
    labels: NDArray[np.int64]
    importance: Array


class Calibration:
    """Class probabilities from the margins of one learner; ``is_made_for`` tells which learners need one.

    >>> calibration = Calibration(several=False)
    >>> calibration.learn(np.array([2.0, -1.0, 3.0, -2.0]), np.array([1.0, -1.0, 1.0, -1.0]))
    >>> low, high = calibration.probabilities(np.array([-1.0, 2.0]))[:, 1]
    >>> bool(low < 0.4), bool(high > 0.7)
    (True, True)
    """

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self._sizes = np.zeros(2)  # the sum of the margins' sizes, and how many there were
        self._rounds = np.zeros(1, np.int64)
        self._refinement = new_calibration()

    @staticmethod
    def is_made_for(engine: Engine) -> bool:
        """Whether an engine tells classes apart, and its margins are no probabilities yet."""
        return engine.task in ("binary", "multiclass") and not engine.is_calibrated

    # ── learning and reading ────────────────────────────────────────────────────────────────────

    def learn(
        self, margins: Array, targets: Array, importance: Array = ONE, given: Any = None
    ) -> None:
        """Learn from margins and the labels that came after; ``given`` turns margins into probabilities."""
        self.teach(self.lessons(margins, targets, importance, given))

    def lessons(
        self, margins: Array, targets: Array, importance: Array = ONE, given: Any = None
    ) -> Lessons:
        """Count these rows, and return what is to be learned from them: logits, labels, importances.

        Most of the work is left to ``teach``, which has to see all lessons in their order.
        """
        chosen = self._taught(len(targets))
        if self._several:
            logits = self._logits(margins, importance, given, learning=True, chosen=chosen)
        else:
            logits, large = np.empty(len(chosen)), 0.0 if given is None else LARGE
            standardised(margins, importance, self._sizes, chosen, FAR, large, logits)
        amounts = importance if len(importance) == 1 else importance[chosen]
        return Lessons(logits, self._labels(targets[chosen]), amounts)

    def teach(self, lessons: Lessons) -> None:
        """Learn what ``lessons`` returned."""
        if len(lessons.labels):
            out = np.empty_like(lessons.logits) if self._several else NOTHING
            self._run(lessons.logits, lessons.labels, lessons.importance, True, out)

    def follow(
        self, margins: Array, targets: Array, importance: Array = ONE, given: Any = None
    ) -> Array:
        """Learn as ``learn`` does, and return the probabilities from before each label."""
        logits = self._logits(margins, importance, given, learning=True)
        chosen = self._taught(len(targets))
        amounts = np.zeros(len(targets))
        amounts[chosen] = np.broadcast_to(importance, len(targets))[chosen]
        return self._chances(self._run(logits, self._labels(targets), amounts, learning=True))

    def probabilities(self, margins: Array, given: Any = None) -> Array:
        """Compute one row of class probabilities for each margin; nothing changes."""
        logits = self._logits(margins, ONE, given, learning=False)
        return self._chances(self._run(logits, np.zeros(0, np.int64), ONE, learning=False))

    def rising(self, margins: Array, given: Any = None) -> Array:
        """Compute the logits of two classes, made to rise with the margin wherever they would fall."""
        logits = np.clip(self._logits(margins, ONE, given, learning=False), GRID[0], GRID[-1])
        nothing = np.zeros(0, np.int64)
        found = self._run(logits, nothing, ONE, learning=False)
        highest = np.maximum.accumulate(self._run(GRID, nothing, ONE, learning=False))
        below = highest[np.searchsorted(GRID, logits, side="right") - 1]
        return np.asarray(np.maximum(found, below) + LEAST_SLOPE * logits)

    def certificate(self) -> Certificate:
        """Measure how much more log loss it had than the best of its forecasters, and the bound."""
        return bayes_bound(self._refinement)

    # ── its state ───────────────────────────────────────────────────────────────────────────────

    def arrays(self) -> dict[str, Any]:
        """Return the state by name."""
        own = {"sizes": self._sizes, "rounds": self._rounds}
        return own | named_arrays(bent=self._refinement)

    def lay_in(self, arrays: Mapping[str, Any]) -> None:
        """Take the state of a model file."""
        for name, array in self.arrays().items():
            if name not in arrays or arrays[name].shape != array.shape:
                raise ValueError(f"no array 'calibration.{name}' of shape {array.shape}")
            array[...] = arrays[name]
        if not ((self._sizes >= 0.0) & np.isfinite(self._sizes)).all():
            raise ValueError("the sizes of margins in its calibration are no sums of sizes")

    def __getstate__(self) -> dict[str, Any]:
        return {"several": self._several, "arrays": self.arrays()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(several=kept["several"])  # type: ignore[misc]
        self.lay_in(kept["arrays"])  # which may be mapped from a file

    def copy(self) -> Calibration:
        """Copy the state, independent from then on."""
        twin = Calibration(several=self._several)
        twin.lay_in(self.arrays())
        return twin

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def unite(self, others: Sequence[Any], start: Any) -> None:
        """Take the state of one that has learned the margins of all, which began as ``start``."""
        taught = [float(other._rounds[0] - start._rounds[0]) for other in others]
        shares = [t / sum(taught) if sum(taught) else 1.0 / len(taught) for t in taught]
        self._sizes[:] = start._sizes + sum(other._sizes - start._sizes for other in others)
        self._rounds[:] = start._rounds + sum(other._rounds - start._rounds for other in others)
        inside = Shards([other._refinement for other in others], start._refinement, shares)
        unite_refinements(self._refinement, inside, DECAYS)

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _taught(self, count: int) -> NDArray[np.int64]:
        """The numbers of those of the next rows that are learned from; all of them are counted."""
        begin = int(self._rounds[0])
        self._rounds[0] += count
        first = min(max(ALL_OF_FIRST - begin, 0), count)
        stride = STRIDE_OF_SEVERAL if self._several else STRIDE
        later = np.arange(first + -(begin + first) % stride, count, stride)
        return np.concatenate([np.arange(first), later])

    def _labels(self, targets: Array) -> NDArray[np.int64]:
        return (targets if self._several else targets > 0.0).astype(np.int64)

    def _logits(
        self,
        margins: Array,
        importance: Array,
        given: Any,
        learning: bool,
        chosen: Any = slice(None),
    ) -> Array:
        """Logits of two classes, probabilities of several; 0 for a class that is not known yet.

        Of the chosen rows; the mean size of the margins is that of all.
        """
        margins = np.where(margins > -np.inf, np.clip(margins, -FAR, FAR), margins)
        if given is not None and self._several:
            some = margins[chosen]
            return np.asarray(np.where(some > -np.inf, np.maximum(given(some), SMALLEST), 0.0))
        size = self._mean_sizes(margins, importance, learning)[chosen]
        margins = margins[chosen]
        if given is not None:
            return np.asarray(margins / np.maximum(size / LARGE, 1.0))
        if not self._several:
            shares = np.divide(margins, size, out=np.zeros_like(margins), where=size > 0.0)
            return np.asarray(shares)
        return _softmax(margins, size)

    def _mean_sizes(self, margins: Array, importance: Array, learning: bool) -> Array:
        """The mean size of the margins up to each row, itself included."""
        own = np.abs(margins)
        if self._several:
            known = margins > -np.inf
            if known.all():  # as of most blocks: half the time
                own = own.sum(axis=1) / max(own.shape[1], 1)
            else:
                own = np.where(known, own, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        if not learning:
            return np.asarray((self._sizes[0] + own) / (self._sizes[1] + 1.0))
        counts = np.broadcast_to(importance, len(own)) > 0.0
        sums = np.cumsum(np.concatenate([self._sizes[:1], np.where(counts, own, 0.0)]))
        rounds = self._sizes[1] + np.cumsum(np.concatenate([[0.0], counts]))
        self._sizes[:] = sums[-1], rounds[-1]
        return np.asarray((sums[:-1] + own) / (rounds[:-1] + 1.0))

    def _run(
        self,
        logits: Array,
        labels: Any,
        importance: Array,
        learning: bool,
        out: Array | None = None,
    ) -> Array:
        out = np.empty_like(logits) if out is None else out
        kernel = calibrate_several if self._several else calibrate_two
        kernel(self._refinement, logits, labels, importance, ONE, learning, out)
        return out

    def _chances(self, calibrated: Array) -> Array:
        if self._several:
            return calibrated
        return two_chances(calibrated)


def two_chances(logits: Array) -> Array:
    """The probabilities of both classes, from the logit of the second; neither is rounded to 0."""
    return np.exp(-np.logaddexp(0.0, np.stack([logits, -logits], axis=-1)))


def _softmax(margins: Array, size: Array) -> Array:
    """exp(m_c/size) over its sum; 0 for classes that are not known (−∞)."""
    if not margins.shape[1]:
        return np.zeros_like(margins)
    scaled = margins / np.where(size > 0.0, size, 1.0)[:, None]
    highest = scaled.max(axis=1, keepdims=True)
    parts = np.exp(np.maximum(scaled - np.where(highest > -np.inf, highest, 0.0), -690.0))
    parts = np.where(margins > -np.inf, parts, 0.0)
    return np.asarray(parts / np.maximum(parts.sum(axis=1, keepdims=True), SMALLEST))

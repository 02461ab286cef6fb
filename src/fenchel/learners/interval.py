"""Intervals around any learner of regression, sets of classes around any classifier: nothing to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel.certificates import Certificate, Hindsight
from fenchel.certificates.coverage import coverage_bounds
from fenchel.learners.catalogue import CATALOGUE, NESTED, Entry
from fenchel.learners.engine import Engine, refuse_unsound
from fenchel.learners.learner import Learner
from fenchel.learners.registry import from_specification, learner_of
from fenchel.learners.renumbering import Places, shares_of
from fenchel.loops import coverage as loop
from fenchel.loops.adahedge import named_arrays
from fenchel.loops.coverage import cover, new_coverage, radii_of, still_radii_of
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards
from fenchel.rows import Rows

# What learns how large residuals are from the features: any scaling of them, no tuning.
SPREAD = "normalized_adaptive_gradient:eta=0.5,loss=absolute"
# Numbers have two sides, each missed in half of the rounds that may be; sets of classes one.
SIDES = {"regression": ("lower", "upper"), "binary": ("set",), "multiclass": ("set",)}


class Interval(Engine):
    """An engine, and how far its predictions are off: each side a radius learned along the run."""

    def __init__(self, learner: Learner, coverage: float) -> None:
        if learner.task not in SIDES:
            raise ValueError(
                f"learner={learner!r} is for {learner.task}: intervals are around numbers, sets of classes "
                "around classifiers"
            )
        if not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage={coverage!r} must lie between 0 and 1, as in 0.9")
        told = {"learner": learner, **({} if coverage == 0.9 else {"coverage": coverage})}
        if learner.engine.predicts_counts:
            raise ValueError("interval: the margins of counts are logarithms; use another loss")
        super().__init__("interval", told, learner.task, learner.intercept)
        self.coverage = float(coverage)
        self.inner = learner.engine.copy()
        self.spread = from_specification(SPREAD).engine
        self.certifies = self.inner.certifies
        self.sides = {name: new_coverage() for name in SIDES[self.task]}

    @property
    def alpha(self) -> float:
        """The share of rounds in which a side may be missed."""
        return (1.0 - self.coverage) / len(self.sides)

    # ── learning and reading ────────────────────────────────────────────────────────────────────

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Let the learner learn, then its spread, then each radius; all from before the label."""
        refuse_unsound(rows, checked)
        margins = self.inner.learn(rows, targets, importance, True)
        scores = self._scores(margins, targets)
        units = self.spread.learn(rows, _finite(np.abs(scores[0])), importance, True)
        if self.task == "multiclass":  # no set holds a class that is not known yet
            importance = np.where(np.isfinite(scores[0]), importance, 0.0)
        for side, own in zip(self.sides.values(), scores, strict=True):
            cover(side, own, units, importance, self.alpha, np.empty(len(own)))
        self.outputs = self.inner.outputs
        self.counts[0] += len(rows)
        return margins

    def _scores(self, margins: Array, targets: Array) -> list[Array]:
        """The distance of each target beyond the prediction; of a class, its distance behind the best."""
        if self.task == "regression":
            with np.errstate(over="ignore"):
                beyond = np.nan_to_num(targets - margins)
            return [-beyond, beyond]
        if self.task == "binary":
            return [-targets * margins]
        labels = targets.astype(np.int64)
        return [_behind_best(margins)[np.arange(len(labels)), labels]]

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """Read ``margins``, or the ``bounds`` of numbers (lower, upper) and of classes (1 for one inside).

        ``frozen`` and ``frozen bounds`` are those of a model that learns no more.
        """
        if not what.endswith("bounds"):
            return self.inner.read(rows, what)
        frozen = what == "frozen bounds"
        margins = self.inner.read(rows, "frozen" if frozen else "margins")
        units = self.spread.read(rows)
        radii = [self._radii(side, units, frozen) for side in self.sides.values()]
        if self.task == "regression":
            both = np.stack([margins - radii[0], margins + radii[1]], axis=1)
            return np.sort(both, axis=1)
        behind = (
            _behind_best(margins) if self.task == "multiclass" else np.stack([margins, -margins], 1)
        )
        return (behind <= radii[0][:, None]).astype(np.float64)

    def _radii(self, side: loop.Coverage, units: Array, frozen: bool) -> Array:
        """The radii of the next round; or, once frozen, their mean along the run in units of each row.

        A mean has no noise of the last rounds. Where the learner inside predicts otherwise frozen than in the
        next round, radii grow or shrink as its errors do.
        """
        radii = np.empty(len(units))
        if not frozen or not side.still.any():
            radii_of(side, units, radii)
            return radii
        still_radii_of(side, units, radii)
        error = self.inner.frozen_error() if self.task == "regression" else None
        usual = side.sums[loop.SIZE] / side.sums[loop.ROUNDS]
        return radii if error is None or not usual > 0.0 else radii * (error / usual)

    def covered(self) -> dict[str, float]:
        """Return the share of targets that were inside, and the mean width, along the run."""
        rounds = max(float(self.sides[SIDES[self.task][0]].sums[loop.ROUNDS]), 1.0)
        sums = [side.sums for side in self.sides.values()]
        found = {"coverage": 1.0 - sum(float(s[loop.MISSES]) for s in sums) / rounds}
        if self.task == "regression":
            found["width"] = sum(float(s[loop.RADII]) for s in sums) / rounds
        return found

    # ── as the engine inside ────────────────────────────────────────────────────────────────────

    def weights(self) -> Array:
        """Return those of the learner inside."""
        return self.inner.weights()

    def present(self, margins: Any) -> Any:
        """Present margins as the learner inside does."""
        return self.inner.present(margins)

    @property
    def has_probabilities(self) -> bool:
        """Whether the learner inside makes probabilities of margins."""
        return self.inner.has_probabilities

    @property
    def is_calibrated(self) -> bool:
        """Whether those of the learner inside are calibrated."""
        return self.inner.is_calibrated

    def probabilities(self, margins: Array) -> Array:
        """Compute those of the learner inside."""
        return self.inner.probabilities(margins)

    def calibration_certificates(self) -> list[Certificate]:
        """Measure those of the learner inside."""
        return self.inner.calibration_certificates()

    @property
    def updates(self) -> int | None:
        """Those of the learner inside."""
        return self.inner.updates

    @property
    def counts_columns(self) -> bool:
        """Whether the number of columns enters the formulas inside."""
        return self.inner.counts_columns or self.spread.counts_columns

    def learns_by_blocks(self, columns: int) -> bool:
        """Whether the learner inside does."""
        return self.inner.learns_by_blocks(columns)

    @property
    def column_limits(self) -> tuple[int, ...]:
        """Those of the learner inside."""
        return self.inner.column_limits

    @property
    def has_matrix(self) -> bool:
        """Whether the learner inside keeps a matrix of columns × columns."""
        return self.inner.has_matrix

    @property
    def is_linear(self) -> bool:
        """Whether predictions are ⟨weights, x⟩."""
        return self.inner.is_linear

    # ── its state ───────────────────────────────────────────────────────────────────────────────

    def declare(self, outputs: int) -> None:
        """Take so many classes as known before any is seen."""
        super().declare(outputs)
        self.inner.declare(outputs)

    def take_up(self, width: int) -> Any:
        """Make room for so many columns."""
        before = self.columns, self.outputs, self.inner.take_up(width)
        try:
            taken = self.spread.take_up(width)
        except Exception:
            self.inner.put_back(before[2])
            raise
        self.columns = max(self.columns, width)
        return (*before, taken)

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``."""
        self.columns, self.outputs, inner, spread = before
        self.inner.put_back(inner)
        self.spread.put_back(spread)

    def state_arrays(self) -> dict[str, Array]:
        """Return the arrays of the learner inside, of the spread and of each side."""
        own = named_arrays(**self.sides)
        inside = {f"learner.{k}": v for k, v in self.inner.state_arrays().items()}
        return own | inside | {f"spread.{k}": v for k, v in self.spread.state_arrays().items()}

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self.columns = width
        self.inner.restart(width)
        self.spread.restart(width)
        self.sides = {name: new_coverage() for name in self.sides}

    def lay_in(self, arrays: Mapping[str, Array], width: int) -> None:
        """Take the state of a model file."""
        self.columns = width
        for prefix, engine in (("learner.", self.inner), ("spread.", self.spread)):
            own = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
            engine.lay_in(own, width)
        self.outputs = max(self.outputs, self.inner.outputs)
        for name, array in named_arrays(**self.sides).items():
            if name.endswith(".still") and name not in arrays:  # a file of an earlier version
                continue
            if name not in arrays or arrays[name].shape != array.shape:
                raise ValueError(f"no array {name!r} of shape {array.shape}")
            array[...] = arrays[name]

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["inner"], kept["spread"] = self.inner.copy(), self.spread.copy()
        kept["sides"] = {
            name: loop.Coverage(*(array.copy() for array in side))
            for name, side in self.sides.items()
        }
        return kept

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    @property
    def seniority(self) -> tuple[float, ...]:
        """That of the learner inside."""
        return self.inner.seniority

    def placed(self, places: Places) -> Interval:
        """Copy the engine, its columns and classes in these places."""
        twin = self.copy()
        assert isinstance(twin, Interval), "a copy is of the same class"
        twin.inner, twin.spread = self.inner.placed(places), self.spread.placed(places)
        twin.columns, twin.outputs = places.width, places.total
        return twin

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """Unite the learner inside, its spread, and the radii of each side."""
        self.restart(start.columns)
        self.inner.unite([engine.inner for engine in engines], start.inner)
        self.spread.unite([engine.spread for engine in engines], start.spread)
        for name, side in self.sides.items():
            sides = [engine.sides[name] for engine in engines]
            loop.unite_coverages(side, Shards(sides, start.sides[name], shares_of(engines, start)))
        self.outputs = self.inner.outputs
        self._unite_counts(engines, start)

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    def certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Measure the coverage of each side, and the certificates of the learner inside."""
        found = [c for n, side in self.sides.items() for c in coverage_bounds(side, self.alpha, n)]
        return found + (self.inner.certify(read, past, u) if self.certifies else [])


def _finite(sizes: Array) -> Array:
    return np.where(np.isfinite(sizes), sizes, 0.0)


def _behind_best(margins: Array) -> Array:
    """max_c m_c − m_c, of each class; without end for a class that is not known yet."""
    if not margins.shape[1]:
        return margins
    highest = margins.max(axis=1, keepdims=True)
    known = margins > -np.inf
    return np.where(
        known, np.where(highest > -np.inf, highest, 0.0) - np.where(known, margins, 0.0), np.inf
    )


def interval(learner: Learner | str, coverage: float = 0.9) -> Learner:
    """Any learner, with intervals that cover a share of the targets; of classes, sets that hold them.

    Problem: how far a prediction may be off, with no assumption on the data.

    Update: each side has a radius of its own, missed in half of the rounds that may be: the best guess of
    AdaHedge over gradient descents on the pinball loss, for residuals as they are and in units that a second
    learner predicts from the features, and a push ∇ψ_t(θ_t) from the gap θ_t of the coverage itself. A set
    of classes has those whose margin is not farther behind the best than one radius.

    Guarantee: |share of misses − α| ≤ (h_T + 1)/T with h_T = 4 + 0.003·T on each side, whatever the data, and
    the tight bound through the conjugate of the regret; both are measured along the run (``certificates()``).

    Cost: that of the learner, of a second one of the non-zeros, and of some 40 numbers a side.

    Parameters: ``learner``, any of regression or of classes; ``coverage``, between 0 and 1.

    References: Gibbs & Candès (2021); Angelopoulos, Candès & Tibshirani (2023); Liu, Dobriban & Orabona
    (2026).

    >>> from fenchel import learners
    >>> learner = learners.interval(learners.vovk_azoury_warmuth(), coverage=0.8)
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> _ = learner.learn_many(X, X @ [1.0, 2.0] + rng.normal(size=500))
    >>> bool(abs(learner.covered()["coverage"] - 0.8) < 0.02)
    True
    >>> low, high = learner.predict_interval_one(X[0])
    >>> bool(low < learner.predict_one(X[0]) < high)
    True
    """
    inner = learner_of(learner)
    return Learner(Interval(inner, coverage), inner.classes or None, inner.schema)


CATALOGUE["interval"] = Entry(
    interval,
    ("regression", "binary", "multiclass"),
    "a learner × pinball loss × −a·(2h/π)·ln cos(πθ/2h) of each side",
    "Sec. 2 (time-varying f_t)",
    "|misses/T − α| ≤ (h_T + 1)/T",
    "its learner's",
)
NESTED["interval"] = "learner"

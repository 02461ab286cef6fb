"""A batch polish: L-BFGS on the learner's own objective, its loss and gradient summed over shards.

The driver keeps SciPy's L-BFGS-B; every evaluation is one pass of the workers over their shards. Weights
are measured in units of 1/√(mean x² + l2), which makes features of any scale alike; where F has an l1
term they are the difference of two vectors ≥ 0, so that zeros are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from fenchel.cluster.jobs import ShardJob, WorkCrew
from fenchel.cluster.training import crew_of, cut_for
from fenchel.cluster.work import blocks_of
from fenchel.learners import Learner
from fenchel.learners.calibration import Calibration
from fenchel.learners.polishing import (
    Slopes,
    penalty_of,
    polished,
    reader_of,
    recalibrated,
    refuse_unpolishable,
    slopes,
    weights_of,
)
from fenchel.learners.registry import learner_of
from fenchel.parts.state import Array

PAIRS = 10  # of steps and changes of the gradient that L-BFGS keeps


class WeightsAsked(NamedTuple):
    """The question to workers: the loss of these weights, and the squares of the features too."""

    reader: Learner
    weights: Array
    squares: bool


def slopes_of_shard(shard: Any, asked: WeightsAsked, reading: Mapping[str, Any]) -> Slopes:
    """Sum loss and gradient over a shard."""
    reader = asked.reader.copy()
    return slopes(reader, blocks_of(shard, reader, reading).blocks, asked.weights, asked.squares)


def add_all(found: list[Slopes], asked: WeightsAsked) -> Slopes:
    """Add the sums of neighbours."""
    return reduce(Slopes.plus, found)


def calibration_of_shard(shard: Any, learner: Learner, reading: Mapping[str, Any]) -> Calibration:
    """Calibrate a shard's margins."""
    reader = learner.copy()
    return recalibrated(reader, blocks_of(shard, reader, reading).blocks)


def unite_all(found: list[Calibration], learner: Learner) -> Calibration:
    """Unite the calibrations of neighbours."""
    several = learner.task == "multiclass"
    united = Calibration(several=several)
    united.unite(found, Calibration(several=several))
    return united


SLOPES = ShardJob(slopes_of_shard, add_all)
CALIBRATING = ShardJob(calibration_of_shard, unite_all)


@dataclass
class Polishing:
    """The objective P over shards, as L-BFGS asks for it, and how far it has come."""

    crew: WorkCrew
    shards: Sequence[Any]
    learner: Learner
    reading: Mapping[str, Any]
    tell: Callable[[Polishing], None]
    passes: int = 0
    objective: float = float("inf")  # the least mean of P so far
    first: float = float("nan")  # that of the weights to begin with
    slope: float = float("nan")  # the largest entry of the gradient there
    _reader: Learner = field(init=False)
    _begun: tuple[bytes, tuple[float, Array]] = (b"", (0.0, np.zeros(0)))  # measured at the start

    def __post_init__(self) -> None:
        self._reader = reader_of(self.learner)

    def sums(self, weights: Array, squares: bool = False) -> Slopes:
        """Ask all shards; one pass."""
        asked = self.crew.share(WeightsAsked(self._reader, weights, squares))
        found = self.crew.run(SLOPES, self.shards, asked, self.reading, lambda k, told: None)
        self.passes += 1
        summed: Slopes = self.crew.fetch(found)
        return summed

    def minimised(self, iterations: int, tolerance: float) -> Array:
        """The weights after so many steps of L-BFGS, or where the gradient is small enough."""
        from scipy.optimize import minimize  # deferred: it takes a while to load

        begin = weights_of(self.learner)
        found = self.sums(begin, squares=True)
        if not found.rows:
            raise ValueError("there are no rows to polish on: give the files it was trained on")
        l1, l2 = (factor / found.rows for factor in penalty_of(self.learner).over(found.rows))
        assert found.squares is not None, "they were asked for"
        units = 1.0 / np.sqrt(np.maximum(found.squares / found.rows + l2, 1e-300))
        units[found.squares == 0.0] = 1.0
        problem = ScaledObjective(begin.shape, units[:, None], l1, l2)
        v = problem.coordinates(begin)
        self._begun = v.tobytes(), problem.measured(v, begin, found)
        self.first = self._begun[1][0]
        if not self.first <= found.loss_of_none / found.rows:  # the learner had lost its way
            v[:] = 0.0
        done = minimize(
            partial(self._measured, problem), v, jac=True, method="L-BFGS-B", bounds=problem.bounds,
            options={
                "maxiter": iterations, "maxfun": 3 * iterations, "maxcor": PAIRS,
                "gtol": tolerance, "ftol": 1e-15,
            },
        )  # fmt: skip
        return problem.weights(done.x)

    def _measured(self, problem: ScaledObjective, v: Array) -> tuple[float, Array]:
        if v.tobytes() == self._begun[0]:
            value, gradient = self._begun[1]
        else:
            w = problem.weights(v)
            value, gradient = problem.measured(v, w, self.sums(w))
        if value < self.objective:
            self.objective, self.slope = value, float(np.abs(gradient).max(initial=0.0))
        self.tell(self)
        return value, gradient

    def calibration(self, learner: Learner) -> Calibration:
        """A calibration of polished margins; one pass."""
        shared = self.crew.share(learner)
        found = self.crew.run(CALIBRATING, self.shards, shared, self.reading, lambda k, told: None)
        self.passes += 1
        united: Calibration = self.crew.fetch(found)
        return united


@dataclass
class ScaledObjective:
    """The mean of P in coordinates v: w = units·v, or units·(v⁺ − v⁻) with an l1 term."""

    shape: tuple[int, int]
    units: Array
    l1: float
    l2: float

    @property
    def bounds(self) -> Any:
        """v⁺, v⁻ ≥ 0 where there are two; nothing else is bounded."""
        from scipy.optimize import Bounds  # deferred, as above

        return None if self.l1 == 0.0 else Bounds(0.0, np.inf)

    def coordinates(self, w: Array) -> Array:
        """v of given weights."""
        v = (w / self.units).ravel()
        return v if self.l1 == 0.0 else np.concatenate([np.maximum(v, 0.0), np.maximum(-v, 0.0)])

    def weights(self, v: Array) -> Array:
        """w of given coordinates."""
        if self.l1 != 0.0:
            v = v[: len(v) // 2] - v[len(v) // 2 :]
        return np.asarray(v.reshape(self.shape) * self.units)

    def measured(self, v: Array, w: Array, sums: Slopes) -> tuple[float, Array]:
        """The mean of P and its gradient, in v; infinite where the weights are."""
        with np.errstate(all="ignore"):
            return self._measured(v, w, sums)

    def _measured(self, v: Array, w: Array, sums: Slopes) -> tuple[float, Array]:
        value = sums.loss / sums.rows + 0.5 * self.l2 * float(np.vdot(w, w))
        gradient = ((sums.gradient / sums.rows + self.l2 * w) * self.units).ravel()
        if self.l1 == 0.0:
            return value, gradient
        charge = self.l1 * np.broadcast_to(self.units, self.shape).ravel()
        value += float(charge @ (v[: len(charge)] + v[len(charge) :]))
        return value, np.concatenate([gradient + charge, charge - gradient])


def polish(
    shards_of: Any,
    learner: Learner | str,
    executor: Executor | None = None,
    *,
    iterations: int = 20,
    tolerance: float = 1e-6,
    workers: int | None = None,
    tell: Callable[[Polishing], None] = lambda polishing: None,
    **reading: Any,
) -> Learner:
    """Minimise the learner's own objective over shards by L-BFGS, from its weights; returns a new learner.

    The objective is Σ ℓ + F with the learner's loss and the F of its regularizer (``l1`` and ``l2``): for
    learners with a smooth convex loss and one weight vector an output; others are refused by name.
    Features and classes that the learner has not seen stay unknown. Probabilities are calibrated anew by a
    last pass, on rows that were learned.

    Parameters
    ----------
    shards_of, executor, workers, reading
        As for ``train``.
    learner
        What was trained; it stays as it is.
    iterations
        Steps of L-BFGS at most, each one pass over the rows or a little more.
    tolerance
        The largest entry of the gradient of the mean objective that is small enough.
    tell
        Called with the ``Polishing`` after every pass: its ``passes``, ``objective`` and ``slope``.
    """
    if iterations < 1:
        raise ValueError(f"iterations={iterations!r} must be 1 or more")
    learner = learner_of(learner)
    refuse_unpolishable(learner)
    if not learner.rounds:
        raise ValueError(f"{learner!r} has learned nothing: train it before it is polished")
    reading = {"threads": 1, **reading}
    with crew_of(executor, workers) as (crew, count):
        run = Polishing(crew, cut_for(shards_of, count, reading), learner, reading, tell)
        found = polished(learner, run.minimised(iterations, tolerance))
        if learner.calibration is not None:
            found.adopt_calibration(run.calibration(found))
        return found

"""The convex objective of a linear learner, for those who can afford passes over all rows.

    P(w) = Σ_t h_t·ℓ(⟨w, x_t⟩, y_t) + F(w)

with the learner's own loss and the F of its regularizer: one such sum for each class or output. Shards
give the loss and its gradient (``slopes``), which add; whoever minimises P lays the weights back into
the learner (``polished``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fenchel._numba import knows
from fenchel._numba.jit import suited
from fenchel.learners.calibration import Calibration
from fenchel.learners.composed import Composed
from fenchel.learners.learner import Learner
from fenchel.learners.multi.base import Members
from fenchel.learners.still import as_columns
from fenchel.loops.slopes import add_slopes, add_squares
from fenchel.parts.state import Array
from fenchel.regularizers.adopting import Penalty, adopt, penalty
from fenchel.rows import Block

OFFERED = (
    "strongly_convex, dual_averaging, gradient_descent, adagrad, ftrl_proximal, "
    "normalized_adaptive_gradient or lms"
)
SMOOTH = "logistic, squared_hinge, squared, huber or poisson"
TOLERANCE = 1e-9  # of weights that are read back
LARGEST = 1e300


@dataclass
class Slopes:
    """Σ h·ℓ of some rows and its gradient, slots × outputs; where they were asked for the Σ h·x² of
    each slot, and the loss of no weights."""

    loss: float
    gradient: Array
    rows: int = 0
    squares: Array | None = None
    loss_of_none: float = 0.0

    def plus(self, other: Slopes) -> Slopes:
        """The sums over both."""
        squares = None
        if self.squares is not None and other.squares is not None:
            squares = self.squares + other.squares
        return Slopes(
            self.loss + other.loss,
            self.gradient + other.gradient,
            self.rows + other.rows,
            squares,
            self.loss_of_none + other.loss_of_none,
        )


def refuse_unpolishable(learner: Learner) -> None:
    """Raise for a learner without a smooth convex objective of its own, by the name of what is missing."""
    for engine in _engines(learner):
        parts, f = engine.parts, engine.regularizer
        loss, kind = type(parts.loss).__name__, type(f).__name__
        if hasattr(parts.loss, "prox"):
            raise ValueError(
                f"{learner.name}: {loss} has a kink, where L-BFGS finds no way: choose loss={SMOOTH}"
            )
        if not (knows(penalty, type(f)) and knows(adopt, type(f))):
            raise ValueError(
                f"{learner.name}: {kind} belongs to no objective that can be polished: choose {OFFERED}"
            )
        domain = getattr(f, "domain", None)
        if domain is not None and not domain.unbounded:
            raise ValueError(
                f"{learner.name}: weights confined to {type(domain).__name__} cannot be polished: leave "
                "domain out"
            )
        if parts.average.kept:
            raise ValueError(
                f"{learner.name}: averaged weights cannot be polished: leave averaged out"
            )


def _engines(learner: Learner) -> list[Composed]:
    engine = learner.engine
    found = engine.members or [engine.pattern] if isinstance(engine, Members) else [engine]
    own = [one for one in found if isinstance(one, Composed)]
    if len(own) < len(found):
        raise ValueError(f"{learner.name} has no single objective to polish: choose {OFFERED}")
    return own


def penalty_of(learner: Learner) -> Penalty:
    """The F of a learner's objective."""
    found: Penalty = penalty(_engines(learner)[0].regularizer)
    return found


def weights_of(learner: Learner) -> Array:
    """The weights, slots × outputs, the intercept's first."""
    return np.ascontiguousarray(as_columns(learner.all_weights()))


def reader_of(learner: Learner) -> Learner:
    """A learner that reads rows and labels as this one does, without its state: it travels light."""
    reader = learner.fresh()
    reader.schema = learner.schema.copy()
    reader.names = None if learner.names is None else learner.names.copy()
    if learner.labels is not None:
        reader.adopt_labels(learner.labels.known)
    return reader


def slopes(reader: Learner, blocks: Iterable[Block], weights: Array, squares: bool) -> Slopes:
    """Sum the loss of the weights over blocks, and its gradient."""
    engine, bias = reader.engine, float(reader.intercept)
    loss = (engine.pattern if isinstance(engine, Members) else engine).loss  # type: ignore[attr-defined]
    add, add_more = suited(add_slopes, loss), suited(add_squares, loss)
    found = Slopes(0.0, np.zeros(weights.shape), 0, np.zeros(len(weights)) if squares else None)
    for block in blocks:
        targets = _targets(reader, block, weights.shape[1])
        given = block.rows.view, targets, block.amounts, bias
        with np.errstate(all="ignore"):  # what overflows is held below
            found.loss += add(loss, weights, *given, found.gradient)
        found.rows += len(block)
        if found.squares is not None:
            found.loss_of_none += add_more(loss, *given, found.squares)
    found.loss = min(found.loss, LARGEST) if found.loss == found.loss else LARGEST
    found.gradient[:] = np.nan_to_num(found.gradient, posinf=LARGEST, neginf=-LARGEST)
    return found


def _targets(reader: Learner, block: Block, outputs: int) -> Array:
    """The target of each output in each row."""
    targets = reader.encode(block.labels, len(block))
    if not isinstance(reader.engine, Members):
        return np.ascontiguousarray(targets[:, None])
    own = [reader.engine.own_targets(targets, k) for k in range(outputs)]
    return np.ascontiguousarray(np.stack(own, axis=1))


def recalibrated(learner: Learner, blocks: Iterable[Block]) -> Calibration:
    """A calibration of the learner's margins as they are now, learned from rows that it has seen."""
    calibration = Calibration(several=learner.task == "multiclass")
    given = learner.engine.probabilities if learner.engine.has_probabilities else None
    for block in blocks:
        margins, targets = (
            learner.decision_rows(block.rows),
            learner.encode(block.labels, len(block)),
        )
        calibration.learn(margins, targets, block.amounts, given)
    return calibration


def polished(learner: Learner, weights: Array) -> Learner:
    """A copy with these weights; rounds and step sizes stay, certificates of its run are withdrawn."""
    twin = learner.copy()
    for k, engine in enumerate(_engines(twin)):
        engine.adopt(weights[:, k])
    found, scale = weights_of(twin), np.abs(weights).max(initial=0.0)
    if not np.allclose(found, weights, rtol=TOLERANCE, atol=TOLERANCE * scale):
        raise ValueError(
            f"{learner.name} cannot hold the polished weights: train it on the rows first"
        )
    count = learner.merged.get("learners", 1)
    twin.merged = {"learners": count, "start": max(learner.rounds, 1)}
    twin.forget_rows()
    return twin

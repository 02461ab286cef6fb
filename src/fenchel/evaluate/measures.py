"""What a prediction cost: zero-one loss and margin errors of classes, squared error of numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._kernel.state import Array
from fenchel.evaluate.queries import misordered
from fenchel.learners import Composed, Learner

Flags = NDArray[np.bool_]


class Outcome(NamedTuple):
    """A block's rows, scored: ``losses`` are zero-one (classes) or (prediction − label)².

    In ranking the loss of a row is the share of its pairs in the wrong order. ``mistakes`` and
    ``margin_errors`` (right, yet within the margin) are None for regression and ranking,
    ``updates`` where the rule's steps cannot be told from the margins alone.
    """

    losses: Array
    mistakes: Flags | None
    margin_errors: Flags | None
    updates: Flags | None


def outcome(learner: Learner, margins: Array, targets: Array, known: int) -> Outcome:
    """Score margins from before the labels; ``known`` classes were known before the first row."""
    if learner.task == "regression":
        with np.errstate(over="ignore"):
            losses = np.square(margins - targets)
        return Outcome(losses, None, None, _steps(learner, margins, targets))
    if learner.task == "ranking":
        return Outcome(misordered(margins, targets), None, None, None)
    if learner.task == "multiclass":
        mistakes, within = _of_classes(margins, targets.astype(np.int64), known)
    else:
        # y·m ≤ 0 is a mistake: before it has learned, a learner knows nothing.
        agreement = targets * margins
        mistakes, within = agreement <= 0.0, (agreement > 0.0) & (agreement < 1.0)
    return Outcome(mistakes.astype(np.float64), mistakes, within, _steps(learner, margins, targets))


def _of_classes(scores: Array, numbers: NDArray[np.int64], known: int) -> tuple[Flags, Flags]:
    """Mistakes and margin errors among several classes: the own score against the best other."""
    if not len(numbers):
        return np.zeros(0, bool), np.zeros(0, bool)
    rows = np.arange(len(numbers))
    seen = np.maximum.accumulate(np.concatenate([[known - 1], numbers[:-1]])) + 1
    right = (np.argmax(scores, axis=1) == numbers) & (numbers < seen)
    others = scores.copy()
    others[rows, numbers] = -np.inf
    within = right & (scores[rows, numbers] < others.max(axis=1, initial=-np.inf) + 1.0)
    return ~right, within


def _steps(learner: Any, margins: Array, targets: Array) -> Flags | None:
    """In which rounds the learner moved its weights."""
    if not isinstance(learner, Composed):
        return None
    rule, loss = type(learner.rule).__name__, type(learner.loss).__name__
    if rule == "Conservative":
        return np.asarray(targets * margins <= 0.0)
    if rule == "OriginalArow" or (rule in _FOLLOW_LOSS and loss in ("Hinge", "SquaredHinge")):
        return np.asarray(targets * margins < 1.0)
    if rule == "Target":
        return np.asarray(targets != 0.0)
    if rule in _FOLLOW_LOSS and loss == "Logistic":
        return np.ones(len(margins), bool)
    if rule in _FOLLOW_LOSS:
        return np.asarray(np.abs(margins - targets) > getattr(learner.loss, "epsilon", 0.0))
    return None


# Rules that step exactly where the loss has a slope.
_FOLLOW_LOSS = {"Subgradient", "Aggressive", "PassiveAggressive", "Residual", "NormalizedResidual"}

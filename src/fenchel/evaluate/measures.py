"""The cost of a prediction: zero-one loss and margin errors of classes, the task's loss of numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.evaluate.metrics import Mean, MeanSquared
from fenchel.evaluate.own_loss import losses_in
from fenchel.evaluate.queries import misordered
from fenchel.learners import Learner
from fenchel.parts.state import Array

Flags = NDArray[np.bool_]


class Outcome(NamedTuple):
    """A block's rows, scored: ``losses`` are zero-one (classes), or of numbers those of their task.

    In ranking the loss of a row is the share of its pairs in the wrong order. ``mistakes`` and
    ``margin_errors`` (right, yet within the margin) are None for regression and ranking.
    """

    losses: Array
    mistakes: Flags | None
    margin_errors: Flags | None


def outcome(
    learner: Learner, margins: Array, targets: Array, known: int, loss: Mean | None = None
) -> Outcome:
    """Score margins from before the labels; ``known`` classes were known before the first row.

    Numbers are scored in the ``loss`` given, (prediction − label)² where there is none.
    """
    if learner.task == "regression":
        predicted = learner.engine.present(margins)
        return Outcome(losses_in(loss or MeanSquared(), predicted, targets), None, None)
    if learner.task == "ranking":
        return Outcome(misordered(margins, targets), None, None)
    if learner.task == "multiclass":
        mistakes, within = _of_classes(margins, targets.astype(np.int64), known)
    else:
        # y·m ≤ 0 is a mistake: before it has learned, a learner knows nothing.
        agreement = targets * margins
        mistakes, within = agreement <= 0.0, (agreement > 0.0) & (agreement < 1.0)
    return Outcome(mistakes.astype(np.float64), mistakes, within)


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

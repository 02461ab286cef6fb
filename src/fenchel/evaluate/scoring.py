"""From a learner's margins to what metrics are computed of: classes, probabilities, weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel.evaluate.metrics import Metrics, Seen
from fenchel.learners import Learner
from fenchel.parts.state import Array


class Scoring:
    """Metrics of one learner along its run: probabilities are those from before each label."""

    def __init__(self, learner: Learner, names: Sequence[str], *, learning: bool = True) -> None:
        self._learner = learner
        self.metrics = Metrics(names, learner.task)
        self._follow = None
        if self.metrics.needs_chances and learning:
            self._follow = learner.follow_calibration()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_follow": None}  # what was sent elsewhere is over

    def see(
        self,
        margins: Array,
        targets: Array,
        importance: Array | None,
        learned: Array | None = None,
    ) -> Seen:
        """Count in a block whose margins are from before the labels.

        ``importance`` is what the rows count in the score, ``learned`` what they counted in learning.
        """
        chances = None
        if self.metrics.needs_chances:
            if self._follow is None:
                chances = self._learner.probabilities(margins)
            else:
                chances = self._follow(margins, targets, learned)
        if self._learner.task == "regression":
            margins = self._learner.engine.present(margins)
        weights = np.ones(len(targets)) if importance is None else importance
        seen = seen_of(self._learner.task, margins, targets, chances, weights)
        self.metrics.see(seen)
        return seen


def seen_of(
    task: str, margins: Array, targets: Array, chances: Array | None, weights: Array
) -> Seen:
    """Rows as metrics see them: class numbers, or numbers as they are.

    A class that was not known yet is predicted by nobody; before any is, −1 is.
    """
    if task == "regression":
        return Seen(targets, margins, None, weights)
    if task == "binary":
        numbers = (targets > 0.0).astype(np.int64)
        # y·m = 0 is a mistake: before it has learned, a learner knows nothing.
        decided = np.where(margins == 0.0, 1 - numbers, (margins > 0.0).astype(np.int64))
        return Seen(numbers, decided, chances, weights)
    known = ((margins > -np.inf) & (margins != 0.0)).any(axis=1)
    best = np.argmax(margins, axis=1) if margins.shape[1] else np.zeros(len(margins), np.int64)
    return Seen(targets.astype(np.int64), np.where(known, best, -1), chances, weights)

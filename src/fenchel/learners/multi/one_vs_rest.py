"""Several classes from learners of two: one against the rest, with classes that appear any time."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.learners.engine import Calls, refuse_unsound
from fenchel.learners.labels import known_after
from fenchel.learners.multi.base import Members
from fenchel.loops.adahedge import against_rest
from fenchel.loops.online import ROUNDS, count_round
from fenchel.parts.state import Array
from fenchel.rows import Rows


class OneAgainstRest(Members):
    """One learner of two classes for each class; the largest margin wins.

    A class that appears mid-stream gets a learner of its own from that row on; before, its margin
    is −∞.

    >>> from fenchel import learners
    >>> learner = learners.one_against_rest(learners.perceptron())
    >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["x", "y", "z"])
    >>> learner.classes, learner.predict_one([0.0, 2.0])
    (['x', 'y', 'z'], 'z')
    """

    def __init__(self, learner: Any) -> None:
        if learner.task != "binary":
            raise ValueError(f"learner={learner!r}: give a learner of two classes")
        super().__init__("one_against_rest", learner, "multiclass")

    def probabilities(self, margins: Array) -> Array:
        """Compute the members' probabilities of their class, scaled to add up to 1."""
        return shares_of_one(self._chances(margins))

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Let each member learn its class against the others."""
        refuse_unsound(rows, checked)
        if len(rows) == 1 and targets[0] < len(self.members):  # nothing appears
            return self._learn_members(rows, [0] * len(self.members), targets, importance)
        known = known_after(targets, len(self.members))
        total = int(np.max(known, initial=len(self.members)))
        begins = np.searchsorted(known, np.arange(total), side="right").tolist()
        return self._learn_members(rows, begins, targets, importance)

    def learning_calls(self, view: Any, target: Array, margins: Array) -> Calls | None:
        """Those of every member, once all classes have one."""
        own = np.empty(len(self.members))
        calls: Calls = [(against_rest, (target, own)), (count_round, (self.counts,))]
        for k, member in enumerate(self.members):
            inside = member.learning_calls(view, own[k : k + 1], margins[k : k + 1])
            if inside is None:
                return None
            calls += inside
        return calls

    def reading_calls(self, view: Any, margins: Array) -> Calls | None:
        """Those of every member."""
        calls: Calls = []
        for k, member in enumerate(self.members):
            inside = member.reading_calls(view, margins[k : k + 1])
            if inside is None:
                return None
            calls += inside
        return calls

    def bound_to(self) -> list[Any]:
        """Return the parts of all members."""
        return [thing for member in self.members for thing in member.bound_to()]

    def answer(
        self, rows: Rows, memo: Array, target: Array, importance: Array, fresh: bool
    ) -> float | None:
        """Let each member that was asked answer; a class that came since then learns afresh."""
        if int(target[0]) >= len(self.members):
            return super().answer(rows, memo, target, importance, fresh)
        for k, member in enumerate(self.members):
            late = k < len(memo)
            margin = memo[k : k + 1] if late else np.zeros(1)
            own = self.own_targets(target, k)
            member.answer(rows, margin, own, importance, fresh or not late)
        self.counts[ROUNDS] += 1
        return None

    @staticmethod
    def own_targets(targets: Array, k: int) -> Array:
        """+1 for rows of class k, −1 for all others."""
        return np.where(targets == k, 1.0, -1.0)


def shares_of_one(amounts: Array) -> Array:
    """Each row divided by its sum; equal shares where all are 0."""
    total = amounts.sum(axis=1, keepdims=True)
    even = np.full_like(amounts, 1.0 / max(1, amounts.shape[1]))
    return np.asarray(np.divide(amounts, total, out=even, where=total > 0.0))

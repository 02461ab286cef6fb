"""Several targets of the same rows: numbers (outputs), or labels of which a row may have any."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.learners.engine import refuse_unsound
from fenchel.learners.multi.base import Members
from fenchel.parts.state import Array
from fenchel.rows import Rows


class MultiOutput(Members):
    """One learner of regression for each output; the first block shows how many there are.

    >>> from fenchel import learners
    >>> learner = learners.multi_output(learners.lms(eta=0.5, intercept=False))
    >>> learner.learn_many([[1.0], [1.0]], [[2.0, 4.0], [2.0, 4.0]])
    array([[0., 0.],
           [1., 2.]])
    """

    appears = False
    member_of = ("output", "outputs")

    def __init__(self, learner: Any) -> None:
        if learner.task != "regression":
            raise ValueError(f"learner={learner!r}: give a learner of regression")
        super().__init__("multi_output", learner, "multioutput")

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Let each member learn its output."""
        refuse_unsound(rows, checked)
        if self.members and targets.shape[1] != len(self.members):
            raise ValueError(
                f"y has shape {targets.shape}: X has {len(rows)} rows, "
                f"give {len(rows)} rows × {len(self.members)}"
            )
        begins = [0] * targets.shape[1]
        return self._learn_members(rows, begins, targets, importance)


class MultiLabel(Members):
    """One learner of two classes for each label; a row has those with a positive margin.

    A label that appears mid-stream gets its learner from that row on; before, its margin is −∞.

    >>> from fenchel import learners
    >>> learner = learners.multi_label(learners.perceptron())
    >>> for _ in range(3):
    ...     learner.learn_one({"ball": 1.0, "vote": 1.0}, {"sport", "politics"})
    ...     learner.learn_one({"ball": 1.0}, {"sport"})
    ...     learner.learn_one({"sun": 1.0}, set())
    >>> learner.predict_one({"ball": 1.0})
    {'sport'}
    """

    member_of = ("label", "labels")

    def __init__(self, learner: Any) -> None:
        if learner.task != "binary":
            raise ValueError(f"learner={learner!r}: give a learner of two classes")
        super().__init__("multi_label", learner, "multilabel")

    def probabilities(self, margins: Array) -> Array:
        """Compute the probability of each label."""
        return self._chances(margins)

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Let each member learn whether a row has its label."""
        refuse_unsound(rows, checked)
        begins = np.isnan(targets).sum(axis=0).tolist()
        return self._learn_members(rows, begins, targets, importance)

"""Several targets of the same rows: numbers (outputs), or labels of which a row may have any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel._kernel import border
from fenchel._kernel.state import Array
from fenchel.learners.learner import Learner
from fenchel.learners.members import Members


def encode_rows(learner: Learner, y: Any, count: int) -> Array:
    """A row of targets for each row of X, by a coding of several labels a row."""
    assert learner.labels is not None
    border.refuse_masked(y, "y")
    targets = learner.labels.encode(y)
    if len(targets) != count:
        raise ValueError(f"y has {len(targets)} rows, X has {count}: give one a row")
    return targets


class MultiOutput(Members):
    """One learner of regression for each output; the first block says how many there are.

    >>> from fenchel import learners
    >>> learner = learners.multi_output(learners.lms(eta=0.5, intercept=False))
    >>> learner.learn_many([[1.0], [1.0]], [[2.0, 4.0], [2.0, 4.0]])
    array([[0., 0.],
           [1., 2.]])
    """

    def __init__(self, learner: Learner) -> None:
        if learner.task != "regression":
            raise ValueError(f"learner={learner!r}: give a learner of regression")
        super().__init__("multi_output", learner, "multioutput")

    def _encode(self, y: Any, count: int) -> Array:
        return border.as_outputs(y, count, len(self.members))

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        begins = [0] * targets.shape[1]
        return self._learn_members(rows, count, width, begins, lambda k: targets[:, k], importance)


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

    def __init__(self, learner: Learner, *, classes: Sequence[Any] | None = None) -> None:
        if learner.task != "binary":
            raise ValueError(f"learner={learner!r}: give a learner of two classes")
        super().__init__("multi_label", learner, "multilabel", classes)

    def _encode(self, y: Any, count: int) -> Array:
        return encode_rows(self, y, count)

    def _probabilities(self, margins: Array) -> Array:
        """The probability of each label."""
        return self._chances(margins)

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        begins = np.isnan(targets).sum(axis=0).tolist()
        return self._learn_members(rows, count, width, begins, lambda k: targets[:, k], importance)

"""Several classes from learners of two: one against the rest, with classes that appear any time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel._kernel.rows import DenseRows, SparseRows
from fenchel._kernel.state import Array
from fenchel.learners.learner import Learner
from fenchel.learners.workers import in_parallel


class OneAgainstRest(Learner):
    """One learner of two classes for each class; the largest margin wins.

    A class that appears mid-stream gets a learner of its own from that row on; before, its margin
    is −∞.

    >>> from fenchel import learners
    >>> learner = learners.one_against_rest(learners.perceptron())
    >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["x", "y", "z"])
    >>> learner.classes, learner.predict_one([0.0, 2.0])
    (['x', 'y', 'z'], 'z')
    """

    def __init__(self, learner: Learner, *, classes: Sequence[Any] | None = None) -> None:
        if learner.task != "binary":
            raise ValueError(f"learner={learner!r}: give a learner of two classes")
        super().__init__(
            name="one_against_rest",
            parameters={"learner": learner},
            task="multiclass",
            intercept=learner.intercept,
            classes=classes,
        )
        self._pattern = learner.copy()
        self.members: list[Learner] = [learner.copy() for _ in self.classes]

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the classes before they are seen: each gets its learner now."""
        super().declare(classes)
        while len(self.members) < len(self.classes):
            self.members.append(self._member(self.columns))

    def state_arrays(self) -> dict[str, Array]:
        """The members' arrays by number."""
        return {
            f"{number}.{name}": array
            for number, member in enumerate(self.members)
            for name, array in member.state_arrays().items()
        }

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self.columns = width
        self.members = [self._member(width) for _ in self.classes]
        for member in self.members:
            member.restart(width)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["members"] = [member.copy() for member in self.members]
        return kept

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _member(self, width: int) -> Learner:
        member = self._pattern.copy()
        member._take_up(width)
        return member

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        known = len(self.members)
        classes = max(known, int(np.max(targets, initial=-1.0)) + 1)
        begins = [0] * known
        for k in range(known, classes):
            begins.append(int(np.argmax(targets == k)))
            self.members.append(self._member(width))

        def learn(k: int) -> Array:
            begin = begins[k]
            signs = np.where(targets[begin:] == k, 1.0, -1.0)
            weights = importance if len(importance) == 1 else importance[begin:]
            part = _from(rows, begin)
            member = self.members[k]
            member.rounds += count - begin
            return member._learn_rows(part, count - begin, width, signs, weights, True)

        margins = np.full((count, classes), -np.inf)
        for k, column in enumerate(in_parallel(learn, range(classes))):
            margins[begins[k] :, k] = column
            if k >= known:  # at its first row the class was not known yet
                margins[begins[k], k] = -np.inf
        return margins

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        if not self.members:
            return np.zeros((count, 0))
        read = [member._read_rows(rows, count, width, what) for member in self.members]
        return np.stack(read, axis=1)

    def _all_weights(self) -> Array:
        """One row of weights a slot, one column a class."""
        if not self.members:
            return np.zeros((self.columns + 1, 0))
        return np.stack([member._all_weights() for member in self.members], axis=1)

    def _take_up(self, width: int) -> Any:
        before = self.columns, len(self.members)
        states = [member._take_up(width) for member in self.members]
        self.columns = max(self.columns, width)
        return before, states

    def _put_back(self, before: Any) -> None:
        (self.columns, count), states = before
        del self.members[count:]
        for member, state in zip(self.members, states, strict=True):
            member._put_back(state)


def _from(rows: Any, begin: int) -> Any:
    """The rows from this one on."""
    if begin == 0:
        return rows
    if isinstance(rows, DenseRows):
        return DenseRows(rows.values[begin:], rows.bits[begin:])
    return SparseRows(rows.indptr[begin:], *rows[1:])

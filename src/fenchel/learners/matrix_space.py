"""Several classes in the matrix space X = R^{K×d}: one learner, one row of weights a class."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from fenchel._kernel import state
from fenchel._kernel.compile import suited
from fenchel._kernel.state import Array
from fenchel.learners import reading
from fenchel.learners.composed import Composed, Parts
from fenchel.learners.labels import known_after
from fenchel.learners.learner import Learner
from fenchel.learners.rows import part_of
from fenchel.loops import Ledger, decide_classes, learn_classes
from fenchel.regularizers import Simplex


class MaxMargin(Learner):
    """The multiclass max-margin loss ℓ(W) = [1 − s_y + max_{k≠y} s_k]₊, s = W·x, by any three parts.

    Its subgradient is (e_ŷ − e_y)·xᵀ with ŷ the best wrong class, so that a round is one of the
    given learner on the row (e_y − e_ŷ)·xᵀ of R^{K×d} with target +1: z_t = η·(e_y − e_ŷ)·xᵀ. f_t
    sees that row, and where it depends on x_t (AROW, the scale-invariant learners) only the entries
    of y and ŷ change. The score of class k, in predictions and in the choice of ŷ, is ⟨W_t, e_k·xᵀ⟩
    with the f_t that has seen e_k·xᵀ.

    A class that appears mid-stream joins at its first row with weights 0; before, its score is −∞.
    Until there are two classes nothing is learned.

    >>> from fenchel import learners
    >>> learner = learners.max_margin(learners.perceptron())
    >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["x", "y", "z"])
    >>> learner.classes, learner.predict_one([0.0, 2.0])
    (['x', 'y', 'z'], 'z')
    """

    def __init__(self, learner: Learner, *, classes: Sequence[Any] | None = None) -> None:
        super().__init__(
            name="max_margin",
            parameters={"learner": learner},
            task="multiclass",
            intercept=learner.intercept,
            classes=classes,
        )
        self._parts: Parts = state.start(_parts_of(learner), 2)
        self._room = (
            1,
            1,
        )  # columns, the intercept's included, × classes that the state has room for
        self._known = 0
        self._know(len(self.classes))

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the classes before they are seen: they are rivals from the first row on."""
        super().declare(classes)
        self._know(len(self.classes))

    def state_arrays(self) -> dict[str, Array]:
        """The state by name, columns × classes: spare room is left out."""
        return {name: self._used(array) for name, array in state.arrays(self._parts)}

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self._parts = state.start(self._parts, 2)
        self._room = 1, 1
        self.columns = width
        self._know(len(self.classes))

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["_parts"] = state.copy(self._parts)
        return kept

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _know(self, classes: int) -> None:
        """So many classes take part from here on."""
        self._make_room(self.columns, classes)
        self._known = classes
        self._set_dimension(self.columns)

    def _make_room(self, columns: int, classes: int) -> None:
        """Room for so many columns and classes, each by doubling."""
        rows, stride = self._room
        room = _enough(rows, columns + self.intercept), _enough(stride, classes)
        if room == self._room:
            return

        def move(smaller: Array, larger: Array) -> None:
            larger[1:].reshape(room)[:rows, :stride] = smaller[1:].reshape(rows, stride)

        try:
            self._parts = state.grow(self._parts, 1 + room[0] * room[1], move)
        except MemoryError:
            raise ValueError(
                f"{classes} classes × {columns} columns do not fit into memory; "
                "hash the features into fewer columns"
            ) from None
        self._room = room

    def _used(self, array: Array) -> Array:
        """The entries of an array of slots that columns and classes use; others as they are."""
        if len(array) == 1:
            return array
        return array[1:].reshape(self._room)[: self.columns + self.intercept, : self._known]

    def _set_dimension(self, columns: int) -> None:
        dimensions = state.dimensions_of(self._parts)
        state.set_dimension(dimensions, (columns + self.intercept) * self._known)

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        known = known_after(targets, self._known)
        total = int(np.max(known, initial=self._known))
        self._make_room(self.columns, total)
        scores = np.full((count, total), -np.inf)
        run = suited(learn_classes, *self._parts)
        # f_t may know how many coordinates there are: a piece for each number of classes.
        joins = np.flatnonzero(np.diff(known, prepend=self._known)).tolist()
        for begin, end in pairwise(sorted({0, *joins, count})):
            before = self._known
            self._know(int(known[begin]))
            part = part_of(rows, begin, end)
            weights = importance if len(importance) == 1 else importance[begin:end]
            run(
                *self._parts[:4],
                part,
                targets[begin:end],
                weights,
                float(self.intercept),
                self._known,
                self._room[1],
                scores[begin:end],
            )
            scores[begin, before:] = -np.inf  # at its first row a class was not known yet
        return scores

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        scores = np.zeros((count, self._known))
        columns = max(width, self.columns)
        self._make_room(columns, self._known)
        self._set_dimension(columns)
        run = suited(decide_classes, *self._parts)
        try:
            f = reading.readable(self._parts.regularizer, self._parts.average)
            run(f, rows, count, float(self.intercept), self._known, self._room[1], scores)
        finally:
            self._set_dimension(self.columns)
        return scores

    def _all_weights(self) -> Array:
        """One row of weights a column, the intercept's first; one column a class."""
        with self._lock:
            f = reading.readable(self._parts.regularizer, self._parts.average)
            slots = 1 + self._room[0] * self._room[1]
            weights = self._used(reading.weights(f, slots, 0.0))
            return weights if self.intercept else np.vstack([np.zeros(self._known), weights])

    def _take_up(self, width: int) -> Any:
        before = self.columns, self._parts, self._room, self._known
        self._make_room(max(self.columns, width), self._known)
        self.columns = max(self.columns, width)
        self._set_dimension(self.columns)
        return before

    def _put_back(self, before: Any) -> None:
        self.columns, self._parts, self._room, self._known = before
        self._set_dimension(self.columns)


def _enough(have: int, asked: int) -> int:
    """Room for what is asked; when more is asked a second time, at least twice as much."""
    if asked <= have:
        return have
    return asked if have == 1 else max(asked, 2 * have)


def _parts_of(learner: Learner) -> Parts:
    """The parts of a learner of two classes, if they can serve in the matrix space."""
    if not isinstance(learner, Composed) or learner.task != "binary":
        raise ValueError(f"learner={learner!r}: give a single learner of two classes")
    parts = learner._parts
    if any(array.ndim == 2 for _, array in state.arrays(parts)):
        raise ValueError(
            f"learner={learner!r} keeps a full matrix, K·d × K·d for K classes: use diagonal=True, "
            "or one_against_rest"
        )
    if isinstance(getattr(parts.regularizer, "domain", None), Simplex):
        raise ValueError("domain=Simplex does not go with max_margin: use one_against_rest")
    if isinstance(parts.ledger, Ledger):
        raise ValueError("certify=True: certificates are for learners of two classes and numbers")
    return parts

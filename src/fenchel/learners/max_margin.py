"""Several classes in the matrix space X = R^{K×d}: one learner, one row of weights a class."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fenchel._numba.jit import suited
from fenchel.certificates import Certificate, Hindsight
from fenchel.learners import pair_certificates
from fenchel.learners.composed import Composed, Parts
from fenchel.learners.engine import Engine, refuse_unsound, some_of
from fenchel.learners.labels import known_after
from fenchel.learners.renumbering import Places, shares_of
from fenchel.loops import NoAverage, NoLedger, decide_classes, learn_classes, read_weights
from fenchel.loops.averages import charge
from fenchel.loops.online import ROUNDS
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards, unite_parts
from fenchel.rows import Rows
from fenchel.rows.types import DenseRows


class MaxMargin(Engine):
    """The multiclass max-margin loss ℓ(W) = [1 − s_y + max_{k≠y} s_k]₊, s = W·x, by any three parts.

    Its subgradient is (e_ŷ − e_y)·xᵀ with ŷ the best wrong class, so that a round is one of the
    given learner on the row (e_y − e_ŷ)·xᵀ of R^{K×d} with target +1: z_t = η·(e_y − e_ŷ)·xᵀ. f_t
    sees that row, and where it depends on x_t (AROW, the scale-invariant learners) only the entries
    of y and ŷ change. The score of class k, in predictions and in the choice of ŷ, is ⟨W_t, e_k·xᵀ⟩
    with the f_t that has seen e_k·xᵀ.

    Its certificates are those of the given learner over the pairs, as plain rows of R^{K·d}.

    A class that appears mid-stream joins at its first row with weights 0; before, its score is −∞.
    Until there are two classes nothing is learned.

    >>> from fenchel import learners
    >>> learner = learners.max_margin(learners.perceptron())
    >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["x", "y", "z"])
    >>> learner.classes, learner.predict_one([0.0, 2.0])
    (['x', 'y', 'z'], 'z')
    """

    def __init__(self, learner: Any) -> None:
        super().__init__("max_margin", {"learner": learner}, "multiclass", learner.intercept)
        self._parts: Parts = state.start(_parts_of(learner), 2)
        # Columns, the intercept's included, × classes that the state has room for.
        self._room = 1, 1
        self.certifies = self._parts.ledger.kept
        self.joined = np.zeros(0)  # the row with which each class joined
        self.begun = np.zeros(1)  # slots for columns in the first round

    def declare(self, outputs: int) -> None:
        """Take so many classes as rivals from the first row on."""
        self._know(max(self.outputs, outputs), self.rounds)

    @property
    def counts_columns(self) -> bool:
        """Whether the number of columns enters the formulas themselves."""
        told = getattr(self._parts.regularizer, "counts_columns", True)
        return bool(state.dimensions_of(self._parts)) and bool(told)

    def state_arrays(self) -> dict[str, Array]:
        """Return the state by name, columns × classes: spare room is left out."""
        kept = {name: self._used(array) for name, array in state.arrays(self._parts)}
        return {**kept, "joined": self.joined, "begun": self.begun} if self.certifies else kept

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self._parts = state.start(self._parts, 2)
        self._room = 1, 1
        self.columns = width
        self.joined, self.begun = np.zeros(0), np.zeros(1)
        self._know(self.outputs, 0)

    def check_state(self) -> None:
        """Raise for classes that joined when there was nobody to join."""
        self._set_dimension(self.columns)
        counted = np.concatenate([self.joined, self.begun])
        begun = self.begun[0]
        if (counted < 0.0).any() or begun > self.columns + 1.0 or (begun and self.outputs < 2):
            raise ValueError("its classes joined at rows that there were not")

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["_parts"] = state.copy(self._parts)
        kept["joined"], kept["begun"] = self.joined.copy(), self.begun.copy()
        return kept

    def blank(self) -> MaxMargin:
        """An engine that has seen nothing and keeps no sums, with the classes declared to this one."""
        twin = self.copy()
        assert isinstance(twin, MaxMargin), "a copy is of the same class"
        twin._parts = twin._parts._replace(average=NoAverage(), ledger=NoLedger())
        twin.certifies, twin.outputs = False, int(np.sum(self.joined == 0.0))
        twin.counts[:] = 0
        twin.restart(0)
        return twin

    @property
    def compact_parts(self) -> Parts:
        """The parts with the place of class k at column j in slot 1 + j·classes + k: no spare room."""

        def move(smaller: Array, larger: Array) -> None:
            larger[1:] = self._used(smaller).reshape(-1)

        return state.grow(self._parts, 1 + (self.columns + self.intercept) * self.outputs, move)

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _know(self, classes: int, row: int) -> None:
        """So many classes take part from this row on."""
        self._make_room(self.columns, classes)
        new = np.full(max(classes - len(self.joined), 0), float(row))
        self.joined = np.concatenate([self.joined, new])
        self.outputs = classes
        self._set_dimension(self.columns)

    def _make_room(self, columns: int, classes: int) -> None:
        """Room for so many columns and classes, each by doubling."""
        rows, stride = self._room
        # One column beyond those known stays zero, for reading others.
        room = _enough(rows, columns + self.intercept + 1), _enough(stride, classes)
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
        return array[1:].reshape(self._room)[: self.columns + self.intercept, : self.outputs]

    def _set_dimension(self, columns: int) -> None:
        dimensions = state.dimensions_of(self._parts)
        state.set_dimension(dimensions, (columns + self.intercept) * self.outputs)

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Run a round of the parts on (e_y − e_ŷ)·xᵀ for each row."""
        refuse_unsound(rows, checked)
        return self.learn_pairs(rows, targets, importance)[0]

    def learn_pairs(
        self, rows: Rows, targets: Array, importance: Array
    ) -> tuple[Array, NDArray[np.int64]]:
        """Learn from sound rows; the scores from before each label, and ŷ (−1 where there is none)."""
        count = len(rows)
        total = max(self.outputs, int(targets.max(initial=-1.0)) + 1)
        known = known_after(targets, self.outputs) if total > self.outputs else None
        self._make_room(self.columns, total)
        scores, rivals = np.full((count, total), -np.inf), np.full(count, -1)
        run = suited(learn_classes, *self._parts)
        # f_t may know how many coordinates there are: a piece for each number of classes.
        joins = (
            [] if known is None else np.flatnonzero(np.diff(known, prepend=self.outputs)).tolist()
        )
        for begin, end in pairwise(sorted({0, *joins, count})):
            before = self.outputs
            # The scores of a row whose label is new are those of the classes known before it.
            appears = known is not None and known[begin] > before
            first = self.read(rows.part(begin, begin + 1)) if appears else None
            if known is not None:
                self._know(int(known[begin]), self.rounds + begin)
            if self.outputs > 1 and self.begun[0] == 0.0:
                self.begun[0] = self.columns + 1.0
            run(
                *self._parts,
                rows.part(begin, end).view,
                targets[begin:end],
                some_of(importance, begin, end),
                float(self.intercept),
                self.outputs,
                self._room[1],
                scores[begin:end],
                rivals[begin:end],
            )
            if first is not None:
                scores[begin, :before], scores[begin, before:] = first[0], -np.inf
        self.counts[ROUNDS] += count
        return scores, rivals

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """Compute the score of each class."""
        scores = np.zeros((len(rows), self.outputs))
        run = suited(decide_classes, *self._parts)
        f = self._parts.average.read(self._parts.regularizer)
        if rows.width > self.columns:  # counted in f_t, without a change
            f = state.of_dimension(f, (rows.width + self.intercept) * self.outputs)
        bias, view = float(self.intercept), self._known_columns(rows)
        run(f, view, len(rows), bias, self.outputs, self._room[1], scores)
        return scores

    def _known_columns(self, rows: Rows) -> Any:
        """The rows with all columns that are not known in one place beyond those that are."""
        view, room = rows.view, self._room[0] - self.intercept
        if rows.width <= room:
            return view
        if isinstance(view, DenseRows):
            view = rows.csr()
        return view._replace(indices=np.minimum(view.indices, np.uint32(room - 1)))

    def weights(self) -> Array:
        """Return one row of weights a column, the intercept's first; one column a class."""
        f = self._parts.average.read(self._parts.regularizer)
        out = np.zeros(1 + self._room[0] * self._room[1])
        suited(read_weights, f)(f, np.zeros(1, np.uint32), np.zeros(1), 0.0, out)
        weights = self._used(out)
        return weights if self.intercept else np.vstack([np.zeros(self.outputs), weights])

    def take_up(self, width: int) -> Any:
        """Make room for so many columns."""
        kept = self.joined, self.begun.copy()
        before = self.columns, self._parts, self._room, self.outputs, kept
        self._make_room(max(self.columns, width), self.outputs)
        self.columns = max(self.columns, width)
        self._set_dimension(self.columns)
        return before

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``."""
        self.columns, self._parts, self._room, self.outputs, kept = before
        self.joined, self.begun = kept
        self._set_dimension(self.columns)

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> MaxMargin:
        """Copy the engine, its columns and classes in these places."""
        twin = self.copy()
        assert isinstance(twin, MaxMargin), "a copy is of the same class"
        charge(twin._parts.average, twin._parts.regularizer)
        extra, room = int(self.intercept), (places.width + self.intercept + 1, max(places.total, 1))
        to = np.concatenate([np.arange(extra), extra + places.columns])

        def move(smaller: Array, larger: Array) -> None:
            used = smaller[1:].reshape(self._room)[: len(to), : len(places.outputs)]
            larger[1:].reshape(room)[np.ix_(to, places.outputs)] = used

        twin._parts = state.grow(twin._parts, 1 + room[0] * room[1], move)
        twin._room, twin.columns, twin.outputs = room, places.width, places.total
        twin._set_dimension(places.width)
        return twin

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """Unite the parts, each by its own rule."""
        self._room, self.columns, self.outputs = start._room, start.columns, start.outputs
        self._parts = state.start(self._parts, 1 + self._room[0] * self._room[1])
        self._set_dimension(self.columns)
        parts = [engine._parts for engine in engines]
        unite_parts(self._parts, Shards(parts, start._parts, shares_of(engines, start)))
        self.joined, self.begun = np.zeros(self.outputs), np.zeros(1)
        self._unite_counts(engines, start)

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    def certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Every certificate over the pairs; u has one row a column, one column a class."""
        if not self.certifies:
            return super().certify(read, past, u)
        return pair_certificates.certify(self, read, past, u)

    def missing(self) -> dict[str, list[str]]:
        """Every theorem, with what it misses of these parts in the matrix space."""
        return pair_certificates.missing(self)


def _enough(have: int, asked: int) -> int:
    """Room for what is asked; when more is asked a second time, at least twice as much."""
    if asked <= have:
        return have
    return asked if have == 1 else max(asked, 2 * have)


def _parts_of(learner: Any) -> Parts:
    """The parts of a learner of two classes, if they can serve in the matrix space."""
    engine = learner.engine
    if not isinstance(engine, Composed) or engine.task != "binary":
        raise ValueError(f"learner={learner!r}: give a single learner of two classes")
    if engine.has_matrix:
        raise ValueError(
            f"learner={learner!r} keeps a full matrix, K·d × K·d for K classes: use diagonal=True, "
            "or one_against_rest"
        )
    domain = getattr(engine.regularizer, "domain", None)
    if domain is not None and not domain.fixed:
        raise ValueError(
            f"domain={type(domain).__name__} does not go with max_margin: use one_against_rest"
        )
    return engine.parts

"""The engine of three parts: Algorithm 1 with a loss, a regularizer and a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fenchel import certificates
from fenchel._numba import knows
from fenchel._numba.jit import fresh, lean, settled, suited
from fenchel._numba.undisturbed import undisturbed
from fenchel.certificates import Certificate, Hindsight
from fenchel.learners import by_blocks, holdings
from fenchel.learners.engine import ONE, BadRowError, Calls, Engine, refuse_unsound, some_of
from fenchel.learners.renumbering import Places, shares_of
from fenchel.loops import (
    NoAverage,
    NoLedger,
    average_for,
    decide_rows,
    learn_rows,
    ledger_for,
    read_weights,
    spread_rows,
)
from fenchel.loops.averages import charge
from fenchel.loops.late import answer_rows
from fenchel.loops.online import UPDATES
from fenchel.losses import named
from fenchel.losses.protocol import counts_of, derivative, mean_of
from fenchel.parts import sound, state
from fenchel.parts.memory import LINE
from fenchel.parts.state import Array
from fenchel.regularizers.adopting import adopt
from fenchel.regularizers.protocol import spread, weight
from fenchel.regularizers.uniting import Shards, rescale_parts, unite_parts
from fenchel.rows import Rows
from fenchel.rows.types import DenseRows, SparseRows
from fenchel.rules import coefficient

# Arrays of a single slot would be of another type to the compiler, and be compiled for again. One slot
# beyond the columns stays zero: columns that are not known are read there.
LEAST_SLOTS = 2
SPARE = 1
# Above this many coordinates a full matrix would take more than 3 GB.
MOST_FULL = 20_000


class Parts(NamedTuple):
    """The parts of a learner: loss × regularizer × rule, and what average and certificates need."""

    loss: Any
    regularizer: Any
    rule: Any
    average: Any = NoAverage()
    ledger: Any = NoLedger()


def compose(loss: Any, regularizer: Any, rule: Any, *, averaged: bool, certify: bool) -> Parts:
    """Put parts together, with an average and a ledger where they are asked for.

    Whatever a part lacks is named here, before anything is compiled.
    """
    loss = named(loss)
    for what, part, verb in (
        ("loss", loss, derivative),
        ("regularizer", regularizer, weight),
        ("rule", rule, coefficient),
    ):
        if not state.is_part(part):
            raise ValueError(
                f"{what}={part!r} is no part: give one made, such as regularizers.Euclidean() or "
                "rules.Subgradient()"
            )
        if not knows(verb, type(part)):
            raise _missing(what, part, verb)
    for verb in getattr(rule, "asks", ()):
        if not knows(verb, type(regularizer)):
            raise _missing(f"rule={rule!r} with regularizer", regularizer, verb)
    average = average_for(regularizer) if averaged else NoAverage()
    ledger = ledger_for(regularizer) if certify else NoLedger()
    return Parts(loss, regularizer, rule, average, ledger)


def _missing(what: str, part: Any, verb: Any) -> ValueError:
    name, cls = verb.table.name, type(part).__name__
    return ValueError(
        f"{what}={part!r}: {cls} has no verb {name!r}; write it with @{name}.of({cls})"
    )


class Composed(Engine):
    """Algorithm 1 with three parts, in compiled loops."""

    _layout: list[bool] | None = None  # of the arrays that ``_calls`` were compiled for
    _calls: dict[Any, Any]
    _remembered: tuple[tuple[int, int], Array] | None = None

    def __init__(
        self,
        parts: Parts,
        *,
        name: str = "custom",
        parameters: Mapping[str, Any] | None = None,
        intercept: bool = True,
        task: str | None = None,
    ) -> None:
        if task not in (None, parts.loss.task, "binary"):
            raise ValueError(f"task={task!r}: {type(parts.loss).__name__} is for {parts.loss.task}")
        if task == "binary" and counts_of(parts.loss):
            raise ValueError(f"task='binary': {type(parts.loss).__name__} is for counts")
        parts = sound.checked(parts)
        super().__init__(name, parameters or {}, task or parts.loss.task, intercept)
        self._hold(state.start(parts, LEAST_SLOTS))
        self._margin = np.empty(1)
        self._set_dimension(0)

    @property
    def parts(self) -> Parts:
        """The parts with their state."""
        return self._parts

    @property
    def loss(self) -> Any:
        """ℓ."""
        return self._parts.loss

    @property
    def predicts_counts(self) -> bool:
        """Whether the loss is of counts."""
        return counts_of(self.loss)

    def present(self, margins: Any) -> Any:
        """Turn margins into the means that they stand for, where the loss says so."""
        return mean_of(self.loss, margins)

    @property
    def regularizer(self) -> Any:
        """f_t with its state."""
        return self._parts.regularizer

    @property
    def rule(self) -> Any:
        """The rule that chooses z_t."""
        return self._parts.rule

    @property
    def updates(self) -> int | None:
        """In how many rounds the weights moved."""
        return int(self.counts[UPDATES])

    @property
    def counts_columns(self) -> bool:
        """Whether the number of columns enters the formulas themselves."""
        told = getattr(self.regularizer, "counts_columns", True)
        return bool(self._dimensions) and bool(told)

    @property
    def has_matrix(self) -> bool:
        """Whether the state holds a matrix of columns × columns."""
        return self._has_matrix

    @property
    def is_one_step(self) -> bool:
        """Whether a block is learned in one step that no signal can interrupt: the loop counts rounds."""
        return True

    def state_arrays(self) -> dict[str, Array]:
        """Return the state by name, as wide as the columns taken up: spare room is left out."""
        return dict(state.arrays(self._parts, width=self.columns + 1))

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self._refuse_full(width)
        self._hold(state.start(self._parts, self._slots_for(width)))
        self.columns = width
        self._set_dimension(width)

    def check_state(self) -> None:
        """Set the number of coordinates, which is not the file's to say: kernels count up to it."""
        self._set_dimension(self.columns)

    def put_in_order(self, absent: set[str]) -> None:
        """Make up for arrays that a model file of an earlier version lacks."""
        state.put_in_order(self._parts, absent)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["_parts"] = state.copy(self._parts)
        for made_anew in ("_layout", "_calls", "_dimensions"):
            del kept[made_anew]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        # Arrays that joblib maps from a file cannot be learned into.
        writable = all(array.flags.writeable for _, array in state.arrays(self._parts))
        self._hold(self._parts if writable else state.copy(self._parts))

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> Composed:
        """Copy the engine, its columns in these places."""
        twin = self.copy()
        assert isinstance(twin, Composed), "a copy is of the same class"
        charge(twin._parts.average, twin._parts.regularizer)
        twin._hold(state.grow(twin._parts, self._slots_for(places.width), places.move))
        twin.columns = places.width
        twin._set_dimension(places.width)
        return twin

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """Unite the parts, each by its own rule."""
        self.restart(start.columns)
        parts = [engine.parts for engine in engines]
        unite_parts(self._parts, Shards(parts, start.parts, shares_of(engines, start)))
        self._unite_counts(engines, start)

    def rescale(self, factors: Array) -> None:
        """Rescale the regularizer; the intercept's slot and those beyond the columns stay."""
        whole = np.ones(self._slots)
        whole[1 : 1 + self.columns] = factors
        rescale_parts(self._parts.regularizer, whole)

    def adopt(self, w: Array) -> None:
        """Take weights that were found elsewhere, the intercept's first; what else is kept stays."""
        whole = np.zeros(self._slots)
        whole[: len(w)] = w
        adopt(self._parts.regularizer, whole)
        self._remembered = None

    # ── learning and reading ────────────────────────────────────────────────────────────────────

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Learn by the compiled loop.

        Where the rows are many against the state, it is copied and rows are checked on the way;
        where they are few, they are checked first.
        """
        view, margins = rows.view, np.empty(len(rows))
        if self._by_blocks and self._are_a_block(rows):
            refuse_unsound(rows, checked)
            return self._learn_blocks(rows, targets, importance)
        kept = None
        if not checked and self._bytes() < sum(array.nbytes for array in view):
            kept = state.copy(self._parts)
        else:
            refuse_unsound(rows, checked)
        given = view, targets, importance, float(self.intercept), rows.width, kept is None
        arguments = (*self._parts, *given, margins, self.counts)
        if kept is None:  # the loop is one step, which nothing can interrupt
            self._run(learn_rows, len(rows), arguments, view)
            return margins
        with undisturbed:
            bad = self._run(learn_rows, len(rows), arguments, view)
            if bad >= 0:
                state.restore(self._parts, kept)
                raise BadRowError(int(bad))
        return margins

    def _are_a_block(self, rows: Rows) -> bool:
        """Whether rows are learned by products of matrices, their margins the same up to rounding."""
        return len(rows) >= by_blocks.LEAST_ROWS and by_blocks.are_wide(self.columns)

    def learns_by_blocks(self, columns: int) -> bool:
        """Whether a matrix of so many columns is learned by products of matrices."""
        return self._by_blocks and by_blocks.are_wide(columns)

    def _learn_blocks(self, rows: Rows, targets: Array, importance: Array) -> Array:
        bias = float(self.intercept)

        def one_by_one(begin: int, end: int, margins: Array) -> None:
            view = rows.part(begin, end).view
            given = view, targets[begin:end], some_of(importance, begin, end), bias, rows.width
            arguments = (*self._parts, *given, True, margins, self.counts)
            self._run(learn_rows, end - begin, arguments, view)

        given = self._parts, rows, targets, importance, bias, self.columns, self.counts
        with undisturbed:
            return by_blocks.learn(*given, one_by_one)

    def learn_known(self, view: Any, target: Array) -> Any:
        """Learn from one sound sparse row without anything new, by the shortest way there is."""
        call = self._calls.get("known")
        if call is None:
            margin = super().learn_known(view, target)
            self._calls["known"] = self._calls[learn_rows, SparseRows, 8]
            return margin
        bias = 1.0 if self.intercept else 0.0
        call(*self._parts, view, target, ONE, bias, self.columns, True, self._margin, self.counts)
        return self._margin[0]

    def learning_calls(self, view: Any, target: Array, margins: Array) -> Calls:
        """The kernel that learns the one row in these arrays, with nothing new, and its arguments."""
        given = view, target, ONE, float(self.intercept), self.columns, True, margins, self.counts
        return [(self._twin(learn_rows), (*self._parts, *given))]

    def reading_calls(self, view: Any, margins: Array) -> Calls:
        """The kernel that reads the one row in these arrays, of columns that are known, and its arguments."""
        f = self._parts.average.read(self._parts.regularizer)
        given = view, 1, float(self.intercept), self.columns + 1, True, margins
        return [(self._twin(decide_rows), (f, *given))]

    def bound_to(self) -> list[Any]:
        """Return the parts: calls are bound to their arrays."""
        return [self._parts]

    def read_known(self, view: Any, what: str) -> Array | None:
        """Read one sound sparse row without anything new, by the shortest way there is."""
        call = self._calls.get((decide_rows, SparseRows, 8))
        if call is None or self._has_matrix or self._parts.average.kept:
            return None
        bias, out = 1.0 if self.intercept else 0.0, np.empty(1)
        call(self._parts.regularizer, view, 1, bias, self.columns + 1, True, out)
        return out

    def ask(self, rows: Rows) -> tuple[Array, Array]:
        """Read one row; its step will need the margin of the last weights, averaged or not."""
        margins = self.read(rows)
        return margins, self._last(rows) if self._parts.average.kept else margins

    def _last(self, rows: Rows) -> Array:
        """The margins of the last weights, which steps are taken at; the row's columns are known."""
        view, bias, out = rows.view, float(self.intercept), np.empty(len(rows))
        given = view, len(rows), bias, self.columns + 1, True, out
        self._twin(decide_rows)(self._parts.regularizer, *given)
        return out

    def answer(
        self, rows: Rows, memo: Array, target: Array, importance: Array, fresh: bool
    ) -> float | None:
        """Step at the margin of the prediction; ``fresh``: at that of today."""
        if fresh:
            memo = self._last(rows)
        c, bias = np.empty(1), float(self.intercept)
        parts = self._parts[:4]
        given = (*parts, rows.view, target, importance, bias, memo, c, self.counts)
        self._twin(answer_rows)(*given)
        return float(c[0])

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """Read as the next round would: columns not known yet count in f_t, with weight 0."""
        f = self._parts.average.read(self._parts.regularizer)
        if (
            self._by_blocks
            and self._are_a_block(rows)
            and rows.width <= self.columns
            and by_blocks.can_read(f, self.columns)
        ):
            return by_blocks.read(f, rows, float(self.intercept), self.columns, what)
        view, bias, out = self._known_columns(rows), float(self.intercept), np.empty(len(rows))
        if self._dimensions and rows.width > self.columns:  # counted in f_t, without a change
            f = state.of_dimension(f, rows.width + self.intercept)
        if what == "spreads":
            inner = self._parts.regularizer
            self._refuse_no_spread(inner)
            suited(spread_rows, inner)(inner, view, len(rows), bias, out)
        else:
            given = view, len(rows), bias, self.columns + 1, True, out
            self._run(decide_rows, len(rows), (f, *given), view)
        return out

    def read_labels(self, rows: Rows, what: str = "margins") -> Array:
        """⟨w, x⟩ with the weights kept since the last round, where that saves a look at a large matrix.

        The margin of a tentative A_t is that times r/(r + x·A⁻¹·x) > 0: the same label.
        """
        large = self.learns_by_blocks(self.columns)
        if not large or self.task != "binary" or rows.width > self.columns:
            return self.read(rows)
        if self._remembered is None or self._remembered[0] != (self.rounds, self.columns):
            w = self.weights()
            self._remembered = (self.rounds, self.columns), w if self.intercept else w[1:]
        return by_blocks.products(rows, self._remembered[1], self.intercept)

    def _known_columns(self, rows: Rows) -> Any:
        """The rows with all columns that are not known in one place beyond those that are."""
        view = rows.view
        if rows.width <= self.columns:
            return view
        if self._has_matrix:  # it skips what it has no room for, whatever the room may be
            if isinstance(view, DenseRows):
                return view
            known = view.indices < self.columns
            if self._parts.average.read(self._parts.regularizer) is self._parts.regularizer:
                beyond = np.uint32(self._slots)
                return view._replace(indices=np.where(known, view.indices, beyond))
            # An average has weights alone: those of what is not known are 0.
            values = np.where(known, view.values, view.values.dtype.type(0))
            indices = np.where(known, view.indices, np.uint32(0))
            return Rows.sparse(view.indptr, indices, values, self.columns).view
        if isinstance(view, DenseRows):
            if rows.width + 1 <= self._slots:
                return view
            view = rows.csr()
        first, last = view.indptr[0], view.indptr[len(rows)]
        if view.indices[first:last].max(initial=0) < self._slots - 1:
            return view
        return view._replace(indices=np.minimum(view.indices, np.uint32(self.columns)))

    def weights(self) -> Array:
        """Return the weight of each slot, the intercept's first."""
        f = self._parts.average.read(self._parts.regularizer)
        out, bias = np.zeros(self.columns + 1), float(self.intercept)
        suited(read_weights, f)(f, np.zeros(1, np.uint32), np.zeros(1), bias, out)
        if not self.intercept:  # its slot would read as any other
            out[0] = 0.0
        return out

    @property
    def has_probabilities(self) -> bool:
        """Whether the loss models a probability."""
        return hasattr(self.loss, "probability")

    def probabilities(self, margins: Array) -> Array:
        """Compute the probability of each class, where the loss models one."""
        chance = getattr(self.loss, "probability", None)
        if chance is None:
            return super().probabilities(margins)
        positive = chance(margins)
        return np.stack([1.0 - positive, positive], axis=-1)

    @staticmethod
    def _refuse_no_spread(f: Any) -> None:
        if not knows(spread, type(f)):
            raise ValueError(
                f"{type(f).__name__} keeps no second-order information: confidences come with "
                "arow, second_order_perceptron, soft_confidence_weighted, vovk_azoury_warmuth"
            )

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    def certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Measure every certificate of the run."""
        parts = self._parts
        if not self.certifies:
            return super().certify(read, past, u)
        if u is None:
            assert past is not None
            last = self.weights()
            candidates = {
                **past.best(parts.loss, self.intercept),
                "the last weights": last if self.intercept else last[1:],
            }
        else:
            candidates = {"the given u": certificates.comparator(u, self.columns, self.intercept)}
        return certificates.certificates(parts, read, self.columns, self.intercept, candidates)

    def missing(self) -> dict[str, list[str]]:
        """List every theorem with what it misses of these parts."""
        return certificates.missing(self._parts, self.columns, self.intercept)

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _hold(self, parts: Parts) -> None:
        """Take these parts, and note what every round asks of them: a walk over them takes longer
        than a round."""
        self._parts: Parts = parts
        self._remembered = None
        holdings.change()
        arrays = [array for _, array in state.arrays(parts)]
        layout = [array.flags.c_contiguous for array in arrays]
        if layout != self._layout:  # records lie otherwise where there are many
            self._layout, self._calls = layout, {}
        self._slots = state.slots_of(parts)
        self._dimensions = state.dimensions_of(parts)
        self._ours = all(map(state.from_package, parts))
        self._has_matrix = state.has_matrix(parts)
        self._allocates = self._has_matrix or getattr(parts.regularizer, "allocates", False)
        self._by_blocks = self._has_matrix and by_blocks.suit(parts, self._ours)
        self.certifies = parts.ledger.kept

    def _run(self, kernel: Any, count: int, arguments: tuple[Any, ...], view: Any) -> Any:
        """Call a kernel. The arguments of single rows keep their types, which is made use of."""
        run = self._twin(kernel)
        if count != 1:
            return run(*arguments)
        kind = kernel, type(view), view.bits.itemsize
        call = self._calls.get(kind)
        if call is not None:
            return call(*arguments)
        result = run(*arguments)
        self._calls[kind] = settled(run, arguments)
        return result

    def _twin(self, kernel: Any) -> Any:
        """The kernel that suits the parts: some make arrays on the way, those with a matrix always."""
        if not self._ours:
            return fresh(kernel)
        return kernel if self._allocates else lean(kernel)

    def standing(self) -> tuple[Parts, int]:
        """The parts and the columns as they are."""
        return self._parts, self.columns

    def take_up(self, width: int) -> tuple[Parts, int]:
        """Make room for so many columns."""
        before = self.standing()
        if width > self.columns:
            self._make_room(width)
            self.columns = width
            self._set_dimension(width)
        return before

    def put_back(self, before: tuple[Parts, int]) -> None:
        """Undo ``take_up``."""
        parts, self.columns = before
        self._hold(parts)
        self._set_dimension(self.columns)

    def _make_room(self, width: int) -> None:
        """Arrays for so many columns: as many as asked the first time, then by doubling."""
        if width + 1 + SPARE > self._slots:
            self._refuse_full(width)
            slots = self._slots_for(width)
            if self.columns:
                slots = max(slots, 2 * self._slots)
            try:
                self._hold(state.grow(self._parts, slots))
            except MemoryError:
                raise ValueError(
                    f"X has {width} columns: the state of {self.name} does not fit into memory; "
                    "hash the features into fewer columns"
                ) from None

    def _slots_for(self, width: int) -> int:
        """As many as so many columns need; each row of a matrix begins with a line of the cache."""
        slots = max(width + 1 + SPARE, LEAST_SLOTS)
        return -(-slots // LINE) * LINE if self._has_matrix else slots

    def _refuse_full(self, width: int) -> None:
        if width > MOST_FULL and self._has_matrix:
            raise ValueError(
                f"{self.name} keeps a {width} × {width} matrix: with more than {MOST_FULL} "
                "features use diagonal=True"
            )

    def _bytes(self) -> int:
        return sum(array.nbytes for _, array in state.arrays(self._parts))

    def _set_dimension(self, columns: int) -> None:
        state.set_dimension(self._dimensions, columns + self.intercept)

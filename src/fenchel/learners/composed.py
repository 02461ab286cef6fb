"""A learner of three parts: Algorithm 1 with a loss, a regularizer and a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fenchel._kernel import state
from fenchel._kernel.compile import fresh, lean, settled
from fenchel._kernel.memory import LINE
from fenchel._kernel.rows import SparseRows
from fenchel._kernel.state import Array
from fenchel.certificates import Certificate, Hindsight
from fenchel.learners import certifying, reading
from fenchel.learners.features import ONE
from fenchel.learners.learner import BadRowError, Learner
from fenchel.loops import Average, Ledger, NoAverage, NoLedger, check_rows, decide_rows, learn_rows
from fenchel.losses import Logistic, named

# Arrays of a single slot would be of another type to the compiler, and be compiled for again.
LEAST_SLOTS = 2
# Above this many coordinates a full matrix would take more than 3 GB.
MOST_FULL = 20_000


class Parts(NamedTuple):
    """What a learner is made of: loss × regularizer × rule, and what average and certificates need."""

    loss: Any
    regularizer: Any
    rule: Any
    average: Any = NoAverage()
    ledger: Any = NoLedger()


class Composed(Learner):
    """Algorithm 1 with three parts, in compiled loops."""

    _layout: list[bool] | None = None  # of the arrays that ``_calls`` were compiled for
    _calls: dict[Any, Any]

    def __init__(
        self,
        parts: Parts,
        *,
        name: str = "custom",
        parameters: Mapping[str, Any] | None = None,
        intercept: bool = True,
        classes: Sequence[Any] | None = None,
        task: str | None = None,
    ) -> None:
        if task not in (None, parts.loss.task, "binary"):
            raise ValueError(f"task={task!r}: {type(parts.loss).__name__} is for {parts.loss.task}")
        super().__init__(
            name=name,
            parameters=parameters or {},
            task=task or parts.loss.task,
            intercept=intercept,
            classes=classes,
        )
        self._hold(state.start(parts, LEAST_SLOTS))
        self._margin = np.empty(1)
        self._set_dimension(0)

    @property
    def loss(self) -> Any:
        """ℓ."""
        return self._parts.loss

    @property
    def regularizer(self) -> Any:
        """f_t with its state."""
        return self._parts.regularizer

    @property
    def rule(self) -> Any:
        """What chooses z_t."""
        return self._parts.rule

    def confidence_one(self, x: Mapping[str, Any] | ArrayLike) -> float:
        """x·A⁻¹·x of a second-order learner: small where it has seen much of the like."""
        return float(self._read_one(x, "spreads")[0])

    def confidence_many(self, X: Any) -> Array:
        """x·A⁻¹·x of each row, for second-order learners."""
        return self._read_many(X, "spreads")

    @property
    def certifies(self) -> bool:
        """Whether a ledger is kept."""
        return isinstance(self._parts.ledger, Ledger)

    def state_arrays(self) -> dict[str, Array]:
        """The state by name, as wide as the columns taken up: spare room is left out."""
        return dict(state.arrays(self._parts, width=self.columns + 1))

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self._hold(state.start(self._parts, self._slots_for(width)))
        self.columns = width
        self._set_dimension(width)

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

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _hold(self, parts: Parts) -> None:
        """Take these parts, and note what every round asks of them: a walk over them takes longer
        than a round."""
        self._parts: Parts = parts
        arrays = [array for _, array in state.arrays(parts)]
        layout = [array.flags.c_contiguous for array in arrays]
        if layout != self._layout:  # records lie otherwise where there are many
            self._layout, self._calls = layout, {}
        self._slots = max(array.shape[-1] for array in arrays)
        self._dimensions = state.dimensions_of(parts)
        self._ours = all(map(state.from_package, parts))
        self._has_matrix = any(array.ndim == 2 for array in arrays)
        self._makes_arrays = self._has_matrix or hasattr(parts.regularizer, "makes_arrays")

    def _probabilities(self, margins: Array) -> Array:
        if self.labels is None or not isinstance(self.loss, Logistic):
            return super()._probabilities(margins)
        positive = np.exp(-np.logaddexp(0.0, -margins))  # 1/(1 + exp(−m))
        return np.stack([1.0 - positive, positive], axis=-1)

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        """The compiled loop.

        Where the rows are many against the state, it is copied and rows are checked on the way;
        where they are few, they are checked first.
        """
        margins = np.empty(count)
        kept = None
        if not checked and self._bytes() < sum(array.nbytes for array in rows):
            kept = state.copy(self._parts)
        elif not checked:
            bad = int(check_rows(rows, count, width))
            if bad >= 0:
                raise BadRowError(bad)
        given = rows, targets, importance, float(self.intercept), width, kept is None, margins
        bad = self._run(learn_rows, count, (*self._parts, *given), rows)
        if bad >= 0:
            state.restore(self._parts, kept)
            raise BadRowError(int(bad))
        return margins

    def _certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        return certifying.certify_composed(self, read, past, u)

    def _learn_known(self, row: Any, target: Array) -> None:
        call = self._calls.get("known")
        if call is None:
            super()._learn_known(row, target)
            if not self.certifies:
                self._calls["known"] = self._calls[learn_rows, SparseRows, 8]
        else:
            bias = 1.0 if self.intercept else 0.0
            call(*self._parts, row, target, ONE, bias, self.columns, True, self._margin)

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        """Read as the next round would: columns not known yet count in f_t, with weight 0."""
        self._make_room(width)
        self._set_dimension(max(width, self.columns))
        bias = float(self.intercept)
        try:
            if what == "spreads":
                return reading.spreads(self._readable(), rows, count, bias)
            margins = np.empty(count)
            given = rows, count, bias, width, True, margins
            self._run(decide_rows, count, (self._readable(), *given), rows)
            return margins
        finally:
            self._set_dimension(self.columns)

    def _run(self, kernel: Any, count: int, arguments: tuple[Any, ...], rows: Any) -> Any:
        """Call a kernel. The arguments of single rows keep their types, which is made use of."""
        run = self._twin(kernel)
        if count != 1:
            return run(*arguments)
        kind = kernel, type(rows), rows.bits.itemsize
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
        return kernel if self._makes_arrays else lean(kernel)

    def _all_weights(self) -> Array:
        with self._lock:
            bias = float(self.intercept)
            out = reading.weights(self._readable(), self.columns + 1, bias)
            if not self.intercept:  # its slot would read as any other
                out[0] = 0.0
            return out

    def _take_up(self, width: int) -> tuple[Parts, int]:
        before = self._parts, self.columns
        if width > self.columns:
            self._make_room(width)
            self.columns = width
            self._set_dimension(width)
        return before

    def _put_back(self, before: tuple[Parts, int]) -> None:
        parts, self.columns = before
        self._hold(parts)
        self._set_dimension(self.columns)

    def _make_room(self, width: int) -> None:
        """Arrays for so many columns: as many as asked the first time, then by doubling."""
        if width + 1 > self._slots:
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
        slots = max(width + 1, LEAST_SLOTS)
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

    def _readable(self) -> Any:
        return reading.readable(self._parts.regularizer, self._parts.average)


def compose(
    loss: Any,
    regularizer: Any,
    rule: Any,
    *,
    averaged: bool = False,
    certify: bool = False,
    intercept: bool = True,
    classes: Sequence[Any] | None = None,
) -> Composed:
    """A learner of these parts."""
    for what, part in (("regularizer", regularizer), ("rule", rule)):
        if not state.is_part(part):
            raise ValueError(
                f"{what}={part!r} is no part: give one made, such as regularizers.Euclidean() or "
                "rules.Subgradient()"
            )
    average = Average() if averaged else NoAverage()
    ledger = Ledger() if certify else NoLedger()
    parts = Parts(named(loss), regularizer, rule, average, ledger)
    return Composed(parts, intercept=intercept, classes=classes)

"""Engines, one inside each learner: they learn numbers from rows, and know no names and no labels.

``Learner`` is what users see: it turns dicts and arrays into rows, labels into numbers, and
refuses what cannot be learned from. Behind it stands one engine: three parts in the compiled loop
(``Composed``), a mixture of engines, one for each class, and so on. Another kind of
learner is another engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel.certificates import Certificate, Hindsight, tightest
from fenchel.learners.renumbering import Places
from fenchel.learners.specification import format_specification
from fenchel.loops import check_rows
from fenchel.loops.online import ROUNDS
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.rows import Rows

ONE = np.ones(1)
# So many engines may be inside one another: each takes time to build, also from a forged file.
MOST_LEARNERS = 1000


Calls = list[tuple[Any, tuple[Any, ...]]]  # kernels and their arguments, to be called in turn


class BadRowError(Exception):
    """A row that cannot be learned from; the state is as it was before the block."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class Engine(ABC):
    """Learns targets from rows: ±1 for two classes, 0, 1, 2, … for several, numbers, or rows of these.

    ``columns`` is how many columns it knows, ``outputs`` how many classes, labels, outputs or tasks;
    ``counts`` are the rounds and the updates so far; ``certifies`` is whether the sums of the
    certificates are kept along the run.
    """

    def __init__(
        self, name: str, parameters: Mapping[str, Any], task: str, intercept: bool = True
    ) -> None:
        self.name = name
        self.parameters = dict(parameters)
        self.task = task
        self.intercept = bool(intercept)
        self.columns = 0
        self.outputs = 0
        self.certifies = False
        self.counts = np.zeros(2, np.int64)

    @property
    def rounds(self) -> int:
        """The number of rows learned."""
        return int(self.counts[ROUNDS])

    @property
    def specification(self) -> str:
        """Enough to build the learner again, ``name:key=value,…``."""
        return format_specification(self.name, self.parameters)

    def __repr__(self) -> str:
        return f"<{self.specification}, {self.rounds} rounds, {self.columns} features>"

    # ── learning and reading ────────────────────────────────────────────────────────────────────

    @abstractmethod
    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Learn from the rows in turn; returns the margins, each from before its target was seen.

        ``importance`` has one number a row, or one for all. Unless ``checked``, a row may be unsound:
        ``BadRowError`` leaves the state as it was. Room was made by ``take_up``.
        """

    def learn_known(self, view: Any, target: Array) -> Any:
        """Learn from one sound row without anything new: nothing grows, nothing can be refused.

        Returns its margin from before.
        """
        return self.learn(Rows(view, 1, self.columns), target, ONE, True)[0]

    def learning_calls(self, view: Any, target: Array, margins: Array) -> Calls | None:
        """The calls of kernels that do what ``learn_known`` does; None where it takes more than kernels.

        They read and write where these arrays lie, as long as ``bound_to`` returns the same objects.
        """
        return None

    def reading_calls(self, view: Any, margins: Array) -> Calls | None:
        """The calls of kernels that read one row of columns that are known, or None."""
        return None

    def bound_to(self) -> list[Any]:
        """Return the objects that calls are bound to: where one is replaced, they are made anew.

        Who replaces one says so (``holdings.change``).
        """
        return []

    def ask(self, rows: Rows) -> tuple[Array, Array]:
        """Read one row whose target comes late: its margins, and what ``answer`` will need of them."""
        margins = self.read(rows)
        return margins, np.atleast_1d(margins[0]).astype(np.float64)

    def margins_when_asked(self, memo: Array) -> Array:
        """The margins of the one row that ``memo`` was kept of."""
        return memo[None] if self.task == "multiclass" else memo

    @property
    def late_step(self) -> str:
        """How to step where nobody says: by the ``old`` margin, as theorems do, or by a ``fresh`` one."""
        return "old"

    def answer(
        self, rows: Rows, memo: Array, target: Array, importance: Array, fresh: bool
    ) -> float | None:
        """Learn from one row that was asked; returns c of its step c·x where that is one number.

        Unless ``fresh`` the step is that of the margin in ``memo``; here it is fresh, since several
        learners have no one margin.
        """
        self.learn(rows, target, importance, True)
        return None

    @abstractmethod
    def read(self, rows: Rows, what: str = "margins") -> Array:
        """Compute the ``margins`` or ``spreads`` of sound rows, as the next round would see them.

        Nothing changes: columns that are not known have weight 0.
        """

    def read_known(self, view: Any, what: str) -> Array | None:
        """Read one sound row without anything new by a shorter way; None: there is none."""
        return None

    def read_labels(self, rows: Rows, what: str = "margins") -> Array:
        """Compute margins up to a positive factor that all outputs of a row share, which labels bear."""
        return self.read(rows, what)

    def frozen_error(self) -> float | None:
        """The mean of |y − ŷ| of what is read frozen, where that is measured apart from the next round."""
        return None

    def still(self) -> Any:
        """Return what reads as this engine would frozen now, however it goes on: a copy, or less."""
        return self.copy()

    @abstractmethod
    def weights(self) -> Array:
        """Return every weight, the intercept's first; one column an output where there are several."""

    def present(self, margins: Any) -> Any:
        """Turn margins into what labels are read from: themselves, their signs, their means."""
        return margins

    @property
    def predicts_counts(self) -> bool:
        """Whether targets are counts, none of them negative, and margins stand for their means."""
        return False

    @property
    def has_probabilities(self) -> bool:
        """Whether the loss makes probabilities of margins."""
        return False

    @property
    def is_calibrated(self) -> bool:
        """Whether what ``probabilities`` makes of margins needs no calibration any more."""
        return False

    def probabilities(self, margins: Array) -> Array:
        """Compute the probability of each class, from margins."""
        raise ValueError(
            f"{self.name} gives no probabilities: learn with loss='logistic', or use decision_one"
        )

    @property
    def updates(self) -> int | None:
        """In how many rounds the weights moved; None where that is not one number."""
        return None

    @property
    def counts_columns(self) -> bool:
        """Whether the number of columns enters the formulas themselves."""
        return False

    @property
    def column_limits(self) -> tuple[int, ...]:
        """Numbers of columns beyond which something is given up."""
        return ()

    def learns_by_blocks(self, columns: int) -> bool:
        """Whether, with so many columns, the last digits depend on how rows are cut into blocks."""
        return False

    @property
    def has_matrix(self) -> bool:
        """Whether the state holds a matrix of columns × columns for good."""
        return False

    @property
    def is_linear(self) -> bool:
        """Whether predictions are ⟨weights, x⟩."""
        return True

    @property
    def is_one_step(self) -> bool:
        """Whether state and rounds change in one step that no signal can interrupt."""
        return False

    @property
    def knows_one_step(self) -> bool:
        """Whether ``learn_known`` changes all or nothing, whatever signal comes."""
        return self.is_one_step

    @property
    def engines(self) -> int:
        """The number of engines, those inside it included."""
        return 1

    @property
    def engines_a_label(self) -> int:
        """The number of engines added with each label."""
        return 0

    def rows_of(self, X: Any) -> Any:
        """Rows of an array that lies where this engine learns, not on the CPU; None for any other."""
        return None

    # ── its state ───────────────────────────────────────────────────────────────────────────────

    @abstractmethod
    def take_up(self, width: int) -> Any:
        """Make room for so many columns; returns what ``put_back`` needs to undo it."""

    def standing(self) -> Any:
        """The state that ``put_back`` needs before ``take_up`` has begun; of engines that are one step."""
        return None

    @abstractmethod
    def put_back(self, before: Any) -> None:
        """Undo ``take_up``, and what was learned since."""

    def declare(self, outputs: int) -> None:
        """Take so many classes, labels or tasks as known before any is seen."""
        self.outputs = max(self.outputs, outputs)

    @abstractmethod
    def state_arrays(self) -> dict[str, Array]:
        """Return the state by name: with the specification all there is to an engine."""

    @abstractmethod
    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""

    def lay_in(self, arrays: Mapping[str, Array], width: int) -> None:
        """Take the state of a model file."""
        self.restart(width)
        absent = set()
        for name, array in self.state_arrays().items():
            if name not in arrays and name.rpartition(".")[2] in state.LATER:
                absent.add(name)
                continue
            if name not in arrays or arrays[name].shape != array.shape:
                raise ValueError(f"no array {name!r} of shape {array.shape}")
            array[...] = arrays[name]
        if absent:
            self.put_in_order(absent)

    def check_state(self) -> None:
        """Raise for numbers of a model file that no run leaves behind, finite as they are."""
        return

    def put_in_order(self, absent: set[str]) -> None:
        """Make up for arrays that a model file of an earlier version lacks; zeros are right here."""
        return

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> Engine:
        """Copy the engine, its columns and outputs in these places; the copy is for ``unite`` alone."""
        raise self._unmergeable()

    def settle(self, rows: Rows, targets: Array) -> bool:
        """Fix by a first sample what engines that are merged later must agree on; whether there is any."""
        return False

    @property
    def has_candidates(self) -> bool:
        """Whether it chooses what to use frozen, by rows (see ``judge``)."""
        return False

    def judge(self, rows: Rows, targets: Array) -> None:
        """Choose anew, by these rows alone, what to use frozen."""
        return

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """Take, fresh as it is, the state of one that has seen the rows of all engines.

        They are of its kind, ``placed`` where its own columns and outputs are, and began as ``start``.
        """
        raise self._unmergeable()

    def rescale(self, factors: Array) -> None:
        """Keep every prediction for columns that are so many times as large as before."""
        raise self._unmergeable()

    def _unmergeable(self) -> ValueError:
        return ValueError(f"{self.name} has no rule for merging: train it on one machine")

    def _unite_counts(self, engines: Sequence[Any], start: Any) -> None:
        self.counts[:] = start.counts + sum(engine.counts - start.counts for engine in engines)

    def copy(self) -> Engine:
        """Copy the engine: the same state, independent from then on."""
        twin: Engine = object.__new__(type(self))
        twin.__setstate__(self.__getstate__())
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "counts": self.counts.copy()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        if not self.counts.flags.writeable:  # mapped from a file, by joblib
            self.counts = self.counts.copy()

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    def certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Measure the certificates over rows read again; without u against the best in hindsight."""
        raise ValueError(f"{self.name} kept no ledger: make it with certify=True")

    @property
    def seniority(self) -> tuple[float, ...]:
        """The order in which engines are merged, the largest first; as they are given where it is equal."""
        return ()

    def surviving(self) -> list[Certificate]:
        """Measure the certificates that survive a merge of engines which began with nothing."""
        return []

    def calibration_certificates(self) -> list[Certificate]:
        """Measure what calibrated probabilities lost beyond the best of their forecasters."""
        raise ValueError(f"{self.name} has no probabilities to certify")

    def headline(self, found: list[Certificate]) -> Certificate:
        """Choose the certificate that stands for the whole."""
        return tightest(found)

    def missing(self) -> dict[str, list[str]]:
        """List every theorem with what it misses of this engine."""
        raise ValueError(f"{self.name} is made of several learners: ask one of them")


def refuse_unsound(rows: Rows, checked: bool) -> None:
    """Raise for the first row that cannot be learned from."""
    bad = -1 if checked else int(check_rows(rows.view, rows.count, rows.width))
    if bad >= 0:
        raise BadRowError(bad)


def some_of(importance: Array, begin: int, end: int) -> Array:
    """The importance of some rows; one number serves all."""
    return importance if len(importance) == 1 else importance[begin:end]

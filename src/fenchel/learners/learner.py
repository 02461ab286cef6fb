"""The stream door: a learner takes examples one at a time or in blocks, and predicts any time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fenchel._kernel import state
from fenchel._kernel.state import Array
from fenchel.learners import border, features, reading, storage
from fenchel.learners.labels import Labels
from fenchel.learners.specification import format_specification
from fenchel.loops import Average, NoAverage, check_rows, learn_rows

# Above this many coordinates a full matrix would take more than 3 GB.
MOST_FULL = 20_000


class Parts(NamedTuple):
    """What a learner is made of: loss × regularizer × rule, and what its weights' average needs."""

    loss: Any
    regularizer: Any
    rule: Any
    average: Any = NoAverage()


class Learner:
    """Algorithm 1 with three parts, over a stream whose features may appear at any time.

    Learners are made by the functions of ``fenchel.learners``, or from parts of your own with
    ``Learner.of(loss, regularizer, rule)``.

    Examples
    --------
    >>> from fenchel import learners
    >>> learner = learners.perceptron()
    >>> learner.learn_one({"free": 1.0, "money": 2.0}, True)
    >>> learner.predict_one({"money": 1.0})
    True
    >>> learner.weights()
    {'free': 1.0, 'money': 2.0}
    """

    def __init__(
        self,
        parts: Parts,
        *,
        name: str = "custom",
        parameters: Mapping[str, Any] | None = None,
        intercept: bool = True,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.name = name
        self.parameters = dict(parameters or {})
        self.intercept = bool(intercept)
        self.task: str = parts.loss.task
        self.labels = Labels(classes) if self.task == "binary" else None
        self.names: dict[str, int] | None = None
        self.columns = 0
        self.rounds = 0
        self._parts: Parts = state.start(parts, 1)
        self._lock = threading.RLock()
        self._set_dimension(0)

    @classmethod
    def of(cls, loss: Any, regularizer: Any, rule: Any, **options: Any) -> Learner:
        """A learner of your own parts; ``averaged=True`` and ``intercept=False`` as elsewhere."""
        average = Average() if options.pop("averaged", False) else NoAverage()
        return cls(Parts(loss, regularizer, rule, average), **options)

    # ── what it is ──────────────────────────────────────────────────────────────────────────────

    @property
    def specification(self) -> str:
        """``name:key=value,…``: enough to build the learner again."""
        return format_specification(self.name, self.parameters)

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

    @property
    def classes(self) -> list[Any]:
        """The labels of the two classes, the negative one first; empty for regression."""
        return self.labels.classes if self.labels else []

    def __repr__(self) -> str:
        return f"<{self.specification}, {self.rounds} rounds, {self.columns} features>"

    # ── one at a time ───────────────────────────────────────────────────────────────────────────

    def learn_one(self, x: Mapping[str, Any] | ArrayLike, y: Any, w: float = 1.0) -> None:
        """Learn from one example: a dict of named features (or one row of numbers) and its label.

        ``w`` is the example's importance.
        """
        if not isinstance(x, Mapping):
            self.learn_many(x, [y], None if w == 1.0 else [w])
            return
        with self._lock:
            names = self._named()
            columns, values, new = features.columns_of(x, names)
            importance = border.as_importance([w], 1) if w != 1.0 else features.ONE
            rows = features.one_row(columns, values)
            self._learn(rows, 1, len(names) + len(new), [y], importance, checked=True)
            names.update(new)

    def predict_one(self, x: Mapping[str, Any] | ArrayLike) -> Any:
        """The label (classification) or the number (regression) predicted for one example."""
        margin = self.decision_one(x)
        return self.labels.decode(margin) if self.labels else margin

    def decision_one(self, x: Mapping[str, Any] | ArrayLike) -> float:
        """The margin ⟨w, x⟩, as the next round would see it: f_t already includes this x."""
        return float(self._read_one(x, reading.margins)[0])

    def confidence_one(self, x: Mapping[str, Any] | ArrayLike) -> float:
        """x·A⁻¹·x of a second-order learner: small where it has seen much of the like."""
        return float(self._read_one(x, reading.spreads)[0])

    def predict_proba_one(self, x: Mapping[str, Any] | ArrayLike) -> dict[Any, float]:
        """Class probabilities: the sigmoid of the margin under the logistic loss."""
        if self.labels is None or type(self.loss).__name__ != "Logistic":
            raise ValueError(
                f"{self.name} gives no probabilities: learn with loss='logistic', "
                "or use decision_one"
            )
        positive = 1.0 / (1.0 + np.exp(-np.clip(self.decision_one(x), -700.0, 700.0)))
        negative_label, positive_label = self.labels.decode(-1.0), self.labels.decode(1.0)
        return {negative_label: float(1.0 - positive), positive_label: float(positive)}

    # ── many at once ────────────────────────────────────────────────────────────────────────────

    def learn_many(self, X: Any, y: Any, weights: Any = None) -> Array:
        """Learn from rows in turn, exactly as ``learn_one`` on each; returns the margins.

        X is a dense array or any SciPy sparse matrix; margins[t] was computed before label t was
        seen. A block with anything that cannot be learned from is refused whole: the state stays.
        """
        rows, count, width = border.as_rows(X)
        importance = border.as_importance(weights, count)
        with self._lock:
            self._numbered()
            return self._learn(rows, count, width, y, importance, checked=False)

    def decide_many(self, X: Any) -> Array:
        """The margin of each row, as the next round would see it; nothing changes."""
        return self._read_many(X, reading.margins)

    def predict_many(self, X: Any) -> NDArray[Any]:
        """The predicted label or number of each row."""
        margins = self.decide_many(X)
        if self.labels is None:
            return margins
        either = np.array([self.labels.decode(-1.0), self.labels.decode(1.0)])
        return np.asarray(either[(margins > 0.0).astype(int)])

    def confidence_many(self, X: Any) -> Array:
        """x·A⁻¹·x of each row, for second-order learners."""
        return self._read_many(X, reading.spreads)

    # ── what was learned ────────────────────────────────────────────────────────────────────────

    def weights(self) -> Any:
        """The weights: {name: weight} for named features, an array for numbered ones."""
        weights = self._all_weights()[1:]
        if self.names is not None:
            return {name: float(weights[column]) for name, column in self.names.items()}
        return weights

    @property
    def bias(self) -> float:
        """The weight of the intercept."""
        return float(self._all_weights()[0])

    @property
    def nonzeros(self) -> int:
        """How many weights are not exactly zero, the intercept's not counted."""
        return int(np.count_nonzero(self._all_weights()[1:]))

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────

    def copy(self) -> Learner:
        """A learner in the same state that goes its own way."""
        with self._lock:
            twin = object.__new__(type(self))
            twin.__setstate__(self.__getstate__())
            return twin

    def save(self, path: str | PathLike[str]) -> None:
        """Write the learner to one safe file: nothing is lost, not even the last bit."""
        with self._lock:
            storage.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str], parts: Iterable[type] = ()) -> Learner:
        """The learner of a file; classes of parts from outside the package go in ``parts``."""
        return storage.load(path, parts)

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key != "_lock"}
        kept["_parts"] = state.copy(self._parts)
        kept["names"] = None if self.names is None else dict(self.names)
        if self.labels is not None:
            kept["labels"] = Labels(self.labels.pair)
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._lock = threading.RLock()

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _named(self) -> dict[str, int]:
        if self.names is None:
            if self.columns:
                raise ValueError(
                    "this learner has numbered features: give rows of numbers, not dicts"
                )
            self.names = {}
        return self.names

    def _numbered(self) -> None:
        if self.names is not None:
            raise ValueError("this learner has named features: give dicts, not rows of numbers")

    def _encode(self, y: Any, count: int) -> Array:
        if self.labels is None:
            return border.as_targets(y, count)
        labels = y if isinstance(y, np.ndarray) else np.asarray(y)
        if labels.shape != (count,):
            raise ValueError(f"y has shape {labels.shape}, X has {count} rows: give one a row")
        return self.labels.encode(labels)

    def _learn(
        self, rows: Any, count: int, width: int, y: Any, importance: Array, checked: bool
    ) -> Array:
        """Learn the block, or leave everything as it was and say what is wrong."""
        before = self._parts, self.columns
        pair = None if self.labels is None else self.labels.pair
        try:
            targets = self._encode(y, count)
            self._reserve(width)
            bad, margins = self._run(rows, count, width, targets, importance, checked)
            if bad >= 0:
                rows = self._mended(rows, count, width, bad)
                bad, margins = self._run(rows, count, width, targets, importance, checked)
            if bad >= 0:
                raise ValueError(border.explain(rows, bad, width))
        except ValueError:
            self._parts, self.columns = before
            if self.labels is not None:
                self.labels = Labels(pair)
            self._set_dimension(self.columns)
            raise
        self.rounds += count
        return margins

    def _run(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> tuple[int, Array]:
        """The compiled loop; with a bad row the state is as before and its number comes back.

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
                return bad, margins
        run = learn_rows if self._is_ours() else learn_rows.fresh  # type: ignore[attr-defined]
        bad = int(
            run(
                *self._parts,
                rows,
                targets,
                importance,
                float(self.intercept),
                width,
                kept is None,
                margins,
            )
        )
        if bad >= 0:
            state.restore(self._parts, kept)
        return bad, margins

    @staticmethod
    def _mended(rows: Any, count: int, width: int, bad: int) -> Any:
        """Columns out of order or repeated are put right; anything else is refused."""
        if not border.unordered(rows, bad, width):
            raise ValueError(border.explain(rows, bad, width))
        return border.ordered(rows, count, width)

    def _reserve(self, width: int) -> None:
        """Take up so many columns."""
        self._make_room(width)
        self.columns = max(self.columns, width)
        self._set_dimension(self.columns)

    def _make_room(self, width: int) -> None:
        """Arrays for so many columns: exactly for numbered ones, by doubling for named ones."""
        slots = width + 1
        have = max(len(array) for _, array in state.arrays(self._parts))
        if slots > have:
            self._refuse_full(width)
            slots = max(slots, 2 * have) if self.names is not None else slots
            self._parts = state.grow(self._parts, slots)

    def _refuse_full(self, width: int) -> None:
        matrix = any(array.ndim == 2 for _, array in state.arrays(self._parts))
        if matrix and width > MOST_FULL:
            raise ValueError(
                f"{self.name} keeps a {width} × {width} matrix: with more than {MOST_FULL} "
                "features use diagonal=True"
            )

    def _bytes(self) -> int:
        return sum(array.nbytes for _, array in state.arrays(self._parts))

    def _set_dimension(self, columns: int) -> None:
        for name, array in state.arrays(self._parts):
            if name.rpartition(".")[2] == "dimension":
                array[0] = columns + self.intercept

    def _is_ours(self) -> bool:
        return all(state.from_package(part) for part in self._parts)

    def _readable(self) -> Any:
        return reading.readable(self._parts.regularizer, self._parts.average)

    def _all_weights(self) -> Array:
        with self._lock:
            return reading.weights(self._readable(), self.columns + 1, self._is_ours())

    def _read_one(self, x: Any, read: Any) -> Array:
        if not isinstance(x, Mapping):
            return self._read_many(x, read)
        with self._lock:
            names = self._named() if self.columns else {}
            columns, values, new = features.columns_of(x, names)
            return self._read(features.one_row(columns, values), 1, len(names) + len(new), read)

    def _read_many(self, X: Any, read: Any) -> Array:
        rows, count, width = border.as_rows(X)
        with self._lock:
            self._numbered()
            bad = int(check_rows(rows, count, width))
            if bad >= 0:
                rows = self._mended(rows, count, width, bad)
            return self._read(rows, count, width, read)

    def _read(self, rows: Any, count: int, width: int, read: Any) -> Array:
        """Read as the next round would: columns not known yet count in f_t, with weight 0."""
        self._make_room(width)
        self._set_dimension(max(width, self.columns))
        bias = float(self.intercept)
        out: Array = read(self._readable(), rows, count, bias, width, self._is_ours())
        self._set_dimension(self.columns)
        return out

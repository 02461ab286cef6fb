"""The stream door: a learner takes examples one at a time or in blocks, and predicts any time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fenchel._kernel import border, state
from fenchel._kernel.state import Array
from fenchel.certificates import Block, Certificate, Hindsight, Regret, tightest
from fenchel.learners import certifying, features
from fenchel.learners.labels import CODINGS, ClassLabels, Labels
from fenchel.learners.specification import format_specification
from fenchel.loops import check_rows


class BadRowError(Exception):
    """A row that cannot be learned from; the state is as it was before the block."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class Learner(ABC):
    """What every learner can do, over a stream whose features may appear at any time.

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
        *,
        name: str,
        parameters: Mapping[str, Any],
        task: str,
        intercept: bool = True,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.name = name
        self.parameters = dict(parameters)
        self.task = task
        self.intercept = bool(intercept)
        self.labels: Labels | ClassLabels | None = None
        if task in CODINGS:
            self.labels = CODINGS[task](classes)
        self.names: dict[str, int] | None = None
        self.columns = 0
        self.rounds = 0
        self._memory = certifying.Memory()
        self._lock = threading.RLock()
        self._single = features.SingleRow()

    @staticmethod
    def of(loss: Any, regularizer: Any, rule: Any, **options: Any) -> Learner:
        """A learner of your own parts; ``averaged=True`` and ``intercept=False`` as elsewhere."""
        from fenchel.learners.composed import compose

        return compose(loss, regularizer, rule, **options)

    @staticmethod
    def load(path: str | PathLike[str], parts: Iterable[type] = ()) -> Learner:
        """The learner of a file; classes of parts from outside the package go in ``parts``."""
        from fenchel.learners import storage

        return storage.load(path, parts)

    # ── what it is ──────────────────────────────────────────────────────────────────────────────

    @property
    def specification(self) -> str:
        """Enough to build the learner again, ``name:key=value,…``."""
        return format_specification(self.name, self.parameters)

    @property
    def classes(self) -> list[Any]:
        """The labels known so far, the negative one of two first; empty for regression."""
        return self.labels.classes if self.labels else []

    def __repr__(self) -> str:
        return f"<{self.specification}, {self.rounds} rounds, {self.columns} features>"

    # ── one at a time ───────────────────────────────────────────────────────────────────────────

    def learn_one(self, x: Mapping[str, Any] | ArrayLike, y: Any, w: float = 1.0) -> None:
        """Learn from one example: a dict of named features (or one row of numbers) and its label.

        ``w`` is the example's importance.
        """
        if not isinstance(x, (dict, Mapping)):  # asking for a dict first is quicker
            self.learn_many(x, [y], None if w == 1.0 else [w])
            return
        self._lock.acquire()  # a ``with`` takes twice as long
        try:
            names = self.names
            if names is None:
                names = self._named()
            new = self._single.fill(x, names)
            target = self._recalled(y) if self.labels is None else self.labels.recall(y)
            if not new and w == 1.0 and target is not None and self.names is not None:
                self._learn_known(self._single.rows, target)
                self.rounds += 1
                return
            importance = border.as_importance([w], 1) if w != 1.0 else features.ONE
            width = len(names) + len(new)
            self._learn(self._single.rows, 1, width, [y], importance, True, target)
            self.names = names
            names.update(new)
        finally:
            self._lock.release()

    def predict_one(self, x: Mapping[str, Any] | ArrayLike) -> Any:
        """The label (classification) or the number (regression) predicted for one example."""
        margin = self.decision_one(x)
        return self.labels.decode(margin) if self.labels else margin

    def decision_one(self, x: Mapping[str, Any] | ArrayLike) -> Any:
        """The margin ⟨w, x⟩, as the next round would see it: f_t already includes this x.

        An array of one margin a class where there are several.
        """
        return _plain(self._read_one(x, "margins")[0])

    def predict_proba_one(self, x: Mapping[str, Any] | ArrayLike) -> dict[Any, float]:
        """{label: probability}, of the classes known so far; see ``predict_proba_many``."""
        chances = self._probabilities(np.asarray(self.decision_one(x))[None])[0]
        told: dict[Any, float] = dict.fromkeys(self._outcomes(), 0.0)
        for label, chance in zip(self._outcomes(), chances.tolist(), strict=True):
            told[label] += chance  # the second of two classes may not be known yet
        return told

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

    def learn_block(self, rows: Any, width: int, y: Any, weights: Array | None = None) -> Array:
        """Learn from rows that a reader has checked already; columns are the reader's."""
        importance = features.ONE if weights is None else weights
        with self._lock:
            return self._learn(rows, len(y), width, y, importance, checked=True)

    def decide_many(self, X: Any) -> Array:
        """The margin of each row, as the next round would see it; nothing changes."""
        return self._read_many(X, "margins")

    def decide_block(self, rows: Any, count: int, width: int) -> Array:
        """The margins of rows that a reader has checked already."""
        with self._lock:
            return self._read_rows(rows, count, width, "margins")

    def predict_many(self, X: Any) -> NDArray[Any]:
        """The predicted label or number of each row."""
        return self.decode_many(self.decide_many(X))

    def decode_many(self, margins: Array) -> NDArray[Any]:
        """The labels that margins predict; for regression the margins themselves."""
        return margins if self.labels is None else self.labels.decode_many(margins)

    def predict_proba_many(self, X: Any) -> Array:
        """One row of class probabilities for each of X, in the order of ``classes``.

        The sigmoid of a margin under the logistic loss, those of several classes scaled to add up
        to 1; of a mixture see there. Other learners give none.
        """
        return self._probabilities(self.decide_many(X))

    # ── what was learned ────────────────────────────────────────────────────────────────────────

    def weights(self) -> Any:
        """The weights: {name: weight} for named features, an array for numbered ones.

        Where there are several classes or outputs, a feature has an array of one weight for each.
        """
        weights = self._all_weights()[1:]
        if self.names is not None:
            return {name: _plain(weights[column]) for name, column in self.names.items()}
        return weights

    @property
    def bias(self) -> Any:
        """The weight of the intercept; an array where there are several classes or outputs."""
        return _plain(self._all_weights()[0])

    @property
    def nonzeros(self) -> int:
        """How many weights are not exactly zero, the intercept's not counted."""
        return int(np.count_nonzero(self._all_weights()[1:]))

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    @property
    def certifies(self) -> bool:
        """Whether the sums of the certificates are kept along the run (``certify=True``)."""
        return False

    def certificates(self, u: ArrayLike | None = None, stream: Any = None) -> list[Certificate]:
        """Both sides of every inequality that speaks of this run (``certify=True``).

        Against u (one number a column, the intercept's first or left out), or against the best
        ones in hindsight. Beyond 50 MB of rows, or after loading, they are asked for again as
        ``stream``: arrays (X, y) or (X, y, weights), or a list of such blocks.

        >>> from fenchel import learners
        >>> learner = learners.perceptron(certify=True, intercept=False)
        >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1, -1, 1])
        >>> all(certificate.holds for certificate in learner.certificates())
        True
        """
        with self._lock:
            return certifying.certify(self, u, stream)

    def certificate(self, u: ArrayLike | None = None, stream: Any = None) -> Certificate:
        """The tightest certificate of this run."""
        return self._headline(self.certificates(u, stream))

    def verify(self, certificate: Certificate, stream: Any = None) -> Certificate:
        """A certificate of this learner recomputed from the rows, by Algorithm 1 in NumPy."""
        with self._lock:
            return certifying.verify(self, certificate, stream)

    def regret(self, stream: Any = None) -> Regret:
        """The regret against the best fixed u in hindsight, and how it grew (``certify=True``).

        >>> from fenchel import learners
        >>> learner = learners.vovk_azoury_warmuth(certify=True, intercept=False)
        >>> _ = learner.learn_many([[1.0]] * 4, [3.0] * 4)
        >>> [(T, round(value, 1)) for T, value in learner.regret().curve]
        [(1, 4.5), (2, 6.5), (4, 8.3)]
        """
        with self._lock:
            return certifying.regret(self, stream)

    def forget_rows(self) -> None:
        """Keep no rows for the certificates: whoever asks for them gives the stream again."""
        self._memory.close()

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────

    def copy(self) -> Learner:
        """A learner in the same state that goes its own way."""
        with self._lock:
            twin: Learner = object.__new__(type(self))
            twin.__setstate__(self.__getstate__())
            return twin

    def fresh(self) -> Learner:
        """A learner of the same specification that has seen nothing."""
        from fenchel.learners import storage

        return storage.fresh(self)

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the classes before they are seen, the negative one of two first."""
        if self.labels is None:
            raise ValueError(f"{self.name} learns numbers: there are no classes to declare")
        self.labels = type(self.labels)(classes)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters with their defaults, as scikit-learn asks for them."""
        from fenchel.learners.registry import parameters_of

        return {**parameters_of(self.name), **self.parameters}

    def set_params(self, **parameters: Any) -> Learner:
        """Other parameters: the learner begins anew."""
        from fenchel.learners.registry import from_parameters

        changed = from_parameters(self.name, {**self.parameters, **parameters})
        self.__dict__.update(changed.__dict__)
        return self

    def __sklearn_clone__(self) -> Learner:
        return self.fresh()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the learner to one safe file: nothing is lost, not even the last bit."""
        from fenchel.learners import storage

        with self._lock:
            storage.save(self, path)

    def __reduce_ex__(self, protocol: Any) -> Any:
        with self._lock:  # pickled whole while another thread learns
            return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__.copy()
        for made_anew in ("_lock", "_single"):
            del kept[made_anew]
        kept["names"] = None if self.names is None else dict(self.names)
        kept["_memory"] = self._memory.copy()
        if self.labels is not None:
            kept["labels"] = type(self.labels)(self.labels.known)
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._lock = threading.RLock()
        self._single = features.SingleRow()

    # ── what each kind of learner answers ───────────────────────────────────────────────────────

    @abstractmethod
    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        """Learn, and return the margins; ``BadRowError`` leaves the state as it was."""

    def _learn_known(self, row: Any, target: Array) -> None:
        """Learn from one sound row without anything new: nothing grows, nothing can be refused."""
        self._learn_rows(row, 1, self.columns, target, features.ONE, True)
        if self.certifies:
            self._memory.keep(Block(row, self.columns, target, features.ONE))

    @abstractmethod
    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        """The ``margins`` or ``spreads`` of sound rows."""

    @abstractmethod
    def _all_weights(self) -> Array:
        """Every weight, the intercept's first."""

    @abstractmethod
    def _take_up(self, width: int) -> Any:
        """Make room for so many columns; returns what ``_put_back`` needs to undo it."""

    @abstractmethod
    def _put_back(self, before: Any) -> None:
        """Undo ``_take_up``."""

    def _certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """The certificates over rows read again; without u against the best in hindsight."""
        raise ValueError(f"{self.name} kept no ledger: make it with certify=True")

    def _headline(self, found: list[Certificate]) -> Certificate:
        """The certificate that speaks for the whole learner."""
        return tightest(found)

    @abstractmethod
    def state_arrays(self) -> dict[str, Array]:
        """The state by name: with the specification all there is to a learner."""

    @abstractmethod
    def restart(self, width: int) -> None:
        """Fresh state of so many columns, for a model file to be laid into."""

    def _probabilities(self, margins: Array) -> Array:
        """The probability of each class, from margins."""
        self._outcomes()  # refuses regression
        raise ValueError(
            f"{self.name} gives no probabilities: learn with loss='logistic', or use decision_one"
        )

    def lay_in(self, arrays: dict[str, Array], width: int) -> None:
        """Take the state of a model file."""
        self.restart(width)
        for name, array in self.state_arrays().items():
            if name not in arrays and name.rpartition(".")[2] in state.LATER:
                continue
            if name not in arrays or arrays[name].shape != array.shape:
                raise ValueError(f"no array {name!r} of shape {array.shape}")
            array[...] = arrays[name]

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _named(self) -> dict[str, int]:
        """The columns by name; a learner that has learned nothing has none yet."""
        if self.names is None and self.columns:
            raise ValueError("this learner has numbered features: give rows of numbers, not dicts")
        return {} if self.names is None else self.names

    def _numbered(self) -> None:
        if self.names is not None:
            raise ValueError("this learner has named features: give dicts, not rows of numbers")

    def _outcomes(self) -> list[Any]:
        """The labels in the order of probabilities."""
        if self.labels is None:
            raise ValueError(f"{self.name} does regression here: there are no probabilities")
        if self.task == "binary":
            return [self.labels.decode(-1.0), self.labels.decode(1.0)]
        return self.classes

    def _encode(self, y: Any, count: int) -> Array:
        if self.labels is None:
            return border.as_targets(y, count)
        border.refuse_masked(y, "y")
        labels = y if isinstance(y, np.ndarray) else np.asarray(y)
        if labels.shape != (count,):
            raise ValueError(f"y has shape {labels.shape}, X has {count} rows: give one a row")
        return self.labels.encode(labels)

    def _recalled(self, y: Any) -> Array | None:
        """The target of a plain number, without a detour over arrays."""
        plain = self.task == "regression" and type(y) is float and isfinite(y)
        return np.array([y]) if plain else None

    def _refuse_unsound(self, rows: Any, count: int, width: int, checked: bool) -> None:
        bad = -1 if checked else int(check_rows(rows, count, width))
        if bad >= 0:
            raise BadRowError(bad)

    def _learn(
        self,
        rows: Any,
        count: int,
        width: int,
        y: Any,
        importance: Array,
        checked: bool,
        targets: Array | None = None,
    ) -> Array:
        """Learn the block, or leave everything as it was and say what is wrong.

        ``targets`` are y encoded, where that is known already.
        """
        known = None if self.labels is None else self.labels.known
        before = None
        try:
            if targets is None:
                targets = self._encode(y, count)
            before = self._take_up(width)
            try:
                margins = self._learn_rows(rows, count, width, targets, importance, checked)
            except BadRowError as bad:
                rows = self._mended(rows, count, width, bad.row)
                margins = self._learn_rows(rows, count, width, targets, importance, checked)
        except Exception:  # a MemoryError, a part without a verb: nothing may be left half done
            if self.labels is not None:
                self.labels = type(self.labels)(known)
            if before is not None:
                self._put_back(before)
            raise
        self.rounds += count
        if self.certifies:
            self._memory.keep(Block(rows, width, targets, importance))
        return margins

    @staticmethod
    def _mended(rows: Any, count: int, width: int, bad: int) -> Any:
        """Columns out of order or repeated are put right; anything else is refused."""
        if not border.unordered(rows, bad, width):
            raise ValueError(border.explain(rows, bad, width))
        return border.ordered(rows, count, width)

    def _read_one(self, x: Any, what: str) -> Array:
        if not isinstance(x, (dict, Mapping)):
            return self._read_many(x, what)
        with self._lock:
            names = self._named() if self.columns else {}
            new = self._single.fill(x, names)
            return self._read_rows(self._single.rows, 1, len(names) + len(new), what)

    def _read_many(self, X: Any, what: str) -> Array:
        rows, count, width = border.as_rows(X)
        with self._lock:
            self._numbered()
            bad = int(check_rows(rows, count, width))
            if bad >= 0:
                rows = self._mended(rows, count, width, bad)
            return self._read_rows(rows, count, width, what)


def _plain(number: Any) -> Any:
    """One number as Python's own; several as they are."""
    return float(number) if np.ndim(number) == 0 else number

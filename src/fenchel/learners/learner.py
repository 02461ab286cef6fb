"""A learner takes examples one at a time or in blocks, and predicts any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import ismethod
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fenchel._numba.trial import trial
from fenchel._numba.undisturbed import surely, undisturbed
from fenchel.certificates import Certificate, Regret
from fenchel.learners import (
    catalogue,
    certification,
    features,
    late_certificates,
    on_device,
    raw_input,
    storage,
)
from fenchel.learners.block_cutting import joined, pieces
from fenchel.learners.calibration import Calibration, two_chances
from fenchel.learners.column_warnings import ColumnWarnings
from fenchel.learners.composed import Composed, compose
from fenchel.learners.engine import BadRowError, Engine
from fenchel.learners.labels import CODINGS, Coding, as_labels
from fenchel.learners.lessons import WaitingLessons
from fenchel.learners.locks import locked, new_lock
from fenchel.learners.tickets import Ticket, Tickets, answer, ask
from fenchel.loops import check_rows
from fenchel.loops.refined_stacking import lead_several, lead_two
from fenchel.losses import value
from fenchel.parts.state import Array
from fenchel.rows import Block, Rows, validate
from fenchel.schema import Schema
from fenchel.streams import Names, Stream, open_stream
from fenchel.streams.frames import is_frame

# What no file, copy or pickle carries.
MADE_ANEW = (
    "_lock",
    "_single",
    "_column_warnings",
    "_in_one_step",
    "_known_in_one_step",
    "_waiting",
)


class Learner:
    """Learns from a stream whose features and classes may appear at any time.

    Learners are made by the functions of ``fenchel.learners``, or from parts of your own with
    ``Learner.of(loss, regularizer, rule)``. What is special to one kind of learner, such as the
    ``shares()`` of a mixture, is an attribute of its ``engine`` and can be asked of the learner too.

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
        engine: Engine,
        classes: Sequence[Any] | None = None,
        schema: Schema | None = None,
        max_features: int | None = None,
    ) -> None:
        if not (schema is None or isinstance(schema, Schema)):
            raise ValueError(f"schema={schema!r:.60}: give a fenchel.Schema")
        if not (max_features is None or (type(max_features) is int and max_features > 0)):
            raise ValueError(f"max_features={max_features!r:.60} must be a whole number > 0")
        self.engine = engine
        self.max_features = max_features
        self.schema = Schema() if schema is None else schema.copy()
        self.names: Names | None = None  # None: columns are numbers, or there are none yet
        self.is_frozen = False  # whether predictions are those of a model that learns no more
        counted = "count" if engine.predicts_counts else engine.task
        self._coding: Coding = CODINGS[counted](classes)
        self.tickets = Tickets()  # rows that wait for their labels
        self.merged: dict[str, int] = {}  # of how many learners, from a start of how many rounds
        self._memory = certification.Memory()
        needed = Calibration.is_made_for(engine)
        self._calibration = Calibration(several=engine.task == "multiclass") if needed else None
        self._ready()
        engine.declare(len(self.classes))

    @staticmethod
    def of(
        loss: Any,
        regularizer: Any,
        rule: Any,
        *,
        averaged: bool = False,
        certify: bool = False,
        intercept: bool = True,
        classes: Sequence[Any] | None = None,
        schema: Schema | None = None,
    ) -> Learner:
        """Make a learner of your own parts."""
        parts = compose(loss, regularizer, rule, averaged=averaged, certify=certify)
        return Learner(Composed(parts, intercept=intercept), classes, schema)

    @staticmethod
    def load(path: str | PathLike[str], parts: Iterable[type] = ()) -> Learner:
        """Load a learner from a file; classes of parts from outside the package go in ``parts``."""
        loaded: Learner = storage.load(path, parts, Learner)
        return loaded

    # ── what it is ──────────────────────────────────────────────────────────────────────────────

    @property
    def name(self) -> str:
        """The learner's name in the catalogue, ``custom`` for one of your own parts."""
        return self.engine.name

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        return self.engine.parameters

    @property
    def specification(self) -> str:
        """The text that builds the learner again, ``name:key=value,…``."""
        return self.engine.specification

    @property
    def task(self) -> str:
        """The task: binary, multiclass, regression, …"""
        return self.engine.task

    @property
    def intercept(self) -> bool:
        """Whether a constant feature is learned."""
        return self.engine.intercept

    @property
    def rounds(self) -> int:
        """The number of examples learned."""
        return self.engine.rounds

    @property
    def columns(self) -> int:
        """The number of features known."""
        return self.engine.columns

    @property
    def updates(self) -> int | None:
        """In how many rounds the weights moved; None where that is not one number."""
        return self.engine.updates

    @property
    def labels(self) -> Any:
        """The coding of classes as numbers; None where targets are numbers."""
        return self._coding if self._coding.has_classes else None

    @property
    def classes(self) -> list[Any]:
        """The labels known so far, the negative one of two first; empty for regression."""
        return self._coding.classes

    def __repr__(self) -> str:
        return repr(self.engine)

    def __getattr__(self, name: str) -> Any:
        """Look up what the engine offers beyond this class: ``shares``, ``experts``, ``loss``, ``auc``, …"""
        if name.startswith("_") or name == "engine":
            raise AttributeError(f"a learner has no {name!r}")
        with self._lock:  # read whole
            try:
                found = getattr(self.engine, name)
            except AttributeError:
                raise AttributeError(f"{self.name} has no {name!r}") from None
        return locked(found, self._lock) if ismethod(found) else found

    # ── one at a time ───────────────────────────────────────────────────────────────────────────

    def learn_one(self, x: Mapping[str, Any] | ArrayLike, y: Any, w: float = 1.0) -> None:
        """Learn from one example: a raw row (a dict of its columns, or numbers) and its label.

        ``w`` is the example's importance.
        """
        if not isinstance(x, (dict, Mapping)):  # asking for a dict first is quicker
            x = raw_input.as_one_row(x)
            if not isinstance(x, dict):
                self.learn_many(x, [y], None if w == 1.0 else [w])
                return
        with self._lock:
            self.is_frozen = False
            names = self.names
            if not self._known_in_one_step or names is None:
                with undisturbed:
                    self._learn_one(x, y, w)
                return
            new = self._single.fill(x, names, self.schema, True)
            target, engine = self._coding.recall(y), self.engine
            if not new and w == 1.0 and target is not None and engine.columns == len(names):
                margin = engine.learn_known(self._single.rows, target)
                if self._calibration is not None:  # a signal just before leaves this row out of it
                    self._wait(margin, target)
            elif self._in_one_step and w == 1.0 and target is not None:
                self._learn_named(names, new, target)
            elif self._in_one_step:
                self._learn_new(names, new, y, w, target)
            else:
                with undisturbed:
                    self._learn_new(names, new, y, w, target)

    def _learn_one(self, x: Mapping[str, Any], y: Any, w: float) -> None:
        """Learn in several steps, or with new names: no signal is to come between."""
        names = self._named()
        new = self._single.fill(x, names, self.schema, True)
        target = self._coding.recall(y)
        if not new and w == 1.0 and target is not None and self.columns == len(names):
            margin = self.engine.learn_known(self._single.rows, target)
            if self._calibration is not None:
                self._wait(margin, target)
            if self.certifies:
                self._memory.keep(Block(Rows(self._single.rows, 1, self.columns), target))
        else:
            self._learn_new(names, new, y, w, target)

    def _learn_named(self, names: Names, new: dict[str, int], target: Array) -> None:
        """Learn from the single row, in which nothing but names may be new, in one step."""
        engine, met = self.engine, self._single.met
        rounds, before = engine.rounds, engine.standing()
        try:
            width = len(names) + len(new)
            self._refuse_many(width)
            engine.take_up(width)
            margin = engine.learn_known(self._single.rows, target)
            names.add(new)
            if met:
                self.schema.recognise_all(met)
        except BaseException:  # a MemoryError, Ctrl-C: nothing may be left half done

            def settle() -> None:
                if engine.rounds == rounds:
                    engine.put_back(before)
                else:  # the loop has counted the row: it is learned
                    names.add(new)
                    self.schema.recognise_all(met)

            surely(settle)
            raise
        if self._calibration is not None:
            self._wait(margin, target)

    def _learn_new(self, names: Names, new: dict[str, int], y: Any, w: float, target: Any) -> None:
        """Learn from the single row, which has something that was not there before."""
        importance = None if w == 1.0 else validate.as_importance([w], 1)
        rows = Rows(self._single.rows, 1, len(names) + len(new))
        met = self._single.met

        def take_up() -> None:
            self.names = names
            names.add(new)
            self.schema.recognise_all(met)

        self._learn(rows, [y], importance, True, target, take_up)

    def predict_one(self, x: Mapping[str, Any] | ArrayLike) -> Any:
        """Predict the label (classification) or the number (regression) of one example."""
        with self._lock:  # a class may appear between margin and label
            found = _plain(self._read_one(x, "labels")[0])
            return self._coding.decode(self.engine.present(found))

    def decision_one(self, x: Mapping[str, Any] | ArrayLike) -> Any:
        """Compute the margin ⟨w, x⟩, as the next round would see it: f_t already includes this x.

        An array of one margin a class where there are several.
        """
        return _plain(self._read_one(x, "margins")[0])

    def predict_proba_one(self, x: Mapping[str, Any] | ArrayLike) -> dict[Any, float]:
        """Predict {label: probability}, of the classes known so far; see ``predict_proba_many``."""
        with self._lock:
            chances = self.probabilities(np.asarray(self.decision_one(x))[None])[0]
            told: dict[Any, float] = dict.fromkeys(self.outcomes(), 0.0)
            for label, chance in zip(self.outcomes(), chances.tolist(), strict=True):
                told[label] += chance  # the second of two classes may not be known yet
            return told

    def confidence_one(self, x: Mapping[str, Any] | ArrayLike) -> float:
        """Compute x·A⁻¹·x of a second-order learner: small where it has seen many similar rows."""
        return float(self._read_one(x, "spreads")[0])

    # ── labels that come late ───────────────────────────────────────────────────────────────────

    def ask(self, x: Mapping[str, Any] | ArrayLike, id: Any = None) -> Ticket:
        """Predict one example whose label comes later, and keep what its step will need.

        Returns the ticket: its id (the next number that is free where none is given), the prediction
        and the margin. An id is a string, a number, or a tuple of such. More than ``tickets.most`` of
        them, or older ones than ``tickets.age`` questions, expire.

        >>> from fenchel import learners
        >>> learner = learners.perceptron()
        >>> ticket = learner.ask({"free": 1.0}, id="a17")
        >>> learner.answer("a17", "spam")
        >>> learner.rounds, len(learner.tickets)
        (1, 0)
        """
        with self._lock, undisturbed:
            return ask(self, x, id)

    def answer(self, ticket: Any, y: Any, w: float = 1.0, *, step: str | None = None) -> None:
        """Learn from an example that was asked, by its ticket or id, now that its label is known.

        ``step="old"`` is the theorem's, with the margin of the prediction; ``"fresh"`` steps from the
        margin of today. Where it is left out, a mixture lets its experts step from today's margins, and
        every other learner takes the theorem's step. ``w`` is the example's importance.
        """
        with self._lock, undisturbed:
            answer(self, ticket, y, w, step)

    # ── many at once ────────────────────────────────────────────────────────────────────────────

    def learn_many(
        self, X: Any, y: Any = None, importance: Any = None, *, weights: Any = None
    ) -> Array:
        """Learn from rows in turn, exactly as ``learn_one`` on each; returns the margins.

        X is a dense array or any SciPy sparse matrix, whose columns are numbers; or a pandas or Polars
        frame, an Arrow table or a list of dicts, which the schema reads: y may then be left to the
        column of the label. margins[t] was computed before label t was seen. Rows with anything that
        cannot be learned from are refused whole: the state stays. ``weights`` is another name of
        ``importance``.
        """
        given = weights if importance is None else importance
        with self._lock:
            at_once = self._in_one_step and self._calibration is None
            if at_once and not raw_input.is_raw(X):
                return self._learn_many(X, y, given)
            with undisturbed, self._nothing_taken_up_if_refused():
                return self._learn_many(X, y, given)

    def _learn_many(self, X: Any, y: Any, given: Any) -> Array:
        block = self._block_of(X, learning=True, labelled=y is None)
        amounts = block.importance if given is None else given
        checked = None if amounts is None else validate.as_importance(amounts, len(block))
        labels = block.labels if y is None else y
        if labels is None:
            raise ValueError("y is missing: give one label a row, or a table with the label")
        if raw_input.has_no_rows(X) and not np.size(labels):
            return self._ask(block.rows, "margins")
        if self.names is None:
            return self._learn(block.rows, labels, checked, checked=False)[0]
        return self._learn_named_rows(block.replace(labels=labels, importance=checked))

    def _learn_named_rows(self, block: Block) -> Array:
        """Learn rows with names: columns are those that rows so far have had, however many come at once."""
        known = self.columns
        cut = [] if self.task == "ranking" else [*pieces(self, block, known)]
        if len(cut) <= 1:
            return self._learn(block.rows, block.labels, block.importance, checked=True)[0]
        self._refuse_many(block.rows.width)
        self.copy().encode(block.labels, len(block))  # what is refused is so before the first row
        learned = [self._learn(p.rows, p.labels, p.importance, checked=True) for p in cut]
        return joined([margins for margins, _ in learned])

    def learn_block(self, block: Block) -> tuple[Array, Array]:
        """Learn from a block whose rows a reader has checked already; columns are the reader's.

        Returns the margins, and the labels as the numbers that were learned.
        """
        with self._lock, undisturbed:
            return self._learn(block.rows, block.labels, block.importance, checked=True)

    def settle_block(self, block: Block) -> bool:
        """Fix by first rows what learners that begin as copies of this one need in common to be merged.

        Nothing is learned. In ``auto`` it is what squares and products are formed by; returns whether
        there was anything.
        """
        with self._lock:
            targets = self.copy().encode(block.labels, len(block))
            return self.engine.settle(block.rows, targets)

    def judge_block(self, block: Block) -> None:
        """Choose anew, by these rows alone, what to use frozen; nothing is learned.

        For a merged ``auto``, whose parts chose by what each had learned by itself.
        """
        with self._lock:
            self.engine.judge(block.rows, self.copy().encode(block.labels, len(block)))

    def decision_many(self, X: Any) -> Array:
        """Compute the margin of each row, as the next round would see it; nothing changes."""
        return self._read_many(X, "margins")

    decide_many = decision_many  # its first name

    def decision_rows(self, rows: Rows) -> Array:
        """Compute the margins of rows that a reader has checked already."""
        return self.read_rows(rows, "margins")

    def read_rows(self, rows: Rows, what: str) -> Array:
        """Compute ``margins``, ``spreads`` or ``bounds`` of rows that a reader has checked already."""
        with self._lock:
            found = [
                self._ask(rows[begin:end], what) for begin, end in trial.pieces(self, len(rows))
            ]
            return found[0] if len(found) == 1 else np.concatenate(found)

    def predict_many(self, X: Any) -> NDArray[Any]:
        """Predict the label or number of each row."""
        with self._lock:
            return self.decode_many(self._read_many(X, "labels"))

    def decode_many(self, margins: Array) -> NDArray[Any]:
        """Turn margins into the labels that they predict; for regression they are the numbers."""
        return self._coding.decode_many(self.engine.present(margins))

    def predict_proba_many(self, X: Any) -> Array:
        """Predict one row of class probabilities for each of X, in the order of ``classes``.

        Calibrated along the run, each margin before its label was seen; see ``calibration``.
        """
        with self._lock:
            return self.probabilities(self.decision_many(X))

    def probabilities(self, margins: Array) -> Array:
        """Turn margins into class probabilities, one column a class."""
        self.outcomes()  # refuses regression
        calibration = self.calibration
        if calibration is None:
            return self.engine.probabilities(margins)
        return calibration.probabilities(margins, self._given)

    def consistent_probabilities(self, margins: Array) -> Array:
        """Turn margins into probabilities whose largest is the predicted class, as scikit-learn wants it.

        Of two classes they also rise with the margin. One that contradicts is put just beyond the border.
        """
        calibration = self.calibration
        if calibration is None or not margins.size:
            return self.probabilities(margins)
        if self.task == "multiclass":
            return lead_several(self.probabilities(margins), np.argmax(margins, axis=1))
        logits = calibration.rising(margins, self._given)
        return two_chances(lead_two(logits, (margins > 0.0).astype(np.int64)))

    @property
    def calibration(self) -> Calibration | None:
        """The part that makes probabilities of margins; None where those of the engine need none."""
        with self._lock:
            self._settle()
            return self._calibration

    def adopt_calibration(self, calibration: Calibration) -> None:
        """Take over how the margins of another learner, of the same weights, become probabilities."""
        with self._lock:
            self._settle()
            self._calibration = calibration

    def follow_calibration(self) -> Callable[[Array, Array, Array | None], Array]:
        """Return a function that turns the next margins and targets into the probabilities before each.

        It keeps a calibration of its own, from where this learner's stands now: give it every block.
        """
        given, calibration = self._given, self.calibration
        if calibration is None:
            return lambda margins, targets, importance: self.engine.probabilities(margins)
        own = calibration.copy()
        return lambda margins, targets, importance: own.follow(
            margins, targets, features.ONE if importance is None else importance, given
        )

    def calibration_certificates(self) -> list[Certificate]:
        """Measure what the probabilities lost beyond the best of their forecasters, and the bound."""
        calibration = self.calibration
        if calibration is not None:
            return [calibration.certificate()]
        return self.engine.calibration_certificates()

    @property
    def _given(self) -> Any:
        return self.engine.probabilities if self.engine.has_probabilities else None

    def _wait(self, margin: Any, target: Array) -> None:
        """Keep a single row for the calibration: many at once are quicker."""
        if self._waiting.add_row(margin, target):
            with undisturbed:
                assert self._calibration is not None
                self._waiting.gather(self._calibration, self._given)

    def _settle(self) -> None:
        """Let the calibration learn from all that waits for it."""
        if self._waiting:
            with undisturbed:
                assert self._calibration is not None
                self._waiting.teach(self._calibration, self._given)

    def predict_interval_one(self, x: Mapping[str, Any] | ArrayLike) -> Any:
        """Predict (lower, upper) of one example, or of classes the set of those that it may be.

        For learners made by ``learners.interval``.
        """
        self._refuse_no_interval()
        return self._within(self._read_one(x, "bounds"))[0]

    def predict_interval_many(self, X: Any) -> Any:
        """Predict the interval of each row, two columns; of classes a list of sets."""
        self._refuse_no_interval()
        return self._within(self._read_many(X, "bounds"))

    def _within(self, bounds: Array) -> Any:
        if self.labels is None:
            return bounds
        labels = self.outcomes()
        return [{label for label, on in zip(labels, row, strict=False) if on} for row in bounds]

    def _refuse_no_interval(self) -> None:
        if not hasattr(self.engine, "covered"):
            raise ValueError(
                f"{self.name} has no intervals: make it with learners.interval(learner, coverage=0.9)"
            )

    def confidence_many(self, X: Any) -> Array:
        """Compute x·A⁻¹·x of each row, for second-order learners."""
        return self._read_many(X, "spreads")

    # ── what was learned ────────────────────────────────────────────────────────────────────────

    def weights(self) -> Any:
        """Return the weights: {name: weight} for named features, an array for numbered ones.

        Where there are several classes or outputs, a feature has an array of one weight for each.
        """
        with self._lock:
            weights, names = self.engine.weights()[1:], self.names
            if names is None:
                return weights
            known = names.first_columns()
            return {name: _plain(weights[c]) for name, c in known.items() if c < len(weights)}

    def all_weights(self) -> Array:
        """Return every weight as an array, the intercept's first."""
        with self._lock:
            return self.engine.weights()

    @property
    def bias(self) -> Any:
        """The weight of the intercept; an array where there are several classes or outputs."""
        return _plain(self.all_weights()[0])

    @property
    def nonzeros(self) -> int:
        """The number of weights that are not exactly zero, the intercept's not counted."""
        return int(np.count_nonzero(self.all_weights()[1:]))

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    @property
    def certifies(self) -> bool:
        """Whether the sums of the certificates are kept along the run (``certify=True``)."""
        return self.engine.certifies

    def certificates(self, u: ArrayLike | None = None, stream: Any = None) -> list[Certificate]:
        """Measure both sides of every inequality that covers this run (``certify=True``).

        Against u (one number a column, the intercept's first or left out), or against the best
        ones in hindsight. Beyond 50 MB of rows, or after loading, they are asked for again as
        ``stream``: arrays (X, y) or (X, y, importance), or a list of such blocks.

        >>> from fenchel import learners
        >>> learner = learners.perceptron(certify=True, intercept=False)
        >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1, -1, 1])
        >>> all(certificate.holds for certificate in learner.certificates())
        True
        """
        with self._lock:
            if self.merged:
                return certification.surviving(self)
            if self.certifies and self.tickets.ledger.any():
                return late_certificates.certificates(self, u, stream)
            return certification.certify(self, u, stream)

    def certificate(self, u: ArrayLike | None = None, stream: Any = None) -> Certificate:
        """Return the tightest certificate of this run."""
        return self.engine.headline(self.certificates(u, stream))

    def theorems(self) -> dict[str, list[str]]:
        """List every theorem with what it misses of this learner; nothing where it is offered."""
        return certification.theorems(self)

    def verify(self, certificate: Certificate, stream: Any = None) -> Certificate:
        """Recompute a certificate of this learner from the rows, by Algorithm 1 in NumPy."""
        with self._lock:
            certification.refuse_merged(self)
            return certification.verify(self, certificate, stream)

    def regret(self, stream: Any = None) -> Regret:
        """Measure the regret against the best fixed u in hindsight, and how it grew (``certify=True``).

        >>> from fenchel import learners
        >>> learner = learners.vovk_azoury_warmuth(certify=True, intercept=False)
        >>> _ = learner.learn_many([[1.0]] * 4, [3.0] * 4)
        >>> [(T, round(value, 1)) for T, value in learner.regret().curve]
        [(1, 4.5), (2, 6.5), (4, 8.3)]
        """
        with self._lock:
            certification.refuse_merged(self)
            return certification.regret(self, stream)

    def forget_rows(self) -> None:
        """Keep no rows for the certificates: to ask for them, give the stream again."""
        self._memory.close()

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────

    def freeze(self) -> Learner:
        """Predict from now on as a model that learns no more, until it learns again.

        Only ``auto`` makes a difference: it follows the last labels while they keep coming, and uses
        what did best on rows far ahead where they do not. A learner that was loaded is frozen.
        """
        self.is_frozen = True
        return self

    def copy(self) -> Learner:
        """Copy the learner: the same state, independent from then on."""
        with self._lock, undisturbed:
            twin: Learner = object.__new__(type(self))
            twin.__setstate__(self.__getstate__())
            return twin

    def fresh(self) -> Learner:
        """Make a learner of the same specification that has seen nothing."""
        made: Learner = storage.fresh(self, Learner)
        return made

    def to(self, device: str | None, dtype: str | None = None) -> Learner:
        """Move a learner with a full matrix to a device of PyTorch's, or to the CPU (None); a new one."""
        with self._lock:
            twin = self.copy()
            twin.engine = on_device.moved(twin.engine, device, dtype)
            return twin

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the classes before they are seen, the negative one of two first."""
        if self.labels is None:
            raise ValueError(f"{self.name} learns numbers: there are no classes to declare")
        self._coding = type(self._coding)(classes)
        self.engine.declare(len(self.classes))

    def adopt_labels(self, known: Sequence[Any]) -> None:
        """Take over how another learner encodes its labels: its ``labels.known``."""
        self._coding = type(self._coding)(known)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters with their defaults, as scikit-learn asks for them."""
        return {**catalogue.parameters_of(self.name), **self.parameters}

    def set_params(self, **parameters: Any) -> Learner:
        """Set other parameters: the learner begins anew."""
        changed = catalogue.from_parameters(self.name, {**self.parameters, **parameters})
        changed.schema = self.schema.declared_only()
        self.__dict__.update(changed.__dict__)
        return self

    def __sklearn_clone__(self) -> Learner:
        return self.fresh()

    # ── files of rows ───────────────────────────────────────────────────────────────────────────

    def open(self, source: Any, *, learning: bool = True, **reading: Any) -> Stream:
        """Stream the rows of a file through this learner's own schema; see ``streams.open_stream``.

        The blocks are for ``learn_block``, or with ``learning=False``, where nothing that is new in
        the file is taken up, for ``predict_many``.

        >>> import io
        >>> from fenchel import learners
        >>> learner = learners.perceptron()
        >>> for block in learner.open(io.BytesIO(b"color,size,y\\nred,2,yes\\nblue,1,no\\n"), format="csv"):
        ...     _ = learner.learn_block(block)
        >>> learner.predict_one({"color": "red", "size": "2"})
        'yes'
        """
        names = self._named() if self.names is not None or not self.columns else None
        given = {"schema": self.schema, "labelled": learning, **reading}
        stream = open_stream(source, names=names, frozen=not learning, **given)
        if self.columns and (stream.names is None) != (self.names is None):
            kinds = ("numbered", "named") if self.names is None else ("named", "numbered")
            raise ValueError(f"this learner has {kinds[0]} features, the file {kinds[1]} ones")
        if learning and stream.names is not None:
            self.names = stream.names
            self.schema = stream.schema
        return stream

    def save(self, path: str | PathLike[str]) -> None:
        """Write the learner to one safe file: nothing is lost, not even the last bit."""
        with self._lock, undisturbed:
            storage.save(self, path)

    def state_arrays(self) -> dict[str, Array]:
        """Return the state by name: with the specification all there is to a learner."""
        return self.engine.state_arrays()

    def __reduce_ex__(self, protocol: Any) -> Any:
        with self._lock, undisturbed:  # pickled whole while another thread learns
            return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        kept = self.__dict__.copy()
        kept["_calibration"] = None if self._calibration is None else self._calibration.copy()
        for made_anew in MADE_ANEW:
            del kept[made_anew]
        kept["engine"] = self.engine.copy()
        kept["names"] = None if self.names is None else self.names.copy()
        kept["schema"] = self.schema.copy()
        kept["_memory"] = self._memory.copy()
        kept["_coding"] = type(self._coding)(self._coding.known)
        kept["tickets"] = self.tickets.copy()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update({"is_frozen": False, "tickets": Tickets(), "merged": {}, **kept})
        self._ready()

    def _ready(self) -> None:
        """Make anew what no file, copy or pickle carries."""
        self._lock = new_lock()
        self._waiting = WaitingLessons()  # for the calibration, while nobody asks for it
        self._single = features.SingleRow()
        self._column_warnings = ColumnWarnings()
        # Whether one compiled call changes all that rows change where nothing in them is new.
        self._in_one_step = self.engine.is_one_step and not self.engine.certifies
        self._known_in_one_step = self.engine.knows_one_step and not self.engine.certifies

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _named(self) -> Names:
        """The columns by name; a learner that has learned nothing has none yet."""
        if self.names is None and self.columns:
            raise ValueError("this learner has numbered features: give rows of numbers, not dicts")
        return Names(self.schema.bits) if self.names is None else self.names

    def _numbered(self) -> None:
        if self.names is not None:
            raise ValueError("this learner has named features: give dicts, not rows of numbers")

    @contextmanager
    def _nothing_taken_up_if_refused(self) -> Iterator[None]:
        """Forget the names and columns of rows that were refused."""
        names, schema = self.names, self.schema
        count, before = 0 if names is None else len(names), dict(vars(schema))
        before["kinds"] = dict(schema.kinds)
        try:
            yield
        except BaseException:
            self.names = None if names is None else names.first_names(count)
            vars(schema).update(before)
            raise

    def rows_to_read(self, X: Any) -> Rows:
        """Turn rows of whatever users have into those that are read; nothing is taken up."""
        with self._lock, undisturbed:
            return self._block_of(X, learning=False).rows

    def _block_of(self, X: Any, learning: bool, labelled: bool = False) -> Block:
        """Rows of whatever users have; names and kinds of columns are taken up while learning."""
        if isinstance(X, Block):
            return X
        if raw_input.has_no_rows(X):
            nothing = np.empty(0) if labelled else None
            return Block(Rows.sparse([0], [], [], self.columns), nothing)
        there = self.engine.rows_of(X)
        numbered = self.names is None and self.columns > 0
        raw = there is None and raw_input.is_raw(X)
        if not raw or (numbered and not isinstance(X, (list, tuple))):
            self._numbered()
            return Block(validate.as_rows(X) if there is None else there)
        names = self._named()
        if self.rounds and is_frame(X):
            self._column_warnings.see(X, self.schema, self.names, learning, labelled)
        block = raw_input.block_of(X, self.schema, names, labelled=labelled, frozen=not learning)
        if learning:
            self.names = names
        return block

    def outcomes(self) -> list[Any]:
        """The labels in the order of probabilities."""
        if self.labels is None:
            raise ValueError(f"{self.name} does regression here: there are no probabilities")
        if self.task == "binary":
            return [self._coding.decode(-1.0), self._coding.decode(1.0)]
        return self.classes

    def encode(self, y: Any, count: int) -> Array:
        """Turn labels into the numbers that are learned; new classes are taken up."""
        validate.refuse_masked(y, "y")
        one_a_row = self.task in ("binary", "multiclass")
        given = as_labels(y) if one_a_row and not isinstance(y, np.ndarray) else y
        if one_a_row and given.shape != (count,):
            raise ValueError(f"y has shape {given.shape}, X has {count} rows: give one a row")
        targets = self._coding.encode(given)
        if targets.ndim != self._coding.dimensions or len(targets) != count:
            raise ValueError(f"y has shape {targets.shape}, X has {count} rows: give one a row")
        return targets

    def _learn(
        self,
        rows: Rows,
        y: Any,
        importance: Array | None,
        checked: bool,
        targets: Array | None = None,
        take_up: Callable[[], None] = lambda: None,
    ) -> tuple[Array, Array]:
        """Learn the block, or leave everything as it was and say what is wrong.

        ``targets`` are y encoded, where that is known already. ``take_up`` takes up what is new in
        the rows, once they are learned. Returns the margins and the targets.
        """
        engine, known = self.engine, self._coding.known
        rounds, before = engine.rounds, engine.standing()
        self.is_frozen = False
        amounts = features.ONE if importance is None else importance
        try:
            if targets is None:
                targets = self.encode(y, len(rows))
            self._refuse_many(rows.width)
            before = engine.take_up(rows.width)
            try:
                margins = engine.learn(rows, targets, amounts, checked)
            except BadRowError as bad:
                rows = validate.mended(rows, bad.row)
                margins = engine.learn(rows, targets, amounts, checked)
            take_up()
        except BaseException:  # a MemoryError, Ctrl-C: nothing may be left half done

            def settle() -> None:
                if engine.rounds != rounds:  # the loop has counted the rows: they are learned
                    take_up()
                    return
                self._coding = type(self._coding)(known)
                if before is not None:
                    engine.put_back(before)

            surely(settle)
            raise
        if self._calibration is not None:
            self._calibrate(margins, targets, importance)
        if self.certifies:
            self._memory.keep(Block(rows, targets, importance))
        return margins, targets

    def _calibrate(self, margins: Array, targets: Array, importance: Array | None) -> None:
        """Let the calibration learn from a block, or keep a single row for later."""
        if len(targets) == 1 and importance is None:
            self._wait(margins[0], targets)
            return
        with undisturbed:
            assert self._calibration is not None
            amounts = features.ONE if importance is None else importance
            self._waiting.add(self._calibration, margins, targets, amounts, self._given)

    def _refuse_many(self, width: int) -> None:
        if self.max_features is not None and width > self.max_features:
            raise ValueError(
                f"X has {width} columns, max_features is {self.max_features}: hash the features into "
                "fewer (bits=), or allow more"
            )

    def _learn_late(
        self, rows: Rows, memo: Array, y: Any, importance: Array, fresh: bool
    ) -> tuple[float, float] | None:
        """Learn one row that was asked; returns ‖z‖ and the loss of its prediction, for certificates."""
        engine, known, before = self.engine, self._coding.known, None
        try:
            target = self.encode(y, 1)
            before = engine.take_up(rows.width)
            c = engine.answer(rows, memo, target, importance, fresh)
        except Exception:
            self._coding = type(self._coding)(known)
            if before is not None:
                engine.put_back(before)
            raise
        self.is_frozen = False
        if self._calibration is not None:
            told = engine.margins_when_asked(memo)
            self._waiting.add(self._calibration, told, target, importance, self._given)
        if self.certifies:
            self._memory.keep(Block(rows, target, importance))
        if c is None or not (self.certifies and late_certificates.covers(engine)):
            return None
        loss = float(importance[0] * value(self.loss, float(memo[0]), float(target[0])))
        return late_certificates.step_size(engine, rows, c), loss

    def _read_one(self, x: Any, what: str) -> Array:
        if not isinstance(x, (dict, Mapping)):
            x = raw_input.as_one_row(x)
            if not isinstance(x, dict):
                return self._read_many(x, what)
        with self._lock:
            names, single, engine = self._named(), self._single, self.engine
            new = single.fill(x, names, self.schema, False)
            if not new and what in ("labels", "margins") and engine.columns == len(names):
                use = "frozen" if self.is_frozen else "margins"
                found = engine.read_known(single.rows, use)
                if found is not None:
                    return found
            return self._ask(Rows(single.rows, 1, len(names) + len(new)), what)

    def _read_many(self, X: Any, what: str) -> Array:
        with self._lock:
            rows: Any
            if self.engine.rows_of(X) is None and raw_input.is_raw(X):
                with undisturbed:  # the table of names catches up
                    rows = self._block_of(X, learning=False).rows
            else:
                rows = self._block_of(X, learning=False).rows
            if not isinstance(rows, Rows):  # on a device, and checked there
                return self._ask(rows, what)
            bad = int(check_rows(rows.view, rows.count, rows.width))
            if bad >= 0:
                rows = validate.mended(rows, bad)
            return self._ask(rows, what)

    def _ask(self, rows: Any, what: str) -> Array:
        """Read rows for the use at hand: that of the next round, or that of a frozen model."""
        use = "frozen" if self.is_frozen else "margins"
        if what == "labels":
            return self.engine.read_labels(rows, use)
        if what == "bounds" and self.is_frozen:
            return self.engine.read(rows, "frozen bounds")
        return self.engine.read(rows, use if what == "margins" else what)


def _plain(number: Any) -> Any:
    """One number as Python's own; several as they are."""
    if isinstance(number, float):  # as NumPy's are too: looking first is quicker
        return float(number)
    return float(number) if np.ndim(number) == 0 else number

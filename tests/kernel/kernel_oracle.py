"""The oracle: Algorithm 1 in NumPy over dense rows, asked the same questions as the compiled loop."""

from typing import Any, NamedTuple

import numpy as np

from fenchel import MirrorDescent
from fenchel._numba import knows
from fenchel.parts import state
from fenchel.regularizers import look, spread
from fenchel.regularizers.max_norm_scaled import dual_norm_of
from fenchel.regularizers.protocol import sighted
from fenchel.rows.types import DenseRow
from fenchel.rules import coefficient
from kernel.kernel_relatives import RELATIVES, Dense


class Textbook(Dense):
    """A regularizer of the package through ``MirrorDescent``: w_t from f_t, then θ + c·x."""

    def __init__(self, part: Any, shape: int) -> None:
        self.descent = MirrorDescent(part, shape)
        # Some count an example of importance 2 as seen twice: x·xᵀ doubles.
        verbs = (verb for verb in (look, sighted) if knows(verb, type(part)))
        codes = [verb.table.implementation(type(part)).__code__ for verb in verbs]
        self.weighs = any("importance" in code.co_names for code in codes)

    def see(self, x: np.ndarray, importance: float) -> None:
        self.x = x
        self.descent.observe(np.sqrt(importance) * x if self.weighs else x)
        self.w = self.descent.predict()

    def learn(self, c: float) -> None:
        self.descent.update(c * self.x)

    @property
    def spread(self) -> float:
        """x·A_t⁻¹·x, the gradient of a quadratic form's conjugate being linear."""
        return float(self.x @ self.descent.regularizer.gradient(self.x))

    @property
    def dual_norm(self) -> float:
        return float(self.descent.regularizer.dual_norm(self.x))

    @property
    def matrix(self) -> np.ndarray:
        return getattr(self.descent.regularizer, "matrix", np.eye(1))


@spread.of(Dense)
def _spread(f: Any, view: Any, row: Any) -> float:
    return f.spread


@dual_norm_of.of(Dense)
def _dual_norm(f: Any, row: Any) -> float:
    return f.dual_norm


class Run(NamedTuple):
    """What a stream gives: each ⟨w_t, x_t⟩, the last weights, and how exact they can be."""

    margins: np.ndarray
    weights: np.ndarray
    tolerance: np.ndarray
    weights_tolerance: float


def oracle_run(parts: Any, X: Any, y: Any, importance: Any, intercept: bool) -> Run:
    """The run of the textbook, or of the algorithm as published where it is no mirror descent.

    The tolerance of a margin is 1e−9 of the largest Σ|w_j·x_j| so far. A textbook that solves with
    a matrix loses what its condition number takes; the loop, which keeps a factor, does not. Weights
    that are differences of numbers of size ``cancelled`` are as exact as these.
    """
    loss, f, rule = parts
    f = f if intercept else _without_intercept(f)
    book = RELATIVES.get(type(f), Textbook)(f, X.shape[1] + intercept)
    book.open(intercept)
    rule = state.start(rule, 1)
    margins, tolerance, unit, lost, exactness = [], [], 0.0, 0.0, 1e-9
    for x, label, weight in zip(_with_intercept(X, intercept), y, importance, strict=True):
        book.see(x, weight)
        exactness = max(exactness, 1e-15 * np.linalg.cond(book.matrix))
        unit = max(unit, float(np.abs(book.w * x).sum()))
        margins.append(float(book.w @ x))
        lost = max(lost, 1e-15 * float(np.sum(book.cancelled * np.abs(x))))
        tolerance.append(exactness * unit + lost)
        row = DenseRow(x[int(intercept) :], float(intercept), float(weight))
        book.learn(coefficient(rule, loss, book, None, row, margins[-1], float(label)))
    book.see(np.zeros(X.shape[1] + intercept), 1.0)
    unit = max(unit, float(np.abs(book.w * _sizes(X, intercept)).max()))
    lost = 1e-15 * float(np.max(book.cancelled * _sizes(X, intercept)))
    return Run(np.array(margins), book.w, np.array(tolerance), exactness * unit + lost)


def _sizes(X: np.ndarray, intercept: bool) -> np.ndarray:
    """The largest |x_j| of each coordinate, the unit of its weight."""
    return np.abs(_with_intercept(X, intercept)).max(axis=0)


def _with_intercept(X: np.ndarray, intercept: bool) -> np.ndarray:
    return np.hstack([np.ones((len(X), int(intercept))), X])


def _without_intercept(part: Any) -> Any:
    """A part whose parameters of one number a slot lose that of slot 0."""
    changes = {}
    for name, value in part._asdict().items():
        if state.is_part(value):
            changes[name] = _without_intercept(value)
        elif isinstance(value, np.ndarray):
            changes[name] = value[1:] if len(value) else value
    return part._replace(**changes)


def differences(learner: Any, stream: Any, X: Any, weights_too: bool = True) -> str | None:
    """Let a learner of three parts learn a stream: what the oracle finds wrong, or None."""
    parts = learner.loss, learner.regularizer, learner.rule
    run = oracle_run(parts, *stream, learner.intercept)
    margins = learner.learn_many(X, stream.y, stream.importance)
    wrong = ~(np.abs(margins - run.margins) <= run.tolerance)
    if wrong.any():
        t = int(np.argmax(wrong))
        return f"round {t}: margin {margins[t]!r}, oracle {run.margins[t]!r}; {parts}"
    if not weights_too:
        return None
    weights = np.append(learner.bias, learner.weights())[int(not learner.intercept) :]
    errors = np.abs(weights - run.weights) * _sizes(stream.X, learner.intercept)
    if not (errors <= run.weights_tolerance).all():
        return f"weights {weights}, oracle {run.weights}; {parts}"
    return None

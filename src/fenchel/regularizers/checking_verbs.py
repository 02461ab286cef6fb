"""The verbs of a regularizer against its NumPy methods: lazy = dense, and looking changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import knows
from fenchel.mirror import MirrorDescent
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import commit, look, margin, prepare, weight
from fenchel.rows.types import ZERO, SparseRow

ROUNDS = 12


def check_lazy(name: str, f: Any, width: int, rng: np.random.Generator) -> None:
    """The verbs over sparse rows give the margins and weights of ``MirrorDescent``, to 1e−9."""
    descent, lazy = MirrorDescent(f, width), _begin(f, width)
    largest = 0.0
    for t in range(1, ROUNDS + 1):
        x, row = _random_row(width, rng, empty=t == 3)
        descent.observe(x)
        w = descent.predict()
        view, m = _look(name, lazy, row)
        largest = max(largest, float(np.abs(w * x).sum()))
        _same(name, t, "margin", m, float(w @ x), largest)
        if not knows(margin, type(f)):  # a margin of its own may come without weights of the round
            for j in range(width):
                read = weight(lazy, view, np.uint64(j), x[j])
                _same(name, t, f"weight {j}", read, float(w[j]), float(np.abs(w).max()))
        coefficient = 0.0 if t % 4 == 0 else float(rng.normal())
        commit(lazy, view, row, coefficient)
        descent.update(coefficient * x)


def check_verbs_alone(name: str, f: Any, width: int, rng: np.random.Generator) -> None:
    """Without NumPy methods: looking is pure, and the weights are the gradient of a convex function."""
    lazy = _begin(f, width)
    for t in range(1, ROUNDS + 1):
        _, row = _random_row(width, rng, empty=t == 3)
        view, m = _look(name, lazy, row)
        if not np.isfinite(m):
            raise ValueError(f"{name}: the verbs give no finite margin in round {t}: {m}")
        commit(lazy, view, row, float(rng.normal()))
    if not knows(commit, type(f)):  # otherwise f may change with what it sees
        for _ in range(ROUNDS):
            _convex(name, f, width, rng)


def _convex(name: str, f: Any, width: int, rng: np.random.Generator) -> None:
    """w(θ) is monotone, and its Jacobian symmetric: a gradient, and of a convex function."""
    theta, a, b = rng.normal(size=(3, width))
    step = _weights_at(f, theta + a) - _weights_at(f, theta)
    if not step @ a >= -1e-9 * np.abs(step * a).sum():
        raise ValueError(
            f"{name}: weight is not the gradient of a convex conjugate: from theta = {theta.round(4)} "
            f"the weights move against a step of theta, ⟨Δw, Δθ⟩ is {step @ a:.6g} instead of ≥ 0"
        )
    h = 1e-6
    along = [_weights_at(f, theta + h * d) - _weights_at(f, theta - h * d) for d in (a, b)]
    one, two = along[0] @ b / (2 * h), along[1] @ a / (2 * h)
    if not abs(one - two) <= 1e-4 * (1.0 + abs(one) + abs(two)):
        raise ValueError(
            f"{name}: weight is not a gradient at theta = {theta.round(4)}: its derivative is not "
            f"symmetric, {one:.6g} and {two:.6g}"
        )


def _weights_at(f: Any, theta: Array) -> Array:
    """Every weight at this θ, reached in one round from 0."""
    lazy = _begin(f, len(theta))
    row = _row(theta)
    commit(lazy, look(lazy, row), row, 1.0)
    rest = _row(np.zeros(len(theta)))
    view = look(lazy, rest)
    return np.array([weight(lazy, view, np.uint64(j), 0.0) for j in range(len(theta))])


def _begin(f: Any, width: int) -> Any:
    """A part with its own zero state, the number of coordinates set as a learner sets it."""
    lazy = state.start(f, width)
    for name, array in state.arrays(lazy):
        if name.rpartition(".")[2] == "dimension":
            array[0] = width
    return lazy


def _random_row(width: int, rng: np.random.Generator, empty: bool) -> tuple[Array, SparseRow]:
    """Coordinate 0 is the intercept's and always 1, the others are mostly zero."""
    x = rng.normal(size=width) * (rng.random(width) < 0.5) * (not empty)
    x[0] = 1.0
    return x, _row(x)


def _row(x: Array) -> SparseRow:
    columns = np.nonzero(x[1:])[0]
    stop = np.uint64(len(columns))
    return SparseRow(columns.astype(np.uint32), x[1:][columns], ZERO, stop, float(x[0]), 1.0)


def _look(name: str, f: Any, row: SparseRow) -> tuple[Any, float]:
    """The view and the margin of a round, which must leave the state as it was."""
    prepare(f, row)
    before = state.copy(f)
    view = look(f, row)
    m = float(margin(f, view, row))
    for (label, array), (_, kept) in zip(state.arrays(f), state.arrays(before), strict=True):
        if array.tobytes() != kept.tobytes():
            raise ValueError(
                f"{name}: looking changes the state: {label} was {kept}, is {array} after look and "
                "margin; change it in commit"
            )
    return view, m


def _same(name: str, t: int, what: str, lazy: float, dense: float, unit: float) -> None:
    if not abs(lazy - dense) <= 1e-9 * unit:
        raise ValueError(
            f"{name}: lazy and dense differ in round {t}: {what} is {lazy:.12g} by the verbs and "
            f"{dense:.12g} by gradient, observe and commit"
        )

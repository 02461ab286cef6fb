"""Newton's steps as mirror descent: the online Newton step (Hazan et al., 2007), logistic regression."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel.parts.state import MATRIX, SCALAR, SLOTS, WAITING_ROWS, Array, part
from fenchel.regularizers.gaussian import bend
from fenchel.regularizers.matrix_sums import lay_averaged, lay_rescaled
from fenchel.regularizers.protocol import (
    all_weights,
    bank_weights,
    commit,
    kept,
    look,
    margin,
    rescued_margin,
    settled,
    sighted,
    spread,
    weight,
)
from fenchel.regularizers.qr_factor import back_substituted, dot, solve_row, weights_into
from fenchel.regularizers.qr_update import add_row
from fenchel.regularizers.uniting import Shards, rescale, unite
from fenchel.rows.types import LARGEST, entries, saturated, slot_of, value_of


@part
class NewtonStep(NamedTuple):
    """f_t(w) = ½·wᵀA_{t−1}·w with A_t = a·I + Σ g_s·g_sᵀ, g_s = ℓ′_s·x_s.

    The step w ← w − η·A_t⁻¹·g, without projection, is A_t·w_{t+1} = A_{t−1}·w_t + (⟨g_t, w_t⟩ − η)·g_t:
    mirror descent with z_t = (⟨g_t, w_t⟩ − η)·g_t.
    """

    eta: float = 1.0
    a: float = 1.0
    theta: Array = SLOTS
    rotated: Array = SLOTS
    factor: Array = MATRIX
    widest: Array = SCALAR
    waiting: Array = SCALAR
    rows: Array = WAITING_ROWS
    turns: Array = WAITING_ROWS


@part
class LogisticMatrix(NamedTuple):
    """f_t(w) = ½·wᵀA_{t−1}·w with A_t = prior·I + Σ p·(1 − p)·x·xᵀ, p the chance of a label after its step.

    The step w ← w + c·A_{t−1}⁻¹·x leads to the margin m + c·χ, χ = xᵀA_{t−1}⁻¹x. With d = p·(1 − p) it is
    A_t·w_{t+1} = A_{t−1}·w_t + (c + d·(m + c·χ))·x: mirror descent with z_t = (c + d·(m + c·χ))·x_t.
    """

    a: float = 1.0
    theta: Array = SLOTS
    rotated: Array = SLOTS
    factor: Array = MATRIX
    widest: Array = SCALAR
    waiting: Array = SCALAR
    rows: Array = WAITING_ROWS
    turns: Array = WAITING_ROWS


# A slope without a bend still moves the weights: the row counts this share of it in A.
STRAIGHT = 1e-12


class _View(NamedTuple):
    solved: Array
    reach: float
    chi: float
    margin: float


class _Sight(NamedTuple):
    chi: float
    margin: float


@helper
def _square_of(solved: Array) -> float:
    """‖solved‖², in one sum."""
    total = 0.0
    for k in range(solved.shape[0]):
        total += solved[k] * solved[k]
    return float(total)


def _look(f: Any, row: Any) -> _View:
    solved, reach, unknown = solve_row(f, row)
    chi = _square_of(solved) + unknown
    sight = sighted(f, chi, dot(solved, f.rotated), row)
    return _View(solved, reach, sight.chi, sight.margin)


def _sighted(f: Any, chi: float, along: float, row: Any) -> _Sight:
    return _Sight(saturated(chi), saturated(along) if along == along else 0.0)


def _margin(f: Any, view: Any, row: Any) -> float:
    """⟨w_t, x_t⟩ = θᵀA_{t−1}⁻¹x_t."""
    return float(view.margin)


def _rescued(f: Any, view: Any, row: Any) -> float:
    """It never overflows: a view's margin is finite."""
    return float(view.margin)


def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j, by back substitution."""
    return float(back_substituted(f, f.rotated)[slot])


def _all_weights(f: Any, view: Any, out: Array) -> None:
    weights_into(f, out)


@kept.of(NewtonStep)
def _kept(f: Any, view: Any, row: Any, coefficient: float) -> tuple[float, float]:
    """With coefficient = −ℓ′: z = (⟨g, w⟩ − η)·g and A ← A + g·gᵀ."""
    slope = -coefficient
    step = (slope * view.margin - f.eta) * slope
    return slope, min(max(step, -LARGEST), LARGEST)


@kept.of(LogisticMatrix)
def _logistic_kept(f: Any, view: Any, row: Any, coefficient: float) -> tuple[float, float]:
    if coefficient == 0.0:
        return 0.0, 0.0
    d = max(bend(coefficient, row.importance), STRAIGHT * abs(coefficient))
    step = coefficient + d * (view.margin + coefficient * view.chi)
    return np.sqrt(d), min(max(step, -LARGEST), LARGEST)


def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    slope, step = kept(f, view, row, coefficient)
    if slope == 0.0:
        return
    add_row(f, row, view, slope, step / slope)
    for k in range(entries(row)):
        j = slot_of(row, k)
        f.theta[j] = saturated(f.theta[j] + step * value_of(row, k))


def _spread(f: Any, view: Any, row: Any) -> float:
    """x·A_{t−1}⁻¹·x."""
    return float(view.chi)


def _settled(f: Any, slot: Any) -> float:
    """Nothing waits: every weight is counted in its own round."""
    return 0.0


def _bank_weights(f: Any, average: Any, view: Any, row: Any) -> None:
    """Every weight moves in every round."""
    average.total[:] += back_substituted(f, f.rotated)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


def _unite(f: Any, shards: Shards) -> None:
    """A adds; weights are averaged by rounds: their θ = A·w is no sum that rows add to by themselves."""
    lay_averaged(f, shards)


def _rescale(f: Any, factors: Array) -> None:
    lay_rescaled(f, factors)


_VERBS = (
    *((look, _look), (sighted, _sighted), (margin, _margin), (rescued_margin, _rescued)),
    *((weight, _weight), (all_weights, _all_weights), (commit, _commit), (spread, _spread)),
    *((settled, _settled), (bank_weights, _bank_weights), (unite, _unite), (rescale, _rescale)),
)
for _class in (NewtonStep, LogisticMatrix):
    for _verb, _body in _VERBS:
        _verb.of(_class)(_body)

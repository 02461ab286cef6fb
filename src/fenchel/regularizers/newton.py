"""Online Newton step (Hazan, Agarwal & Kale, 2007), as mirror descent."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import MATRIX, SCALAR, SLOTS, WAITING_ROWS, Array, part
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
from fenchel.regularizers.qr_factor import back_substituted, dot, solve_row
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


class _View(NamedTuple):
    solved: Array
    reach: float
    chi: float
    margin: float


class _Sight(NamedTuple):
    chi: float
    margin: float


@look.of(NewtonStep)
def _look(f: Any, row: Any) -> _View:
    solved, reach, unknown = solve_row(f, row)
    chi = np.sum(solved * solved) + unknown
    sight = sighted(f, chi, dot(solved, f.rotated), row)
    return _View(solved, reach, sight.chi, sight.margin)


@sighted.of(NewtonStep)
def _sighted(f: Any, chi: float, along: float, row: Any) -> _Sight:
    return _Sight(saturated(chi), saturated(along) if along == along else 0.0)


@margin.of(NewtonStep)
def _margin(f: Any, view: Any, row: Any) -> float:
    """⟨w_t, x_t⟩ = θᵀA_{t−1}⁻¹x_t."""
    return float(view.margin)


@rescued_margin.of(NewtonStep)
def _rescued(f: Any, view: Any, row: Any) -> float:
    """It never overflows: a view's margin is finite."""
    return float(view.margin)


@weight.of(NewtonStep)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j, by back substitution."""
    return float(back_substituted(f, f.rotated)[slot])


@all_weights.of(NewtonStep)
def _all_weights(f: Any, view: Any, out: Array) -> None:
    out[:] = back_substituted(f, f.rotated)[: out.shape[0]]


@kept.of(NewtonStep)
def _kept(f: Any, view: Any, row: Any, coefficient: float) -> tuple[float, float]:
    """With coefficient = −ℓ′: z = (⟨g, w⟩ − η)·g and A ← A + g·gᵀ."""
    slope = -coefficient
    step = (slope * view.margin - f.eta) * slope
    return slope, min(max(step, -LARGEST), LARGEST)


@commit.of(NewtonStep)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    slope, step = kept(f, view, row, coefficient)
    if slope == 0.0:
        return
    add_row(f, row, view, slope, step / slope)
    for k in range(entries(row)):
        j = slot_of(row, k)
        f.theta[j] = saturated(f.theta[j] + step * value_of(row, k))


@spread.of(NewtonStep)
def _spread(f: Any, view: Any, row: Any) -> float:
    """x·A_{t−1}⁻¹·x."""
    return float(view.chi)


@settled.of(NewtonStep)
def _settled(f: Any, slot: Any) -> float:
    """Nothing waits: every weight is counted in its own round."""
    return 0.0


@bank_weights.of(NewtonStep)
def _bank_weights(f: Any, average: Any, view: Any, row: Any) -> None:
    """Every weight moves in every round."""
    average.total[:] += back_substituted(f, f.rotated)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(NewtonStep)
def _unite(f: Any, shards: Shards) -> None:
    """A adds; weights are averaged by rounds: their θ = A·w is no sum that rows add to by themselves."""
    lay_averaged(f, shards)


@rescale.of(NewtonStep)
def _rescale(f: Any, factors: Array) -> None:
    lay_rescaled(f, factors)

"""Sums that fade: every round all of them first age by λ = 2^(−1/half-life), lazily.

Nothing is multiplied by λ. Round t counts ω_t = λ^(−t) instead, so that sums in units of ω_t are
the faded ones,

    Σ_{s≤t} λ^(t−s)·z_s = (Σ_{s≤t} ω_s·z_s)/ω_t,

and only ω (``growth``) changes between two visits of a coordinate: O(non-zeros) a round. Mirror
descent on losses weighed by ω_t, in other words. Once ω is large all sums get a larger unit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, verb
from fenchel.parts.state import RECORD, SCALAR, SLOTS, Array, part
from fenchel.regularizers.full_matrix import FullQuadratic
from fenchel.regularizers.matrix_sums import from_rows, lay_triangle, rows_of, seen_by_any
from fenchel.regularizers.protocol import (
    absorb,
    absorb_row,
    all_weights,
    commit,
    keeps_all,
    look,
    margin,
    prepare,
    rescued_margin,
    spread,
    weight,
)
from fenchel.regularizers.uniting import Shards, largest, rescale, rescale_parts, unite
from fenchel.rows.sums import sum_over, term
from fenchel.rows.types import LARGEST, dual_p_norm, heavier, saturated

# Where ω is larger, the sums are divided by so much: an even power of 2 moves no bit of a number.
MOST = 2.0**200


def rate_of(half_life: float) -> float:
    """1/λ of a half-life in rounds.

    >>> rate_of(1.0)
    2.0
    """
    return float(2.0 ** (1.0 / half_life))


@helper
def grown(f: Any, row: Any) -> float:
    """ω_t = ω_{t−1}/λ, ω_0 = 1; a row of importance 0 is no round."""
    before = max(f.growth[0], 1.0)
    return float(before * f.rate if row.importance > 0.0 else before)


@verb
def divide_sums(f: Any, by: float) -> None:
    """Divide every sum that fades."""


@helper
def settle_growth(f: Any) -> None:
    """Take sums and ω in a larger unit where ω is large; no prediction changes."""
    while f.growth[0] > MOST:
        divide_sums(f, MOST)
        f.growth[0] /= MOST


# ── the full matrix ─────────────────────────────────────────────────────────────────────────────


@part
class FadingMatrix(NamedTuple):
    """f_t = ½·wᵀA_t·w with A_t = λ·A_{t−1} + x_t·x_tᵀ/r and a θ that fades alike; A_0 = a·I fades too."""

    inner: Any = FullQuadratic()
    rate: float = 2.0 ** (1.0 / 1000.0)
    growth: Array = SCALAR

    @property
    def theta(self) -> Array:
        """θ, in units of ω."""
        return np.asarray(self.inner.theta)


class _View(NamedTuple):
    growth: float
    inner: Any


@prepare.of(FadingMatrix)
def _prepare(f: Any, row: Any) -> None:
    settle_growth(f)


@divide_sums.of(FadingMatrix)
def _divide_matrix(f: Any, by: float) -> None:
    """A and θ over ω: the factor R, b and the rows that wait over √ω."""
    root = np.sqrt(by)
    for k in range(f.inner.factor.shape[0]):
        for j in range(f.inner.factor.shape[1]):
            f.inner.factor[k, j] /= root
        f.inner.rotated[k] /= root
        f.inner.theta[k] /= by
        for i in range(f.inner.rows.shape[0]):
            f.inner.rows[i, k] /= root


@look.of(FadingMatrix)
def _look(f: Any, row: Any) -> _View:
    growth = grown(f, row)
    return _View(growth, look(f.inner, heavier(row, growth)))


@margin.of(FadingMatrix)
def _margin(f: Any, view: Any, row: Any) -> float:
    return float(margin(f.inner, view.inner, row))


@rescued_margin.of(FadingMatrix)
def _rescued(f: Any, view: Any, row: Any) -> float:
    return float(rescued_margin(f.inner, view.inner, row))


@weight.of(FadingMatrix)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(weight(f.inner, view.inner, slot, x))


@all_weights.of(FadingMatrix)
def _all_weights(f: Any, view: Any, out: Array) -> None:
    all_weights(f.inner, view.inner, out)


@commit.of(FadingMatrix)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    step = saturated(coefficient * view.growth)
    commit(f.inner, view.inner, heavier(row, view.growth), step)
    f.growth[0] = view.growth


@spread.of(FadingMatrix)
def _spread(f: Any, view: Any, row: Any) -> float:
    """x·A_t⁻¹·x: the sums are ω times as large."""
    return saturated(spread(f.inner, view.inner, row) * view.growth)


@keeps_all.of(FadingMatrix)
def _keeps_all(f: Any) -> bool:
    return bool(keeps_all(f.inner))


# ── one number a coordinate ─────────────────────────────────────────────────────────────────────


@part
class FadingDiagonal(NamedTuple):
    """``DiagonalQuadratic`` whose θ_j and s_j fade: w_j = θ_j/(a + s_j + x_j²/r); a stays."""

    a: float = 1.0
    r: float = 1.0
    always: bool = False
    rate: float = 2.0 ** (1.0 / 1000.0)
    theta: Array = RECORD
    squares: Array = RECORD
    growth: Array = SCALAR


@part
class FadingGaussian(NamedTuple):
    """``Gaussian`` whose confidence fades: 1/Σ_jj = 1 + s_j with s_j fading; the mean stays."""

    r: float = 1.0
    rate: float = 2.0 ** (1.0 / 1000.0)
    theta: Array = RECORD
    squares: Array = RECORD
    growth: Array = SCALAR


@prepare.of(FadingDiagonal)
def _prepare_diagonal(f: Any, row: Any) -> None:
    settle_growth(f)


@prepare.of(FadingGaussian)
def _prepare_gaussian(f: Any, row: Any) -> None:
    settle_growth(f)


@divide_sums.of(FadingDiagonal)
def _divide_diagonal(f: Any, by: float) -> None:
    for j in range(f.theta.shape[0]):
        f.theta[j] /= by
        f.squares[j] /= by


@divide_sums.of(FadingGaussian)
def _divide_gaussian(f: Any, by: float) -> None:
    for j in range(f.squares.shape[0]):
        f.squares[j] /= by


class _Round(NamedTuple):
    growth: float
    share: float  # what x² counts in the sums


@look.of(FadingDiagonal)
def _look_diagonal(f: Any, row: Any) -> _Round:
    growth = grown(f, row)
    return _Round(growth, saturated(saturated(growth * row.importance) / f.r))


@look.of(FadingGaussian)
def _look_gaussian(f: Any, row: Any) -> _Round:
    growth = grown(f, row)
    return _Round(growth, saturated(saturated(growth * row.importance) / f.r))


@weight.of(FadingDiagonal)
def _weight_diagonal(f: Any, view: Any, slot: Any, x: float) -> float:
    """θ_j/(a + s_j + x²/r), both sides in units of ω."""
    return float(f.theta[slot] / (f.a * view.growth + f.squares[slot] + x * view.share * x))


@weight.of(FadingGaussian)
def _weight_gaussian(f: Any, view: Any, slot: Any, x: float) -> float:
    """μ_j."""
    return float(f.theta[slot])


@absorb.of(FadingDiagonal)
def _absorb_diagonal(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    f.theta[slot] = saturated(f.theta[slot] + saturated(coefficient * view.growth) * x)
    f.squares[slot] = saturated(f.squares[slot] + x * view.share * x)


@absorb.of(FadingGaussian)
def _absorb_gaussian(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    precision = 1.0 + f.squares[slot] / view.growth
    f.theta[slot] = saturated(f.theta[slot] + coefficient * (x / precision))
    f.squares[slot] = saturated(f.squares[slot] + x * view.share * x)


@commit.of(FadingDiagonal)
def _commit_diagonal(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient != 0.0 or f.always:
        absorb_row(f, view, row, coefficient)
    f.growth[0] = view.growth


@commit.of(FadingGaussian)
def _commit_gaussian(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient != 0.0:
        absorb_row(f, view, row, coefficient)
    f.growth[0] = view.growth


class _Spread(NamedTuple):
    """The sum that is x·D_t⁻¹·x."""


@term.of(_Spread)
def _spread_of(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(x * (x / (f.a + (f.squares[slot] + x * view.share * x) / view.growth)))


class _Variance(NamedTuple):
    """The sum that is x·Σ·x."""


@term.of(_Variance)
def _variance_of(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(x * (x / (1.0 + f.squares[slot] / view.growth)))


@spread.of(FadingDiagonal)
def _spread_diagonal(f: Any, view: Any, row: Any) -> float:
    return float(sum_over(_Spread(), f, view, row))


@spread.of(FadingGaussian)
def _spread_gaussian(f: Any, view: Any, row: Any) -> float:
    return saturated(sum_over(_Variance(), f, view, row))


@keeps_all.of(FadingDiagonal)
def _keeps_all_diagonal(f: Any) -> bool:
    return bool(f.always)


# ── plain sums of steps ─────────────────────────────────────────────────────────────────────────


@part
class FadingSteps(NamedTuple):
    """w_t = soft(θ_t, η·n_t·l1)/(still + root·√n_t + η·n_t·l2), θ and the rounds n_t = Σ λ^(t−s) fading.

    ``still`` = 1 alone is f = ½‖·‖² (gradient descent with constant steps, LMS); ``root`` = 1 alone
    is √n/2·‖·‖²; ``leveled`` divides by X_t², the largest ‖x‖² so far (p-norm LMS at p = 2).
    """

    still: float = 1.0
    root: float = 0.0
    eta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    leveled: bool = False
    rate: float = 2.0 ** (1.0 / 1000.0)
    theta: Array = SLOTS
    rounds: Array = SCALAR
    level: Array = SCALAR
    growth: Array = SCALAR


class _Step(NamedTuple):
    growth: float
    rounds: float
    level: float
    threshold: float
    curvature: float


@prepare.of(FadingSteps)
def _prepare_steps(f: Any, row: Any) -> None:
    settle_growth(f)


@divide_sums.of(FadingSteps)
def _divide_steps(f: Any, by: float) -> None:
    for j in range(f.theta.shape[0]):
        f.theta[j] /= by


@look.of(FadingSteps)
def _look_steps(f: Any, row: Any) -> _Step:
    """The threshold and the curvature in units of ω, the rounds n_t with this one."""
    growth = grown(f, row)
    rounds = f.rounds[0] / f.rate + 1.0 if row.importance > 0.0 else max(f.rounds[0], 1.0)
    level = min(max(f.level[0], dual_p_norm(row, 2.0)), LARGEST) if f.leveled else 1.0
    threshold = saturated(f.eta * rounds * f.l1)
    curvature = f.still + f.root * np.sqrt(rounds) + f.eta * rounds * f.l2
    return _Step(growth, rounds, level, threshold, curvature)


@weight.of(FadingSteps)
def _weight_steps(f: Any, view: Any, slot: Any, x: float) -> float:
    """soft(θ_j, η·n·l1) over the curvature, θ_j in units of ω."""
    if view.level == 0.0:
        return 0.0
    theta = f.theta[slot] / view.growth
    beyond = max(abs(theta) - view.threshold, 0.0)
    return saturated(
        (beyond if theta > 0.0 else -beyond) / view.curvature / view.level / view.level
    )


@absorb.of(FadingSteps)
def _absorb_steps(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    f.theta[slot] = saturated(f.theta[slot] + saturated(coefficient * view.growth) * x)


@commit.of(FadingSteps)
def _commit_steps(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient != 0.0:
        absorb_row(f, view, row, coefficient)
    f.growth[0] = view.growth
    f.rounds[0] = view.rounds
    if f.leveled:
        f.level[0] = view.level


# ── merging ─────────────────────────────────────────────────────────────────────────────────────
# What fades speaks of the latest rounds, and shards stand side by side in time: means, by rounds, of
# what each holds in units of its own ω.


def _units(shards: Shards) -> list[float]:
    """The share of each shard over its ω."""
    both = zip(shards.shares, shards.parts, strict=True)
    return [share / max(g.growth[0], 1.0) for share, g in both]


def _mean(shards: Shards, name: str) -> Array:
    both = zip(_units(shards), shards.parts, strict=True)
    return np.asarray(sum(unit * getattr(g, name) for unit, g in both))


@unite.of(FadingMatrix)
def _unite_matrix(f: Any, shards: Shards) -> None:
    units = _units(shards)
    rows = [np.sqrt(u) * rows_of(g.inner) for u, g in zip(units, shards.parts, strict=True)]
    seen = seen_by_any(shards.inside("inner"))
    lay_triangle(f.inner, from_rows(np.vstack(rows)), _mean(shards, "theta"), seen)
    f.growth[:] = 1.0


@unite.of(FadingDiagonal)
def _unite_diagonal(f: Any, shards: Shards) -> None:
    f.theta[:], f.squares[:], f.growth[:] = _mean(shards, "theta"), _mean(shards, "squares"), 1.0


@unite.of(FadingGaussian)
def _unite_gaussian(f: Any, shards: Shards) -> None:
    """The mean of the weights, which do not fade."""
    both = zip(shards.shares, shards.parts, strict=True)
    f.theta[:] = sum(share * g.theta for share, g in both)
    f.squares[:], f.growth[:] = _mean(shards, "squares"), 1.0


@unite.of(FadingSteps)
def _unite_steps(f: Any, shards: Shards) -> None:
    """The rounds n_t of a window are a mean too; where X_t² divides, θ is brought to the largest."""
    f.level[:] = largest(shards, "level")
    for g in shards.parts:
        if f.leveled and g.level[0] > 0.0:
            g.theta[:] *= (f.level[0] / g.level[0]) ** 2
    both = zip(shards.shares, shards.parts, strict=True)
    f.rounds[:] = sum(share * g.rounds for share, g in both)
    f.theta[:], f.growth[:] = _mean(shards, "theta"), 1.0


@rescale.of(FadingMatrix)
def _rescale_matrix(f: Any, factors: Array) -> None:
    rescale_parts(f.inner, factors)


@rescale.of(FadingDiagonal)
def _rescale_diagonal(f: Any, factors: Array) -> None:
    f.theta[:] *= factors
    f.squares[:] *= factors**2


@rescale.of(FadingGaussian)
def _rescale_gaussian(f: Any, factors: Array) -> None:
    f.theta[:] /= factors
    f.squares[:] *= factors**2


@rescale.of(FadingSteps)
def _rescale_steps(f: Any, factors: Array) -> None:
    f.theta[:] /= factors

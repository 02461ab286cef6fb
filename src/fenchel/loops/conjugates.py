"""What a regularizer tells the ledger of one round: dual norms, strong convexity, f_t*'s climb.

Each verb reads the row's coordinates alone. Where no such reading exists (the simplex) the answer
is NaN, and the certificates that would need it are not offered.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper, verb
from fenchel._kernel.rows import (
    FOUR,
    ONE,
    THREE,
    TWO,
    ZERO,
    entries,
    entry,
    length,
    slot_of,
    value_of,
)
from fenchel.regularizers.adagrad import AdaGrad
from fenchel.regularizers.composite import Composite, soft_threshold
from fenchel.regularizers.diagonal import DiagonalQuadratic
from fenchel.regularizers.domains import Ball, Simplex, Whole, confine
from fenchel.regularizers.entropic import Entropic
from fenchel.regularizers.euclidean import Euclidean
from fenchel.regularizers.full import FullQuadratic
from fenchel.regularizers.leveled import Leveled, dual_norm_of
from fenchel.regularizers.p_norm import PNorm, WeightedPNorm
from fenchel.regularizers.power_sum import total_of
from fenchel.regularizers.scale_invariant import (
    ScaleInvariantAdaGrad,
    ScaleInvariantPNorm,
    over,
)
from fenchel.regularizers.verbs import spread, sum_over, term


@verb
def size(f: Any, row: Any) -> float:
    """‖x_t‖_* in a norm that stays the same over the run; 0 where no certificate asks for it."""
    return 0.0


@verb
def curvature(f: Any) -> float:
    """β of a regularizer that does not change."""
    return 1.0


@verb
def dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    """‖x_t‖²_{t,*}/β_t; 0 where ``Standing`` tells its sum."""
    return float(np.nan)


@dual_square.of(ScaleInvariantPNorm)
def _told_by_standing(f: Any, view: Any, row: Any, size: float) -> float:
    return 0.0


@verb
def climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    """f_t*(θ_t + c·x_t) − f_t*(θ_t), with ``square`` = ‖x_t‖²_{t,*}/β_t.

    0 where f never changes, since its residue is known without it. For a quadratic f_t on the
    whole space it is c·⟨w_t, x_t⟩ + c²/2·‖x_t‖²_{t,*}, and no coordinate needs a second look.
    """
    return 0.0


@verb
def unbounded(domain: Any) -> bool:
    """Whether S is the whole space."""
    return False


@unbounded.of(Whole)
def _unbounded(domain: Any) -> bool:
    return True


@helper
def _quadratic(square: float, margin: float, c: float) -> float:
    return c * (margin + 0.5 * c * square)


@verb
def keeps_all(f: Any) -> bool:
    """Whether f_t keeps x_t in rounds without an update."""
    return False


@verb
def gained(f: Any, view: Any, margin: float, y: float) -> float:
    """2·y_t·⟨w_t, x_t⟩ − m_t²/(r + χ_t) of Section 6.2."""
    return 0.0


# ── ‖x‖_* and β ─────────────────────────────────────────────────────────────────────────────────


@helper
def _euclidean(row: Any) -> float:
    """‖x‖₂ by four sums added in a fixed order, as the margin is."""
    a = b = c = d = 0.0
    n = length(row)
    whole = n - n % FOUR
    k = ZERO
    while k < whole:
        a += entry(row, k) * entry(row, k)
        b += entry(row, k + ONE) * entry(row, k + ONE)
        c += entry(row, k + TWO) * entry(row, k + TWO)
        d += entry(row, k + THREE) * entry(row, k + THREE)
        k += FOUR
    while k < n:
        a += entry(row, k) * entry(row, k)
        k += ONE
    return float(np.sqrt((a + b) + (c + d) + row.bias * row.bias))


@size.of(Euclidean)
def _euclidean_size(f: Any, row: Any) -> float:
    return _euclidean(row)


@size.of(Composite)
def _composite_size(f: Any, row: Any) -> float:
    return _euclidean(row)


@size.of(DiagonalQuadratic)
def _diagonal_size(f: Any, row: Any) -> float:
    return _euclidean(row)


@size.of(PNorm)
def _p_norm_size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f, row))


@size.of(WeightedPNorm)
def _weighted_size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f, row))


@size.of(Leveled)
def _leveled_size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f.inner, row))


@helper
def _largest(row: Any) -> float:
    largest = 0.0
    for k in range(entries(row)):
        largest = max(largest, abs(value_of(row, k)))
    return largest


@size.of(Entropic)
def _entropic_size(f: Any, row: Any) -> float:
    return _largest(row)


@size.of(AdaGrad)
def _adagrad_size(f: Any, row: Any) -> float:
    """‖x‖_∞, which AdaGrad's published bound asks for."""
    return _largest(row)


@curvature.of(PNorm)
def _p_norm_curvature(f: Any) -> float:
    """β = c·(q − 1) = c/(p − 1)."""
    return float(f.c / (f.p - 1.0))


@curvature.of(Entropic)
def _entropic_curvature(f: Any) -> float:
    return float(1.0 / (f.total * f.total))


@dual_square.of(Euclidean)
def _euclidean_square(f: Any, view: Any, row: Any, size: float) -> float:
    return size * size


@dual_square.of(Composite)
def _composite_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / view.curvature)


@dual_square.of(PNorm)
def _p_norm_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / curvature(f))


@dual_square.of(WeightedPNorm)
def _weighted_square(f: Any, view: Any, row: Any, size: float) -> float:
    return size * size


@dual_square.of(Leveled)
def _leveled_square(f: Any, view: Any, row: Any, size: float) -> float:
    share = size / view.level if view.level > 0.0 else 0.0
    return float(share * share / curvature(f.inner))


@dual_square.of(Entropic)
def _entropic_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / curvature(f))


@dual_square.of(DiagonalQuadratic)
def _diagonal_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(spread(f, view, row))


@dual_square.of(FullQuadratic)
def _full_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(spread(f, view, row))


class _Squares(NamedTuple):
    """The sum that is ‖x‖²_{t,*} of AdaGrad's two forms."""


@term.of(_Squares)
def _square_of(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(square_term(f, view, slot, x))


@verb
def square_term(f: Any, view: Any, slot: Any, x: float) -> float:
    """What one entry adds to ‖x‖²_{t,*}."""
    return 0.0


@square_term.of(AdaGrad)
def _adagrad_term(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(x * (x / (f.roots[slot] + view.extra)))


@square_term.of(ScaleInvariantAdaGrad)
def _invariant_term(f: Any, view: Any, slot: Any, x: float) -> float:
    size = abs(x)
    if f.units[slot] > 0.0 and size <= f.largest[slot]:
        return float(size * f.units[slot] * (size * f.scales[slot]) * view)
    share = over(size, max(f.largest[slot], size))
    return float(share * share / np.sqrt(f.lipschitz * f.lipschitz + f.squares[slot]) * view)


@dual_square.of(AdaGrad)
def _adagrad_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(sum_over(_Squares(), f, view, row))


@dual_square.of(ScaleInvariantAdaGrad)
def _invariant_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(sum_over(_Squares(), f, view, row))


@keeps_all.of(DiagonalQuadratic)
def _diagonal_keeps(f: Any) -> bool:
    return bool(f.always)


@keeps_all.of(FullQuadratic)
def _full_keeps(f: Any) -> bool:
    return bool(f.always)


@gained.of(FullQuadratic)
def _full_gained(f: Any, view: Any, margin: float, y: float) -> float:
    """With r/(r + χ) = shrink, m_t²/(r + χ) = ⟨w, x⟩²·(r + χ)/r²."""
    return float(2.0 * y * margin - margin * margin / (f.r * view.shrink))


# ── f_t*(θ + c·x) − f_t*(θ) ─────────────────────────────────────────────────────────────────────


@helper
def _piece(domain: Any, theta: float, curvature: float, threshold: float) -> float:
    """max over w ∈ S of w·θ − threshold·|w| − curvature/2·w², one coordinate of f_t*."""
    w = confine(domain, 0.0, soft_threshold(theta, threshold) / curvature)
    return float(w * theta - threshold * abs(w) - 0.5 * curvature * w * w)


@verb
def _climb_on(
    domain: Any, theta: Any, curvature: float, threshold: float, row: Any, c: float
) -> float:
    """The climb of one curvature for all coordinates: a sum over the row on separable domains."""
    total = 0.0
    for k in range(entries(row)):
        x = value_of(row, k)
        if x != 0.0:
            now = theta[slot_of(row, k)]
            total += _piece(domain, now + c * x, curvature, threshold)
            total -= _piece(domain, now, curvature, threshold)
    return total


@helper
def _on_ball(square: float, curvature: float, radius: float) -> float:
    """f*(θ) of curvature/2·‖·‖² on a ball, from ‖θ‖²."""
    length = np.sqrt(max(square, 0.0))
    if length <= radius * curvature:
        return float(0.5 * length * length / curvature)
    return float(radius * length - 0.5 * curvature * radius * radius)


@_climb_on.of(Ball)
def _climb_on_ball(
    domain: Any, theta: Any, curvature: float, threshold: float, row: Any, c: float
) -> float:
    gain = 0.0
    for k in range(entries(row)):
        z = c * value_of(row, k)
        gain += z * (2.0 * theta[slot_of(row, k)] + z)
    square = domain.squares[0]
    after = _on_ball(square + gain, curvature, domain.radius)
    return float(after - _on_ball(square, curvature, domain.radius))


@_climb_on.of(Simplex)
def _climb_on_simplex(
    domain: Any, theta: Any, curvature: float, threshold: float, row: Any, c: float
) -> float:
    return float(np.nan)


class _SoftClimb(NamedTuple):
    """The climb on the whole space, where f_t* is ½·soft(θ)² over the curvature."""

    c: float


@term.of(_SoftClimb)
def _soft_climb(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    before = soft_threshold(f.theta[slot], view.threshold)
    after = soft_threshold(f.theta[slot] + what.c * x, view.threshold)
    return float((after - before) * (after + before))


@climb.of(Composite)
def _composite_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    if unbounded(f.domain) and f.l1 == 0.0:
        return _quadratic(square, margin, c)
    if unbounded(f.domain):
        return float(0.5 * view.inverse * sum_over(_SoftClimb(c), f, view, row))
    return float(_climb_on(f.domain, f.theta, view.curvature, view.threshold, row, c))


@climb.of(AdaGrad)
def _adagrad_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    if unbounded(f.domain) and f.l1 == 0.0:
        return _quadratic(square, margin, c)
    total = 0.0
    for k in range(entries(row)):
        x = value_of(row, k)
        if x != 0.0:
            j = slot_of(row, k)
            curvature = f.roots[j] + view.extra
            total += _piece(f.domain, f.theta[j] + c * x, curvature, view.threshold)
            total -= _piece(f.domain, f.theta[j], curvature, view.threshold)
    return total


@climb.of(DiagonalQuadratic)
def _diagonal_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    if unbounded(f.domain):
        return _quadratic(square, margin, c)
    total = 0.0
    for k in range(entries(row)):
        x = value_of(row, k)
        if x != 0.0:
            j = slot_of(row, k)
            curvature = f.a + f.squares[j] + x * x * view
            total += _piece(f.domain, f.theta[j] + c * x, curvature, 0.0)
            total -= _piece(f.domain, f.theta[j], curvature, 0.0)
    return total


@climb.of(FullQuadratic)
def _full_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return _quadratic(square, margin, c)


@climb.of(ScaleInvariantAdaGrad)
def _invariant_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return _quadratic(square, margin, c)


# ── p-norms: their sums are kept by the regularizer, and both readings take no look at the row ──


@helper
def _half_square(total: float, pivot: float, p: float) -> float:
    """½‖·‖_p² of ratios whose p-th powers in units of the pivot add up to ``total``."""
    return float(0.5 * pivot * pivot * max(total, 0.0) ** (2.0 / p))


class Standing(NamedTuple):
    """What is read off the sums: f_t*(θ), and Σ_{s≤t} ‖z_s‖²_{s,*} times factors known later."""

    height: float = 0.0
    steps: float = 0.0


@verb
def standing(f: Any, view: Any) -> Standing:
    """The standing before θ_t moves, f_t already that of the round."""
    return Standing(0.0, 0.0)


@verb
def moved(f: Any, view: Any) -> Standing:
    """The standing after θ_t has moved, f_t still that of the round."""
    return Standing(0.0, 0.0)


@helper
def _leveled_standing(f: Any, view: Any) -> Standing:
    """‖θ‖_p²/(2·c·X_t²)."""
    if view.level == 0.0:
        return Standing(0.0, 0.0)
    half = _half_square(total_of(f.inner), f.inner.pivot[0], f.inner.p)
    return Standing(float(half / f.inner.c / view.level / view.level), 0.0)


@standing.of(Leveled)
def _leveled_before(f: Any, view: Any) -> Standing:
    return _leveled_standing(f, view)


@moved.of(Leveled)
def _leveled_after(f: Any, view: Any) -> Standing:
    return _leveled_standing(f, view)


@helper
def _invariant_standing(f: Any, view: Any, total: float) -> Standing:
    """‖θ/b_t‖²/(2β_t) in the norm of p_t, and ½η²·Σ (p_s − 1)·‖ℓ′_s/b_s‖² over β_t."""
    height = _half_square(total, f.pivot[0], view.p) / view.beta
    return Standing(float(height), float(0.5 * f.eta * f.eta * f.slopes[0] / view.beta))


@standing.of(ScaleInvariantPNorm)
def _invariant_before(f: Any, view: Any) -> Standing:
    return _invariant_standing(f, view, view.total)


@moved.of(ScaleInvariantPNorm)
def _invariant_after(f: Any, view: Any) -> Standing:
    return _invariant_standing(f, view, total_of(f))


@climb.of(Entropic)
def _entropic_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    """ln(1 + Σ v_j·(exp(total·z_j) − 1)) with v_j the shares of the round."""
    rise = 0.0
    for k in range(entries(row)):
        j = slot_of(row, k)
        s = f.total * f.theta[j]
        level = -f.pivot[0] - f.squares[j] if f.adaptive else -f.pivot[0]
        z = f.total * c * value_of(row, k)
        rise += view / f.total * np.exp(level + s) * np.expm1(z)
        if f.signed:
            rise += view / f.total * np.exp(level - s) * np.expm1(-z)
    return float(np.log1p(rise))

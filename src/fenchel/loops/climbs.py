"""f_t*(θ_t + c·x_t) − f_t*(θ_t), by the row's coordinates alone.

Where no such reading exists (the simplex) the answer is NaN, and the certificates that would need
it are not offered. What p-norms climb is read off their sums: see ``standings``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper, required_verb, verb
from fenchel._kernel.rows import entries, slot_of, sum_over, term, value_of
from fenchel.regularizers.adagrad import AdaGrad
from fenchel.regularizers.composite import Composite, soft_threshold
from fenchel.regularizers.diagonal import DiagonalQuadratic
from fenchel.regularizers.domains import Ball, Simplex, Whole, confine
from fenchel.regularizers.entropic import Entropic
from fenchel.regularizers.full import FullQuadratic
from fenchel.regularizers.scale_invariant import ScaleInvariantAdaGrad


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


@climb.of(FullQuadratic)
def _full_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return _quadratic(square, margin, c)


@climb.of(ScaleInvariantAdaGrad)
def _invariant_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return _quadratic(square, margin, c)


# ── f_t of coordinates apart: Σ threshold·|w_j| + curvature_j/2·w_j² on S ──────────────────────────


@required_verb
def inverse_curvature(f: Any, view: Any, slot: Any, x: float) -> Any:
    """1/curvature_j in a round where x_j = x."""


@verb
def threshold_of(f: Any, view: Any) -> float:
    """What |w_j| costs."""
    return 0.0


@inverse_curvature.of(Composite)
def _composite_inverse(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(view.inverse)


@inverse_curvature.of(AdaGrad)
def _adagrad_inverse(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(1.0 / (f.roots[slot] + view.extra))


@inverse_curvature.of(DiagonalQuadratic)
def _diagonal_inverse(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(1.0 / (f.a + f.squares[slot] + x * x * view))


@threshold_of.of(Composite)
def _composite_threshold(f: Any, view: Any) -> float:
    return float(view.threshold)


@threshold_of.of(AdaGrad)
def _adagrad_threshold(f: Any, view: Any) -> float:
    return float(view.threshold)


@helper
def _piece(domain: Any, theta: float, inverse: float, threshold: float) -> float:
    """max over w ∈ S of w·θ − threshold·|w| − curvature/2·w², one coordinate of f_t*."""
    w = confine(domain, 0.0, soft_threshold(theta, threshold) * inverse)
    return float(w * theta - threshold * abs(w) - 0.5 * w * (w / inverse))


@verb
def _rise(domain: Any, before: float, after: float, inverse: float, threshold: float) -> float:
    """What one coordinate adds to the climb."""
    rise = _piece(domain, after, inverse, threshold) - _piece(domain, before, inverse, threshold)
    return float(rise)


@_rise.of(Whole)
def _whole_rise(
    domain: Any, before: float, after: float, inverse: float, threshold: float
) -> float:
    """On the whole space a coordinate of f_t* is ½·soft(θ)² over the curvature."""
    low, high = soft_threshold(before, threshold), soft_threshold(after, threshold)
    return float(0.5 * inverse * (high - low) * (high + low))


class _Climb(NamedTuple):
    """The sum of what the row's coordinates climb."""

    c: float


@term.of(_Climb)
def _climb_of(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    theta, inverse = f.theta[slot], inverse_curvature(f, view, slot, x)
    return float(_rise(f.domain, theta, theta + what.c * x, inverse, threshold_of(f, view)))


@verb
def _climb_on(domain: Any, f: Any, view: Any, row: Any, c: float) -> float:
    """The climb on domains that confine each coordinate by itself."""
    return float(sum_over(_Climb(c), f, view, row))


@helper
def _on_ball(square: float, curvature: float, radius: float) -> float:
    """f*(θ) of curvature/2·‖·‖² on a ball, from ‖θ‖²."""
    length = np.sqrt(max(square, 0.0))
    if length <= radius * curvature:
        return float(0.5 * length * length / curvature)
    return float(radius * length - 0.5 * curvature * radius * radius)


@_climb_on.of(Ball)
def _climb_on_ball(domain: Any, f: Any, view: Any, row: Any, c: float) -> float:
    gain = 0.0
    for k in range(entries(row)):
        z = c * value_of(row, k)
        gain += z * (2.0 * f.theta[slot_of(row, k)] + z)
    square = domain.squares[0]
    after = _on_ball(square + gain, view.curvature, domain.radius)
    return float(after - _on_ball(square, view.curvature, domain.radius))


@_climb_on.of(Simplex)
def _climb_on_simplex(domain: Any, f: Any, view: Any, row: Any, c: float) -> float:
    return float(np.nan)


@helper
def _apart(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    if unbounded(f.domain) and threshold_of(f, view) == 0.0:
        return _quadratic(square, margin, c)
    return float(_climb_on(f.domain, f, view, row, c))


@climb.of(Composite)
def _composite_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return _apart(f, view, row, square, margin, c)


@climb.of(AdaGrad)
def _adagrad_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return _apart(f, view, row, square, margin, c)


@climb.of(DiagonalQuadratic)
def _diagonal_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return _apart(f, view, row, square, margin, c)


# ── entropies ───────────────────────────────────────────────────────────────────────────────────


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

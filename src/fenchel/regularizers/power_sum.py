"""Σ (|θ_j|/s_j)^p kept up to date coordinate by coordinate, for p-norms read in O(non-zeros).

With ρ_j = |θ_j|/(s_j·pivot), where pivot is a power of two above every ratio, a part keeps

    powers_j = sign(θ_j)·ρ_j^{p−1}          so that reading a weight takes no power,
    total    = Σ ρ_j^p                      a sum with its rounding error carried along.

Then ∇(½‖·‖_p²)_j = pivot·total^{(2−p)/p}·powers_j/s_j. Nothing overflows, however large p is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, required_verb
from fenchel._numba.libm import log2
from fenchel.rows.types import saturated

# How far above the largest ratio a new pivot lies: fewer changes of pivot, each costs a sweep.
HEADROOM = 16.0
# A total this much below its peak is summed again from scratch.
WORN = 1e-20


@required_verb
def ratio(f: Any, slot: Any) -> Any:
    """|θ_j|/s_j of one coordinate, 0 for 0/0."""


@helper
def power(base: float, exponent: float) -> float:
    """base^exponent, without the power where the exponent is 1."""
    return base if exponent == 1.0 else float(base**exponent)


@helper
def add_to_total(f: Any, term: float) -> None:
    """total ← total + term, the rounding error kept in ``error`` (Neumaier's sum)."""
    before = f.total[0]
    after = before + term
    if abs(before) >= abs(term):
        f.error[0] += (before - after) + term
    else:
        f.error[0] += (term - after) + before
    f.total[0] = after
    f.peak[0] = max(f.peak[0], after)


@helper
def total_of(f: Any) -> float:
    """Σ ρ_j^p."""
    return float(max(0.0, f.total[0] + f.error[0]))


@helper
def rebuild(f: Any, p: float, at_least: float) -> None:
    """Everything again from θ: a pivot above every ratio and ``at_least``, powers and total."""
    largest = at_least
    for j in range(f.theta.shape[0]):
        if f.theta[j] != 0.0:  # beyond the columns there are, no weight a_j may be kept
            largest = max(largest, ratio(f, j))
    f.total[0] = 0.0
    f.error[0] = 0.0
    f.peak[0] = 0.0
    if largest == 0.0:
        f.pivot[0] = 0.0
        return
    f.pivot[0] = 2.0 ** min(np.ceil(log2(largest * HEADROOM)), 1023.0)
    for j in range(f.theta.shape[0]):
        if f.theta[j] != 0.0:
            rho = min(ratio(f, j) / f.pivot[0], 1.0)  # the pivot ends where the floats do
            size = power(rho, p - 1.0)
            f.powers[j] = np.copysign(size, f.theta[j])
            add_to_total(f, size * rho)
        else:
            f.powers[j] = 0.0


@helper
def change(f: Any, slot: Any, p: float, before: float, after: float) -> None:
    """The ratio of one coordinate went from ``before`` to ``after`` (θ_j holds the new sign)."""
    if after > f.pivot[0]:
        rebuild(f, p, after)
        return
    rho = min(after / f.pivot[0], 1.0) if after > 0.0 else 0.0
    size = power(rho, p - 1.0)
    if before > 0.0:
        add_to_total(f, -abs(f.powers[slot]) * min(before / f.pivot[0], 1.0))
    add_to_total(f, size * rho)
    f.powers[slot] = np.copysign(size, f.theta[slot])
    if f.total[0] + f.error[0] < WORN * f.peak[0]:
        rebuild(f, p, 0.0)


@helper
def gradient_factor(f: Any, total: float, p: float) -> float:
    """pivot·total^{(2−p)/p}, the common factor of all weights; 0 where θ = 0."""
    if total <= 0.0:
        return 0.0
    return float(f.pivot[0]) if p == 2.0 else saturated(f.pivot[0] * total ** (2.0 / p - 1.0))


@helper
def power_scale(now: float, before: float, p: float) -> float:
    """(now/before)^{p−1}, powers in units of ``before`` over those in units of ``now``.

    The powers kept in a unit of 0 are all 0.
    """
    return (now / before) ** (p - 1.0) if before > 0.0 else 0.0


@helper
def half_square(total: float, pivot: float, p: float) -> float:
    """½‖·‖_p² of ratios whose p-th powers in units of the pivot add up to ``total``."""
    return float(0.5 * pivot * pivot * max(total, 0.0) ** (2.0 / p))

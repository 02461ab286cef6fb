"""The paper's first scale-invariant regularizer, eq. (f1): a p-norm in units of the largest value seen.

b_{t,i} = max_{s≤t} |x_{s,i}|, x_t's included: multiply a feature by any constant and every margin stays
the same up to rounding. A feature not seen yet has b = 0 and, by convention, weight 0 (0/0 := 0). It
needs a loss with a Lipschitz constant L.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.libm import log
from fenchel.parts.state import SCALAR, SLOTS, Array, part
from fenchel.regularizers.p_norm import norm, norm_gradient
from fenchel.regularizers.power_sum import (
    change,
    gradient_factor,
    half_square,
    power,
    power_scale,
    ratio,
    rebuild,
    total_of,
)
from fenchel.regularizers.protocol import (
    Standing,
    climb,
    commit,
    dual_square,
    look,
    moved,
    pace,
    prepare,
    product,
    reshapes,
    settled,
    standing,
    unit,
    unit_scale,
    weight,
)
from fenchel.regularizers.safe_division import over, over_all
from fenchel.regularizers.uniting import Shards, added, gains, largest, rescale, unite, weighed
from fenchel.rows.types import LARGEST, entries, nonzeros, saturated, slot_of, value_of


@part
class ScaleInvariantPNorm(NamedTuple):
    """f_t(u) = β_t/2·(Σ (|u_i|·b_{t,i})^{q_t})^{2/q_t}, eq. (f1), with q_t = p_t/(p_t − 1).

    p_t = max(2, 2·ln m_t), m_t = max_{s≤t} ‖x_s‖₀, and

        β_t² = e·L²·(p_t − 1) + Σ_{s<t} (p_s − 1)·(Σ_i (|ℓ′_{s,i}|/b_{s,i})^{p_s})^{2/p_s}.

    ∇f_t*(θ)_j = 1/β_t·(Σ (|θ_i|/b_i)^{p_t})^{2/p_t−1}·|θ_j|^{p_t−1}/b_j^{p_t}·sign(θ_j): eq.
    (update1) without its spurious 1/(p_t − 1), which breaks the theorem. z_t = −η·ℓ′_t. f_t is
    β_t·(q_t − 1)-strongly convex for the norm (Σ (|u_i|·b_{t,i})^{q_t})^{1/q_t}.

    >>> f = ScaleInvariantPNorm().begin(2).observe(np.array([1e6, 1e-6]))
    >>> w = f.gradient(np.array([1e6, 1e-6]))
    >>> bool(np.isclose(w[0] * 1e6, w[1] * 1e-6))
    True
    """

    eta: float = 1.0
    lipschitz: float = 1.0
    theta: Array = SLOTS
    largest: Array = SLOTS
    powers: Array = SLOTS
    longest: Array = SCALAR
    pivot: Array = SCALAR
    total: Array = SCALAR
    error: Array = SCALAR
    peak: Array = SCALAR
    slopes: Array = SCALAR

    @property
    def allocates(self) -> bool:
        """Whether its compiled verbs make arrays: where a sum is taken anew."""
        return True

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def nondecreasing(self) -> bool:
        """Whether f_t grows: β_t and b_t do, and q_t falls."""
        return True

    @property
    def family(self) -> str:
        """Eq. (f1)."""
        return "scale-invariant p-norm"

    @property
    def p(self) -> float:
        """p_t = max(2, 2·ln m_t)."""
        return max(2.0, 2.0 * float(np.log(max(self.longest[0], 1.0))))

    @property
    def q(self) -> float:
        """q_t = p_t/(p_t − 1)."""
        return self.p / (self.p - 1.0)

    @property
    def beta(self) -> float:
        """β_t."""
        return float(np.sqrt(math.e * self.lipschitz**2 * (self.p - 1.0) + self.slopes[0]))

    def observe(self, x: Array) -> ScaleInvariantPNorm:
        """f_t, with b_t and m_t that count x_t."""
        return self._replace(
            largest=np.maximum(self.largest, np.abs(x)),
            longest=self.longest.clip(min=np.count_nonzero(x)),
        )

    def commit(self, current: ScaleInvariantPNorm, z: Array) -> ScaleInvariantPNorm:
        """Add (p_t − 1)·‖ℓ′_t/b_t‖_{p_t}², where ℓ′_t = −z_t/η."""
        size = norm(over_all(np.abs(z) / self.eta, current.largest), current.p)
        return current._replace(slopes=current.slopes + (current.p - 1.0) * size**2)

    def value(self, u: Array) -> float:
        """f_t(u), eq. (f1)."""
        return 0.5 * self.beta * norm(u * self.largest, self.q) ** 2

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ‖θ/b_t‖²_{p_t}/(2β_t), on the features seen."""
        return 0.5 * norm(over_all(theta, self.largest), self.p) ** 2 / self.beta

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ), eq. (update1) corrected."""
        inner = norm_gradient(over_all(theta, self.largest), self.p)
        return over_all(inner / self.beta, self.largest)

    @property
    def strong_convexity(self) -> float:
        """β_t·(q_t − 1)."""
        return self.beta * (self.q - 1.0)

    def norm(self, u: Array) -> float:
        """(Σ (|u_i|·b_{t,i})^{q_t})^{1/q_t}."""
        return norm(u * self.largest, self.q)

    def dual_norm(self, z: Array) -> float:
        """(Σ (|z_i|/b_{t,i})^{p_t})^{1/p_t}."""
        return norm(over_all(z, self.largest), self.p)


# A row that takes all but this share of Σ ρ^p away leaves rounding behind: the sum is taken anew.
FADED = 1e-6


class _View(NamedTuple):
    p: float
    factor: float
    kept: bool  # whether the kept powers are those of this p
    total: float  # Σ ρ_j^p in units of the pivot
    beta: float


@helper
def dual_exponent(longest: float) -> float:
    """p_t = max(2, 2·ln m_t)."""
    return max(2.0, 2.0 * log(longest)) if longest > 1.0 else 2.0


@ratio.of(ScaleInvariantPNorm)
def _ratio(f: Any, slot: Any) -> float:
    return saturated(over(abs(f.theta[slot]), f.largest[slot]))


@prepare.of(ScaleInvariantPNorm)
def _prepare(f: Any, row: Any) -> None:
    """A row longer than all before changes p_t: all powers are taken anew."""
    count = float(nonzeros(row))
    if count > f.longest[0]:
        before = dual_exponent(f.longest[0])
        f.longest[0] = count
        if dual_exponent(count) != before:
            rebuild(f, dual_exponent(count), 0.0)


@look.of(ScaleInvariantPNorm)
def _look(f: Any, row: Any) -> _View:
    """p_t and the common factor of eq. (update1), with b_t and m_t that count x_t."""
    p = dual_exponent(max(f.longest[0], float(nonzeros(row))))
    total = total_of(f)
    kept = p == dual_exponent(f.longest[0])
    for k in range(entries(row)):
        j = slot_of(row, k)
        size = abs(value_of(row, k))
        if size > f.largest[j] and f.theta[j] != 0.0:
            rho = ratio(f, j) / f.pivot[0]
            total += power(rho, p) * (power(f.largest[j] / size, p) - 1.0)
    if not (kept and total > FADED * total_of(f)):
        total = _total_with(f, row, p)
    beta = np.sqrt(math.e * f.lipschitz * f.lipschitz * (p - 1.0) + f.slopes[0])
    return _View(p, gradient_factor(f, total, p) / beta, kept, total, beta)


@helper
def _total_with(f: Any, row: Any, p: float) -> float:
    """Σ ρ_j^p anew, at any exponent, with b_t that counts x_t."""
    total = 0.0
    if f.pivot[0] > 0.0:
        b = f.largest.copy()
        for k in range(entries(row)):
            b[slot_of(row, k)] = max(b[slot_of(row, k)], abs(value_of(row, k)))
        for j in range(f.theta.shape[0]):
            total += power(over(abs(f.theta[j]), b[j]) / f.pivot[0], p)
    return total


@helper
def _weight_in_units(f: Any, view: Any, slot: Any, b: float) -> float:
    """w_j·b_j: the power kept for j, taken anew only where b_j or p_t changed."""
    if f.theta[slot] == 0.0:
        return 0.0
    if view.kept and b == f.largest[slot]:
        return float(view.factor * f.powers[slot])
    rho = abs(f.theta[slot]) / b / f.pivot[0]
    return float(view.factor * np.copysign(power(rho, view.p - 1.0), f.theta[slot]))


@weight.of(ScaleInvariantPNorm)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j, eq. (update1) corrected."""
    b = max(f.largest[slot], abs(x))
    return saturated(over(_weight_in_units(f, view, slot, b), b))


@product.of(ScaleInvariantPNorm)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    b = max(f.largest[slot], abs(x))
    return float(_weight_in_units(f, view, slot, b) * over(x, b))


@commit.of(ScaleInvariantPNorm)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    slope = abs(coefficient) / f.eta
    sizes = 0.0
    for k in range(entries(row)):
        j = slot_of(row, k)
        x = value_of(row, k)
        before = ratio(f, j)
        b = max(f.largest[j], abs(x))
        moved = b != f.largest[j] and f.theta[j] != 0.0
        f.largest[j] = b
        if coefficient != 0.0:
            f.theta[j] = saturated(f.theta[j] + coefficient * x)
            share = over(abs(x), b)
            sizes += share if share == 1.0 else power(share, view.p)
        if moved or (coefficient != 0.0 and x != 0.0):
            change(f, j, view.p, before, ratio(f, j))
    if coefficient != 0.0 and sizes > 0.0:
        size = slope * sizes ** (1.0 / view.p)
        f.slopes[0] = min(f.slopes[0] + (view.p - 1.0) * size * size, LARGEST)


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(ScaleInvariantPNorm)
def _pace(f: Any, view: Any) -> float:
    return float(view.factor)


@settled.of(ScaleInvariantPNorm)
def _settled(f: Any, slot: Any) -> float:
    return over(f.powers[slot], f.largest[slot])


@unit.of(ScaleInvariantPNorm)
def _unit(f: Any) -> float:
    return float(f.pivot[0])


@unit_scale.of(ScaleInvariantPNorm)
def _unit_scale(f: Any, before: float) -> float:
    return power_scale(f.pivot[0], before, dual_exponent(f.longest[0]))


@reshapes.of(ScaleInvariantPNorm)
def _reshapes(f: Any, row: Any) -> bool:
    """A longer row than all before changes p_t, and with it every power."""
    longest = max(f.longest[0], float(nonzeros(row)))
    return dual_exponent(longest) != dual_exponent(f.longest[0])


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@dual_square.of(ScaleInvariantPNorm)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    """0: the standing has it."""
    return 0.0


@climb.of(ScaleInvariantPNorm)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    """0: the standing has it."""
    return 0.0


@helper
def _standing(f: Any, view: Any, total: float) -> Standing:
    """‖θ/b_t‖²/(2β_t) in the norm of p_t, and ½η²·Σ (p_s − 1)·‖ℓ′_s/b_s‖² over β_t."""
    height = half_square(total, f.pivot[0], view.p) / view.beta
    return Standing(float(height), float(0.5 * f.eta * f.eta * f.slopes[0] / view.beta))


@standing.of(ScaleInvariantPNorm)
def _before(f: Any, view: Any) -> Standing:
    return _standing(f, view, view.total)


@moved.of(ScaleInvariantPNorm)
def _after(f: Any, view: Any) -> Standing:
    return _standing(f, view, total_of(f))


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@kernel
def _rebuild(f: Any, p: float) -> None:
    rebuild(f, p, 0.0)


@unite.of(ScaleInvariantPNorm)
def _unite(f: Any, shards: Shards) -> None:
    """b_t and m_t are the largest, the slopes in β_t add, and θ/β_t is averaged by slopes."""
    f.largest[:] = largest(shards, "largest")
    f.longest[:] = largest(shards, "longest")
    f.slopes[:] = added(shards, "slopes")
    start, *found = (g.theta / g.beta for g in (shards.start, *shards.parts))
    f.theta[:] = weighed(start, found, gains(shards, "slopes")) * f.beta
    _rebuild(f, f.p)


@rescale.of(ScaleInvariantPNorm)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] *= factors
    f.largest[:] *= factors
    _rebuild(f, f.p)

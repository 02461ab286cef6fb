"""The paper's two regularizers whose predictions do not depend on the units of the features.

Both divide by b_{t,i} = max_{s≤t} |x_{s,i}|, x_t's included: multiply a feature by any constant and
every margin stays the same up to rounding. A feature not seen yet has b = 0 and, by convention,
weight 0 (0/0 := 0). They need a loss with a Lipschitz constant L.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper
from fenchel._kernel.rows import LARGEST, entries, nonzeros, saturated, slot_of, value_of
from fenchel._kernel.state import RECORD, SCALAR, SLOTS, Array, part
from fenchel.regularizers.p_norm import norm, norm_gradient
from fenchel.regularizers.power_sum import (
    change,
    gradient_factor,
    power,
    ratio,
    rebuild,
    total_of,
)
from fenchel.regularizers.quotients import in_units, inverse, over, over_all
from fenchel.regularizers.verbs import absorb, absorb_row, commit, look, prepare, product, weight


@part
class ScaleInvariantAdaGrad(NamedTuple):
    """f_t(u) = √d/2·Σ (|u_i|·b_{t,i})²·√(L² + Σ_{s<t} (ℓ′_{s,i}/b_{s,i})²), eq. (f2).

    ∇f_t*(θ)_j = θ_j/(b²_{t,j}·√d·√(L² + Σ_{s<t} (ℓ′_{s,j}/b_{s,j})²)), eq. (update2), with
    z_t = −η·ℓ′_t. ``sqrt_d`` = False drops √d (η absorbs it). ``dimension`` is d: the columns of an
    array, the features seen so far on an open stream. ``units`` keeps 1/b_t and ``scales``
    1/(b_t·√(L² + …)), so that reading takes neither root nor division.

    >>> f = ScaleInvariantAdaGrad(sqrt_d=False).begin(2).observe(np.array([1e6, 1e-6]))
    >>> f.gradient(np.array([1e6, 1e-6])) * [1e6, 1e-6]
    array([1., 1.])
    """

    eta: float = 1.0
    lipschitz: float = 1.0
    sqrt_d: bool = True
    theta: Array = RECORD
    largest: Array = RECORD
    squares: Array = RECORD
    units: Array = RECORD
    scales: Array = RECORD
    dimension: Array = SCALAR

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def root_d(self) -> float:
        """√d, or 1 where it is dropped."""
        d = self.dimension[0] if self.dimension[0] else len(self.theta)
        return float(np.sqrt(d)) if self.sqrt_d else 1.0

    @property
    def growth(self) -> Array:
        """√(L² + Σ_{s<t} (ℓ′_{s,i}/b_{s,i})²)."""
        return np.asarray(np.sqrt(self.lipschitz**2 + self.squares))

    def observe(self, x: Array) -> ScaleInvariantAdaGrad:
        """f_t, with b_{t,i} the larger of b_{t−1,i} and |x_{t,i}|."""
        return self._replace(largest=np.maximum(self.largest, np.abs(x)))

    def commit(self, current: ScaleInvariantAdaGrad, z: Array) -> ScaleInvariantAdaGrad:
        """Add (ℓ′_{t,i}/b_{t,i})², where ℓ′_t = −z_t/η."""
        ratios = over_all(np.abs(z) / self.eta, current.largest)
        return current._replace(squares=current.squares + ratios**2)

    def value(self, u: Array) -> float:
        """f_t(u), eq. (f2)."""
        return 0.5 * self.root_d * float(np.sum((u * self.largest) ** 2 * self.growth))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = 1/(2√d)·Σ (θ_i/b_i)²/√(L² + …), on the features seen."""
        ratios = over_all(theta, self.largest)
        return float(np.sum(ratios**2 / self.growth)) / (2.0 * self.root_d)

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ), eq. (update2)."""
        ratios = over_all(theta, self.largest)
        return over_all(ratios / (self.root_d * self.growth), self.largest)

    @property
    def strong_convexity(self) -> float:
        """β_t = 1."""
        return 1.0

    def norm(self, u: Array) -> float:
        """√(2·f_t(u))."""
        return float(np.sqrt(2.0 * self.value(u)))

    def dual_norm(self, z: Array) -> float:
        """√(2·f_t*(z))."""
        return float(np.sqrt(2.0 * self.conjugate(z)))


@look.of(ScaleInvariantAdaGrad)
def _adagrad_look(f: Any, row: Any) -> float:
    """1/√d."""
    return float(1.0 / np.sqrt(max(f.dimension[0], 1.0))) if f.sqrt_d else 1.0


@helper
def _adagrad_ratio(f: Any, view: float, slot: Any, b: float) -> float:
    """θ_j/(b·√d·√(L² + s_j))."""
    growth = np.sqrt(f.lipschitz * f.lipschitz + f.squares[slot])
    return saturated(over(f.theta[slot], b) * view / growth)


@weight.of(ScaleInvariantAdaGrad)
def _adagrad_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = θ_j/(b_j²·√d·√(L² + s_j)), eq. (update2)."""
    b = max(f.largest[slot], abs(x))
    return saturated(over(_adagrad_ratio(f, view, slot, b), b))


@product.of(ScaleInvariantAdaGrad)
def _adagrad_product(f: Any, view: Any, slot: Any, x: float) -> float:
    # (θ/b)·(x/b): the weight alone would overflow for features of 1e−200.
    unit = f.units[slot]
    if unit > 0.0 and abs(x) <= f.largest[slot]:
        return float(f.theta[slot] * unit * (x * f.scales[slot]) * view)
    b = max(f.largest[slot], abs(x))
    return float(_adagrad_ratio(f, view, slot, b) * over(x, b)) if f.theta[slot] != 0.0 else 0.0


@absorb.of(ScaleInvariantAdaGrad)
def _adagrad_absorb(f: Any, slope: Any, slot: Any, x: float, coefficient: float) -> None:
    b = f.largest[slot]
    if abs(x) > b:
        b = abs(x)
        f.largest[slot] = b
        f.units[slot] = inverse(b)
    elif coefficient == 0.0 or b == 0.0:
        return
    unit = f.units[slot]
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)
    gradient = slope * in_units(x, b, unit)
    squares = saturated(f.squares[slot] + gradient * gradient)
    f.squares[slot] = squares
    f.scales[slot] = unit / np.sqrt(f.lipschitz * f.lipschitz + squares)


@commit.of(ScaleInvariantAdaGrad)
def _adagrad_commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    absorb_row(f, saturated(coefficient / f.eta), row, coefficient)


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
    def makes_arrays(self) -> bool:
        """Its compiled verbs do, where a sum is taken anew."""
        return True

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

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
        return float(np.sqrt(np.e * self.lipschitz**2 * (self.p - 1.0) + self.slopes[0]))

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
    return max(2.0, 2.0 * np.log(longest)) if longest > 1.0 else 2.0


@ratio.of(ScaleInvariantPNorm)
def _p_norm_ratio(f: Any, slot: Any) -> float:
    return saturated(over(abs(f.theta[slot]), f.largest[slot]))


@prepare.of(ScaleInvariantPNorm)
def _p_norm_prepare(f: Any, row: Any) -> None:
    """A row longer than all before changes p_t: all powers are taken anew."""
    count = float(nonzeros(row))
    if count > f.longest[0]:
        before = dual_exponent(f.longest[0])
        f.longest[0] = count
        if dual_exponent(count) != before:
            rebuild(f, dual_exponent(count), 0.0)


@look.of(ScaleInvariantPNorm)
def _p_norm_look(f: Any, row: Any) -> _View:
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
    beta = np.sqrt(np.e * f.lipschitz * f.lipschitz * (p - 1.0) + f.slopes[0])
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
def _p_norm_ratio_weight(f: Any, view: Any, slot: Any, b: float) -> float:
    """w_j·b_j: the power kept for j, taken anew only where b_j or p_t changed."""
    if f.theta[slot] == 0.0:
        return 0.0
    if view.kept and b == f.largest[slot]:
        return float(view.factor * f.powers[slot])
    rho = abs(f.theta[slot]) / b / f.pivot[0]
    return float(view.factor * np.copysign(power(rho, view.p - 1.0), f.theta[slot]))


@weight.of(ScaleInvariantPNorm)
def _p_norm_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j, eq. (update1) corrected."""
    b = max(f.largest[slot], abs(x))
    return saturated(over(_p_norm_ratio_weight(f, view, slot, b), b))


@product.of(ScaleInvariantPNorm)
def _p_norm_product(f: Any, view: Any, slot: Any, x: float) -> float:
    b = max(f.largest[slot], abs(x))
    return float(_p_norm_ratio_weight(f, view, slot, b) * over(x, b))


@commit.of(ScaleInvariantPNorm)
def _p_norm_commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
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

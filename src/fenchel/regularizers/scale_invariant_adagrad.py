"""The paper's second scale-invariant regularizer, eq. (f2): AdaGrad in units of the largest value seen.

b_{t,i} = max_{s≤t} |x_{s,i}|, x_t's included: multiply a feature by any constant and every margin stays
the same up to rounding. A feature not seen yet has b = 0 and, by convention, weight 0 (0/0 := 0). It
needs a loss with a Lipschitz constant L.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.intrinsics import all_above, none_above, seldom
from fenchel.parts.state import DIMENSION, RECORD, Array, part
from fenchel.regularizers.protocol import (
    absorb,
    absorb_divided,
    absorb_quotients,
    absorb_row,
    climb,
    commit,
    divided,
    dual_square,
    keep_quotient,
    look,
    margin,
    pace,
    product,
    quadratic_climb,
    settled,
    under_root,
    usual,
    usual_absorb,
    usual_divided,
    weight,
)
from fenchel.regularizers.safe_division import in_units, inverse, inverses, over, over_all
from fenchel.regularizers.uniting import Shards, added, gains, largest, rescale, unite, weighed
from fenchel.rows.sums import alike, sum_over, term, usual_term, usual_terms
from fenchel.rows.types import LARGEST, saturated


@part
@alike
class ScaleInvariantAdaGrad(NamedTuple):
    """f_t(u) = ½·Σ √d_i·(|u_i|·b_{t,i})²·√(L² + Σ_{s<t} (ℓ′_{s,i}/b_{s,i})²), eq. (f2).

    ∇f_t*(θ)_j = θ_j/(b²_{t,j}·√d_j·√(L² + Σ_{s<t} (ℓ′_{s,j}/b_{s,j})²)), eq. (update2), with
    z_t = −η·ℓ′_t. d_i is d, the columns of an array; on an open stream the number of features known in
    the round in which feature i appeared: with one d that grows f_t would fall, and Theorem 1 with it.
    ``sqrt_d`` = False drops √d (η absorbs it). ``dimension`` is d so far, ``rates`` keeps 1/√d_i,
    ``units`` 1/b_t and ``scales`` 1/(√d_i·b_t·√(L² + …)), so that reading takes neither root nor
    division.

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
    rates: Array = RECORD
    dimension: Array = DIMENSION

    @property
    def quadratic(self) -> bool:
        """Whether f_t(w) = ½·wᵀA_t·w on the whole space."""
        return True

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def nondecreasing(self) -> bool:
        """Whether f_t grows: b_t and the sums do."""
        return True

    @property
    def family(self) -> str:
        """Eq. (f2)."""
        return "scale-invariant AdaGrad"

    @property
    def counts_columns(self) -> bool:
        """Whether d enters the formulas."""
        return self.sqrt_d

    def widen(self, dimension: int) -> ScaleInvariantAdaGrad:
        """The same f with so many coordinates known, on a stream that keeps bringing columns."""
        return self._replace(dimension=np.array([float(dimension)]))

    @property
    def rate(self) -> float:
        """1/√d of a feature that appears now; 1 where √d is dropped."""
        d = self.dimension[0] if self.dimension[0] else len(self.theta)
        return float(1.0 / np.sqrt(max(d, 1.0))) if self.sqrt_d else 1.0

    @property
    def roots(self) -> Array:
        """√d_i of each feature."""
        return np.asarray(1.0 / np.where(self.rates > 0.0, self.rates, self.rate))

    def loaded(self, absent: set[str]) -> None:
        """Put in order what an earlier version did not keep: one d for all features."""
        if "rates" in absent:
            seen = self.largest > 0.0
            self.rates[seen] = self.rate
            self.scales[seen] *= self.rate

    @property
    def growth(self) -> Array:
        """√(L² + Σ_{s<t} (ℓ′_{s,i}/b_{s,i})²)."""
        return np.asarray(np.sqrt(self.lipschitz**2 + self.squares))

    def observe(self, x: Array) -> ScaleInvariantAdaGrad:
        """f_t, with b_{t,i} the larger of b_{t−1,i} and |x_{t,i}|."""
        new = (self.largest == 0.0) & (x != 0.0)
        return self._replace(
            largest=np.maximum(self.largest, np.abs(x)),
            rates=np.where(new, self.rate, self.rates),
        )

    def commit(self, current: ScaleInvariantAdaGrad, z: Array) -> ScaleInvariantAdaGrad:
        """Add (ℓ′_{t,i}/b_{t,i})², where ℓ′_t = −z_t/η."""
        ratios = over_all(np.abs(z) / self.eta, current.largest)
        return current._replace(squares=current.squares + ratios**2)

    def value(self, u: Array) -> float:
        """f_t(u), eq. (f2)."""
        return 0.5 * float(np.sum(self.roots * (u * self.largest) ** 2 * self.growth))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ½·Σ (θ_i/b_i)²/(√d_i·√(L² + …)), on the features seen."""
        ratios = over_all(theta, self.largest)
        return 0.5 * float(np.sum(ratios**2 / (self.roots * self.growth)))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ), eq. (update2)."""
        ratios = over_all(theta, self.largest)
        return over_all(ratios / (self.roots * self.growth), self.largest)

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
def _look(f: Any, row: Any) -> float:
    """1/√d, of features that appear in this row."""
    return float(1.0 / np.sqrt(max(f.dimension[0], 1.0))) if f.sqrt_d else 1.0


@helper
def _rate(f: Any, view: float, slot: Any) -> float:
    """1/√d_j."""
    return float(f.rates[slot]) if f.rates[slot] > 0.0 else view


@helper
def _ratio(f: Any, view: float, slot: Any, b: float) -> float:
    """θ_j/(b·√d_j·√(L² + s_j))."""
    growth = np.sqrt(f.lipschitz * f.lipschitz + f.squares[slot])
    return saturated(over(f.theta[slot], b) * _rate(f, view, slot) / growth)


@weight.of(ScaleInvariantAdaGrad)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = θ_j/(b_j²·√d_j·√(L² + s_j)), eq. (update2)."""
    b = max(f.largest[slot], abs(x))
    return saturated(over(_ratio(f, view, slot, b), b))


@product.of(ScaleInvariantAdaGrad)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    # (θ/b)·(x/b): the weight alone would overflow for features of 1e−200.
    unit = f.units[slot]
    if unit > 0.0 and abs(x) <= f.largest[slot]:
        return float(f.theta[slot] * unit * (x * f.scales[slot]))
    b = max(f.largest[slot], abs(x))
    return float(_ratio(f, view, slot, b) * over(x, b)) if f.theta[slot] != 0.0 else 0.0


@alike
class _Margin(NamedTuple):
    """The sum that is the margin."""


@term.of(_Margin)
def _margin_term(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(product(f, view, slot, x))


@usual_terms.of(_Margin)
def _usual_terms(what: Any, f: Any, view: Any, slots: Any, x: Any) -> bool:
    return _within(f, slots, x)


@usual_term.of(_Margin)
def _usual_term(what: Any, f: Any, view: Any, slots: Any, x: Any) -> Any:
    return f.theta[slots] * f.units[slots] * (x * f.scales[slots])


@margin.of(ScaleInvariantAdaGrad)
def _margin(f: Any, view: Any, row: Any) -> float:
    return float(sum_over(_Margin(), f, view, row))


@helper
def _within(f: Any, slots: Any, x: Any) -> bool:
    """Whether no |x_j| of these is above b_j, and 1/b_j is kept."""
    return bool(none_above(abs(x), f.largest[slots]) and all_above(f.units[slots], 0.0))


class _Step(NamedTuple):
    """−ℓ′ of the round, and 1/√d of features that appear in it."""

    slope: float
    rate: float


@divided.of(ScaleInvariantAdaGrad)
def _divided(f: Any, step: Any, slot: Any, x: float, coefficient: float) -> Any:
    """Numerator and squared denominator of the scale, once b, θ and the sum of squares have grown."""
    b = f.largest[slot]
    if seldom(abs(x) > b):
        if b == 0.0:
            f.rates[slot] = step.rate
        b = abs(x)
        f.largest[slot] = b
        f.units[slot] = inverse(b)
    return _grown(f, slot, x, coefficient, step.slope * in_units(x, b, f.units[slot]))


@usual.of(ScaleInvariantAdaGrad)
def _usual(f: Any, step: Any, slots: Any, x: Any, coefficient: float) -> bool:
    return _within(f, slots, x)


@usual_divided.of(ScaleInvariantAdaGrad)
def _usual_divided(f: Any, step: Any, slots: Any, x: Any, coefficient: float) -> Any:
    return _grown(f, slots, x, coefficient, step.slope * (x * f.units[slots]))


@helper
def _grown(f: Any, slot: Any, x: Any, coefficient: float, gradient: Any) -> Any:
    """Let θ and the sum of squares grow; then numerator and squared denominator of the scale."""
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)
    squares = min(f.squares[slot] + gradient * gradient, LARGEST)
    f.squares[slot] = squares
    return f.rates[slot] * f.units[slot], f.lipschitz * f.lipschitz + squares


@keep_quotient.of(ScaleInvariantAdaGrad)
def _keep_quotient(
    f: Any, step: Any, slot: Any, x: float, coefficient: float, quotient: float
) -> None:
    f.scales[slot] = quotient


@under_root.of(ScaleInvariantAdaGrad)
def _under_root(f: Any) -> bool:
    return True


@absorb.of(ScaleInvariantAdaGrad)
def _absorb(f: Any, step: Any, slot: Any, x: float, coefficient: float) -> None:
    """In a round without a step only what is larger than all before counts."""
    if seldom(abs(x) > f.largest[slot]):
        absorb_divided(f, step, slot, x, coefficient)


@usual_absorb.of(ScaleInvariantAdaGrad)
def _usual_absorb(f: Any, step: Any, slots: Any, x: Any, coefficient: float) -> None:
    """Nothing is larger than all before."""


@commit.of(ScaleInvariantAdaGrad)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    step = _Step(saturated(coefficient / f.eta), view)
    if coefficient != 0.0:
        absorb_quotients(f, step, row, coefficient)
    else:
        absorb_row(f, step, row, 0.0)


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(ScaleInvariantAdaGrad)
def _pace(f: Any, view: Any) -> float:
    return 1.0


@settled.of(ScaleInvariantAdaGrad)
def _settled(f: Any, slot: Any) -> float:
    return float(weight(f, 1.0, slot, 0.0))


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


class _Squares(NamedTuple):
    """The sum that is ‖x‖²_{t,*}."""


@term.of(_Squares)
def _square(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    size = abs(x)
    if f.units[slot] > 0.0 and size <= f.largest[slot]:
        return float(size * f.units[slot] * (size * f.scales[slot]))
    share = over(size, max(f.largest[slot], size))
    growth = np.sqrt(f.lipschitz * f.lipschitz + f.squares[slot])
    return float(share * share / growth * _rate(f, view, slot))


@dual_square.of(ScaleInvariantAdaGrad)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(sum_over(_Squares(), f, view, row))


@climb.of(ScaleInvariantAdaGrad)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return quadratic_climb(square, margin, c)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(ScaleInvariantAdaGrad)
def _unite(f: Any, shards: Shards) -> None:
    """b_t is the largest; squares add; θ/(b·√(L² + s)) is averaged by what each added to the squares.

    √d of a feature is that of the shard that knew most features when it appeared.
    """
    f.largest[:] = largest(shards, "largest")
    f.squares[:] = added(shards, "squares")
    told = [np.where(g.rates > 0.0, g.rates, np.inf) for g in (shards.start, *shards.parts)]
    least = np.minimum.reduce(told)
    f.rates[:] = np.where(np.isfinite(least), least, 0.0)
    start, *found = (over_all(g.theta, g.largest) / g.growth for g in (shards.start, *shards.parts))
    f.theta[:] = weighed(start, found, gains(shards, "squares")) * f.largest * f.growth
    _settle_scales(f)


@rescale.of(ScaleInvariantAdaGrad)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] *= factors
    f.largest[:] *= factors
    _settle_scales(f)


def _settle_scales(f: Any) -> None:
    """Compute what reading needs anew, from b, s and d."""
    f.units[:] = inverses(f.largest)
    f.scales[:] = f.rates * f.units / f.growth

"""AdaGrad in its dual averaging form (Duchi, Hazan & Singer, 2011), with the composite term F."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.adopting import Penalty, adopt, penalty
from fenchel.regularizers.domains import Whole, confine
from fenchel.regularizers.domains.protocol import (
    climb_apart,
    followed,
    inverse_curvature,
    no_pressure,
    soft_threshold,
    threshold_of,
)
from fenchel.regularizers.protocol import (
    absorb,
    absorb_row,
    charge_terms,
    climb,
    commit,
    dual_square,
    idle_sum,
    look,
    pace,
    settled,
    size,
    waiting_terms,
    weight,
)
from fenchel.regularizers.series import (
    charge_row,
    idle_terms,
    soft_sum,
    term_sum,
    waiting_sum,
)
from fenchel.regularizers.uniting import (
    Shards,
    added,
    gains,
    lengthened,
    rescale,
    shrunk,
    unite,
    weighed,
)
from fenchel.rows.sums import alike, sum_over, term
from fenchel.rows.types import largest_of, saturated


@part
@alike
class AdaGrad(NamedTuple):
    """f_t = g_t + η·t·F with g_t(w) = ½·Σ (δ + √(Σ_{s<t} ℓ′²_{s,i}))·w_i² and F = l1·‖·‖₁ + l2/2·‖·‖₂².

    A case of Corollary 1's g_t + η·t·F: z_t = −η·ℓ′_t, and g_t grows with the squared subgradients.
    ``roots`` keeps √squares, so that reading takes no root.

    >>> f = AdaGrad(delta=1.0).begin(1)
    >>> f = f.commit(f, np.array([-3.0])).observe(np.array([1.0]))
    >>> f.gradient(np.array([8.0]))
    array([2.])
    """

    eta: float = 1.0
    delta: float = 1e-8
    l1: float = 0.0
    l2: float = 0.0
    domain: Any = Whole()
    theta: Array = RECORD
    squares: Array = RECORD
    roots: Array = RECORD
    rounds: Array = SCALAR

    @property
    def quadratic(self) -> bool:
        """Whether f_t(w) = ½·wᵀA_t·w on the whole space."""
        return self.l1 == 0.0 and bool(self.domain.unbounded)

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return self.l1 == 0.0

    @property
    def nondecreasing(self) -> bool:
        """Whether g_t grows: sums of squares do."""
        return True

    @property
    def family(self) -> str:
        """The f_t of Duchi, Hazan & Singer."""
        return "AdaGrad"

    @property
    def averageable(self) -> bool:
        """Whether the sum of an untouched weight over rounds is known."""
        still = self.l1 == self.l2 == 0.0
        return bool(self.domain.steady or (still and self.domain.separable))

    def fixed_norm(self, x: Array) -> float:
        """‖x‖_∞, which the published bound asks for."""
        return float(np.abs(x).max(initial=0.0))

    def growing_part(self, u: Array) -> float:
        """g_T(u) = f_T(u) − η·T·F(u)."""
        return self.value(u) - self.eta * float(self.rounds[0]) * self.composite_term(u)

    @property
    def curvature(self) -> Array:
        """δ + √(Σ_{s<t} ℓ′²_{s,i}) + η·t·l2."""
        return np.asarray(self.delta + np.sqrt(self.squares) + self.eta * self.rounds * self.l2)

    @property
    def sees_rows(self) -> bool:
        """Whether f_t depends on x_t: it only counts the rounds."""
        return False

    def observe(self, x: Array) -> AdaGrad:
        """f_t from f_{t−1}: t grows by one."""
        return self._replace(rounds=self.rounds + 1.0)

    def commit(self, current: AdaGrad, z: Array) -> AdaGrad:
        """Add ℓ′²_{t,i}, where ℓ′_t = −z_t/η."""
        return current._replace(squares=current.squares + (z / self.eta) ** 2)

    def composite_term(self, u: Array) -> float:
        """F(u) = l1·‖u‖₁ + l2/2·‖u‖₂²."""
        return float(self.l1 * np.abs(u).sum() + 0.5 * self.l2 * np.vdot(u, u))

    def value(self, u: Array) -> float:
        """f_t(u)."""
        g = 0.5 * float(np.sum(self.curvature * u * u))
        return g + float(self.eta * self.rounds[0] * self.l1 * np.abs(u).sum())

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ): the soft threshold of θ over the curvature, confined to S."""
        soft = np.sign(theta) * np.maximum(np.abs(theta) - self.eta * self.rounds * self.l1, 0.0)
        return np.asarray(self.domain.project(soft / self.curvature))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ⟨w, θ⟩ − f_t(w) at w = ∇f_t*(θ), eq. (useful)."""
        w = self.gradient(theta)
        return float(np.vdot(w, theta)) - self.value(w)

    @property
    def strong_convexity(self) -> float:
        """β_t = 1."""
        return 1.0

    def norm(self, u: Array) -> float:
        """√(Σ curvature_i·u_i²)."""
        return float(np.sqrt(np.sum(self.curvature * u * u)))

    def dual_norm(self, z: Array) -> float:
        """√(Σ z_i²/curvature_i)."""
        return float(np.sqrt(np.sum(z * z / self.curvature)))


class _View(NamedTuple):
    threshold: float
    extra: float


@look.of(AdaGrad)
def _look(f: Any, row: Any) -> _View:
    t = f.rounds[0] + 1.0
    return _View(f.eta * t * f.l1, f.delta + f.eta * t * f.l2)


@weight.of(AdaGrad)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = soft(θ_j, η·t·l1)/(δ + √s_j + η·t·l2)."""
    soft = soft_threshold(f.theta[slot], view.threshold)
    return float(confine(f.domain, no_pressure(f.domain), soft / (f.roots[slot] + view.extra)))


@absorb.of(AdaGrad)
def _absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)
    gradient = saturated(saturated(coefficient / f.eta) * x)
    f.squares[slot] = saturated(f.squares[slot] + gradient * gradient)
    f.roots[slot] = np.sqrt(f.squares[slot])


@commit.of(AdaGrad)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    f.rounds[0] += 1.0
    if coefficient != 0.0:
        absorb_row(f, view, row, coefficient)


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(AdaGrad)
def _pace(f: Any, view: Any) -> float:
    return 1.0


@settled.of(AdaGrad)
def _settled(f: Any, slot: Any) -> float:
    return float(
        confine(
            f.domain, no_pressure(f.domain), f.theta[slot] / (f.delta + np.sqrt(f.squares[slot]))
        )
    )


@idle_sum.of(AdaGrad)
def _idle_sum(f: Any, slot: Any, since: float, until: float) -> float:
    theta = f.theta[slot]
    curvature = f.delta + np.sqrt(f.squares[slot])
    if f.l1 == 0.0 and f.l2 == 0.0:
        return float(confine(f.domain, no_pressure(f.domain), theta / curvature) * (until - since))
    size = soft_sum(since, until, abs(theta), f.eta * f.l1, 0.0, curvature, f.eta * f.l2)
    return float(confine(f.domain, no_pressure(f.domain), np.copysign(size, theta)))


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@size.of(AdaGrad)
def _size(f: Any, row: Any) -> float:
    """‖x‖_∞, which the published bound asks for."""
    return largest_of(row)


@alike
class _Squares(NamedTuple):
    """The sum that is ‖x‖²_{t,*}."""


@term.of(_Squares)
def _square(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(x * (x / (f.roots[slot] + view.extra)))


@dual_square.of(AdaGrad)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(sum_over(_Squares(), f, view, row))


@inverse_curvature.of(AdaGrad)
def _inverse_curvature(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(1.0 / (f.roots[slot] + view.extra))


@threshold_of.of(AdaGrad)
def _threshold(f: Any, view: Any) -> float:
    return float(view.threshold)


@climb.of(AdaGrad)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return climb_apart(f, view, row, square, margin, c)


@idle_terms.of(AdaGrad)
def _idle_terms(f: Any, slot: Any, since: float, until: float) -> float:
    if f.l1 == 0.0 and f.l2 == 0.0:
        return 0.0
    if not followed(f.domain):
        return float(np.nan)
    size = abs(confine(f.domain, no_pressure(f.domain), f.theta[slot]))
    if size == 0.0:
        return 0.0
    rest = f.delta + f.roots[slot]
    return term_sum(since, until, size, f.eta, f.l1, f.l2, 0.0, rest)


@charge_terms.of(AdaGrad)
def _charge_terms(f: Any, view: Any, row: Any, ledger: Any) -> None:
    if f.l1 > 0.0 or f.l2 > 0.0:
        charge_row(f, row, ledger)


@waiting_terms.of(AdaGrad)
def _waiting_terms(f: Any, mark: Array) -> float:
    return waiting_sum(f, mark)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(AdaGrad)
def _unite(f: Any, shards: Shards) -> None:
    """Squares and rounds add; weights are averaged by what each shard added to the squares."""
    f.squares[:] = added(shards, "squares")
    f.roots[:] = np.sqrt(f.squares)
    f.rounds[:] = added(shards, "rounds")
    start, *found = (
        shrunk(g.theta, g.eta * g.rounds[0] * g.l1, g.curvature)
        for g in (shards.start, *shards.parts)
    )
    w, sums = weighed(start, found, gains(shards, "squares")), added(shards, "theta")
    f.theta[:] = lengthened(w, f.eta * f.rounds[0] * f.l1, f.curvature, sums)


@rescale.of(AdaGrad)
def _rescale(f: Any, factors: Array) -> None:
    f.squares[:] *= factors**2
    f.roots[:] *= factors


# ── weights from elsewhere ──────────────────────────────────────────────────────────────────────


@penalty.of(AdaGrad)
def _penalty(f: Any) -> Penalty:
    return Penalty(f.l1, f.l2)


@adopt.of(AdaGrad)
def _adopt(f: Any, w: Array) -> None:
    """θ = w·curvature + sign(w)·threshold, both of the next round."""
    coming = f.observe(w)
    f.theta[:] = lengthened(w, f.eta * coming.rounds[0] * f.l1, coming.curvature, 0.0 * w)

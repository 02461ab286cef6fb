"""f = ½‖·‖₂², the regularizer of gradient descent and of the Perceptron."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import SLOTS, Array, part
from fenchel.regularizers.adopting import Penalty, adopt, penalty
from fenchel.regularizers.domains import Whole, confine, follow, settle
from fenchel.regularizers.domains.protocol import follow_all, no_pressure
from fenchel.regularizers.protocol import (
    absorb,
    climb,
    curvature,
    dual_norm_of,
    dual_square,
    look,
    pace,
    settled,
    size,
    weight,
)
from fenchel.regularizers.uniting import Shards, averaged, follow_theta, rescale, unite
from fenchel.rows.sums import alike, squared_norm
from fenchel.rows.types import dual_p_norm, saturated


@part
@alike
class Euclidean(NamedTuple):
    """f(w) = ½‖w‖₂² on a domain S: ∇f*(θ) is θ projected on S. β = 1 for ‖·‖₂, its own dual.

    >>> f = Euclidean()
    >>> theta = np.array([3.0, -4.0])
    >>> f.gradient(theta), f.conjugate(theta), f.value(theta)
    (array([ 3., -4.]), 12.5, 12.5)
    """

    domain: Any = Whole()
    theta: Array = SLOTS

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "½‖·‖²"

    @property
    def constant(self) -> bool:
        """Whether f_t never changes."""
        return True

    @property
    def quadratic(self) -> bool:
        """Whether f_t(w) = ½·wᵀA_t·w on the whole space."""
        return bool(self.domain.unbounded)

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def averageable(self) -> bool:
        """Whether weights between visits stand still, or move by one factor."""
        return bool(self.domain.separable or self.domain.steady)

    def value(self, u: Array) -> float:
        """f(u) = ½‖u‖₂²."""
        return 0.5 * float(np.vdot(u, u))

    def gradient(self, theta: Array) -> Array:
        """∇f*(θ) = Π_S(θ), eq. (proj-prop)."""
        return np.asarray(self.domain.project(theta))

    def conjugate(self, theta: Array) -> float:
        """f*(θ) = ⟨w, θ⟩ − f(w) at w = ∇f*(θ), eq. (useful)."""
        w = self.gradient(theta)
        return float(np.vdot(w, theta)) - self.value(w)

    @property
    def strong_convexity(self) -> float:
        """β = 1."""
        return 1.0

    def norm(self, u: Array) -> float:
        """‖u‖₂."""
        return float(np.linalg.norm(u))

    def dual_norm(self, z: Array) -> float:
        """‖z‖₂."""
        return float(np.linalg.norm(z))


@look.of(Euclidean)
def _look(f: Any, row: Any) -> Any:
    return settle(f.domain, f.theta, 1.0, row)


@weight.of(Euclidean)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = θ_j, confined to S."""
    return float(confine(f.domain, view, f.theta[slot]))


@absorb.of(Euclidean)
def _absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    before = f.theta[slot]
    f.theta[slot] = saturated(before + coefficient * x)
    follow(f.domain, f.theta, before, f.theta[slot])


@dual_norm_of.of(Euclidean)
def _dual_norm(f: Any, row: Any) -> float:
    return dual_p_norm(row, 2.0)


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(Euclidean)
def _pace(f: Any, view: Any) -> float:
    """The factor of a ball; 1 elsewhere."""
    return view if view != 0.0 else 1.0


@settled.of(Euclidean)
def _settled(f: Any, slot: Any) -> float:
    return float(confine(f.domain, no_pressure(f.domain), f.theta[slot]))


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@size.of(Euclidean)
def _size(f: Any, row: Any) -> float:
    return float(np.sqrt(squared_norm(row)))


@curvature.of(Euclidean)
def _curvature(f: Any) -> float:
    return 1.0


@dual_square.of(Euclidean)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return size * size


@climb.of(Euclidean)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return 0.0


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(Euclidean)
def _unite(f: Any, shards: Shards) -> None:
    """f never changes, so that sums of θ would step K times too far: the mean of θ."""
    f.theta[:] = averaged(shards, "theta")
    follow_theta(f)


@rescale.of(Euclidean)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] /= factors
    follow_theta(f)


@follow_theta.of(Euclidean)
def _follow_theta(f: Any) -> None:
    follow_all(f.domain, f.theta)


# ── weights from elsewhere ──────────────────────────────────────────────────────────────────────


@penalty.of(Euclidean)
def _penalty(f: Any) -> Penalty:
    return Penalty()


@adopt.of(Euclidean)
def _adopt(f: Any, w: Array) -> None:
    f.theta[:] = w
    follow_theta(f)

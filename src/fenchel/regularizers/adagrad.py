"""AdaGrad in its dual averaging form (Duchi, Hazan & Singer, 2011), with the composite term F."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel.rows import saturated
from fenchel._kernel.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.composite import soft_threshold
from fenchel.regularizers.domains import Whole, confine
from fenchel.regularizers.verbs import absorb, absorb_row, commit, look, weight


@part
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
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return self.l1 == 0.0

    @property
    def curvature(self) -> Array:
        """δ + √(Σ_{s<t} ℓ′²_{s,i}) + η·t·l2."""
        return np.asarray(self.delta + np.sqrt(self.squares) + self.eta * self.rounds * self.l2)

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
    return float(confine(f.domain, 0.0, soft / (f.roots[slot] + view.extra)))


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

"""f = ½‖·‖₂², the regularizer of gradient descent and of the Perceptron."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel.rows import saturated
from fenchel._kernel.state import SLOTS, Array, part
from fenchel.regularizers.domains import Whole, confine, follow, settle
from fenchel.regularizers.verbs import absorb, look, weight


@part
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
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

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

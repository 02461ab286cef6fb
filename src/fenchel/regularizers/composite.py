"""f_t = √t·g + η·t·F and f_t = t·F, the regularizers of Corollary 1.

F = l1·‖·‖₁ + l2/2·‖·‖₂² is the composite term, g = ½‖·‖₂². Between two visits of a coordinate only
t changes, so that w_j is read by one soft threshold: no sweep over the weights, ever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper
from fenchel._kernel.rows import saturated
from fenchel._kernel.state import SCALAR, SLOTS, Array, part
from fenchel.regularizers.domains import Whole, confine, follow, settle
from fenchel.regularizers.verbs import absorb, absorb_row, commit, look, weight


@helper
def soft_threshold(value: float, threshold: float) -> float:
    """sign(v)·[|v| − threshold]₊, an exact zero inside the threshold.

    Without branches, since no processor can guess the sign of the next weight.
    """
    return max(value - threshold, 0.0) + min(value + threshold, 0.0)


class _View(NamedTuple):
    threshold: float
    curvature: float
    inverse: float
    pressure: Any


@part
class Composite(NamedTuple):
    """f_t(w) = root·√t/2·‖w‖₂² + η·t·(l1·‖w‖₁ + l2/2·‖w‖₂²).

    ``root`` = 1 is √t·g + η·t·F; ``root`` = 0 (with l2 > 0, η = 1) is t·F. ``lag`` = 1 gives Xiao's
    indexing β_{t−1}·g + (t−1)·F of regularized dual averaging, with β_0 := β_1; ``lag`` = 0 is the
    Corollary's. f_t is (root·√t + η·t·l2)-strongly convex for ‖·‖₂.

    >>> f = Composite(eta=1.0, l1=0.5).begin(2).observe(np.zeros(2))   # t = 1
    >>> f.gradient(np.array([2.0, 0.25]))
    array([1.5, 0. ])
    """

    eta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    root: float = 1.0
    lag: float = 0.0
    domain: Any = Whole()
    theta: Array = SLOTS
    rounds: Array = SCALAR

    @property
    def curvature(self) -> float:
        """root·√t + η·t·l2 (with t − lag for t)."""
        t = self.rounds[0] - self.lag
        return float(self.root * np.sqrt(max(t, 1.0)) + self.eta * t * self.l2)

    @property
    def threshold(self) -> float:
        """η·t·l1 (with t − lag for t)."""
        return float(self.eta * (self.rounds[0] - self.lag) * self.l1)

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return self.l1 == 0.0

    def composite_term(self, u: Array) -> float:
        """F(u) = l1·‖u‖₁ + l2/2·‖u‖₂²."""
        return float(self.l1 * np.abs(u).sum() + 0.5 * self.l2 * np.vdot(u, u))

    def observe(self, x: Array) -> Composite:
        """f_t from f_{t−1}: t grows by one."""
        return self._replace(rounds=self.rounds + 1.0)

    def value(self, u: Array) -> float:
        """f_t(u)."""
        t = self.rounds[0] - self.lag
        g = 0.5 * float(np.vdot(u, u))
        return float(self.root * np.sqrt(max(t, 1.0)) * g + self.eta * t * self.composite_term(u))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ): the soft threshold of θ over the curvature, confined to S."""
        soft = np.sign(theta) * np.maximum(np.abs(theta) - self.threshold, 0.0)
        if self.curvature == 0.0:  # t·F in Xiao's first round: θ = 0, w = argmin F
            return np.asarray(self.domain.project(np.zeros_like(theta)))
        return np.asarray(self.domain.project(soft / self.curvature))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ⟨w, θ⟩ − f_t(w) at w = ∇f_t*(θ), eq. (useful)."""
        w = self.gradient(theta)
        return float(np.vdot(w, theta)) - self.value(w)

    @property
    def strong_convexity(self) -> float:
        """β_t = root·√t + η·t·l2."""
        return self.curvature

    def norm(self, u: Array) -> float:
        """‖u‖₂."""
        return float(np.linalg.norm(u))

    def dual_norm(self, z: Array) -> float:
        """‖z‖₂."""
        return float(np.linalg.norm(z))


@look.of(Composite)
def _look(f: Any, row: Any) -> _View:
    t = f.rounds[0] + 1.0 - f.lag
    curvature = f.root * np.sqrt(max(t, 1.0)) + f.eta * t * f.l2
    if curvature == 0.0:
        curvature = 1.0
    pressure = settle(f.domain, f.theta, curvature, row)
    return _View(f.eta * t * f.l1, curvature, saturated(1.0 / curvature), pressure)


@weight.of(Composite)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = soft(θ_j, η·t·l1) / (root·√t + η·t·l2)."""
    w = saturated(soft_threshold(f.theta[slot], view.threshold) * view.inverse)
    return float(confine(f.domain, view.pressure, w))


@absorb.of(Composite)
def _absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    before = f.theta[slot]
    f.theta[slot] = saturated(before + coefficient * x)
    follow(f.domain, f.theta, before, f.theta[slot])


@commit.of(Composite)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    f.rounds[0] += 1.0
    if coefficient != 0.0:
        absorb_row(f, view, row, coefficient)

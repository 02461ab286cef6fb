"""Domains S: f_t is +∞ outside, so ∇f_t*(θ) = argmax over S of ⟨v, θ⟩ − f_t(v), and w_t ∈ S always.

In compiled code a domain answers ``settle`` once a round (one scalar about the whole of θ) and
``confine`` for each coordinate read. Both are exact for f_t = c/2·‖·‖² on every domain, and for any
separable f_t on the separable domains (whole space, box, orthant).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import required_verb, verb
from fenchel._kernel.rows import LARGEST, saturated
from fenchel._kernel.state import SCALAR, Array, part


@verb
def settle(domain: Any, theta: Array, curvature: float, row: Any) -> float:
    """One scalar about the unconstrained w = θ/curvature that ``confine`` needs."""
    return 0.0


@required_verb
def confine(domain: Any, pressure: float, w: float) -> Any:
    """The coordinate of the constrained maximiser, from that of the unconstrained one."""


@verb
def follow(domain: Any, before: float, after: float) -> None:
    """Told of each change of a θ_j."""


@part
class Whole(NamedTuple):
    """The whole space: no constraint.

    >>> Whole().project(np.array([3.0, -4.0]))
    array([ 3., -4.])
    """

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return True

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂."""
        return w


@confine.of(Whole)
def _whole(domain: Any, pressure: float, w: float) -> float:
    return w


@part
class Ball(NamedTuple):
    """The Euclidean ball ‖w‖₂ ≤ radius.

    >>> Ball(radius=1.0).project(np.array([3.0, -4.0]))
    array([ 0.6, -0.8])
    """

    radius: float = 1.0
    squares: Array = SCALAR

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return False

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂."""
        size = np.linalg.norm(w)
        return w * (self.radius / size) if size > self.radius else w


@settle.of(Ball)
def _ball_settle(domain: Any, theta: Array, curvature: float, row: Any) -> float:
    """min(1, radius/‖θ/c‖)."""
    size = np.sqrt(max(domain.squares[0], 0.0)) / curvature
    return float(domain.radius / size) if size > domain.radius else 1.0


@confine.of(Ball)
def _ball(domain: Any, pressure: float, w: float) -> float:
    return w * pressure


@follow.of(Ball)
def _ball_follow(domain: Any, before: float, after: float) -> None:
    """‖θ‖² ← ‖θ‖² + after² − before²."""
    domain.squares[0] = saturated(domain.squares[0] + (after - before) * (after + before))


@part
class Box(NamedTuple):
    """lower ≤ w_j ≤ upper for every coordinate.

    >>> Box(lower=-1.0, upper=2.0).project(np.array([3.0, -4.0]))
    array([ 2., -1.])
    """

    lower: float = -1.0
    upper: float = 1.0

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return True

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂."""
        return np.clip(w, self.lower, self.upper)


@confine.of(Box)
def _box(domain: Any, pressure: float, w: float) -> float:
    return float(min(max(w, domain.lower), domain.upper))


@part
class Orthant(NamedTuple):
    """w_j ≥ 0 for every coordinate.

    >>> Orthant().project(np.array([3.0, -4.0]))
    array([3., 0.])
    """

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return True

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂."""
        return np.maximum(w, 0.0)


@confine.of(Orthant)
def _orthant(domain: Any, pressure: float, w: float) -> float:
    return max(w, 0.0)


@part
class Simplex(NamedTuple):
    """w_j ≥ 0 with Σ w_j = total. A round costs the number of coordinates, not of non-zeros.

    ``dimension``, the number of coordinates, is kept by the learner.

    >>> Simplex(total=1.0).project(np.array([0.6, 0.8, -1.0]))
    array([0.4, 0.6, 0. ])
    """

    total: float = 1.0
    dimension: Array = SCALAR

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return False

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂: [w − τ]₊ with τ such that the sum is right."""
        ordered = np.sort(w)[::-1]
        excess = (np.cumsum(ordered) - self.total) / np.arange(1, len(w) + 1)
        tau = excess[np.nonzero(ordered > excess)[0][-1]]
        return np.asarray(np.maximum(w - tau, 0.0))


@settle.of(Simplex)
def _simplex_settle(domain: Any, theta: Array, curvature: float, row: Any) -> float:
    """τ with Σ [θ_j/c − τ]₊ = total, by Newton's steps on a convex, piecewise linear function."""
    first = 0 if row.bias != 0.0 else 1
    n = int(domain.dimension[0])
    tau = -LARGEST
    while True:
        above = 0.0
        count = 0
        for j in range(first, first + n):
            w = theta[j] / curvature
            if w > tau:
                above += w
                count += 1
        if count == 0:
            return tau
        better = (above - domain.total) / count
        if better <= tau:
            return tau
        tau = better


@confine.of(Simplex)
def _simplex(domain: Any, pressure: float, w: float) -> float:
    return max(w - pressure, 0.0)

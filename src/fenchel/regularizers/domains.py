"""Domains S: f_t is +∞ outside, so ∇f_t*(θ) = argmax over S of ⟨v, θ⟩ − f_t(v), and w_t ∈ S always.

In compiled code a domain answers ``settle`` once a round (what the whole of θ asks for) and
``confine`` for each coordinate read. Both are exact for f_t = c/2·‖·‖² on every domain, and for any
separable f_t on the separable domains (whole space, box, orthant).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper, required_verb, verb
from fenchel._kernel.rows import LARGEST, saturated
from fenchel._kernel.state import SCALAR, Array, part

# A sum of squares this far below its peak has lost digits to cancellation.
WORN = 1e-4
# Squares above this may have overflowed: the norm is then taken in units of the largest θ_j.
HUGE = 1e300


@verb
def settle(domain: Any, theta: Array, curvature: float, row: Any) -> Any:
    """What ``confine`` needs to know of the whole of the unconstrained w = θ/curvature."""
    return 0.0


@required_verb
def confine(domain: Any, pressure: Any, w: float) -> Any:
    """The coordinate of the constrained maximiser, from that of the unconstrained one."""


@verb
def follow(domain: Any, theta: Array, before: float, after: float) -> None:
    """Told of each change of a θ_j, once θ holds it."""


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
    peak: Array = SCALAR

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return False

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂."""
        size = np.linalg.norm(w)
        return w * (self.radius / size) if size > self.radius else w


@helper
def _sum_of_squares(theta: Array, unit: float) -> float:
    """‖θ/unit‖²."""
    total = 0.0
    for j in range(theta.shape[0]):
        total += (theta[j] / unit) * (theta[j] / unit)
    return total


@settle.of(Ball)
def _ball_settle(domain: Any, theta: Array, curvature: float, row: Any) -> float:
    """min(1, radius/‖θ/c‖)."""
    size = np.sqrt(max(domain.squares[0], 0.0)) / curvature
    if domain.squares[0] > HUGE:
        largest = 0.0
        for j in range(theta.shape[0]):
            largest = max(largest, abs(theta[j]))
        size = largest / curvature * np.sqrt(_sum_of_squares(theta, largest))
    return float(domain.radius / size) if size > domain.radius else 1.0


@confine.of(Ball)
def _ball(domain: Any, pressure: float, w: float) -> float:
    return w * pressure


@follow.of(Ball)
def _ball_follow(domain: Any, theta: Array, before: float, after: float) -> None:
    """‖θ‖² ← ‖θ‖² + after² − before², summed anew once it fell far below its peak."""
    # By halves: with the largest floats the sum or the difference would be ∞, and ∞·0 is NaN.
    change = 4.0 * ((0.5 * after - 0.5 * before) * (0.5 * after + 0.5 * before))
    domain.squares[0] = saturated(domain.squares[0] + change)
    if domain.squares[0] < WORN * domain.peak[0]:
        domain.squares[0] = saturated(_sum_of_squares(theta, 1.0))
        domain.peak[0] = 0.0
    domain.peak[0] = max(domain.peak[0], domain.squares[0])


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
        w = w - w.max()  # where Σ = total is below the last digit of w, a difference still shows it
        ordered = np.sort(w)[::-1]
        excess = (np.cumsum(ordered) - self.total) / np.arange(1, len(w) + 1)
        tau = excess[np.nonzero(ordered > excess)[0][-1]]
        return np.asarray(np.maximum(w - tau, 0.0))


@settle.of(Simplex)
def _simplex_settle(domain: Any, theta: Array, curvature: float, row: Any) -> tuple[float, float]:
    """The largest w, and the τ with Σ [w_j − largest − τ]₊ = total.

    τ by Newton's steps on a convex, piecewise linear function, from −total upwards. Two numbers:
    their sum would lose a small total beside a large w.
    """
    first = 0 if row.bias != 0.0 else 1
    last = first + int(domain.dimension[0])
    largest = -LARGEST
    for j in range(first, last):
        largest = max(largest, theta[j] / curvature)
    tau = -domain.total
    while True:
        above = 0.0
        count = 0
        for j in range(first, last):
            w = theta[j] / curvature - largest
            if w > tau:
                above += w
                count += 1
        better = (above - domain.total) / count if count > 0 else tau
        if better <= tau:
            return largest, tau
        tau = better


@confine.of(Simplex)
def _simplex(domain: Any, pressure: tuple[float, float], w: float) -> float:
    return max(w - pressure[0] - pressure[1], 0.0)

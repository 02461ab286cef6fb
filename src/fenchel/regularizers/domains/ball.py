"""The Euclidean ball."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel.parts.state import SCALAR, Array, part
from fenchel.regularizers.domains.protocol import climb_on, confine, follow, follow_all, settle
from fenchel.rows.types import entries, saturated, slot_of, value_of

# A sum of squares this far below its peak has lost digits to cancellation.
WORN = 1e-4
# Squares above this may have overflowed: the norm is then taken in units of the largest θ_j.
HUGE = 1e300


@part
class Ball(NamedTuple):
    """The Euclidean ball ‖w‖₂ ≤ radius.

    >>> Ball(radius=1.0).project(np.array([3.0, -4.0]))
    array([ 0.6, -0.8])
    """

    radius: float = 1.0
    squares: Array = SCALAR
    peak: Array = SCALAR

    def refuse(self) -> None:
        """Raise for parameters that describe no ball."""
        if not 0.0 < self.radius < np.inf:
            raise ValueError(f"radius={self.radius!r} must be a positive number")

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return False

    @property
    def unbounded(self) -> bool:
        """Whether S is the whole space."""
        return False

    @property
    def cone(self) -> bool:
        """Whether multiples of its points are in S."""
        return False

    @property
    def fixed(self) -> bool:
        """Whether S stays the same as coordinates are added."""
        return True

    @property
    def steady(self) -> bool:
        """Whether untouched weights move by a common factor alone."""
        return True

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
def _settle(domain: Any, theta: Array, curvature: float, row: Any) -> float:
    """min(1, radius/‖θ/c‖)."""
    size = np.sqrt(max(domain.squares[0], 0.0)) / curvature
    if domain.squares[0] > HUGE:
        largest = 0.0
        for j in range(theta.shape[0]):
            largest = max(largest, abs(theta[j]))
        size = largest / curvature * np.sqrt(_sum_of_squares(theta, largest))
    return float(domain.radius / size) if size > domain.radius else 1.0


@confine.of(Ball)
def _confine(domain: Any, pressure: float, w: float) -> float:
    return w * pressure


@follow.of(Ball)
def _follow(domain: Any, theta: Array, before: float, after: float) -> None:
    """‖θ‖² ← ‖θ‖² + after² − before², summed anew once it fell far below its peak."""
    # By halves: with the largest floats the sum or the difference would be ∞, and ∞·0 is NaN.
    change = 4.0 * ((0.5 * after - 0.5 * before) * (0.5 * after + 0.5 * before))
    domain.squares[0] = saturated(domain.squares[0] + change)
    if domain.squares[0] < WORN * domain.peak[0]:
        domain.squares[0] = saturated(_sum_of_squares(theta, 1.0))
        domain.peak[0] = 0.0
    domain.peak[0] = max(domain.peak[0], domain.squares[0])


@helper
def _conjugate(square: float, curvature: float, radius: float) -> float:
    """f*(θ) of curvature/2·‖·‖² on a ball, from ‖θ‖²."""
    length = np.sqrt(max(square, 0.0))
    if length <= radius * curvature:
        return float(0.5 * length * length / curvature)
    return float(radius * length - 0.5 * curvature * radius * radius)


@climb_on.of(Ball)
def _climb(domain: Any, f: Any, view: Any, row: Any, c: float) -> float:
    gain = 0.0
    for k in range(entries(row)):
        z = c * value_of(row, k)
        gain += z * (2.0 * f.theta[slot_of(row, k)] + z)
    square = domain.squares[0]
    after = _conjugate(square + gain, view.curvature, domain.radius)
    return float(after - _conjugate(square, view.curvature, domain.radius))


@follow_all.of(Ball)
def _follow_all(domain: Any, theta: Array) -> None:
    domain.squares[0] = domain.peak[0] = min(float(np.vdot(theta, theta)), np.finfo(float).max)

"""The simplex."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import DIMENSION, Array, part
from fenchel.regularizers.domains.protocol import climb_on, confine, no_pressure, settle
from fenchel.rows.types import LARGEST


@part
class Simplex(NamedTuple):
    """w_j ≥ 0 with Σ w_j = total. A round costs the number of coordinates, not of non-zeros.

    ``dimension``, the number of coordinates, is kept by the learner.

    >>> Simplex(total=1.0).project(np.array([0.6, 0.8, -1.0]))
    array([0.4, 0.6, 0. ])
    """

    total: float = 1.0
    dimension: Array = DIMENSION

    def refuse(self) -> None:
        """Raise for parameters that describe no simplex."""
        if not 0.0 < self.total < np.inf:
            raise ValueError(f"total={self.total!r} must be a positive number")

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
        return False

    @property
    def steady(self) -> bool:
        """Whether untouched weights move by a common factor alone: each change moves all."""
        return False

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂: [w − τ]₊ with τ such that the sum is right."""
        w = w - w.max()  # where Σ = total is below the last digit of w, a difference still shows it
        ordered = np.sort(w)[::-1]
        excess = (np.cumsum(ordered) - self.total) / np.arange(1, len(w) + 1)
        tau = excess[np.nonzero(ordered > excess)[0][-1]]
        return np.asarray(np.maximum(w - tau, 0.0))


@settle.of(Simplex)
def _settle(domain: Any, theta: Array, curvature: float, row: Any) -> tuple[float, float]:
    """The largest w, and the τ with Σ [w_j − largest − τ]₊ = total.

    τ by Newton's steps on a convex, piecewise linear function, from −total upwards. Two numbers:
    their sum would lose a small total beside a large w.
    """
    first = 0 if row.bias != 0.0 else 1
    last = first + int(domain.dimension[0])
    room = theta.shape[0]  # coordinates beyond are only read: their θ_j is 0
    largest = -LARGEST
    for j in range(first, last):
        largest = max(largest, theta[j] / curvature if j < room else 0.0)
    tau = -domain.total
    while True:
        above = 0.0
        count = 0
        for j in range(first, last):
            w = (theta[j] / curvature if j < room else 0.0) - largest
            if w > tau:
                above += w
                count += 1
        better = (above - domain.total) / count if count > 0 else tau
        if not better > tau:  # NaN too: nothing may loop for ever
            return largest, tau
        tau = better


@confine.of(Simplex)
def _confine(domain: Any, pressure: tuple[float, float], w: float) -> float:
    return max(w - pressure[0] - pressure[1], 0.0)


@no_pressure.of(Simplex)
def _no_pressure(domain: Any) -> tuple[float, float]:
    return 0.0, 0.0


@climb_on.of(Simplex)
def _climb(domain: Any, f: Any, view: Any, row: Any, c: float) -> float:
    """NaN: every coordinate moves."""
    return float(np.nan)

"""The whole space."""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel.parts.state import Array, part
from fenchel.regularizers.domains.protocol import (
    confine,
    followed,
    rise,
    soft_threshold,
    unbounded,
)
from fenchel.rows.sums import alike


@part
@alike
class Whole(NamedTuple):
    """The whole space: no constraint.

    >>> import numpy as np
    >>> Whole().project(np.array([3.0, -4.0]))
    array([ 3., -4.])
    """

    @property
    def separable(self) -> bool:
        """Whether S is a product of intervals."""
        return True

    @property
    def unbounded(self) -> bool:
        """Whether S is the whole space."""
        return True

    @property
    def cone(self) -> bool:
        """Whether multiples of its points are in S."""
        return True

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
        return w


@confine.of(Whole)
def _whole(domain: Any, pressure: float, w: float) -> float:
    return w


@unbounded.of(Whole)
def _unbounded(domain: Any) -> bool:
    return True


@followed.of(Whole)
def _followed(domain: Any) -> bool:
    return True


@rise.of(Whole)
def _rise(domain: Any, before: float, after: float, inverse: float, threshold: float) -> float:
    """On the whole space a coordinate of f_t* is ½·soft(θ)² over the curvature."""
    low, high = soft_threshold(before, threshold), soft_threshold(after, threshold)
    return float(0.5 * inverse * (high - low) * (high + low))

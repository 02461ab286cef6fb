"""The non-negative orthant."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import Array, part
from fenchel.regularizers.domains.protocol import confine, followed


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

    @property
    def unbounded(self) -> bool:
        """Whether S is the whole space."""
        return False

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
        return np.maximum(w, 0.0)


@confine.of(Orthant)
def _confine(domain: Any, pressure: float, w: float) -> float:
    return max(w, 0.0)


@followed.of(Orthant)
def _followed(domain: Any) -> bool:
    return True

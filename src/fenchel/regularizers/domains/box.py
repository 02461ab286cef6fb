"""The box."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import Array, part
from fenchel.regularizers.domains.protocol import confine


@part
class Box(NamedTuple):
    """lower ≤ w_j ≤ upper for every coordinate.

    >>> Box(lower=-1.0, upper=2.0).project(np.array([3.0, -4.0]))
    array([ 2., -1.])
    """

    lower: float = -1.0
    upper: float = 1.0

    def refuse(self) -> None:
        """Raise for parameters that describe no box."""
        if not self.lower <= self.upper:
            raise ValueError(f"lower={self.lower!r} must not lie above upper={self.upper!r}")

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
        return False

    @property
    def fixed(self) -> bool:
        """Whether S stays the same as coordinates are added: 0 must lie in it."""
        return self.lower <= 0.0 <= self.upper

    @property
    def steady(self) -> bool:
        """Whether untouched weights move by a common factor alone: not where they meet a wall."""
        return False

    def project(self, w: Array) -> Array:
        """argmin over S of ‖v − w‖₂."""
        return np.clip(w, self.lower, self.upper)


@confine.of(Box)
def _confine(domain: Any, pressure: float, w: float) -> float:
    return float(min(max(w, domain.lower), domain.upper))

"""Parts as the paper prints them and the errata correct them: to watch the theorems fail.

They run through Algorithm 1 in NumPy alone, never through the compiled loops.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.losses.protocol import derivative, value
from fenchel.parts.state import Array, part
from fenchel.regularizers import Entropic, ScaleInvariantPNorm


@part
class Slope(NamedTuple):
    """ℓ(m, y) = y·m: a linear loss whose slope is the label."""

    @property
    def lipschitz(self) -> float:
        """|y| ≤ 1 in the counterexamples."""
        return 1.0

    @property
    def task(self) -> str:
        """Labels are numbers."""
        return "regression"


@value.of(Slope)
def _value(loss: Any, margin: float, y: float) -> float:
    return y * margin


@derivative.of(Slope)
def _derivative(loss: Any, margin: float, y: float) -> float:
    return y


class PrintedPNorm(ScaleInvariantPNorm):
    """Eq. (update1) as printed, with its factor 1/(p_t − 1)."""

    def gradient(self, theta: Array) -> Array:
        """The weights, too small by p_t − 1."""
        return super().gradient(theta) / (self.p - 1.0)


class PrintedExponent(ScaleInvariantPNorm):
    """p_t = 2·ln m_t as printed."""

    @property
    def p(self) -> float:
        """Below 2 where rows have fewer than three non-zeros."""
        return 2.0 * float(np.log(self.longest[0]))


class PlainEntropy(Entropic):
    """Σ v·ln v without the ln d that makes it ≥ 0."""

    def value(self, u: Array) -> float:
        """f(u), negative inside the simplex."""
        return super().value(u) - float(np.log(len(u)))

    def conjugate(self, theta: Array) -> float:
        """f*(θ)."""
        return super().conjugate(theta) + float(np.log(len(theta)))

"""The logistic loss."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.losses.protocol import derivative, value
from fenchel.parts.state import Array, part


@part
class Logistic(NamedTuple):
    """ℓ(m, y) = ln(1 + exp(−y·m)) for y = ±1; the sigmoid of a margin is a probability.

    >>> round(value(Logistic(), 0.0, 1.0), 6), derivative(Logistic(), 0.0, 1.0)
    (0.693147, -0.5)
    >>> value(Logistic(), -1e4, 1.0)  # no overflow
    10000.0
    """

    @property
    def lipschitz(self) -> float:
        """|ℓ′| < 1."""
        return 1.0

    @property
    def task(self) -> str:
        """Labels are ±1."""
        return "binary"

    def probability(self, margins: Array) -> Array:
        """1/(1 + exp(−m)), the probability of +1."""
        return np.exp(-np.logaddexp(0.0, -margins))


@value.of(Logistic)
def _logistic_value(loss: Any, margin: float, y: float) -> float:
    """ln(1 + e^{−ym}), the larger exponent factored out."""
    s = y * margin
    return float(max(0.0, -s) + np.log1p(np.exp(-abs(s))))


@derivative.of(Logistic)
def _logistic_derivative(loss: Any, margin: float, y: float) -> float:
    """−y / (1 + e^{ym})."""
    s = y * margin
    small = np.exp(-abs(s))
    share = small / (1.0 + small) if s > 0.0 else 1.0 / (1.0 + small)
    return float(-y * share)

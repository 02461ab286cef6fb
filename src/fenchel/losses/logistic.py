"""The logistic loss."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.losses.protocol import derivative, flow, value
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


# Newton's method on a convex function, from above: a handful of steps reach the last bit.
MOST_STEPS = 60


@flow.of(Logistic)
def _logistic_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """y·(q + d) with q = y·m and d + e^q·(e^d − 1) = s."""
    q = y * margin
    if q > 700.0 or reach == 0.0:  # the slope is below the floats
        return float(margin)
    at = float(np.exp(q))
    d = min(reach, float(np.log1p(reach / at)) if at > 0.0 else reach)  # both above the root
    for _ in range(MOST_STEPS):
        rest = d + at * float(np.expm1(d)) - reach
        closer = d - rest / (1.0 + at * float(np.exp(d)))
        if not closer < d:
            break
        d = closer
    return float(y * (q + max(d, 0.0)))

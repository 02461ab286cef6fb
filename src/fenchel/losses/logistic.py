"""The logistic loss."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.libm import exp, expm1, log, log1p
from fenchel.losses.protocol import derivative, flow, proximal, value
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
    return float(max(0.0, -s) + log1p(exp(-abs(s))))


@helper
def other_side(s: float) -> float:
    """1/(1 + e^s)."""
    small = exp(-abs(s))
    return float(small / (1.0 + small) if s > 0.0 else 1.0 / (1.0 + small))


@derivative.of(Logistic)
def _logistic_derivative(loss: Any, margin: float, y: float) -> float:
    """−y / (1 + e^{ym})."""
    return float(-y * other_side(y * margin))


# Newton's method on a convex function, from above: a handful of steps reach the last bit.
MOST_STEPS = 60


@flow.of(Logistic)
def _logistic_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """y·(q + d) with q = y·m and d + e^q·(e^d − 1) = s."""
    q = y * margin
    if q > 700.0 or reach == 0.0:  # the slope is below the floats
        return float(margin)
    at = float(exp(q))
    d = min(reach, float(log1p(reach / at)) if at > 0.0 else reach)  # both above the root
    for _ in range(MOST_STEPS):
        rest = d + at * float(expm1(d)) - reach
        closer = d - rest / (1.0 + at * float(exp(d)))
        if not closer < d:
            break
        d = closer
    return float(y * (q + max(d, 0.0)))


# A longer reach has a bound of its own to begin from.
FAR = 6.0


@helper
def logistic_proximal(margin: float, y: float, reach: float) -> float:
    """The p with p = m + reach·y/(1 + e^{yp}): y·u with u − reach/(1 + e^u) = q, q = y·m, by Newton's method.

    The left side bends down where u > 0 and up where u < 0: steps from below a positive root, and from above
    a negative one, never pass it.
    """
    q = y * margin
    rises = q > -0.5 * reach
    u = max(q, 0.0) if rises else min(q + reach, 0.0)
    if rises and reach > FAR:
        size = log(0.5 * reach)
        u = max(u, size - log(size + max(-q, 0.0)))
    for _ in range(MOST_STEPS):
        share = other_side(u)
        closer = u - (u - reach * share - q) / (1.0 + reach * share * (1.0 - share))
        if not (closer > u if rises else closer < u):
            break
        u = closer
    return float(y * u)


@proximal.of(Logistic)
def _logistic_proximal(loss: Any, margin: float, y: float, reach: float) -> float:
    return logistic_proximal(margin, y, reach)

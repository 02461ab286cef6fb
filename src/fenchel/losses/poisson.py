"""The Poisson loss: counts, whose mean is the exponential of the margin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.libm import exp, expm1, log, log1p
from fenchel.losses.protocol import derivative, flow, margin_for, value
from fenchel.parts.state import part
from fenchel.rows.types import LARGEST, saturated

# From a mean of e^30, some 10^13, on the loss goes on as a line: still convex, and no steeper.
STEEPEST = 30.0
NOTHING = -750.0  # the margin of a mean of 0: its exponential is 0


@part
class Poisson(NamedTuple):
    """ℓ(m, y) = e^m − y·m − (y − y·ln y) for counts y ≥ 0: half the deviance of the mean e^m.

    Its minimiser is the logarithm of the mean of y. Convex; beyond m = 30 it goes on as a line, so that
    the slope is at most 10^13 − y: means above count as that. Steps along so steep a slope may
    overshoot. The rule ``Invariant`` follows it as it falls, and never does.

    >>> value(Poisson(), 0.0, 1.0), derivative(Poisson(), 0.0, 3.0)
    (0.0, -2.0)
    >>> Poisson().mean(np.array([0.0, 750.0]))  # a mean stays finite
    array([1.00000000e+00, 1.06864746e+13])
    """

    @property
    def lipschitz(self) -> None:
        """The derivative is unbounded."""
        return None

    @property
    def task(self) -> str:
        """Labels are numbers, none of them negative."""
        return "regression"

    @property
    def counts(self) -> bool:
        """Whether labels must not be negative."""
        return True

    def mean(self, margins: Any) -> Any:
        """e^m, the mean that a margin predicts."""
        found = np.exp(np.minimum(margins, STEEPEST))
        return found if isinstance(margins, np.ndarray) else float(found)


@helper
def _mean(margin: float) -> float:
    """e^m, finite."""
    return float(exp(min(margin, STEEPEST)))


@value.of(Poisson)
def _poisson_value(loss: Any, margin: float, y: float) -> float:
    """e^m − y·m − (y − y·ln y); beyond m = 30 a line."""
    mean = _mean(margin)
    beyond = saturated(mean * max(margin - STEEPEST, 0.0))
    if y <= 0.0:
        return saturated(mean + beyond)
    gained = saturated(y * (margin - float(log(y))))
    return max(0.0, saturated(mean - y - gained + beyond))


@derivative.of(Poisson)
@helper
def _poisson_derivative(loss: Any, margin: float, y: float) -> float:
    """e^m − y."""
    return _mean(margin) - max(y, 0.0)


@flow.of(Poisson)
def _poisson_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """m − ln(1 + (e^m − y)·t), t = (1 − e^{−s·y})/y: s where y = 0; far below ln y without cancelling."""
    slope = _poisson_derivative(loss, margin, y)
    if margin > STEEPEST:  # down the line first
        line = (margin - STEEPEST) / slope if slope > 0.0 else np.inf
        if reach <= line:
            return margin - max(slope, 0.0) * reach
        margin, reach = STEEPEST, reach - line
    far = saturated(reach * max(y, 0.0))
    time = reach if far < 1e-15 else -float(expm1(-far)) / y
    grown = slope * time
    if grown > -0.5:
        return margin - float(log1p(min(grown, LARGEST)))
    rest, new = -margin - far, float(log(time))  # e^−p = e^(−m − s·y) + t
    larger = max(rest, new)
    found = -larger - float(log(exp(rest - larger) + exp(new - larger)))
    return min(found, STEEPEST)


@margin_for.of(Poisson)
def _poisson_margin(loss: Any, y: float) -> float:
    """ln y."""
    return float(log(y)) if y > 0.0 else NOTHING

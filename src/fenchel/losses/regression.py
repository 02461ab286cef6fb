"""Losses of regression: squared, absolute, ε-insensitive, quantile, Huber."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba.libm import exp, expm1
from fenchel.losses.protocol import derivative, flow, shortest, value
from fenchel.parts.state import Array, part


@part
class Squared(NamedTuple):
    """ℓ(m, y) = ½·(m − y)² (Section 4): not Lipschitz.

    >>> value(Squared(), 3.0, 1.0), derivative(Squared(), 3.0, 1.0)
    (2.0, 2.0)
    """

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "squared"

    @property
    def lipschitz(self) -> None:
        """The derivative is unbounded."""
        return None

    @property
    def task(self) -> str:
        """Labels are numbers."""
        return "regression"


@value.of(Squared)
def _squared_value(loss: Any, margin: float, y: float) -> float:
    """½·(m − y)²."""
    return 0.5 * (margin - y) * (margin - y)


@derivative.of(Squared)
def _squared_derivative(loss: Any, margin: float, y: float) -> float:
    """m − y."""
    return margin - y


@flow.of(Squared)
def _squared_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """y + (m − y)·e^{−s}."""
    return float(margin + (margin - y) * expm1(-reach))


@part
class Absolute(NamedTuple):
    """ℓ(m, y) = |m − y|; the derivative at the kink m = y is 0.

    >>> value(Absolute(), 3.0, 1.0), derivative(Absolute(), 3.0, 1.0), derivative(Absolute(), 1.0, 1.0)
    (2.0, 1.0, 0.0)
    """

    @property
    def lipschitz(self) -> float:
        """|ℓ′| ≤ 1."""
        return 1.0

    @property
    def task(self) -> str:
        """Labels are numbers."""
        return "regression"

    def prox(self, m: Array, y: Array, step: float) -> Array:
        """argmin over p of ℓ(p, y) + (p − m)²/(2·step): towards y, by at most ``step``."""
        return np.asarray(m - np.clip(m - y, -step, step))


@value.of(Absolute)
def _absolute_value(loss: Any, margin: float, y: float) -> float:
    """|m − y|."""
    return abs(margin - y)


@derivative.of(Absolute)
def _absolute_derivative(loss: Any, margin: float, y: float) -> float:
    """sign(m − y), 0 at m = y."""
    if margin > y:
        return 1.0
    if margin < y:
        return -1.0
    return 0.0


@flow.of(Absolute)
def _absolute_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """Towards y, by at most s."""
    return float(margin - min(max(margin - y, -reach), reach))


@part
class EpsilonInsensitive(NamedTuple):
    """ℓ(m, y) = [|m − y| − ε]₊; the derivative at the two kinks |m − y| = ε is 0.

    >>> loss = EpsilonInsensitive(epsilon=0.5)
    >>> value(loss, 2.0, 1.0), derivative(loss, 2.0, 1.0), derivative(loss, 1.5, 1.0)
    (0.5, 1.0, 0.0)
    """

    epsilon: float = 0.1

    @property
    def lipschitz(self) -> float:
        """|ℓ′| ≤ 1."""
        return 1.0

    @property
    def task(self) -> str:
        """Labels are numbers."""
        return "regression"

    def prox(self, m: Array, y: Array, step: float) -> Array:
        """argmin over p of ℓ(p, y) + (p − m)²/(2·step): towards |p − y| = ε, by at most ``step``."""
        r = m - y
        beyond = np.maximum(np.abs(r) - self.epsilon, 0.0)
        return np.asarray(m - np.sign(r) * np.minimum(beyond, step))


@value.of(EpsilonInsensitive)
def _insensitive_value(loss: Any, margin: float, y: float) -> float:
    """[|m − y| − ε]₊."""
    return float(max(0.0, abs(margin - y) - loss.epsilon))


@derivative.of(EpsilonInsensitive)
def _insensitive_derivative(loss: Any, margin: float, y: float) -> float:
    """sign(m − y) where |m − y| > ε, else 0."""
    if margin - y > loss.epsilon:
        return 1.0
    if y - margin > loss.epsilon:
        return -1.0
    return 0.0


@flow.of(EpsilonInsensitive)
def _insensitive_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """Towards |m − y| = ε, by at most s."""
    beyond = min(max(abs(margin - y) - loss.epsilon, 0.0), reach)
    return float(margin - beyond) if margin > y else float(margin + beyond)


@part
class Quantile(NamedTuple):
    """ℓ(m, y) = τ·(y − m) above the prediction, (1 − τ)·(m − y) below it; 0 at the kink m = y.

    Its minimiser is the τ-quantile of y.

    >>> loss = Quantile(tau=0.9)
    >>> round(value(loss, 0.0, 1.0), 6), derivative(loss, 0.0, 1.0), derivative(loss, 1.0, 1.0)
    (0.9, -0.9, 0.0)
    """

    tau: float = 0.5

    @property
    def text(self) -> str:
        """The loss as users write it."""
        return f"quantile:{shortest(self.tau)}"

    @property
    def level(self) -> float:
        """Of which quantile it is."""
        return self.tau

    @property
    def lipschitz(self) -> float:
        """|ℓ′| ≤ max(τ, 1 − τ)."""
        return max(self.tau, 1.0 - self.tau)

    @property
    def task(self) -> str:
        """Labels are numbers."""
        return "regression"

    def prox(self, m: Array, y: Array, step: float) -> Array:
        """argmin over p of ℓ(p, y) + (p − m)²/(2·step): towards y, by at most τ or 1 − τ steps."""
        return np.asarray(m - np.clip(m - y, -self.tau * step, (1.0 - self.tau) * step))


@value.of(Quantile)
def _quantile_value(loss: Any, margin: float, y: float) -> float:
    """max(τ·(y − m), (1 − τ)·(m − y))."""
    return float(max(loss.tau * (y - margin), (1.0 - loss.tau) * (margin - y)))


@derivative.of(Quantile)
def _quantile_derivative(loss: Any, margin: float, y: float) -> float:
    """−τ where m < y, 1 − τ where m > y, 0 at m = y."""
    if margin < y:
        return -float(loss.tau)
    if margin > y:
        return 1.0 - float(loss.tau)
    return 0.0


@flow.of(Quantile)
def _quantile_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """Towards y, by at most τ·s from below and (1 − τ)·s from above."""
    return float(margin - min(max(margin - y, -loss.tau * reach), (1.0 - loss.tau) * reach))


@part
class Huber(NamedTuple):
    """ℓ(m, y) = ½·(m − y)² for |m − y| ≤ δ, δ·|m − y| − ½δ² beyond: smooth and δ-Lipschitz.

    >>> loss = Huber(delta=1.0)
    >>> value(loss, 0.5, 0.0), value(loss, 3.0, 0.0), derivative(loss, 3.0, 0.0)
    (0.125, 2.5, 1.0)
    """

    delta: float = 1.0

    @property
    def text(self) -> str:
        """The loss as users write it."""
        return f"huber:{shortest(self.delta)}"

    @property
    def lipschitz(self) -> float:
        """|ℓ′| ≤ δ."""
        return self.delta

    @property
    def task(self) -> str:
        """Labels are numbers."""
        return "regression"


@value.of(Huber)
def _huber_value(loss: Any, margin: float, y: float) -> float:
    """½·r² for |r| ≤ δ, else δ·(|r| − ½δ), with r = m − y."""
    size = abs(margin - y)
    if size <= loss.delta:
        return 0.5 * size * size
    return float(loss.delta * (size - 0.5 * loss.delta))


@derivative.of(Huber)
def _huber_derivative(loss: Any, margin: float, y: float) -> float:
    """m − y, held inside [−δ, δ]."""
    return float(min(max(margin - y, -loss.delta), loss.delta))


@flow.of(Huber)
def _huber_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """By δ·s until |m − y| = δ, then (m − y)·e^{−s}."""
    r = margin - y
    line = max(abs(r) / loss.delta - 1.0, 0.0)  # the time that the straight part takes
    if reach <= line:
        return float(margin - loss.delta * reach) if r > 0.0 else float(margin + loss.delta * reach)
    left = min(max(r, -loss.delta), loss.delta)
    return float(y + left * exp(line - reach))

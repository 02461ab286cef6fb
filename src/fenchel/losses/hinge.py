"""Losses of classification that vanish beyond a margin: hinge, squared hinge, max-margin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper
from fenchel._numba.libm import expm1
from fenchel.losses.protocol import derivative, flow, value
from fenchel.parts.state import Array, part


@part
class Hinge(NamedTuple):
    """ℓ(m, y) = [1 − y·m]₊ for y = ±1 (Section 6).

    At the kink y·m = 1 the derivative is 0: a margin of exactly 1 is no loss.

    >>> value(Hinge(), 0.25, 1.0), derivative(Hinge(), 0.25, 1.0), derivative(Hinge(), 1.0, 1.0)
    (0.75, -1.0, 0.0)
    """

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "hinge"

    @property
    def lipschitz(self) -> float:
        """|ℓ′| ≤ 1."""
        return 1.0

    @property
    def task(self) -> str:
        """Labels are ±1."""
        return "binary"

    def prox(self, m: Array, y: Array, step: float) -> Array:
        """argmin over p of ℓ(p, y) + (p − m)²/(2·step): towards y·m = 1, by at most ``step``."""
        s = y * m
        return np.asarray(y * np.where(s < 1.0, np.minimum(s + step, 1.0), s))


@value.of(Hinge)
def _hinge_value(loss: Any, margin: float, y: float) -> float:
    """[1 − y·m]₊."""
    return max(0.0, 1.0 - y * margin)


@derivative.of(Hinge)
def _hinge_derivative(loss: Any, margin: float, y: float) -> float:
    """−y where y·m < 1, else 0."""
    return -y if y * margin < 1.0 else 0.0


@flow.of(Hinge)
def _hinge_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """y·min(y·m + s, 1), where y·m < 1."""
    s = y * margin
    return float(y * min(s + reach, 1.0)) if s < 1.0 else float(margin)


@part
class SquaredHinge(NamedTuple):
    """ℓ(m, y) = ½·[1 − y·m]₊² for y = ±1: smooth, not Lipschitz.

    >>> value(SquaredHinge(), 0.0, -1.0), derivative(SquaredHinge(), 0.0, -1.0)
    (0.5, 1.0)
    """

    @property
    def lipschitz(self) -> None:
        """The derivative is unbounded."""
        return None

    @property
    def task(self) -> str:
        """Labels are ±1."""
        return "binary"


@value.of(SquaredHinge)
def _squared_hinge_value(loss: Any, margin: float, y: float) -> float:
    """½·[1 − y·m]₊²."""
    gap = max(0.0, 1.0 - y * margin)
    return 0.5 * gap * gap


@derivative.of(SquaredHinge)
def _squared_hinge_derivative(loss: Any, margin: float, y: float) -> float:
    """−y·[1 − y·m]₊."""
    return -y * max(0.0, 1.0 - y * margin)


@flow.of(SquaredHinge)
def _squared_hinge_flow(loss: Any, margin: float, y: float, reach: float) -> float:
    """The gap 1 − y·m shrinks by e^{−s}."""
    return float(margin - y * max(0.0, 1.0 - y * margin) * expm1(-reach))


@part
class MulticlassHinge(NamedTuple):
    """Multiclass hinge: ℓ(m, y) = [1 − m_y + max_{k≠y} m_k]₊ for a vector m of one margin a class.

    Its subgradient in the matrix of weights is (e_ŷ − e_y)·xᵀ with ŷ the best wrong class (the
    first of several equal ones); at the kink, where the gap is exactly 1, it is 0.

    >>> margins = np.array([0.5, 0.25, -1.0])
    >>> value(MulticlassHinge(), margins, 0), rival(margins, 0)
    (0.75, 1)
    """

    @property
    def lipschitz(self) -> float:
        """1 in each margin."""
        return 1.0

    @property
    def task(self) -> str:
        """Labels are class numbers."""
        return "multiclass"


@helper
def rival(margins: NDArray[np.float64], y: int) -> int:
    """The wrong class with the largest margin, the first of several equal ones."""
    best = -1
    for k in range(margins.shape[0]):
        if k != y and (best < 0 or margins[k] > margins[best]):
            best = k
    return best


@value.of(MulticlassHinge)
def _max_margin_value(loss: Any, margins: NDArray[np.float64], y: int) -> float:
    """[1 − m_y + max_{k≠y} m_k]₊."""
    if margins.shape[0] < 2:
        return 0.0
    return float(max(0.0, 1.0 - margins[y] + margins[rival(margins, y)]))


@derivative.of(MulticlassHinge)
def _max_margin_derivative(loss: Any, margins: NDArray[np.float64], y: int) -> NDArray[np.float64]:
    """e_ŷ − e_y where the loss is positive, else 0."""
    slope = np.zeros(margins.shape[0])
    if _max_margin_value(loss, margins, y) > 0.0:
        slope[rival(margins, y)] = 1.0
        slope[y] = -1.0
    return slope

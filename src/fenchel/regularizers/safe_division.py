"""Quotients of features and their sizes: 0/0 is 0, and where it can be 1/b is kept."""

from __future__ import annotations

import numpy as np

from fenchel._numba import helper
from fenchel._numba.intrinsics import seldom
from fenchel.parts.state import Array


@helper
def over(numerator: float, denominator: float) -> float:
    """numerator/denominator, 0 for 0/0."""
    return numerator / denominator if denominator > 0.0 else 0.0


# Where 1/b would lose digits it is not kept, and reading divides.
SMALL, LARGE = 1e-290, 1e290


@helper
def inverse(b: float) -> float:
    """1/b to be kept for ``in_units``, or 0."""
    return 1.0 / b if SMALL < b < LARGE else 0.0


@helper
def in_units(x: float, b: float, unit: float) -> float:
    """x/b, 0 for 0/0, with the ``inverse`` of b at hand."""
    if seldom(unit == 0.0):
        return float(over(x, b))
    return x * unit


@helper
def within(x: float, largest: float) -> float:
    """x in units of the largest so far, ±1 where it is one itself."""
    return float(np.sign(x)) if abs(x) >= largest else float(x / largest)


def inverses(b: Array) -> Array:
    """``inverse`` for whole arrays."""
    kept = (b > SMALL) & (b < LARGE)
    return np.divide(1.0, b, out=np.zeros(b.shape), where=kept)


def over_all(numerator: Array, denominator: Array) -> Array:
    """``over`` for whole arrays."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0.0)

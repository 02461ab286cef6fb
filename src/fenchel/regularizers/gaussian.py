"""A Gaussian over weight vectors with a diagonal covariance: the original AROW, and SCW.

Both keep a mean μ, which predicts, and a precision 1/Σ_jj = 1 + s_j, and move the mean through the
covariance *before* the round: μ ← μ + α·y·Σ·x. With the whole matrix the original AROW is mirror
descent (``FullQuadratic``); with a diagonal one it is not, since θ would not be a plain sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper
from fenchel._kernel.rows import entries, saturated, slot_of, value_of
from fenchel._kernel.state import SLOTS, Array, part
from fenchel.regularizers.verbs import commit, spread, weight


@part
class Gaussian(NamedTuple):
    """Mean ``theta`` and precisions 1 + ``squares``; on an update 1/Σ_jj grows by x_j²/r."""

    r: float = 1.0
    theta: Array = SLOTS
    squares: Array = SLOTS


@part
class ConfidentGaussian(NamedTuple):
    """The same for soft confidence-weighted learning: 1/Σ_jj grows by α·φ/√u·x_j²."""

    phi: float = 1.0
    theta: Array = SLOTS
    squares: Array = SLOTS


@helper
def variance(f: Any, row: Any) -> float:
    """υ = x·Σ·x."""
    total = 0.0
    for k in range(entries(row)):
        x = value_of(row, k)
        total += x * (x / (1.0 + f.squares[slot_of(row, k)]))
    return saturated(total)


@helper
def _move(f: Any, row: Any, coefficient: float, growth: float) -> None:
    """μ ← μ + coefficient·Σ·x, then 1/Σ_jj ← 1/Σ_jj + growth·x_j²."""
    for k in range(entries(row)):
        j = slot_of(row, k)
        x = value_of(row, k)
        f.theta[j] = saturated(f.theta[j] + coefficient * (x / (1.0 + f.squares[j])))
        f.squares[j] = saturated(f.squares[j] + x * growth * x)


@weight.of(Gaussian)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """μ_j."""
    return float(f.theta[slot])


@weight.of(ConfidentGaussian)
def _confident_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """μ_j."""
    return float(f.theta[slot])


@commit.of(Gaussian)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient != 0.0:
        _move(f, row, coefficient, saturated(row.importance / f.r))


@commit.of(ConfidentGaussian)
def _confident_commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """√u = ½·(−α·υ·φ + √(α²υ²φ² + 4υ)); 1/Σ grows by α·φ/√u·x²."""
    if coefficient == 0.0:
        return
    alpha = abs(coefficient)
    upsilon = variance(f, row)
    product = alpha * upsilon * f.phi
    # The stable form of the difference above: 2υ over the sum.
    root = 2.0 * upsilon / (product + np.sqrt(product * product + 4.0 * upsilon))
    _move(f, row, coefficient, saturated(alpha * f.phi / root) if root > 0.0 else 0.0)


@spread.of(Gaussian)
def _spread(f: Any, view: Any, row: Any) -> float:
    return variance(f, row)


@spread.of(ConfidentGaussian)
def _confident_spread(f: Any, view: Any, row: Any) -> float:
    return variance(f, row)

"""The rest that a mixture of numbers leaves over, predicted from its experts' differences.

For a row with the mixed number p, experts' numbers p_k and the last target q the differences are p_k − p and
q − p; the number found of them is added to p.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.loops.adahedge import shares_into
from fenchel.parts.state import Array
from fenchel.rows.types import saturated


@helper
def _sum(one: float, other: float) -> float:
    """one + other, finite also where numbers of the same sign fill the range of a float."""
    total = one + other
    return float(saturated(total)) if total == total else 0.0


@helper
def _within(p: float, bounds: Array) -> float:
    return float(min(max(p, bounds[0]), bounds[1]))


@kernel
def copy_into(numbers: Array, out: Array) -> None:
    """out = numbers."""
    for t in range(out.shape[0]):
        out[t] = numbers[t]


@kernel
def differences_into(numbers: Array, before: Array, mixed: Array, out: Array) -> None:
    """out[k, t, 0] = numbers[k, t] − mixed[t]; the last k is that of the target before each row."""
    experts, count = numbers.shape
    for t in range(count):
        for k in range(experts):
            out[k, t, 0] = _sum(numbers[k, t], -mixed[t])
        out[experts, t, 0] = _sum(before[t], -mixed[t])


@kernel
def left_over_into(y: Array, mixed: Array, out: Array) -> None:
    """out[t] = y[t] − mixed[t]."""
    for t in range(out.shape[0]):
        out[t] = _sum(y[t], -mixed[t])


@kernel
def corrected_into(mixed: Array, rest: Array, both: Array) -> None:
    """both[0] = mixed, both[1] = mixed + rest."""
    for t in range(mixed.shape[0]):
        both[0, t] = mixed[t]
        both[1, t] = _sum(mixed[t], rest[t])


@kernel
def mean_into(hedge: Any, numbers: Array, bounds: Array, mixed: Array) -> None:
    """mixed[t] = Σ v_k·p_k, each p_k held (in place) inside the targets seen; 0 before the first."""
    experts, count = numbers.shape
    shares = np.empty(experts)
    shares_into(hedge, shares)
    for t in range(count):
        mixed[t] = 0.0
        if bounds[0] <= bounds[1]:
            for k in range(experts):  # a row alone and among others is the same to the bit
                numbers[k, t] = _within(numbers[k, t], bounds)
                share = shares[k] * numbers[k, t]
                mixed[t] = share if k == 0 else mixed[t] + share


@kernel
def choice_into(choice: Any, both: Array, bounds: Array, out: Array) -> None:
    """out[t] = v_0·both[0] + v_1·both[1], each held inside the targets seen; 0 before the first."""
    shares = np.empty(2)
    shares_into(choice, shares)
    for t in range(out.shape[0]):
        out[t] = 0.0
        if bounds[0] <= bounds[1]:
            plain = shares[0] * _within(both[0, t], bounds)  # a mean may be rounded beyond them
            out[t] = plain + shares[1] * _within(both[1, t], bounds)

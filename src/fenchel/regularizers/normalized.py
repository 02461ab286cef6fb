"""Normalized adaptive gradient (Ross, Mineiro & Langford, 2013), Vowpal Wabbit's kind of step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel.rows import entries, saturated, slot_of, value_of
from fenchel._kernel.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.scale_invariant import over
from fenchel.regularizers.verbs import commit, weight


@part
class NormalizedAdaptive(NamedTuple):
    """Weights in ``theta``, s_j the largest |x_j| seen, G_j = Σ ℓ′_j², N = Σ_t Σ_j (x_j/s_j)².

    Adaptive by its learning rate, not by its regularizer: when s_j grows, w_j ← w_j·s_j/|x_j|; then

        w_j ← w_j − η·√(t/N)·ℓ′_j/(s_j·√G_j).

    Not an instance of mirror descent with a plain sum θ.
    """

    eta: float = 0.5
    theta: Array = RECORD
    largest: Array = RECORD
    squares: Array = RECORD
    rounds: Array = SCALAR
    total: Array = SCALAR


@weight.of(NormalizedAdaptive)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j, shrunk by s_j/|x| where x is larger than all before."""
    if abs(x) > f.largest[slot]:
        return float(f.theta[slot] * (f.largest[slot] / abs(x)))
    return float(f.theta[slot])


@commit.of(NormalizedAdaptive)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −η·ℓ′."""
    f.rounds[0] += 1.0
    total = f.total[0]
    for k in range(entries(row)):
        j = slot_of(row, k)
        x = value_of(row, k)
        if abs(x) > f.largest[j]:
            shrink = f.largest[j] / abs(x)
            f.theta[j] *= shrink
            f.squares[j] *= shrink * shrink
            f.largest[j] = abs(x)
        share = over(x, f.largest[j])
        total += share * share
    f.total[0] = total
    if coefficient == 0.0 or f.total[0] == 0.0:
        return
    rate = np.sqrt(f.rounds[0] / f.total[0])
    slope = saturated(coefficient / f.eta)
    pull = saturated(coefficient * rate)
    for k in range(entries(row)):
        j = slot_of(row, k)
        x = value_of(row, k)
        if x != 0.0:
            # G_j is kept in units of s_j², so that features of 1e±300 neither over- nor underflow.
            gradient = slope * (x / f.largest[j])
            f.squares[j] = saturated(f.squares[j] + gradient * gradient)
            if f.squares[j] > 0.0:
                step = pull * (x / f.largest[j]) / np.sqrt(f.squares[j])
                f.theta[j] = saturated(f.theta[j] + step / f.largest[j])

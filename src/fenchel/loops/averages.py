"""The average of all w_t, kept lazily: online-to-batch conversion without a sweep.

Between two visits of coordinate j its weight is h_j·pace_t, where only the scalar pace_t changes
with t. With P_t = Σ_{s≤t} pace_s the weights of the rounds in between add up to
h_j·(P_now − P_then), so that a coordinate is charged only when it is visited. Where a composite
term shrinks the weights between visits, their sum over the rounds has a closed form of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._kernel import helper, verb
from fenchel._kernel.rows import entries, slot_of, value_of
from fenchel._kernel.state import SCALAR, SLOTS, Array, part
from fenchel.regularizers.factor import back_substituted
from fenchel.regularizers.full import FullQuadratic
from fenchel.regularizers.newton import NewtonStep
from fenchel.regularizers.pacing import idle_sum, pace, reshapes, unit, unit_scale
from fenchel.regularizers.verbs import margin, prepare, weight

# A clock so far ahead of its pace loses digits: every coordinate is charged, and it starts anew.
WORN = 1e6


class NoAverage(NamedTuple):
    """Nothing is averaged."""


@part
class Average(NamedTuple):
    """Σ_t w_t by coordinate, up to the P_t (``mark``) at which each was last charged."""

    total: Array = SLOTS
    mark: Array = SLOTS
    clock: Array = SCALAR
    unit: Array = SCALAR
    rounds: Array = SCALAR


@verb
def begin_round(average: Any, f: Any, row: Any) -> None:
    """Called first in every round: put f in order for this row, and the average with it."""
    prepare(f, row)


@verb
def bank(average: Any, f: Any, view: Any, row: Any) -> None:
    """Called in every round between the margin and the commit: count w_t."""


@helper
def uncharged(average: Any, f: Any, slot: Any) -> float:
    """The weights of coordinate j over the rounds since it was last charged."""
    mark = average.mark[slot]
    if mark == average.clock[0]:
        return 0.0
    idle = idle_sum(f, slot, mark, average.clock[0])
    return float(idle * unit_scale(f, average.unit[0])) if idle != 0.0 else 0.0


@helper
def _charge_all(average: Any, f: Any) -> None:
    for j in range(average.total.shape[0]):
        average.total[j] += uncharged(average, f, j)
        average.mark[j] = 0.0
    average.clock[0] = 0.0


@begin_round.of(Average)
def _begin_round(average: Any, f: Any, row: Any) -> None:
    # A change of unit or of shape touches every coordinate, so each is charged before it.
    if unit(f) != average.unit[0] or reshapes(f, row):
        _charge_all(average, f)
    prepare(f, row)
    average.unit[0] = unit(f)


@verb
def bank_weights(f: Any, average: Any, view: Any, row: Any) -> None:
    """Charge the coordinates of the row for the rounds before and for this one."""
    rate = pace(f, view)
    if average.clock[0] > WORN * rate and rate != 1.0:  # a clock of ones counts rounds exactly
        _charge_all(average, f)
    for k in range(entries(row)):
        x = value_of(row, k)
        if x != 0.0:
            j = slot_of(row, k)
            average.total[j] += uncharged(average, f, j) + weight(f, view, j, x)
            average.mark[j] = average.clock[0] + rate
    average.clock[0] += rate


@bank_weights.of(FullQuadratic)
def _bank_full(f: Any, average: Any, view: Any, row: Any) -> None:
    """Every weight moves in every round: w_t = F⁻¹(b − a·⟨a, b⟩/(r + χ)), O(d²)."""
    shift = 0.0
    if view.chi > 0.0:
        shift = (margin(f, view, row) / view.shrink) * (1.0 - view.shrink) / view.chi
    average.total[:] += back_substituted(f, f.rotated - view.solved * shift)


@bank_weights.of(NewtonStep)
def _bank_newton(f: Any, average: Any, view: Any, row: Any) -> None:
    average.total[:] += back_substituted(f, f.rotated)


@bank.of(Average)
def _bank(average: Any, f: Any, view: Any, row: Any) -> None:
    bank_weights(f, average, view, row)
    average.rounds[0] += 1.0


class Averaged(NamedTuple):
    """A regularizer that reads as the average of its weights over all rounds."""

    regularizer: Any
    average: Any


@weight.of(Averaged)
def _averaged_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """(Σ_t w_{t,j})/T: what was charged, and what came since."""
    if f.average.rounds[0] == 0.0:
        return 0.0
    total = f.average.total[slot] + uncharged(f.average, f.regularizer, slot)
    return float(total / f.average.rounds[0])

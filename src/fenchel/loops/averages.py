"""The average of all w_t, kept lazily: online-to-batch conversion without a sweep.

Between two visits of coordinate j its weight is h_j·pace_t, where only the scalar pace_t changes
with t. With P_t = Σ_{s≤t} pace_s the weights of the rounds in between add up to
h_j·(P_now − P_then), so that a coordinate is charged only when it is visited.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._kernel import helper, verb
from fenchel._kernel.rows import entries, slot_of, value_of
from fenchel._kernel.state import SCALAR, SLOTS, Array, part
from fenchel.regularizers.verbs import weight


@verb
def pace(f: Any, view: Any) -> float:
    """The scalar that all weights between two visits share; 1 where they stand still."""
    return 1.0


class NoAverage(NamedTuple):
    """Nothing is averaged."""


@part
class Average(NamedTuple):
    """Σ_t w_t by coordinate, up to the P_t at which each was last charged."""

    total: Array = SLOTS
    mark: Array = SLOTS
    clock: Array = SCALAR
    rounds: Array = SCALAR


@verb
def bank(average: Any, f: Any, view: Any, row: Any) -> None:
    """Called in every round between the margin and the commit."""


@helper
def settled(f: Any, view: Any, slot: Any, rate: float) -> float:
    """h_j, the weight of a coordinate that this row does not touch, without the pace."""
    return weight(f, view, slot, 0.0) / rate if rate != 0.0 else 0.0


@bank.of(Average)
def _bank(average: Any, f: Any, view: Any, row: Any) -> None:
    rate = pace(f, view)
    for k in range(entries(row)):
        x = value_of(row, k)
        if x != 0.0:
            j = slot_of(row, k)
            idle = average.clock[0] - average.mark[j]
            average.total[j] += settled(f, view, j, rate) * idle + weight(f, view, j, x)
            average.mark[j] = average.clock[0] + rate
    average.clock[0] += rate
    average.rounds[0] += 1.0

"""Features in units of their own size, so that no choice of units by the user matters.

The unit of a feature is its mean |x| over the rows that have it, taken anew only when the mean has
left [unit/2, 2·unit]: the learners see values that stay put. Multiply a feature by any constant and
every value in units stays the same up to rounding. |x|/unit ≤ 2·n after n values: nothing overflows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._kernel import helper, kernel
from fenchel._kernel.rows import LARGEST
from fenchel._kernel.state import SLOTS, Array

# How far the mean may move before the unit follows.
PATIENCE = 2.0


class Units(NamedTuple):
    """For each column the sum and the number of its non-zero sizes, and its unit."""

    sums: Array = SLOTS
    counts: Array = SLOTS
    unit: Array = SLOTS


@helper
def _in_units(units: Any, column: Any, x: float, learning: bool) -> float:
    if x == 0.0:
        return 0.0
    total = min(units.sums[column] + abs(x), LARGEST)
    count = units.counts[column] + 1.0
    mean = total / count
    unit = units.unit[column]
    if unit == 0.0 or mean > PATIENCE * unit or mean * PATIENCE < unit:
        unit = mean
    if learning:
        units.sums[column] = total
        units.counts[column] = count
        units.unit[column] = unit
    return float(x / unit)


@kernel
def sparse_in_units(
    units: Any, rows: Any, count: int, importance: Array, learning: bool, out: Array
) -> None:
    """The entries of sparse rows in units, each row's own included; ``out`` begins at the first."""
    last = importance.shape[0] - 1
    first = rows.indptr[0]
    for t in range(count):
        counts = learning and importance[min(t, last)] > 0.0
        for i in range(rows.indptr[t], rows.indptr[t + 1]):
            out[i - first] = _in_units(units, rows.indices[i], rows.values[i], counts)


@kernel
def dense_in_units(units: Any, rows: Any, importance: Array, learning: bool, out: Array) -> None:
    """Dense rows in units, each row's own included."""
    last = importance.shape[0] - 1
    for t in range(out.shape[0]):
        counts = learning and importance[min(t, last)] > 0.0
        for j in range(out.shape[1]):
            out[t, j] = _in_units(units, j, rows.values[t, j], counts)

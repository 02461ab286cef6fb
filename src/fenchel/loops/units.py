"""Features in units of their own size, so that no choice of units by the user matters.

The unit of a feature is its mean |x| over the rows that have it, taken anew only when the mean has
left [unit/2, 2·unit]: the learners see values that stay put. Multiply a feature by any constant and
every value in units stays the same up to rounding. |x|/unit ≤ 2·n after n values: nothing overflows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._kernel import helper, kernel
from fenchel._kernel.rows import LARGEST
from fenchel._kernel.state import Array
from fenchel.regularizers.quotients import in_units, inverse

# One row a column, so that a feature costs one line of the cache: Σ|x|, how many, the unit, 1/unit.
SUM, COUNT, UNIT, INVERSE = 0, 1, 2, 3

# How far the mean may move before the unit follows.
PATIENCE = 2.0


def new_units(columns: int) -> Array:
    """Columns not seen yet."""
    return np.zeros((columns, 4))


def grown(units: Array, columns: int) -> Array:
    """The same units with room for more columns."""
    larger = new_units(columns)
    larger[: len(units)] = units
    return larger


@helper
def _in_units(units: Array, column: Any, x: float, learning: bool) -> float:
    if x == 0.0:
        return 0.0
    total = min(units[column, SUM] + abs(x), LARGEST)
    count = units[column, COUNT] + 1.0
    unit = units[column, UNIT]
    kept = units[column, INVERSE]
    if unit == 0.0 or total > PATIENCE * unit * count or total * PATIENCE < unit * count:
        unit = total / count
        kept = inverse(unit)
        if learning:
            units[column, UNIT] = unit
            units[column, INVERSE] = kept
    if learning:
        units[column, SUM] = total
        units[column, COUNT] = count
    return float(in_units(x, unit, kept))


@kernel
def sparse_in_units(
    units: Array, rows: Any, count: int, importance: Array, learning: bool, out: Array
) -> None:
    """The entries of sparse rows in units, each row's own included; ``out`` begins at the first."""
    last = importance.shape[0] - 1
    first = np.uint64(rows.indptr[0])
    for t in range(count):
        counts = learning and importance[min(t, last)] > 0.0
        for i in range(np.uint64(rows.indptr[t]), np.uint64(rows.indptr[t + 1])):
            out[i - first] = _in_units(units, rows.indices[i], rows.values[i], counts)


@kernel
def dense_in_units(units: Array, rows: Any, importance: Array, learning: bool, out: Array) -> None:
    """Dense rows in units, each row's own included."""
    last = importance.shape[0] - 1
    for t in range(out.shape[0]):
        counts = learning and importance[min(t, last)] > 0.0
        for j in range(out.shape[1]):
            out[t, j] = _in_units(units, j, rows.values[t, j], counts)

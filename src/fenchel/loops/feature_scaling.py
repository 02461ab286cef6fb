"""Features in units of their own size, so that no choice of units by the user matters.

The unit of a feature is its mean |x| over the rows that have it, taken anew only when the mean has
left [unit/2, 2·unit]: the learners see values that stay put. Multiply a feature by any constant and
every value in units stays the same up to rounding. |x|/unit ≤ 2·n after n values: nothing overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.jit import lean
from fenchel.parts.state import Array
from fenchel.regularizers.safe_division import in_units, inverse, inverses
from fenchel.rows import Block, ReadBlocks, Rows
from fenchel.rows.types import LARGEST, DenseRows, SparseRows

# One row a column, so that a feature costs one line of the cache: Σ|x|, how many, the unit, 1/unit.
SUM, COUNT, UNIT, INVERSE = 0, 1, 2, 3

# How far the mean may move before the unit follows: beyond a factor of 2, and beyond what rounding
# makes of it, since counts and codes often have means that are exactly twice their unit.
PATIENCE = 2.0 * (1.0 + 2.0**-20)


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
    if column >= units.shape[0]:  # never seen, and only read
        return float(in_units(x, abs(x), inverse(abs(x))))
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


def scaled_rows(units: Array, rows: Rows, importance: Array, learning: bool) -> Rows:
    """The rows in these units, their own sizes counted; while learning the sizes move on."""
    view = rows.view
    if isinstance(view, DenseRows):
        dense = np.empty(view.values.shape)
        dense_in_units(units, view, importance, learning, dense)
        return Rows.dense(dense)
    first, last = view.indptr[0], view.indptr[len(rows)]
    values = np.empty(last - first)
    lean(sparse_in_units)(units, view, len(rows), importance, learning, values)
    indices, indptr = view.indices[first:last], view.indptr[: len(rows) + 1] - first
    return Rows(SparseRows(indptr, indices, values, values.view(np.uint64)), len(rows), rows.width)


def scaled_reading(read: ReadBlocks, columns: int) -> ReadBlocks:
    """The rows of a whole stream, read again, as they were seen while it was learned."""

    def changed() -> Iterator[Block]:
        units = new_units(columns)
        for block in read():
            yield block.replace(rows=scaled_rows(units, block.rows, block.amounts, learning=True))

    return changed


def united_units(start: Array, others: Sequence[Array]) -> Array:
    """Sizes and counts add; the unit is the one that all agree on while it serves, else the mean size."""
    units = start.copy()
    units[:, : COUNT + 1] += sum(other[:, : COUNT + 1] - start[:, : COUNT + 1] for other in others)
    seen = units[:, COUNT] > 0.0
    mean = np.divide(units[:, SUM], units[:, COUNT], out=np.zeros(len(units)), where=seen)
    found = np.stack([other[:, UNIT] for other in (start, *others)])
    most = found.max(axis=0, initial=0.0)
    least = np.where(found > 0.0, found, np.inf).min(axis=0, initial=np.inf)
    serves = (most == least) & (mean <= PATIENCE * most) & (mean * PATIENCE >= most)
    units[:, UNIT] = np.where(serves, most, mean)
    units[:, INVERSE] = inverses(units[:, UNIT])
    return units


def growth_of(units: Array, before: Array) -> Array:
    """The factor by which the values of each column are larger than in units of ``before``."""
    known = (before[:, UNIT] > 0.0) & (units[:, UNIT] > 0.0)
    grown = np.ones(len(units))
    return np.divide(before[:, UNIT], units[:, UNIT], out=grown, where=known)

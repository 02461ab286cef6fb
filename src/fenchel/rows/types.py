"""Rows of data as compiled code sees them: sparse (CSR) or dense, with the intercept as an entry.

Slot 0 of every state array belongs to the intercept, slot j + 1 to column j. A row's last entry is
the intercept's (1, or 0 where there is none), so that norms and statistics count it like any other
feature.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba.intrinsics import fetch
from fenchel._numba.jit import helper
from fenchel._numba.verbs import required_verb, verb

# Unsigned indices: signed ones cost a wrap-around test on each access.
ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
LARGEST = float(np.finfo(np.float64).max)
# A row asks for as many entries as it has, so far ahead: left to itself the processor asks too late for
# rows that are read once.
AHEAD = np.uint64(2048)
MOST = np.uint64(1024)
# So many rows are checked together, up to one that makes them long.
MOST_TOGETHER = 16
LONG = 2048
# The exponent bits of a float64 and of a float32.
DOUBLE = np.uint64(0x7FF0000000000000)
SINGLE = np.uint64(0x7F800000)


class SparseRows(NamedTuple):
    """A block of rows in CSR form, column numbers as ``uint32``."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.uint32]
    values: NDArray[Any]
    bits: NDArray[Any]


class DenseRows(NamedTuple):
    """A block of rows in C order."""

    values: NDArray[Any]
    bits: NDArray[Any]


class SparseRow(NamedTuple):
    """One row of ``SparseRows``: its entries lie at start … stop − 1."""

    indices: NDArray[np.uint32]
    values: NDArray[Any]
    start: Any
    stop: Any
    bias: float
    importance: float


class DenseRow(NamedTuple):
    """One row of ``DenseRows``."""

    values: NDArray[Any]
    bias: float
    importance: float


@required_verb
def row_at(rows: Any, t: Any, bias: float, importance: float) -> Any:
    """Row t of a block."""


@required_verb
def length(row: Any) -> Any:
    """The number of columns that the row names, the intercept not counted."""


@required_verb
def slot(row: Any, k: Any) -> Any:
    """The slot of the row's column k in the state arrays."""


@required_verb
def entry(row: Any, k: Any) -> Any:
    """The value of the row's column k."""


@required_verb
def sound(rows: Any, t: Any, width: int) -> Any:
    """Whether row t is finite, its column numbers below the width, each above the one before."""


@verb
def sound_until(rows: Any, t: Any, count: Any, width: int) -> Any:
    """The end of some sound rows that begin with row t, of so many in all; t where it is not sound."""
    return t + 1 if sound(rows, t, width) else t


@row_at.of(SparseRows)
def _sparse_row_at(rows: Any, t: Any, bias: float, importance: float) -> SparseRow:
    start = np.uint64(rows.indptr[t])
    stop = np.uint64(rows.indptr[t + 1])
    if stop + AHEAD < np.uint64(rows.indices.shape[0]):
        _fetch(rows.indices, start + AHEAD, stop + AHEAD)
        _fetch(rows.values, start + AHEAD, stop + AHEAD)
    return SparseRow(rows.indices, rows.values, start, stop, bias, importance)


@helper
def _fetch(data: Any, start: Any, stop: Any) -> None:
    """Ask for these entries, of many for the first ones; a line of the cache is 64 bytes."""
    for at in range(start, min(stop, start + MOST), np.uint64(64 // data.itemsize)):
        fetch(data, at)


@row_at.of(DenseRows)
def _dense_row_at(rows: Any, t: Any, bias: float, importance: float) -> DenseRow:
    return DenseRow(rows.values[t], bias, importance)


@required_verb
def heavier(row: Any, factor: float) -> Any:
    """The row with so many times its importance."""


@heavier.of(SparseRow)
def _heavier_sparse(row: Any, factor: float) -> SparseRow:
    amount = saturated(row.importance * factor)
    return SparseRow(row.indices, row.values, row.start, row.stop, row.bias, amount)


@heavier.of(DenseRow)
def _heavier_dense(row: Any, factor: float) -> DenseRow:
    return DenseRow(row.values, row.bias, saturated(row.importance * factor))


@length.of(SparseRow)
def _sparse_length(row: Any) -> Any:
    return row.stop - row.start


@length.of(DenseRow)
def _dense_length(row: Any) -> Any:
    return np.uint64(row.values.shape[0])


@slot.of(SparseRow)
def _sparse_slot(row: Any, k: Any) -> Any:
    return np.uint64(row.indices[row.start + k]) + ONE


@slot.of(DenseRow)
def _dense_slot(row: Any, k: Any) -> Any:
    return np.uint64(k) + ONE


@entry.of(SparseRow)
def _sparse_entry(row: Any, k: Any) -> float:
    return np.float64(row.values[row.start + k])


@entry.of(DenseRow)
def _dense_entry(row: Any, k: Any) -> float:
    return np.float64(row.values[k])


@helper
def finite_bits(bits: Any, start: Any, stop: Any) -> bool:
    """Whether none of the floats with these bits is infinite or NaN (exponent all ones).

    On integers, without branches: such a loop runs in vector registers and costs next to nothing.
    """
    mask = DOUBLE if bits.itemsize == 8 else SINGLE
    bad = ZERO
    for at in range(start, stop):
        bad += np.uint64((np.uint64(bits[at]) & mask) == mask)
    return bool(bad == ZERO)


@sound.of(SparseRows)
def _sparse_sound(rows: Any, t: Any, width: int) -> bool:
    if rows.indptr[t] > rows.indptr[t + 1] or rows.indptr[t + 1] > rows.indices.shape[0]:
        return False
    start = np.uint64(rows.indptr[t])
    stop = np.uint64(rows.indptr[t + 1])
    if start < stop and np.uint64(rows.indices[stop - ONE]) >= np.uint64(width):
        return False  # where they ascend, the last is the largest
    bad = ZERO
    for at in range(start + ONE, stop):
        bad += np.uint64(rows.indices[at] <= rows.indices[at - ONE])
    return bad == ZERO and finite_bits(rows.bits, start, stop)


@sound_until.of(SparseRows)
def _sparse_sound_until(rows: Any, t: Any, count: Any, width: int) -> Any:
    """Many short rows at once, as the one long row that they are in memory; else row t alone."""
    end = t
    while end < min(count, t + MOST_TOGETHER):
        after = rows.indptr[end + 1]
        if rows.indptr[end] > after or after > rows.indices.shape[0]:
            break
        end += 1
        if after - rows.indptr[t] > LONG:
            break
    if end > t and _sound_together(rows, t, end, width):
        return end
    return t + 1 if sound(rows, t, width) else t


@helper
def _sound_together(rows: Any, t: Any, end: Any, width: int) -> bool:
    """Whether rows t … end − 1 are sound, whose pointers are: columns fall between rows alone."""
    start, stop = np.uint64(rows.indptr[t]), np.uint64(rows.indptr[end])
    falls = ZERO
    for at in range(start + ONE, stop):
        falls += np.uint64(rows.indices[at] <= rows.indices[at - ONE])
    for row in range(t, end):
        begin, after = np.uint64(rows.indptr[row]), np.uint64(rows.indptr[row + 1])
        if begin < after:
            if np.uint64(rows.indices[after - ONE]) >= np.uint64(width):
                return False
            if after < stop:
                falls -= np.uint64(rows.indices[after] <= rows.indices[after - ONE])
    return falls == ZERO and finite_bits(rows.bits, start, stop)


@sound.of(DenseRows)
def _dense_sound(rows: Any, t: Any, width: int) -> bool:
    return finite_bits(rows.bits[t], ZERO, np.uint64(rows.bits.shape[1]))


@helper
def entries(row: Any) -> Any:
    """The number of entries of the row, the intercept's included (the last one)."""
    return length(row) + ONE


@helper
def slot_of(row: Any, k: Any) -> Any:
    """The slot of entry k, the intercept's included."""
    return ZERO if k == length(row) else slot(row, k)


@helper
def value_of(row: Any, k: Any) -> float:
    """The value of entry k, the intercept's included."""
    return float(row.bias if k == length(row) else entry(row, k))


@helper
def nonzeros(row: Any) -> int:
    """‖x‖₀, the intercept included."""
    count = 0
    for k in range(entries(row)):
        if value_of(row, k) != 0.0:
            count += 1
    return count


@helper
def largest_of(row: Any) -> float:
    """‖x‖_∞, the intercept included."""
    largest = 0.0
    for k in range(entries(row)):
        largest = max(largest, abs(value_of(row, k)))
    return largest


@helper
def dual_p_norm(row: Any, p: float) -> float:
    """‖x‖_p, the intercept included, with the maximum factored out."""
    largest = largest_of(row)
    if largest == 0.0:
        return 0.0
    total = 0.0
    for k in range(entries(row)):
        ratio = abs(value_of(row, k)) / largest
        total += ratio * ratio if p == 2.0 else ratio**p
    return float(largest * total ** (1.0 / p))


@helper
def saturated(value: float) -> float:
    """The value, held inside the finite floats: a sum of finite terms stays finite."""
    return min(max(value, -LARGEST), LARGEST)

"""Some rows of a block: parts and pieces of it, and what is done in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fenchel._kernel.rows import DenseRows, SparseRows
from fenchel._kernel.state import Array

# Fewer entries are learned from, by each of several learners, before another thread wakes up.
FEW = 4096


def are_many(rows: Any, count: int) -> bool:
    """Whether the rows are worth handing to other threads."""
    if isinstance(rows, DenseRows):
        return int(rows.values.size) >= FEW
    return int(rows.indptr[count] - rows.indptr[0]) >= FEW


def part_of(rows: Any, begin: int, end: int) -> Any:
    """Rows begin … end − 1, nothing copied."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.values[begin:end], rows.bits[begin:end])
    return SparseRows(rows.indptr[begin : end + 1], *rows[1:])


def pieces_of(rows: Any, count: int, size: int) -> Iterator[tuple[int, int, Any]]:
    """Begin, end and rows of pieces of about so many entries."""
    if isinstance(rows, DenseRows):
        step = max(1, size // max(1, rows.values.shape[1]))
        for begin in range(0, count, step):
            end = min(count, begin + step)
            yield begin, end, part_of(rows, begin, end)
        return
    begin = 0
    while begin < count:
        full = np.searchsorted(rows.indptr, rows.indptr[begin] + size, side="right") - 1
        end = min(count, max(begin + 1, int(full)))
        yield begin, end, part_of(rows, begin, end)
        begin = end


def matrix_of(rows: Any, count: int, width: int) -> Any:
    """Rows as a matrix that NumPy or SciPy can compute with."""
    if isinstance(rows, DenseRows):
        return rows.values
    first, last = rows.indptr[0], rows.indptr[count]
    inside = rows.values[first:last], rows.indices[first:last].astype(np.int64)
    return sp.csr_array((*inside, rows.indptr[: count + 1] - first), shape=(count, width))


def entries_at(rows: Any, t: int, intercept: bool) -> tuple[NDArray[np.int64], Array]:
    """Slots and values of row t, the intercept's first where there is one."""
    if isinstance(rows, DenseRows):
        values, slots = rows.values[t], np.arange(1, rows.values.shape[1] + 1)
    else:
        inside = slice(rows.indptr[t], rows.indptr[t + 1])
        values, slots = rows.values[inside], rows.indices[inside].astype(np.int64) + 1
    if intercept:
        return np.concatenate([[0], slots]), np.concatenate([[1.0], values])
    return slots, values.astype(np.float64)

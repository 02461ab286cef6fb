"""Rows in units of each feature's own size, as the experts of a ``unitless`` mixture see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fenchel._kernel.compile import lean
from fenchel._kernel.rows import DenseRows, SparseRows
from fenchel._kernel.state import Array
from fenchel.certificates.blocks import Block, Reading
from fenchel.loops.units import dense_in_units, new_units, sparse_in_units


def in_units(units: Array, rows: Any, count: int, weights: Array, learning: bool) -> Any:
    """The rows in these units, their own sizes counted; while learning the sizes move on."""
    if isinstance(rows, DenseRows):
        dense = np.empty(rows.values.shape)
        dense_in_units(units, rows, weights, learning, dense)
        return DenseRows(dense, dense.view(np.uint64))
    first, last = rows.indptr[0], rows.indptr[count]
    values = np.empty(last - first)
    lean(sparse_in_units)(units, rows, count, weights, learning, values)
    indices = rows.indices[first:last]
    return SparseRows(rows.indptr - first, indices, values, values.view(np.uint64))


def read_in_units(read: Reading, columns: int) -> Reading:
    """The rows of a whole stream, read again, as they were seen while it was learned."""

    def changed() -> Iterator[Block]:
        units = new_units(columns)
        for block in read():
            count = len(block.targets)
            rows = in_units(units, block.rows, count, block.importance, learning=True)
            yield block._replace(rows=rows)

    return changed

"""Products of two features of sparse rows, formed row by row and never stored.

A row becomes its entries other than 0 and, for each two of them, their product: of what is 0 nothing is
formed, so that n entries make n·(n − 1)/2 products, however many columns there are. Places are those of
``loops.products``: x_j at j(j + 3)/2, its products with columns 0 … j − 1 behind it (that of its square
stays empty). Nothing is centred, for a centre would fill the zeros: the weight of a product is what two
features say together beyond what each says alone. The order of a row's entries makes no difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.loops.products import ANCHOR, width_of
from fenchel.parts.state import Array
from fenchel.rows import Rows
from fenchel.rows.types import SparseRows, entry, length, row_at, saturated, slot

PLAIN = 3  # in the first row of anchors: whether values are multiplied as they are


def plain_anchors(columns: int, behind: int) -> Array:
    """Anchors for products of values as they are, of so many columns."""
    anchors = np.zeros((1 + columns, behind))
    anchors[1:, ANCHOR] = anchors[0, PLAIN] = 1.0
    return anchors


def is_plain(anchors: Array | None) -> bool:
    """Whether there are products, of values as they are."""
    return anchors is not None and bool(anchors[0, PLAIN] == 1.0)


def most_entries(entries: int) -> int:
    """The entries and products of a row of so many entries.

    >>> most_entries(3)
    6
    """
    return entries * (entries + 1) // 2


@helper
def _in_order(row: Any, columns: Any, found: Any) -> int:
    """The places in a row of its entries other than 0 of known columns, by columns; how many these are.

    Rows of names come in the order of their names in the data: most are in order, or short.
    """
    n = 0
    for k in range(length(row)):
        j = slot(row, k)
        if entry(row, k) == 0.0 or j > columns:
            continue
        at = n
        while at > 0 and slot(row, found[at - 1]) > j:
            found[at] = found[at - 1]
            at -= 1
        found[at] = np.uint64(k)
        n += 1
    return n


@kernel
def pair_ends(rows: Any, columns: Any, indptr: Any) -> None:
    """Where each row ends once its products are there; later columns than so many are left out."""
    indptr[0] = 0
    for t in range(indptr.shape[0] - 1):
        row = row_at(rows, t, 1.0, 1.0)
        n = 0
        for k in range(length(row)):
            n += entry(row, k) != 0.0 and slot(row, k) <= columns
        indptr[t + 1] = indptr[t] + n * (n + 1) // 2


@kernel
def pairs_into(rows: Any, columns: Any, indptr: Any, indices: Any, values: Array) -> None:
    """Each row's entries by columns, each followed by its products with those before it."""
    longest: Any = 0
    for t in range(indptr.shape[0] - 1):
        longest = max(longest, np.int64(length(row_at(rows, t, 1.0, 1.0))))
    order = np.empty(longest, np.uint64)
    for t in range(indptr.shape[0] - 1):
        row = row_at(rows, t, 1.0, 1.0)
        at = np.uint64(indptr[t])
        for k in range(_in_order(row, columns, order)):
            x, j = entry(row, order[k]), slot(row, order[k])
            place = (j - np.uint64(1)) * (j + np.uint64(2)) // np.uint64(2)
            indices[at] = place
            values[at] = x
            at += np.uint64(1)
            for i in range(k):
                indices[at] = place + slot(row, order[i])
                values[at] = saturated(x * entry(row, order[i]))
                at += np.uint64(1)


def pairs_of(rows: Rows, columns: int) -> Rows:
    """The rows with their products, as far as so many columns go."""
    known, indptr = np.uint64(columns), np.empty(len(rows) + 1, np.int64)
    pair_ends(rows.view, known, indptr)
    indices, values = np.empty(indptr[-1], np.uint32), np.empty(indptr[-1])
    pairs_into(rows.view, known, indptr, indices, values)
    view = SparseRows(indptr, indices, values, values.view(np.uint64))
    return Rows(view, len(rows), width_of(columns))

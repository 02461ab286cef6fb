"""Squares and products of two features, formed row by row and never stored.

A row x becomes z_0, z_0², z_1, z_0·z_1, z_1², z_2, … with z = (x − mean)/spread, both over the rows so
far, this one included: learned weights then bend where the data lie, whatever the units and the zeros of
the columns. The place of z_j is j(j + 3)/2, its products with columns 0 … j follow: a new column comes
after all that is there. Widths are multiples of four, which sums are taken in.

x is first divided by the column's first value other than 0, less 1 where that came with the first row:
small numbers, whatever the units, from which squares of spreads lose no digits.

Where curves and waves are seen as well (``loops.curves``, ``loops.waves``), what stands still has the eight
places of x_j between its knots, and its waves, after the products of column j: its ``further`` slots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.loops.curves import BEHIND, KNOTS, bend
from fenchel.loops.waves import TURNS, placed, wave_column
from fenchel.parts.state import Array
from fenchel.rows import Rows
from fenchel.rows.types import SparseRows, entry, length, row_at, slot

# One row a column, after one that begins with the number of rows: the first value, what is taken off,
# the mean, Σ(x − mean)².
ANCHOR, SHIFT, MEAN, SQUARES = 0, 1, 2, 3
HELD = 2  # in the first row, behind what curves count: whether mean and spread stay as they are

LEAST = 1e-300  # a first value nearer to 0 is none
MOST = 1e60  # anchored values are held within it: squares of their squares are finite
NUMBERS = np.arange(1 << 12, dtype=np.uint32)  # of the products of up to 87 columns
FAR = 1e300  # the anchor of a column that stays 0
FLAT = 1e-20  # a square of the spread so small beside that of the mean is rounding


def new_spreads(columns: int, values: int = 0) -> Array:
    """Columns not seen yet, each with room for so many values of curves."""
    return np.zeros((1 + columns, BEHIND + values))


def widened(spreads: Array, columns: int) -> Array:
    """The same spreads with room for more columns; where they are held, these stay 0."""
    larger = new_spreads(columns, spreads.shape[1] - BEHIND)
    larger[: len(spreads)] = spreads
    if is_held(spreads):
        larger[len(spreads) :, ANCHOR] = FAR
    return larger


def is_held(spreads: Array) -> bool:
    """Whether mean and spread stay as they are."""
    return bool(spreads[0, HELD] == 1.0)


def held(spreads: Array) -> Array:
    """The same spreads, which no row moves any more; columns not seen yet stay 0."""
    fixed = spreads.copy()
    fixed[1:][fixed[1:, ANCHOR] == 0.0, ANCHOR] = FAR
    fixed[0, HELD] = 1.0
    return fixed


def seen_columns(spreads: Array) -> int:
    """The columns up to the last that has a mean: those behind it stay 0, or were never seen."""
    there = np.flatnonzero((spreads[1:, ANCHOR] != 0.0) & (spreads[1:, ANCHOR] != FAR))
    return 1 + int(there[-1]) if len(there) else 0


def width_of(columns: int, further: int = 0) -> int:
    """The features that so many columns make, a multiple of four; with ``further`` so many more a column.

    >>> width_of(2), width_of(60), width_of(2, 8)
    (8, 1892, 24)
    """
    return -(-(columns * (columns + 3) // 2 + further * columns) // 4) * 4


def columns_within(width: int, further: int = 0) -> int:
    """The number of columns that have all that they make among so many features.

    >>> columns_within(8), columns_within(1890), columns_within(24, 8)
    (2, 60, 2)
    """
    half = 1.5 + further
    return int(np.sqrt(half * half + 2.0 * width) - half)


@helper
def _anchored(x: float, anchor: float, shift: float) -> float:
    """x/anchor − shift, held within bounds."""
    return min(max(x / anchor - shift, -MOST), MOST)


@helper
def _fill(spreads: Array, row: Any, n: float, learning: bool, out: Array) -> int:
    """The anchored values of a row; what was never seen is its own first value.

    Returns how many columns there are up to the row's last.
    """
    end = 0
    for j in range(out.shape[0]):
        out[j] = -spreads[1 + j, SHIFT]
    for k in range(length(row)):
        at = slot(row, k)
        x = entry(row, k)
        if at >= spreads.shape[0]:  # never seen, and only read
            continue
        anchor, shift = spreads[at, ANCHOR], spreads[at, SHIFT]
        if anchor == 0.0:
            if abs(x) < LEAST:
                continue
            anchor, shift = x, 1.0 if n == 1.0 else 0.0
            if learning:
                spreads[at, ANCHOR] = anchor
                spreads[at, SHIFT] = shift
        out[at - np.uint64(1)] = _anchored(x, anchor, shift)
        end = max(end, int(at))
    return end


@helper
def _seen(spreads: Array) -> int:
    """The number of columns up to the last that was seen."""
    for j in range(spreads.shape[0] - 1, 0, -1):
        if spreads[j, ANCHOR] != 0.0:
            return j
    return 0


@helper
def _centre(spreads: Array, n: float, learning: bool, x: Array) -> None:
    """Turn anchored values into z, each counted in its own mean and spread."""
    for j in range(x.shape[0]):
        off = x[j] - spreads[1 + j, MEAN]
        mean = spreads[1 + j, MEAN] + off / n
        squares = spreads[1 + j, SQUARES] + off * (x[j] - mean)
        variance = squares / n
        flat = variance <= FLAT * mean * mean
        x[j] = 0.0 if flat else (x[j] - mean) / np.sqrt(variance)
        if learning:
            spreads[1 + j, MEAN] = mean
            spreads[1 + j, SQUARES] = squares


@helper
def _multiply(x: Array, first: Array, further: int, out: Array) -> None:
    """out = first_0, x_0², first_1, x_0·x_1, x_1², …, and zeros to the end; ``further`` zeros after each."""
    k = 0
    for j in range(x.shape[0]):
        out[k] = first[j]
        k += 1
        for i in range(j + 1):
            out[k] = x[i] * x[j]
            k += 1
        for _ in range(further):
            out[k] = 0.0
            k += 1
    for rest in range(k, out.shape[0]):
        out[rest] = 0.0


@kernel
def centred_products(
    spreads: Array, rows: Any, importance: Array, learning: bool, out: Array, ends: Any
) -> None:
    """Row t as z and the products of its z; while learning, mean and spread move on.

    ends[t] is how many columns are known with it.
    """
    z = np.empty(spreads.shape[0] - 1)
    last = importance.shape[0] - 1
    seen = _seen(spreads)
    for t in range(out.shape[0]):
        counts = learning and importance[min(t, last)] > 0.0
        n = spreads[0, 0] + 1.0
        ends[t] = max(seen, _fill(spreads, row_at(rows, t, 1.0, 1.0), n, counts, z))
        _centre(spreads, n, counts, z)
        _multiply(z, z, 0, out[t])
        if counts:
            spreads[0, 0] = n
            seen = ends[t]


@kernel
def end_after(ends: Any, indptr: Any) -> None:
    """End a single row with the products of the columns known by then."""
    indptr[1] = -(-(ends[0] * (ends[0] + 3) // 2) // 4) * 4


@kernel
def anchored_products(anchors: Array, turns: Array, rows: Any, out: Array) -> None:
    """Row t as it is, and the products of its anchored values; with its further slots, if any."""
    columns, further = anchors.shape[0] - 1, anchors.shape[1] - BEHIND
    x, plain = np.empty(columns), np.empty(columns)
    for t in range(out.shape[0]):
        row = row_at(rows, t, 1.0, 1.0)
        for j in range(columns):
            plain[j] = 0.0
        for k in range(length(row)):
            at = slot(row, k)
            if at <= np.uint64(columns):
                plain[at - np.uint64(1)] = entry(row, k)
        for j in range(columns):
            anchor = anchors[1 + j, ANCHOR]
            x[j] = 0.0 if anchor == 0.0 else _anchored(plain[j], anchor, anchors[1 + j, SHIFT])
        _multiply(x, plain, further, out[t])
        for j in range(columns if further else 0):
            at = j * (j + 3) // 2 + further * j + j + 2
            bend(anchors[1 + j, BEHIND:], plain[j], out[t, at : at + KNOTS])
            if further > KNOTS:
                x[j] = placed(anchors[1 + j, BEHIND:], anchors[1 + j, ANCHOR], plain[j])
                wave_column(turns, x, j, out[t, at + KNOTS : at + further])


def products_of(spreads: Array, rows: Rows, importance: Array, learning: bool) -> Rows:
    """The rows with their products, as experts see them.

    A sparse row ends with the columns known by then: how rows are cut into blocks makes no difference.
    """
    out, ends = np.empty((len(rows), width_of(len(spreads) - 1))), np.empty(len(rows), np.int64)
    centred_products(spreads, rows.view, importance, learning, out, ends)
    if rows.is_dense:
        return Rows.dense(out)
    if len(rows) == 1:  # by the shortest way
        width = width_of(int(ends[0]))
        values, end = out[0, :width], np.array([0, width])
        view = SparseRows(end, NUMBERS[:width], values, values.view(np.uint64))
        return Rows(view, 1, out.shape[1])
    widths = (ends * (ends + 3) // 2 + 3) // 4 * 4
    there = np.arange(out.shape[1]) < widths[:, None]
    indices = np.broadcast_to(np.arange(out.shape[1], dtype=np.uint32), out.shape)[there]
    return Rows.sparse(np.append(0, np.cumsum(widths)), indices, out[there], out.shape[1])


def fixed_products_of(anchors: Array, rows: Rows) -> Rows:
    """The rows as they are with the products of anchored values, which do not move with the mean."""
    out = np.empty((len(rows), width_of(len(anchors) - 1, anchors.shape[1] - BEHIND)))
    anchored_products(anchors, TURNS, rows.view, out)
    if rows.is_dense:
        return Rows.dense(out)
    count, width = out.shape  # of the same kind as the rows: nothing else need be compiled
    indices = np.tile(np.arange(width, dtype=np.uint32), count)
    return Rows.sparse(width * np.arange(count + 1), indices, out.ravel(), width)

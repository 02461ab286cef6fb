"""Curves of single features: each value as its place between knots, formed row by row and never stored.

The first 64 values of a column give it knots, eight quantiles of them, the least and the largest among
them; equal ones are one. From then on x between the knots a and b becomes 1 − t at a and t at b, with
t = (x − a)/(b − a), and 1 at the first or last knot beyond it. Weights of these are the heights of a curve at
its knots, with straight lines between them. Before, and in a column whose 64 values were one, there is
nothing.

The values and then the knots are kept behind the spreads of a column (``loops.products``). Knots never
move: weights of two times speak of the same curve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.parts.state import Array
from fenchel.rows import Rows
from fenchel.rows.types import entry, length, row_at, slot

SAMPLE, KNOTS = 64, 8  # every ninth value in their order is a knot
BEHIND = 4  # so many numbers of a column's spread come before its values and knots
SAMPLED = 1  # where the first row of spreads counts the rows that gave values


@helper
def _set_knots(values: Array) -> None:
    """Put eight quantiles of the values in their place; the last of those that differ fills the rest."""
    ordered = values.copy()
    for i in range(1, SAMPLE):  # by insertion: NumPy's sort takes a second to compile
        x, k = ordered[i], i
        while k > 0 and ordered[k - 1] > x:
            ordered[k] = ordered[k - 1]
            k -= 1
        ordered[k] = x
    found = 0
    for k in range(KNOTS):
        q = ordered[k * ((SAMPLE - 1) // (KNOTS - 1))]
        if found == 0 or q > values[found - 1]:
            values[found] = q
            found += 1
    for k in range(found, SAMPLE):
        values[k] = values[found - 1] if k < KNOTS else 0.0


@helper
def bend(knots: Array, x: float, out: Array) -> None:
    """Add the place of x between the knots to out; halves cannot overflow."""
    if not knots[1] > knots[0]:
        return
    k = 0
    while k < KNOTS - 1 and knots[k + 1] > knots[k] and x >= knots[k + 1]:
        k += 1
    if k == KNOTS - 1 or not knots[k + 1] > knots[k]:
        out[k] = 1.0
        return
    t = max(0.5 * x - 0.5 * knots[k], 0.0) / (0.5 * knots[k + 1] - 0.5 * knots[k])
    out[k] = 1.0 - t
    out[k + 1] = t


@kernel
def bend_rows(spreads: Array, rows: Any, importance: Array, learning: bool, out: Array) -> int:
    """Row t as places between knots; while learning, the first rows give the values that make them.

    Returns how many rows came before there were knots.
    """
    before = 0
    x = np.empty(spreads.shape[0] - 1)
    last = importance.shape[0] - 1
    for t in range(out.shape[0]):
        row = row_at(rows, t, 1.0, 1.0)
        n = int(spreads[0, SAMPLED])
        x[:] = 0.0
        out[t] = 0.0
        for k in range(length(row)):
            at = slot(row, k)
            if at < spreads.shape[0]:
                x[at - np.uint64(1)] = entry(row, k)
        if n >= SAMPLE:
            for j in range(x.shape[0]):
                bend(spreads[1 + j, BEHIND:], x[j], out[t, KNOTS * j : KNOTS * (j + 1)])
            continue
        before += 1
        if learning and importance[min(t, last)] > 0.0:
            for j in range(x.shape[0]):
                spreads[1 + j, BEHIND + n] = x[j]
            spreads[0, SAMPLED] = n + 1.0
            if n + 1 == SAMPLE:
                for j in range(x.shape[0]):
                    _set_knots(spreads[1 + j, BEHIND:])
    return before


def curves_of(spreads: Array, rows: Rows, importance: Array, learning: bool) -> tuple[Rows, int]:
    """The rows as places between knots, as experts see them, and how many came before there were any.

    A sparse row has all columns with knots, and so nothing before there are any: sums are taken as of a dense
    one.
    """
    out = np.empty((len(rows), KNOTS * (len(spreads) - 1)))
    before = bend_rows(spreads, rows.view, importance, learning, out)
    if rows.is_dense:
        return Rows.dense(out), before
    width = width_of_curves(spreads)
    ends = width * np.maximum(np.arange(len(rows) + 1) - before, 0)
    indices = np.tile(np.arange(width, dtype=np.uint32), len(rows) - before)
    return Rows.sparse(ends, indices, out[before:, :width].ravel(), out.shape[1]), before


def width_of_curves(spreads: Array) -> int:
    """The features of a row up to the last column that has knots."""
    known = np.flatnonzero(np.diff(knots_of(spreads)[:, :2], axis=1))
    return KNOTS * (1 + int(known[-1])) if len(known) else 0


def has_knots(spreads: Array) -> bool:
    """Whether enough rows have come to make knots, which never move from then on."""
    return bool(spreads[0, SAMPLED] >= SAMPLE)


def knots_of(spreads: Array) -> Array:
    """The knots of each column; all 0, which is none, where there are not enough values yet."""
    known = spreads[1:, BEHIND : BEHIND + KNOTS]
    return known.copy() if has_knots(spreads) else np.zeros_like(known)

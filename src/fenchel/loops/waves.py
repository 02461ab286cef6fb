"""Waves over several features: any surface over few columns, formed row by row and never stored.

Column j has 24 waves, each over the columns up to it: wave(b + Σ_{i ≤ j} a_i·z_i), z_i = (x_i − c_i)/u_i with
centre and unit by the knots of column i (``loops.curves``), held in [−4, 4]. A new column comes after all
that is there. The turns a_i are drawn once and for all, bell-shaped of the size 0.65/(j + 1)^1.25, the
starts b evenly: random Fourier features (Rahimi & Recht, 2007). Which of 24·n a stream needs, weights say.

wave(p) = 1 − 16·v² + 32·v⁴, with v = p less the nearest whole number, is near to cos 2πp, and no machine and
no target rounds it otherwise. Before there are knots there are no waves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper, kernel
from fenchel.loops.curves import BEHIND, KNOTS, has_knots, width_of_curves
from fenchel.parts.state import Array
from fenchel.rows import Rows
from fenchel.rows.types import entry, length, row_at, slot

WAVES = 24  # of each column
MOST = 10  # columns that have some
FARTHEST = 4.0
SIZE = 0.65
SIGN = 0  # where a column's spread has its first value other than 0: flipped features make the same waves


def _drawn(count: int) -> NDArray[np.uint64]:
    """Whole numbers of 64 bits, as SplitMix64 makes them of 1, 2, …; the same on every machine."""
    with np.errstate(over="ignore"):
        x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))


def _turns() -> Array:
    """By column j: the turns of each column i, and in the last row the starts, of its waves.

    A turn is the sum of four even numbers, less its mean: nearly normal, of variance 1/3 before it is sized.
    """
    drawn = _drawn(MOST * (MOST + 1) * WAVES).reshape(MOST, MOST + 1, WAVES)
    parts = [(drawn >> np.uint64(16 * k)) % np.uint64(1 << 16) for k in range(4)]
    whole = sum(part.astype(np.float64) for part in parts) / 65536.0 - 2.0
    over = np.arange(1.0, MOST + 1.0)
    found = whole * (SIZE * np.sqrt(3.0) / (over * np.sqrt(np.sqrt(over))))[:, None, None]
    found[:, MOST] = parts[0][:, MOST] / 65536.0
    return np.asarray(found)


TURNS = _turns()


@helper
def frame(knots: Array, first: float) -> tuple[float, float]:
    """Half the centre and half the unit of a column, which has the sign of its first value; 0 is no unit."""
    last = 0
    while last < KNOTS - 1 and knots[last + 1] > knots[last]:
        last += 1
    if last == KNOTS - 1:
        centre = 0.25 * knots[3] + 0.25 * knots[4]
        unit = 0.25 * knots[6] - 0.25 * knots[1]
    else:
        centre = 0.25 * knots[0] + 0.25 * knots[last]
        unit = 0.125 * knots[last] - 0.125 * knots[0]
    return centre, -unit if first < 0.0 else unit


@helper
def placed(knots: Array, first: float, x: float) -> float:
    """z; halves cannot overflow."""
    centre, unit = frame(knots, first)
    if unit == 0.0:
        return 0.0
    return min(max((0.5 * x - centre) / unit, -FARTHEST), FARTHEST)


@helper
def wave_column(turns: Array, z: Array, j: int, out: Array) -> None:
    """The waves of column j."""
    for k in range(WAVES):
        out[k] = turns[j, MOST, k]
    for i in range(j + 1):
        for k in range(WAVES):
            out[k] += turns[j, i, k] * z[i]
    for k in range(WAVES):
        v = out[k] - np.rint(out[k])
        out[k] = 1.0 - 16.0 * v * v + 32.0 * (v * v) * (v * v)


@kernel
def wave_rows(spreads: Array, turns: Array, rows: Any, first: int, out: Array) -> None:
    """Row first + t as waves; those before have none."""
    columns = out.shape[1] // WAVES
    z = np.empty(columns)
    for t in range(out.shape[0]):
        row = row_at(rows, first + t, 1.0, 1.0)
        z[:] = 0.0
        for k in range(length(row)):
            at = slot(row, k)
            if at <= np.uint64(columns):
                z[at - np.uint64(1)] = entry(row, k)
        for j in range(columns):
            z[j] = placed(spreads[1 + j, BEHIND:], spreads[1 + j, SIGN], z[j])
            wave_column(turns, z, j, out[t, WAVES * j : WAVES * (j + 1)])


def width_of_waves(spreads: Array) -> int:
    """The features of a row up to the last column that has knots."""
    return WAVES * (width_of_curves(spreads) // KNOTS)


def waves_of(spreads: Array, rows: Rows, before: int) -> Rows:
    """The rows as waves, as experts see them, but for so many that came before there were knots."""
    width, room = width_of_waves(spreads), WAVES * min(len(spreads) - 1, MOST)
    if not has_knots(spreads):
        before = len(rows)
    out = np.empty((len(rows) - before, width))
    wave_rows(spreads, TURNS, rows.view, before, out)
    if rows.is_dense:
        whole = np.zeros((len(rows), room))
        whole[before:, :width] = out
        return Rows.dense(whole)
    ends = width * np.maximum(np.arange(len(rows) + 1) - before, 0)
    indices = np.tile(np.arange(width, dtype=np.uint32), len(out))
    return Rows.sparse(ends, indices, out.ravel(), room)

"""Losses of candidate weights that stand still on the rows ahead, all candidates in one reading.

A candidate predicts m = Σ_j w_j·x_j and is charged with its mistake (classes) or with
a loss of numbers, held inside the targets known when it was taken. Of classes, the sharpness β of the
probabilities 1/(1 + exp(−β·s)) is learned beside it, s the lead of the right class over the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.libm import exp, log1p
from fenchel.loops.adahedge import charged
from fenchel.loops.online import ROUNDS
from fenchel.losses.protocol import value
from fenchel.parts.state import Array
from fenchel.rows.types import entries, row_at, saturated, slot_of, value_of

# The places of ``sums``.
WEIGHT, LOSS, LEAD, SQUARE = 0, 1, 2, 3
# Those of ``sharp``: β, the curvature of the log loss in β, and how many rows made them.
BETA, CURVE, SEEN = 0, 1, 2


# Multiples of the golden ratio spread evenly, and keep step with no hour or weekday of the data.
GOLDEN = 0.6180339887498949
# The places of ``Tray.counts``: rows on the tray, the round at which weights are set aside next, and
# whether there is something to do after the next row, but for learning it.
HELD, DUE, ATTEND = 0, 1, 2


class Tray(NamedTuple):
    """Single rows that wait to be looked at, with their targets."""

    indptr: Any
    indices: Any
    values: Array
    y: Array
    counts: Any
    share: Array  # of rows that are looked at, one number


def new_tray(rows: int, entries: int) -> Tray:
    """Room for so many rows and entries; nothing is known of the next row yet."""
    ends, indices = np.zeros(rows + 1, np.int64), np.zeros(entries, np.uint32)
    counts = np.array([0, 0, 1])
    return Tray(ends, indices, np.zeros(entries), np.zeros(rows), counts, np.zeros(1))


@kernel
def hold_row(tray: Any, row: Any, y: Array, rounds: Any) -> None:
    """Put a copy of a single row on the tray, where it is in the sample."""
    if not GOLDEN * rounds[ROUNDS] % 1.0 < tray.share[0]:
        return
    at, count = tray.indptr[tray.counts[HELD]], row.indptr[1]
    if tray.counts[HELD] >= tray.y.shape[0] or at + count > tray.indices.shape[0]:
        return  # nobody attended to it: better a row less than memory overwritten
    for k in range(count):
        tray.indices[at + k] = row.indices[k]
        tray.values[at + k] = row.values[k]
    tray.y[tray.counts[HELD]] = y[0]
    tray.counts[HELD] += 1
    tray.indptr[tray.counts[HELD]] = at + count


@kernel
def attend(tray: Any, room: int, rounds: Any) -> None:
    """Say whether the next row, of up to so many entries, may fill the tray or is the last of a window."""
    held = tray.counts[HELD]
    full = held + 1 >= tray.y.shape[0] or tray.indptr[held] + 2 * room > tray.indices.shape[0]
    tray.counts[ATTEND] = full or rounds[ROUNDS] + 1 >= tray.counts[DUE]


@helper
def _margins_into(weights: Array, row: Any, first: int, further: int, margins: Array) -> None:
    """margins[m] = Σ_j weights[j, m]·x_j; columns that are not known count nothing.

    With ``first`` rows have products and ``further`` slots a column (``loops.products``), of which margins
    before it have no weights.
    """
    for m in range(margins.shape[0]):
        margins[m] = 0.0
    # The slot of the next single column, and the way on.
    single, step = np.uint64(1), np.uint64(2 + further)
    for i in range(entries(row)):
        j = slot_of(row, i)
        while first > 0 and single < j:
            single += step
            step += np.uint64(1)
        begin = 0 if j == single or j == 0 else first
        if j < weights.shape[0]:
            x = value_of(row, i)
            for m in range(begin, margins.shape[0]):
                margins[m] += weights[j, m] * x
    for m in range(margins.shape[0]):
        margins[m] = saturated(margins[m]) if margins[m] == margins[m] else 0.0


@helper
def _lead(margins: Array, k: int, y: int) -> float:
    """The margin of the right class less the largest of the others; −∞ where it is not known."""
    others = -np.inf
    for c in range(margins.shape[1]):
        if c != y:
            others = max(others, margins[k, c])
    if y >= margins.shape[1]:
        return -np.inf
    return float(margins[k, y] - others) if others > -np.inf else 0.0


@helper
def _sharpen(lead: float, importance: float, surest: float, sharp: Array, k: int) -> None:
    """One Newton step of β down the log loss ln(1 + exp(−β·s)), no more than to its half or double.

    Of β·s beyond ``surest`` the logarithm counts, as where it is read. The first lead is the unit: β = 1/|s|,
    as sure of it as one row of even chances makes.
    """
    size = abs(lead)
    if not 1e-100 < size < 1e100:
        return
    if sharp[SEEN, k] == 0.0:
        sharp[BETA, k], sharp[CURVE, k] = 1.0 / size, 0.25 * size * size
    beta = sharp[BETA, k]
    beyond = max(beta * size - surest, 0.0)
    ahead = (beta * size - beyond + log1p(beyond)) * (1.0 if lead > 0.0 else -1.0)
    slope = lead / (1.0 + beyond)
    wrong = 1.0 / (1.0 + exp(min(max(ahead, -700.0), 700.0)))
    sharp[CURVE, k] += importance * slope * slope * wrong * (1.0 - wrong)
    step = importance * slope * wrong / sharp[CURVE, k]
    sharp[BETA, k] = min(max(beta + step, 0.5 * beta), 2.0 * beta)
    sharp[SEEN, k] += importance


@helper
def _sharpen_classes(
    margins: Array, y: int, lead: float, importance: float, surest: float, sharp: Array, k: int
) -> None:
    """The same for several classes, of the log loss ln Σ exp(h_c) − h_y: h_c = −β·(max m − m_c), tempered."""
    size = abs(lead)
    if not 1e-100 < size < 1e100:
        return
    if sharp[SEEN, k] == 0.0:
        sharp[BETA, k], sharp[CURVE, k] = 1.0 / size, 0.25 * size * size
    beta, most = sharp[BETA, k], -np.inf
    for c in range(margins.shape[0]):
        most = max(most, margins[c])
    total = mean = square = own = 0.0
    for c in range(margins.shape[0]):
        behind = most - margins[c]
        if not behind < 1e100:  # a class that is not known
            continue
        beyond = max(beta * behind - surest, 0.0)
        chance = exp(-min(beta * behind - beyond + log1p(beyond), 700.0))
        slope = -behind / (1.0 + beyond)
        total += chance
        mean += chance * slope
        square += chance * slope * slope
        own = slope if c == y else own
    mean /= total
    sharp[CURVE, k] += importance * max(square / total - mean * mean, 0.0)
    step = importance * (own - mean) / sharp[CURVE, k]
    sharp[BETA, k] = min(max(beta + step, 0.5 * beta), 2.0 * beta)
    sharp[SEEN, k] += importance


@helper
def _charge_class(lead: float, first: bool, importance: float, sums: Array, k: int) -> None:
    """A mistake where another class leads, or an earlier one is level (``first`` is not the right)."""
    wrong = 1.0 if lead < 0.0 or (lead == 0.0 and not first) else 0.0
    sums[LOSS, k] += charged(importance, wrong)
    if lead == -np.inf:  # a class that is not known says nothing of the size of margins
        return
    lead = min(max(lead, -1e100), 1e100)
    sums[LEAD, k] += importance * lead
    sums[SQUARE, k] += importance * lead * lead


@kernel
def charge_candidates(
    margins: Array,
    y: Array,
    importance: Array,
    task: int,
    loss: Any,
    bounds: Array,
    before: float,
    sums: Array,
    sharp: Array,
) -> None:
    """Charge every candidate by its margins[k, t, c].

    ``task`` is 0 for numbers, 1 for two classes, 2 for several; ``bounds`` are those of numbers. So many rows
    were charged ``before`` those of ``sums``: n of them can tell no logit beyond ln(1 + n).
    """
    last = importance.shape[0] - 1
    for t in range(y.shape[0]):
        amount = importance[min(t, last)]
        surest = log1p(before + sums[WEIGHT, 0])
        for k in range(margins.shape[0]):
            sums[WEIGHT, k] += amount
            if task == 0:
                p = min(max(margins[k, t, 0], bounds[0]), bounds[1])
                sums[LOSS, k] += charged(amount, value(loss, p, y[t]))
            elif task == 1:  # a margin of 0 is the first class
                lead = margins[k, t, 0] if y[t] > 0.0 else -margins[k, t, 0]
                _charge_class(lead, y[t] <= 0.0, amount, sums, k)
                _sharpen(min(max(lead, -1e100), 1e100), amount, surest, sharp, k)
            else:
                right = int(y[t])
                lead = _lead(margins[k], t, right)
                is_first = _is_first(margins[k], t, right)
                _charge_class(lead, is_first, amount, sums, k)
                _sharpen_classes(margins[k, t], right, lead, amount, surest, sharp, k)


@helper
def _is_first(margins: Array, k: int, y: int) -> bool:
    """Whether no class before y has a margin as large; a class that is not known has none."""
    first = y < margins.shape[1]
    for c in range(y if first else 0):
        first = first and margins[k, c] < margins[k, y]
    return bool(first)


@kernel
def charge_readings(
    readings: Array, y: Array, importance: Array, task: int, loss: Any, lost: Array
) -> None:
    """Charge predictions that are ready, readings[t, c], by the same losses."""
    last = importance.shape[0] - 1
    for t in range(y.shape[0]):
        amount = importance[min(t, last)]
        m = readings[t, 0]
        if task == 0:
            wrong = value(loss, m, y[t])
        elif task == 1:
            wrong = 0.0 if (m > 0.0) == (y[t] > 0.0) else 1.0
        else:
            right = int(y[t])
            wrong = (
                0.0 if _lead(readings, t, right) >= 0.0 and _is_first(readings, t, right) else 1.0
            )
        lost[0] += charged(amount, wrong)


@kernel
def read_candidates(
    weights: Array, rows: Any, bias: float, first: int, further: int, out: Array
) -> None:
    """The margins of all candidates, out[k, t, c], from weights[slot, k·classes + c]."""
    margins, classes = np.empty(weights.shape[1]), out.shape[2]
    for t in range(out.shape[1]):
        _margins_into(weights, row_at(rows, t, bias, 1.0), first * classes, further, margins)
        for k in range(out.shape[0]):
            for c in range(classes):
                out[k, t, c] = margins[k * classes + c]

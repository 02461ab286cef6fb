"""What candidate weights that stand still make of the rows ahead, all candidates in one reading.

A candidate c predicts m = Σ_j weights[j, c]·x_j and is charged with its mistake (classes) or with
a loss of numbers, held inside the targets known when it was taken. Beside the loss, the lead
s of the right class over the others is summed, and its square: probabilities need them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.loops.adahedge import charged
from fenchel.losses.protocol import value
from fenchel.parts.state import Array
from fenchel.rows.types import entries, row_at, saturated, slot_of, value_of

# The places of ``sums``.
WEIGHT, LOSS, LEAD, SQUARE = 0, 1, 2, 3


@helper
def _margins_into(weights: Array, row: Any, margins: Array) -> None:
    """margins[k, c] = Σ_j weights[j, k, c]·x_j; columns that are not known count nothing."""
    for k in range(margins.shape[0]):
        for c in range(margins.shape[1]):
            margins[k, c] = 0.0
    for i in range(entries(row)):
        j = slot_of(row, i)
        if j < weights.shape[0]:
            x = value_of(row, i)
            for k in range(margins.shape[0]):
                for c in range(margins.shape[1]):
                    margins[k, c] += weights[j, k, c] * x
    for k in range(margins.shape[0]):
        for c in range(margins.shape[1]):
            m = margins[k, c]
            margins[k, c] = saturated(m) if m == m else 0.0


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
def _charge_class(lead: float, first: bool, importance: float, sums: Array, k: int) -> None:
    """A mistake where another class leads, or an earlier one is level (``first`` is not the right)."""
    wrong = 1.0 if lead < 0.0 or (lead == 0.0 and not first) else 0.0
    sums[LOSS, k] += charged(importance, wrong)
    lead = min(max(lead, -1e100), 1e100)
    sums[LEAD, k] += importance * lead
    sums[SQUARE, k] += importance * lead * lead


@kernel
def charge_candidates(
    weights: Array,
    rows: Any,
    y: Array,
    importance: Array,
    bias: float,
    task: int,
    loss: Any,
    bounds: Array,
    sums: Array,
) -> None:
    """Charge every candidate with each row; ``task`` is 0 for numbers, 1 for two classes, 2 for several."""
    margins = np.empty((weights.shape[1], weights.shape[2]))
    last = importance.shape[0] - 1
    for t in range(y.shape[0]):
        amount = importance[min(t, last)]
        row = row_at(rows, t, bias, amount)
        _margins_into(weights, row, margins)
        for k in range(margins.shape[0]):
            sums[WEIGHT, k] += amount
            if task == 0:
                p = min(max(margins[k, 0], bounds[0]), bounds[1])
                sums[LOSS, k] += charged(amount, value(loss, p, y[t]))
            elif task == 1:  # a margin of 0 is the first class
                lead = margins[k, 0] if y[t] > 0.0 else -margins[k, 0]
                _charge_class(lead, y[t] <= 0.0, amount, sums, k)
            else:
                right = int(y[t])
                lead = _lead(margins, k, right)
                _charge_class(lead, _is_first(margins, k, right), amount, sums, k)


@helper
def _is_first(margins: Array, k: int, y: int) -> bool:
    """Whether no class before y has a margin as large."""
    for c in range(min(y, margins.shape[1])):
        if margins[k, c] >= margins[k, y]:
            return False
    return bool(y < margins.shape[1])


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
def read_candidates(weights: Array, rows: Any, bias: float, out: Array) -> None:
    """The margins of all candidates, out[k, t, c]."""
    margins = np.empty((out.shape[0], out.shape[2]))
    for t in range(out.shape[1]):
        _margins_into(weights, row_at(rows, t, bias, 1.0), margins)
        for k in range(out.shape[0]):
            for c in range(out.shape[2]):
                out[k, t, c] = margins[k, c]

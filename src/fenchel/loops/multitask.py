"""The compiled loops of several tasks with the group norm as composite term (Corollary 1).

W = ∇f_t*(Θ) shortens each column of Θ, one feature over all tasks, by η·t·λ and divides by √t. Between
two visits of a column only t changes, so that a round reads and moves the columns of its row alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.losses.protocol import derivative
from fenchel.parts.state import Array
from fenchel.rows.types import entries, row_at, saturated, slot_of, value_of


@helper
def _length(column: Array) -> float:
    """‖column‖₂ with the largest entry factored out."""
    largest = np.max(np.abs(column))
    if largest == 0.0:
        return 0.0
    return saturated(largest * np.sqrt(np.sum((column / largest) ** 2)))


@helper
def _read(f: Any, theta: Array, row: Any, t: float, margins: Array) -> None:
    """⟨w_k, x⟩ of every task; ``theta`` has one row a slot, one column a task."""
    margins[:] = 0.0
    threshold = f.eta * t * f.strength
    for i in range(entries(row)):
        column = theta[slot_of(row, i)]
        length = _length(column)
        if length > threshold:
            factor = (1.0 - threshold / length) / np.sqrt(t) * value_of(row, i)
            for k in range(margins.shape[0]):
                margins[k] = saturated(margins[k] + column[k] * factor)


@kernel
def learn_tasks(
    loss: Any,
    f: Any,
    theta: Array,
    rows: Any,
    y: Array,
    importance: Array,
    bias: float,
    margins: Array,
) -> None:
    """Learn from every sound row in turn; a target of NaN is none, and moves nothing."""
    last = importance.shape[0] - 1
    for t in range(y.shape[0]):
        row = row_at(rows, t, bias, importance[min(t, last)])
        f.rounds[0] += 1.0
        _read(f, theta, row, f.rounds[0], margins[t])
        for k in range(y.shape[1]):
            if y[t, k] == y[t, k]:
                slope = derivative(loss, margins[t, k], y[t, k])
                c = saturated(-f.eta * row.importance * slope)
                for i in range(entries(row)):
                    j = slot_of(row, i)
                    theta[j, k] = saturated(theta[j, k] + c * value_of(row, i))


@kernel
def decide_tasks(f: Any, theta: Array, rows: Any, count: int, bias: float, margins: Array) -> None:
    """The margins of every sound row as the next round would see them; nothing changes."""
    for t in range(count):
        _read(f, theta, row_at(rows, t, bias, 1.0), f.rounds[0] + 1.0, margins[t])

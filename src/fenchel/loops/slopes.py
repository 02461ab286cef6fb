"""The loss of given weights over rows, and its gradient: what a batch method asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import kernel
from fenchel.losses.protocol import derivative, value
from fenchel.parts.state import Array
from fenchel.rows.types import entries, row_at, slot_of, value_of


@kernel
def add_slopes(
    loss: Any,
    weights: Array,
    rows: Any,
    y: Array,
    importance: Array,
    bias: float,
    gradient: Array,
) -> float:
    """gradient[j, c] += Σ_t h_t·ℓ′(m_{t,c}, y_{t,c})·x_{t,j}; returns Σ_t Σ_c h_t·ℓ(m_{t,c}, y_{t,c}).

    m_{t,c} = ⟨w_c, x_t⟩; columns that are not known count nothing.
    """
    slots, outputs = weights.shape
    slopes, last, total = np.empty(outputs), importance.shape[0] - 1, 0.0
    for t in range(y.shape[0]):
        amount = importance[min(t, last)]
        row = row_at(rows, t, bias, amount)
        slopes[:] = 0.0
        for i in range(entries(row)):
            j, x = slot_of(row, i), value_of(row, i)
            if j < slots:
                for c in range(outputs):
                    slopes[c] += weights[j, c] * x
        for c in range(outputs):
            m = slopes[c]
            total += amount * value(loss, m, y[t, c])
            slopes[c] = amount * derivative(loss, m, y[t, c])
        for i in range(entries(row)):
            j, x = slot_of(row, i), value_of(row, i)
            if j < slots:
                for c in range(outputs):
                    gradient[j, c] += slopes[c] * x
    return total


@kernel
def add_squares(
    loss: Any, rows: Any, y: Array, importance: Array, bias: float, squares: Array
) -> float:
    """squares[j] += Σ_t h_t·x_{t,j}²; returns Σ_t Σ_c h_t·ℓ(0, y_{t,c}), the loss of no weights."""
    last, total = importance.shape[0] - 1, 0.0
    for t in range(y.shape[0]):
        amount = importance[min(t, last)]
        row = row_at(rows, t, bias, amount)
        for c in range(y.shape[1]):
            total += amount * value(loss, 0.0, y[t, c])
        for i in range(entries(row)):
            j, x = slot_of(row, i), value_of(row, i)
            if j < squares.shape[0]:
                squares[j] += amount * x * x
    return total

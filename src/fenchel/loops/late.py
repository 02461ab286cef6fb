"""A step whose label came late: taken now, with the derivative at the margin of its prediction."""

from __future__ import annotations

from typing import Any

from fenchel._numba import kernel
from fenchel.loops.averages import bank, begin_round
from fenchel.loops.online import ROUNDS, UPDATES
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import commit, look
from fenchel.rows.types import row_at
from fenchel.rules.protocol import coefficient


@kernel
def answer_rows(
    loss: Any,
    f: Any,
    rule: Any,
    average: Any,
    rows: Any,
    y: Array,
    importance: Array,
    bias: float,
    margins: Array,
    coefficients: Array,
    counts: Any,
) -> None:
    """θ ← θ + c_t·x_t with c_t of the old margins[t]; f_t is that of the round in which the label came."""
    last = importance.shape[0] - 1
    for t in range(y.shape[0]):
        row = row_at(rows, t, bias, importance[min(t, last)])
        begin_round(average, f, row)
        view = look(f, row)
        c = coefficient(rule, loss, f, view, row, margins[t], y[t])
        bank(average, f, view, row)
        commit(f, view, row, c)
        coefficients[t] = c
        counts[ROUNDS] += 1
        counts[UPDATES] += c != 0.0

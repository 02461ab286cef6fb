"""The compiled online loop: Algorithm 1 over a block of rows, whatever the parts.

    x_t seen      view = look(f, row)                           f_t
    w_t read      m_t = ⟨w_t, x_t⟩ = margin(f, view, row)       kept before the label is used
    z_t chosen    c = coefficient(rule, …)                      z_t = c·x_t
    θ_{t+1}       commit(f, view, row, c)                       θ_t + z_t

One loop serves sparse rows, dense rows and the full matrix: what differs is behind the verbs.
"""

from __future__ import annotations

from typing import Any

from fenchel._numba import helper, kernel
from fenchel._numba.intrinsics import seldom, side_by_side
from fenchel.loops.averages import bank, begin_round
from fenchel.loops.ledger import record, settle
from fenchel.losses.protocol import derivative, value
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import (
    all_weights,
    commit,
    look,
    margin,
    prepare,
    rescued_margin,
    spread,
)
from fenchel.rows.types import LARGEST, ZERO, SparseRow, row_at, sound_until
from fenchel.rules.protocol import coefficient

# The places of ``counts``.
ROUNDS, UPDATES = 0, 1


@helper
def finite_margin(f: Any, view: Any, row: Any) -> float:
    """⟨w_t, x_t⟩, finite for every finite row."""
    m = margin(f, view, row)
    if seldom(not abs(m) <= LARGEST):
        return float(rescued_margin(f, view, row))
    return float(m)


@kernel
def learn_rows(
    loss: Any,
    f: Any,
    rule: Any,
    average: Any,
    ledger: Any,
    rows: Any,
    y: Array,
    importance: Array,
    bias: float,
    width: int,
    checked: bool,
    margins: Array,
    counts: Any,
) -> int:
    """Learn from every row in turn; ``margins`` gets each ⟨w_t, x_t⟩ from before its label.

    ``counts`` are the rounds and the updates so far. Returns −1, or the number of the first row that is
    not sound: then the caller restores the state.
    """
    f, ledger = side_by_side(f), side_by_side(ledger)
    last = importance.shape[0] - 1
    updates = 0
    sure = y.shape[0] if checked else 0
    for t in range(y.shape[0]):
        if t == sure:
            sure = sound_until(rows, t, y.shape[0], width)
            if sure == t:
                return t
        row = row_at(rows, t, bias, importance[min(t, last)])
        begin_round(average, f, row)
        view = look(f, row)
        m = finite_margin(f, view, row)
        margins[t] = m
        c = coefficient(rule, loss, f, view, row, m, y[t])
        bank(average, f, view, row)
        before = record(ledger, loss, f, view, row, m, y[t], c)
        commit(f, view, row, c)
        settle(ledger, f, view, before, c)
        updates += c != 0.0
    counts[ROUNDS] += y.shape[0]
    counts[UPDATES] += updates
    return -1


@kernel
def count_round(counts: Any) -> None:
    """One more round."""
    counts[ROUNDS] += 1


@kernel
def trace_rows(
    loss: Any,
    f: Any,
    rule: Any,
    rows: Any,
    y: Array,
    importance: Array,
    bias: float,
    margins: Array,
    coefficients: Array,
) -> None:
    """Algorithm 1 once more over sound rows: each ⟨w_t, x_t⟩ and each c_t with z_t = c_t·x_t."""
    last = importance.shape[0] - 1
    for t in range(y.shape[0]):
        row = row_at(rows, t, bias, importance[min(t, last)])
        prepare(f, row)
        view = look(f, row)
        m = finite_margin(f, view, row)
        margins[t] = m
        coefficients[t] = coefficient(rule, loss, f, view, row, m, y[t])
        commit(f, view, row, coefficients[t])


@kernel
def decide_rows(
    f: Any, rows: Any, count: int, bias: float, width: int, checked: bool, margins: Array
) -> int:
    """The margin of every row as the next round would see it; nothing changes."""
    sure = count if checked else 0
    for t in range(count):
        if t == sure:
            sure = sound_until(rows, t, count, width)
            if sure == t:
                return t
        row = row_at(rows, t, bias, 1.0)
        margins[t] = finite_margin(f, look(f, row), row)
    return -1


@kernel
def check_rows(rows: Any, count: int, width: int) -> int:
    """The number of the first row that is not sound, or −1."""
    t = 0
    while t < count:
        sure = sound_until(rows, t, count, width)
        if sure == t:
            return t
        t = sure
    return -1


@kernel
def spread_rows(f: Any, rows: Any, count: int, bias: float, out: Array) -> None:
    """x·A⁻¹·x of every row."""
    for t in range(count):
        row = row_at(rows, t, bias, 1.0)
        out[t] = spread(f, look(f, row), row)


@kernel
def read_weights(f: Any, indices: Any, values: Any, bias: float, out: Array) -> None:
    """The weight of every slot; ``indices`` and ``values`` are those of any row: none is read."""
    # An empty row: no column is touched; whether there is an intercept a simplex has to know.
    row = SparseRow(indices, values, ZERO, ZERO, bias, 1.0)
    all_weights(f, look(f, row), out)


@kernel
def loss_values(loss: Any, margins: Array, y: Array, values: Array, slopes: Array) -> None:
    """ℓ and ℓ′ of each margin."""
    for t in range(y.shape[0]):
        values[t] = value(loss, margins[t], y[t])
        slopes[t] = derivative(loss, margins[t], y[t])

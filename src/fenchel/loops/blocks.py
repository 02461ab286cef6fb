"""Full matrices by blocks: k rows are learned by products of matrices, and a recursion in k × k numbers.

Before the block A = FᵀF. For its rows X: P = X·F⁻¹, G = P·Pᵀ = X·A⁻¹·Xᵀ and m = P·b, the margins under
the θ from before. Of the rows 1 … i − 1, those that were kept, with s_j and c_j (A ← A + s²·x·xᵀ,
θ ← θ + c·x), have G + 1/s² = L·Lᵀ in units of 1/s; then, ℓ_i the solution of L·ℓ_i = s·G_{·i},

    x_iᵀA_{i−1}⁻¹x_i = G_ii − ‖ℓ_i‖²,    θ_iᵀA_{i−1}⁻¹x_i = m_i + ⟨ℓ_i, t⟩,

and where row i is kept too, L gets the row (s·ℓ_iᵀ, λ), λ² = 1 + s²·x_iᵀA_{i−1}⁻¹x_i, and t the entry
(c/s − s·θ_iᵀA_{i−1}⁻¹x_i)/λ. So every margin is known before its label, and the rule decides as ever.
It is the same algorithm: only sums are associated otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.blas import divide_by_transposed
from fenchel.loops.online import finite_margin
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import kept, sighted, spread
from fenchel.regularizers.qr_block import begin_pivots, gram, solve_rows, turn_in_rows
from fenchel.regularizers.qr_factor import bounded, dot, shorten, waiting
from fenchel.regularizers.qr_update import turn_in
from fenchel.rows.types import (
    FOUR,
    ONE,
    THREE,
    TWO,
    ZERO,
    entry,
    length,
    row_at,
    saturated,
    slot,
)
from fenchel.rules.protocol import coefficient

# Where s²·xᵀA⁻¹x is larger, the difference of G and ‖ℓ‖² would lose more than six digits.
MOST = 1e6


class BlockRow(NamedTuple):
    """A row of a block as rules see it: its importance; its entries are in G alone."""

    importance: float


class Turns(NamedTuple):
    """The results of the recursion: Lᵀ, t, and of each row kept its place, s, and its c by output."""

    factor: Array
    along: Array
    places: Any
    scales: Array
    steps: Array


def turns_for(rows: int, outputs: int, room: Any = np.zeros) -> Turns:
    """Room for blocks of so many rows; ``room(numbers)`` gives all of it in one piece."""
    ends = np.cumsum([rows * rows, rows * outputs, rows * outputs, rows])
    factor, along, steps, scales, places = np.split(room(int(ends[-1]) + rows), ends)
    table = rows, outputs
    square, places = factor.reshape(rows, rows), places.view(np.int64)
    return Turns(square, along.reshape(table), places, scales, steps.reshape(table))


@helper
def forward(U: Any, shares: Any, ell: Any, count: Any) -> float:
    """ℓ ← L⁻¹·ℓ, L = Uᵀ, with 1/L_jj in ``shares``; returns ‖ℓ‖².

    Two rows of U at a time: the loops are short, and each entry of ℓ is read and written half as often.
    """
    square, j = 0.0, ZERO
    while j + ONE < count:
        row, below = U[j], U[j + ONE]
        e = ell[j] * shares[j]
        g = (ell[j + ONE] - e * row[j + ONE]) * shares[j + ONE]
        ell[j], ell[j + ONE] = e, g
        square += e * e
        square += g * g
        j += TWO
        for k in range(j, count):
            ell[k] = (ell[k] - e * row[k]) - g * below[k]
    if j < count:
        ell[j] *= shares[j]
        square += ell[j] * ell[j]
    return square


@helper
def add_products(t: Any, ell: Any, count: Any, now: Any) -> None:
    """now ← now + Σ_j ℓ_j·t_j, one entry an output, four rows of t at a time."""
    j = ZERO
    while j + THREE < count:
        a, b, c, d = ell[j], ell[j + ONE], ell[j + TWO], ell[j + THREE]
        for k in range(now.shape[0]):
            found = now[k] + a * t[j, k]
            found += b * t[j + ONE, k]
            found += c * t[j + TWO, k]
            now[k] = found + d * t[j + THREE, k]
        j += FOUR
    for i in range(j, count):
        for k in range(now.shape[0]):
            now[k] += ell[i] * t[i, k]


@helper
def leave_rest(turns: Turns, count: Any) -> None:
    """Rows that change nothing after those kept: of the identity, and zeros."""
    U, t = turns.factor, turns.along
    for j in range(U.shape[0]):
        for k in range(max(j, count), U.shape[1]):
            U[j, k] = 0.0
    for j in range(count, U.shape[0]):
        U[j, j], turns.places[j], turns.scales[j] = 1.0, 0, 0.0
        t[j, :] = 0.0
        turns.steps[j, :] = 0.0


@kernel
def decide_block(
    loss: Any,
    f: Any,
    rule: Any,
    G: Any,
    starts: Any,
    y: Any,
    importance: Any,
    margins: Any,
    turns: Turns,
) -> tuple[int, int, int]:
    """The rounds of one block from G and the margins at its start, one column an output.

    Returns how many rows were decided, how many of them are kept, and how many steps were taken. Rows
    are left undecided from the first on whose digits the recursion would lose.
    """
    n, updates, outputs = ZERO, 0, starts.shape[1]
    U, t = turns.factor, turns.along
    ell, shares = np.empty(G.shape[0]), np.empty(G.shape[0])
    for i in range(G.shape[0]):
        row = BlockRow(importance[min(i, importance.shape[0] - 1)])
        for j in range(n):
            ell[j] = turns.scales[j] * G[i, turns.places[j]]
        chi = max(G[i, i] - forward(U, shares, ell, n), 0.0)
        scale, moves, now = 0.0, 0, t[n]
        for k in range(outputs):
            now[k] = starts[i, k]
        add_products(t, ell, n, now)
        for k in range(outputs):
            view = sighted(f, chi, now[k], row)
            if k == 0 and i > 0:  # s of a step of 1 is that of every output
                reach, _ = kept(f, view, row, 1.0)
                if not reach * reach * G[i, i] <= MOST:
                    leave_rest(turns, n)
                    return i, int(n), updates
            m = finite_margin(f, view, row)
            margins[i, k] = m
            c = coefficient(rule, loss, f, view, row, m, y[i, k])
            size, step = kept(f, view, row, c)
            scale = size if size != 0.0 else scale
            moves += c != 0.0
            turns.steps[n, k] = step
        updates += moves > 0
        if scale != 0.0:
            corner = np.sqrt(1.0 + scale * scale * chi)
            for j in range(n):
                U[j, n] = scale * ell[j]
            U[n, n], shares[n] = corner, 1.0 / corner
            for k in range(outputs):
                now[k] = (turns.steps[n, k] / scale - scale * now[k]) / corner
            turns.places[n], turns.scales[n] = i, scale
            n += ONE
    leave_rest(turns, n)
    return G.shape[0], int(n), updates


@kernel
def fill_rows(
    rows: Any, begin: int, bias: float, scales: Any, places: Any, X: Any, count: int
) -> None:
    """X ← ``count`` rows of the block, one a place, each times its scale, and bounded."""
    X[:count] = 0.0
    for i in range(count):
        row = row_at(rows, begin + places[i], bias, 1.0)
        for k in range(length(row)):
            X[i, slot(row, k)] = bounded(scales[i] * bounded(entry(row, k)))
        X[i, 0] = scales[i] * bias


@kernel
def look_block(a: float, factor: Any, rotated: Any, X: Any, blas: Any, G: Any, starts: Any) -> None:
    """X ← X·R⁻¹ = P, G ← P·Pᵀ, and the margins at the start: P·b for each output."""
    begin_pivots(factor, a, X.shape[1])
    solve_rows(blas, factor, X)
    gram(blas, X, G)
    for i in range(X.shape[0]):
        for k in range(rotated.shape[0]):
            starts[i, k] = dot(X[i], rotated[k, : X.shape[1]])


@kernel
def keep_block(
    factor: Any, theta: Any, rotated: Any, Y: Any, turns: Turns, extra: Any, blas: Any
) -> None:
    """A, θ and b with the rows kept, whose s_i·x_i are in Y; ``extra`` has room for c_i/s_i."""
    n = Y.shape[1]
    for k in range(theta.shape[0]):
        for i in range(Y.shape[0]):
            share = turns.steps[i, k] / turns.scales[i]
            extra[k, i] = bounded(share)
            if share != 0.0:
                for j in range(n):
                    theta[k, j] = saturated(theta[k, j] + share * Y[i, j])
    turn_in_rows(blas, factor, Y, rotated[:, :n], extra)


@kernel
def end_waiting(f: Any) -> None:
    """Turn the rows that wait into the factor: a block begins with none."""
    if waiting(f) > ZERO:
        turn_in(f, waiting(f))


@kernel
def solve_block(factor: Any, X: Any, blas: Any) -> None:
    """X ← X·R⁻¹."""
    solve_rows(blas, factor, X)


@kernel
def read_block(f: Any, X: Any, margins: Any, spreads: Any) -> None:
    """The margin and xᵀA⁻¹x of every row of X·R⁻¹ as the next round would see it."""
    for t in range(X.shape[0]):
        for i in range(waiting(f)):
            shorten(f, i, X[t])
        row = BlockRow(1.0)
        along = dot(X[t], f.rotated[: X.shape[1]])
        view = sighted(f, saturated(dot(X[t], X[t])), along, row)
        margins[t] = finite_margin(f, view, row)
        spreads[t] = spread(f, view, row)


@kernel
def view_block(f: Any, along: Any, chi: Any, out: Any, spreads: bool) -> None:
    """The margin, or x·A_t⁻¹·x, of rows with these θᵀA⁻¹x and xᵀA⁻¹x."""
    for t in range(out.shape[0]):
        row = BlockRow(1.0)
        view = sighted(f, saturated(chi[t]), along[t], row)
        out[t] = spread(f, view, row) if spreads else finite_margin(f, view, row)


@kernel
def solve_transposed(factor: Any, W: Any, blas: Any) -> None:
    """W ← W·R⁻ᵀ: each row b becomes the w with R·w = b."""
    divide_by_transposed(blas, factor, W)

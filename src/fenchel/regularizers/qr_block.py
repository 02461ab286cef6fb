"""Many rows turned into the factor of a full matrix together, by products of matrices.

With the rows Y (``qr_factor``: Y_i = s_i·x_i), [R; Y] = Q·[R′; 0] by Householder reflections, a panel
of columns at a time. Inside a panel each reflection goes to the panel's own columns, v_c beside row c
of R: w = τ_c·(R_c + v_cᵀY), R_c ← w − R_c, Y ← Y − v_c·w. To the columns after it they all go at once:

    W = M·R_panel + (M·V)·Y,    M = (diag(1/τ) + lower part of V·Vᵀ)⁻¹,    V_c = v_cᵀ,
    R_panel ← W − R_panel,      Y ← Y − Vᵀ·W.

Beside R stands b = F⁻ᵀθ, beside Y what the rows add to it: one more column, or one for each output.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper
from fenchel._numba.blas import (
    add_product,
    add_product_of_transposed,
    add_product_with_transposed,
    divide_by_triangle,
)
from fenchel.regularizers.qr_factor import dot

# Columns of a panel: fewer make thin products, more take longer inside the panel.
PANEL = 32


@helper
def begin_pivots(R: Any, a: float, n: int) -> None:
    """A row of R that was never touched is that of √a·I."""
    for k in range(n):
        if R[k, k] == 0.0:
            R[k, k] = np.sqrt(a)


@helper
def solve_rows(blas: Any, R: Any, P: Any) -> None:
    """P ← P·R⁻¹: each row x becomes the a with Rᵀa = x."""
    divide_by_triangle(blas, R, P)


@helper
def reflect_panel(R: Any, V: Any, T: Any) -> None:
    """Turn the panel's columns of Y, the rows of V, into reflections; R is the panel's own triangle.

    T_c ← τ_c = (R_cc + new)/new, 0 where there was nothing to turn.
    """
    width = V.shape[0]
    for c in range(width):
        v = V[c]
        square = dot(v, v)
        T[c] = 0.0
        if square == 0.0:
            continue
        old = R[c, c]
        new = np.sqrt(old * old + square)
        share, T[c] = 1.0 / (old + new), (old + new) / new
        R[c, c] = new
        for i in range(np.uint64(v.shape[0])):
            v[i] *= share
        for j in range(c + 1, width):
            other = V[j]
            w = T[c] * (R[c, j] + dot(v, other))
            R[c, j] = w - R[c, j]
            for i in range(np.uint64(v.shape[0])):
                other[i] -= w * v[i]


@helper
def compose(T: Any, N: Any, M: Any) -> None:
    """M_c = τ_c·(e_c − Σ_{b<c} N_cb·M_b), N = V·Vᵀ."""
    width = M.shape[0]
    M[:] = 0.0
    for c in range(width):
        if T[c] != 0.0:
            for b in range(c):
                share = T[c] * N[c, b]
                for j in range(b + 1):
                    M[c, j] -= share * M[b, j]
            M[c, c] = T[c]


@helper
def turn_in_rows(blas: Any, R: Any, Y: Any, rotated: Any, extra: Any) -> None:
    """[R; Y] ← [R′; 0] and [b; extra] ← [b′; …] for each row of ``rotated`` and of ``extra``."""
    count, n = Y.shape
    V, W, MV = np.empty((PANEL, count)), np.empty((PANEL, n)), np.empty((PANEL, count))
    M, N, T = np.empty((PANEL, PANEL)), np.empty((PANEL, PANEL)), np.empty(PANEL)
    for begin in range(0, n, PANEL):
        end = min(begin + PANEL, n)
        width = end - begin
        v, m, mv = V[:width], M[:width, :width], MV[:width]
        for i in range(count):
            for c in range(width):
                v[c, i] = Y[i, begin + c]
        reflect_panel(R[begin:end, begin:end], v, T)
        add_product_with_transposed(blas, 1.0, v, v, 0.0, N[:width, :width])
        compose(T, N, m)
        turn_beside(v, m, rotated[:, begin:end], extra)
        if end < n:
            add_product(blas, 1.0, m, v, 0.0, mv)
            turned, top, rest = W[:width, end:], R[begin:end, end:n], Y[:, end:]
            add_product(blas, 1.0, m, top, 0.0, turned)
            add_product(blas, 1.0, mv, rest, 1.0, turned)
            add_product_of_transposed(blas, -1.0, v, turned, 1.0, rest)
            for c in range(width):
                if T[c] != 0.0:
                    for j in range(n - end):
                        top[c, j] = turned[c, j] - top[c, j]


@helper
def turn_beside(V: Any, M: Any, rotated: Any, extra: Any) -> None:
    """The panel's reflections on what stands beside R and Y."""
    width = V.shape[0]
    sums = np.empty(width)
    for k in range(rotated.shape[0]):
        for c in range(width):
            sums[c] = rotated[k, c] + dot(V[c], extra[k])
        for c in range(width):
            w = 0.0
            for j in range(c + 1):
                w += M[c, j] * sums[j]
            if M[c, c] != 0.0:
                rotated[k, c] = w - rotated[k, c]
            for i in range(extra.shape[1]):
                extra[k, i] -= V[c, i] * w


@helper
def gram(blas: Any, P: Any, G: Any) -> None:
    """G ← P·Pᵀ."""
    add_product_with_transposed(blas, 1.0, P, P, 0.0, G)

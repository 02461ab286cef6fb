"""Algebra of a few numbers, for sketches: the first k rows and columns of m × m matrices.

Results go into arrays that are given; no array is made, and calls are not inlined: there are many.
"""

from __future__ import annotations

import numpy as np

from fenchel._numba.jit import leaf
from fenchel.parts.state import Array

# A pivot is at least this share of its diagonal: rounding never makes one negative.
LEAST_PIVOT = 1e-14
SMALLEST = 1e-300
# Rotations end where what they would move is below the digits, after so many rounds at the latest.
ROUNDING = 1e-16
MOST_SWEEPS = 30


@leaf
def add_scaled(out: Array, scale: float, v: Array, k: int) -> None:
    """Out += scale·v."""
    for i in range(k):
        out[i] += scale * v[i]


@leaf
def copy_into(out: Array, v: Array, k: int) -> None:
    """Out = v."""
    for i in range(k):
        out[i] = v[i]


@leaf
def times(out: Array, matrix: Array, v: Array, k: int) -> None:
    """Out = matrix·v."""
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += matrix[i, j] * v[j]
        out[i] = total


@leaf
def times_left(out: Array, v: Array, matrix: Array, k: int) -> None:
    """Out = vᵀ·matrix."""
    for j in range(k):
        out[j] = 0.0
    for i in range(k):
        for j in range(k):
            out[j] += v[i] * matrix[i, j]


@leaf
def inner(v: Array, w: Array, k: int) -> float:
    """⟨v, w⟩."""
    total = 0.0
    for i in range(k):
        total += v[i] * w[i]
    return total


@leaf
def add_product(matrix: Array, scale: float, v: Array, w: Array, k: int) -> None:
    """Matrix += scale·v·wᵀ."""
    for i in range(k):
        for j in range(k):
            matrix[i, j] += scale * v[i] * w[j]


@leaf
def cholesky(L: Array, matrix: Array, ridge: float, k: int) -> None:
    """L·Lᵀ = matrix + ridge·I, L in the lower triangle."""
    for i in range(k):
        for j in range(i + 1):
            total = matrix[i, j]
            if i == j:
                total += ridge
            floor = max(LEAST_PIVOT * abs(total), SMALLEST)
            for n in range(j):
                total -= L[i, n] * L[j, n]
            L[i, j] = np.sqrt(max(total, floor)) if i == j else total / L[j, j]


@leaf
def solve_lower(L: Array, v: Array, k: int) -> None:
    """V ← L⁻¹·v."""
    for i in range(k):
        for n in range(i):
            v[i] -= L[i, n] * v[n]
        v[i] /= L[i, i]


@leaf
def solve(L: Array, v: Array, k: int) -> None:
    """V ← (L·Lᵀ)⁻¹·v."""
    solve_lower(L, v, k)
    for i in range(k - 1, -1, -1):
        for n in range(i + 1, k):
            v[i] -= L[n, i] * v[n]
        v[i] /= L[i, i]


@leaf
def diagonalise(A: Array, Q: Array, k: int) -> None:
    """A ← diag(μ) and Q with A = Q·diag(μ)·Qᵀ, of A symmetric and ⪰ 0, by Jacobi's rotations."""
    for i in range(k):
        for j in range(k):
            Q[i, j] = 1.0 if i == j else 0.0
    for _ in range(MOST_SWEEPS):
        moved = False
        for i in range(k):
            for j in range(i + 1, k):
                if abs(A[i, j]) > ROUNDING * np.sqrt(abs(A[i, i])) * np.sqrt(abs(A[j, j])):
                    _rotate(A, Q, i, j, k)
                    moved = True
        if not moved:
            return


@leaf
def _rotate(A: Array, Q: Array, i: int, j: int, k: int) -> None:
    """Turn coordinates i and j such that A_ij = 0."""
    slant = (A[j, j] - A[i, i]) / (2.0 * A[i, j])
    tan = 1.0 / (abs(slant) + np.hypot(slant, 1.0))
    tan = tan if slant >= 0.0 else -tan
    cos = 1.0 / np.hypot(tan, 1.0)
    sin = tan * cos
    for n in range(k):
        a, b = A[n, i], A[n, j]
        A[n, i], A[n, j] = cos * a - sin * b, sin * a + cos * b
        a, b = Q[n, i], Q[n, j]
        Q[n, i], Q[n, j] = cos * a - sin * b, sin * a + cos * b
    for n in range(k):
        a, b = A[i, n], A[j, n]
        A[i, n], A[j, n] = cos * a - sin * b, sin * a + cos * b
    A[i, j] = A[j, i] = 0.0

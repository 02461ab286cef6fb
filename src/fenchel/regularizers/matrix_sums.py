"""A full matrix out of its factor and back, for merging: A = RᵀR + Σ p·pᵀ over the rows that wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards

Flags = NDArray[np.bool_]


def seen_by(f: Any) -> Flags:
    """The slots that a row has touched; the others are those of a·I."""
    return np.asarray((np.diag(f.factor) != 0.0) | (f.rows != 0.0).any(axis=0))


def seen_by_any(shards: Shards) -> Flags:
    """The slots that a row of any shard has touched."""
    return np.asarray(np.logical_or.reduce([seen_by(g) for g in (shards.start, *shards.parts)]))


def rows_of(f: Any) -> Array:
    """Rows whose products x·xᵀ add up to A; a row of R that was never touched is that of √a·I."""
    R = f.factor.copy()
    untouched = np.diag(R) == 0.0
    R[untouched, untouched] = np.sqrt(f.a)
    return np.asarray(np.vstack([R, f.rows]))


def matrix_of(f: Any) -> Array:
    """A."""
    rows = rows_of(f)
    return np.asarray(rows.T @ rows)


def lay_sum(f: Any, shards: Shards) -> None:
    """Keep A_S + Σ (A_k − A_S), and θ alike."""
    parts, start = shards.parts, matrix_of(shards.start)
    A = np.asarray(start + sum(matrix_of(part) - start for part in parts))
    theta = shards.start.theta + sum(part.theta - shards.start.theta for part in parts)
    lay_triangle(f, triangle(A, f.a), theta, seen_by_any(shards))


def lay_averaged(f: Any, shards: Shards) -> None:
    """Keep the sum of A, and the w averaged by rounds: θ = A·w."""
    start, *found = (matrix_of(g) for g in (shards.start, *shards.parts))
    first, *ends = (np.linalg.solve(matrix_of(g), g.theta) for g in (shards.start, *shards.parts))
    w = first + sum(share * (end - first) for share, end in zip(shards.shares, ends, strict=True))
    A = np.asarray(start + sum(A - start for A in found))
    lay_triangle(f, triangle(A, f.a), A @ w, seen_by_any(shards))


def lay_rescaled(f: Any, factors: Array) -> None:
    """Keep D·A·D and D·θ, of features that are so many times as large."""
    seen, theta = seen_by(f), f.theta * factors
    lay_triangle(f, from_rows(rows_of(f) * np.where(seen, factors, 1.0)), theta, seen)


def lay_triangle(f: Any, R: Array, theta: Array, seen: Flags) -> None:
    """Keep RᵀR and θ as R and b = R⁻ᵀθ, nothing waiting; slots not seen stay as they begin."""
    from scipy.linalg import solve_triangular  # deferred: it takes a while to load

    f.rotated[:] = solve_triangular(R, theta, trans="T")
    f.theta[:] = theta
    f.factor[:] = R
    f.factor[~seen, ~seen] = 0.0
    f.rows[:], f.turns[:], f.waiting[:] = 0.0, 0.0, 0.0
    f.widest[:] = np.max(np.flatnonzero(seen), initial=0)


def triangle(A: Array, least: float) -> Array:
    """R with RᵀR = A, positive on its diagonal; where rounding left A indefinite, nearly so."""
    if not np.isfinite(A).all():
        raise ValueError("a full matrix is too large for sums of floats: scale the features down")
    try:
        return np.asarray(np.linalg.cholesky(A).T)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(0.5 * (A + A.T))
        floor = max(least * 1e-12, float(values[-1]) * 1e-16)
        return from_rows(np.sqrt(np.maximum(values, floor))[:, None] * vectors.T)


def from_rows(rows: Array) -> Array:
    """The triangle of the sum of x·xᵀ over these rows, by reflections: no difference is taken."""
    R = np.linalg.qr(rows, mode="r")
    return np.asarray(R * np.where(np.diag(R) < 0.0, -1.0, 1.0)[:, None])

"""A factor of A = a·I + Σ s_i²·x_i·x_iᵀ, kept by orthogonal transformations alone.

A = RᵀR + Σ p_i·p_iᵀ: a triangle R, and the latest few rows p_i = s_i·x_i, which wait to be turned
into R together: R is then read and written once for all of them, and that is most of the time a
large matrix takes. With q_i = F_{i−1}⁻ᵀ·p_i, F_0 = R, each of them turns the factor by

    A_i = F_{i−1}ᵀ(I + q_i·q_iᵀ)F_{i−1} = F_iᵀF_i,    F_i = S_i·F_{i−1},
    S_i = (I + q_i·q_iᵀ)^½,    S_i⁻¹ = I − u_i·u_iᵀ,    u_i = q_i/√(ν(1 + ν)),    ν = √(1 + ‖q_i‖²).

The parts that use it keep θ and b = F⁻ᵀθ (``rotated``), R (``factor``), the number of rows that wait
(``waiting``), these rows (``rows``), their u_i (``turns``) and the last slot seen (``widest``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper
from fenchel.parts.state import MOST_WAITING, Array
from fenchel.rows.types import (
    FOUR,
    ONE,
    THREE,
    TWO,
    ZERO,
    entries,
    saturated,
    slot_of,
    value_of,
)

# Where an entry of a row is larger, sums of its squares or its product with R would overflow.
BOUND = 1e140


@helper
def dot(a: Any, b: Any) -> float:
    """⟨a, b⟩ in four sums by position, so that zeros at the end change no bit of it."""
    n = np.uint64(a.shape[0])
    whole = n - n % FOUR
    first = second = third = fourth = 0.0
    for k in range(ZERO, whole, FOUR):
        first += a[k] * b[k]
        second += a[k + ONE] * b[k + ONE]
        third += a[k + TWO] * b[k + TWO]
        fourth += a[k + THREE] * b[k + THREE]
    for k in range(whole, n):
        term = a[k] * b[k]
        first += term if k == whole else 0.0
        second += term if k == whole + ONE else 0.0
        third += term if k == whole + TWO else 0.0
    return float((first + second) + (third + fourth))


@helper
def bounded(value: float) -> float:
    """The value, held where its product with another such is finite."""
    return min(max(value, -BOUND), BOUND)


@helper
def pivot(f: Any, k: Any) -> float:
    """R_kk; a row that was never touched is that of √a·I."""
    return float(f.factor[k, k]) if f.factor[k, k] != 0.0 else float(np.sqrt(f.a))


@helper
def waiting(f: Any) -> Any:
    """The number of rows that wait between two rounds; none where a model file has nonsense."""
    return np.uint64(f.waiting[0]) if 0.0 < f.waiting[0] < MOST_WAITING else ZERO


@helper
def add_to(out: Any, row: Any, scale: float) -> None:
    """out ← out + scale·x."""
    for k in range(entries(row)):
        out[slot_of(row, k)] += bounded(scale * value_of(row, k))


@helper
def shorten(f: Any, i: Any, a: Any) -> None:
    """a ← S_i⁻¹·a."""
    u = f.turns[i]
    along = dot(a, u)  # where a is shorter, the rest of u is 0
    for j in range(np.uint64(a.shape[0])):
        a[j] -= along * u[j]


@helper
def forward_substituted(f: Any, a: Any) -> None:
    """a ← R⁻ᵀa, four rows of R at a time: their solutions, then what these take from the rest."""
    R, n = f.factor, np.uint64(a.shape[0])
    whole = n - n % FOUR
    for i in range(ZERO, whole, FOUR):
        j, k, h = i + ONE, i + TWO, i + THREE
        if a[i] == 0.0 and a[j] == 0.0 and a[k] == 0.0 and a[h] == 0.0:
            continue
        p = saturated(a[i] / pivot(f, i))
        q = saturated((a[j] - p * R[i, j]) / pivot(f, j))
        r = saturated((a[k] - p * R[i, k] - q * R[j, k]) / pivot(f, k))
        s = saturated((a[h] - p * R[i, h] - q * R[j, h] - r * R[k, h]) / pivot(f, h))
        a[i], a[j], a[k], a[h] = p, q, r, s
        if R[i, i] != 0.0 or R[j, j] != 0.0 or R[k, k] != 0.0 or R[h, h] != 0.0:
            for m in range(i + FOUR, n):
                a[m] = a[m] - p * R[i, m] - q * R[j, m] - r * R[k, m] - s * R[h, m]
    for i in range(whole, n):
        a[i] = saturated(a[i] / pivot(f, i))
        for m in range(i + ONE, n):
            a[m] -= a[i] * R[i, m]


@helper
def solve_row(f: Any, row: Any) -> tuple[Array, float, float]:
    """The solution a of Fᵀa = x, ‖R⁻ᵀx‖², and what columns that are not known add to both squares.

    There A is a·I: each adds x²/a.
    """
    n = np.uint64(f.theta.shape[0])
    a = np.zeros(f.theta.shape[0])
    unknown = 0.0
    for k in range(entries(row)):
        x = bounded(value_of(row, k))
        j = slot_of(row, k)
        if j < n:
            a[j] += x
        else:
            unknown += x * (x / f.a)
    forward_substituted(f, a)
    reach = dot(a, a) + unknown
    for i in range(waiting(f)):
        shorten(f, i, a)
    return a, reach, unknown


@helper
def back_substituted(f: Any, right: Array) -> Array:
    """The solution w of F·w = right; A⁻¹θ for right = b."""
    n = f.theta.shape[0]
    w = right.copy()
    for i in range(waiting(f)):
        shorten(f, waiting(f) - ONE - i, w)
    for k in range(n - 1, -1, -1):
        rest = w[k]
        for j in range(k + 1, n):
            rest -= f.factor[k, j] * w[j]
        w[k] = saturated(rest / pivot(f, k)) if rest == rest else 0.0
    return w


@helper
def weights_into(f: Any, out: Array) -> None:
    """The first weights of A⁻¹θ."""
    # Entry by entry: NumPy's assignment to a slice takes the compiler a second longer.
    w = back_substituted(f, f.rotated)
    for k in range(out.shape[0]):
        out[k] = w[k]

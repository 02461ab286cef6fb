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

from fenchel._kernel import helper
from fenchel._kernel.rows import (
    FOUR,
    ONE,
    THREE,
    TWO,
    ZERO,
    entries,
    length,
    saturated,
    slot_of,
    value_of,
)
from fenchel._kernel.state import FEW, LINE, Array

# Where an entry of a row is larger, sums of its squares or its product with R would overflow.
BOUND = 1e140
# S_i⁻¹ takes a vector to one ν times as short, at the cost of as many units in the last place: a
# row with a larger ‖R⁻ᵀp‖² does not wait.
MOST = 1e6
# As long as fewer columns were seen, every row is turned in at once: that is quicker then.
WIDE = 64


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
    """How many rows wait; none where a model file tells nonsense."""
    return np.uint64(f.waiting[0]) if 0.0 < f.waiting[0] <= FEW else ZERO


@helper
def last_slot(row: Any) -> float:
    """The last slot that the row names; by rows, not by the room there is, which depends on blocks."""
    return float(slot_of(row, length(row) - ONE)) if length(row) > ZERO else 0.0


@helper
def add_to(out: Any, row: Any, scale: float) -> None:
    """out ← out + scale·x."""
    for k in range(entries(row)):
        out[slot_of(row, k)] += bounded(scale * value_of(row, k))


@helper
def shorten(f: Any, i: Any, a: Any) -> None:
    """a ← S_i⁻¹·a."""
    u = f.turns[i]
    along = dot(u, a)
    for j in range(np.uint64(a.shape[0])):
        a[j] -= along * u[j]


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


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
def solve_row(f: Any, row: Any) -> tuple[Array, float]:
    """The solution a of Fᵀa = x, and ‖R⁻ᵀx‖²."""
    a = np.zeros(f.theta.shape[0])
    add_to(a, row, 1.0)
    forward_substituted(f, a)
    reach = dot(a, a)
    for i in range(waiting(f)):
        shorten(f, i, a)
    return a, reach


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


# ── learning ────────────────────────────────────────────────────────────────────────────────────


@helper
def add_row(f: Any, row: Any, view: Any, scale: float, extra: float) -> None:
    """A ← A + scale²·x·xᵀ and Fᵀb ← Fᵀb + scale·extra·x; ``view`` has what ``solve_row`` gave."""
    f.widest[0] = max(f.widest[0], last_slot(row))
    if f.widest[0] >= WIDE and scale * scale * view.reach <= MOST:
        wait(f, row, view.solved, scale, bounded(extra))
        if waiting(f) == FEW:
            turn_in(f)
    else:
        turn_in(f)
        rotate_in(f, row, scale, bounded(extra))


@helper
def wait(f: Any, row: Any, solved: Any, scale: float, extra: float) -> None:
    """Keep p = scale·x and its u, and b ← S⁻¹(b + extra·q) with q = scale·a."""
    i = waiting(f)
    add_to(f.rows[i], row, scale)
    nu = np.sqrt(1.0 + scale * scale * dot(solved, solved))
    share = scale / np.sqrt(nu * (1.0 + nu))
    u = f.turns[i]
    for j in range(np.uint64(u.shape[0])):
        u[j] = share * solved[j]
        f.rotated[j] += extra * scale * solved[j]
    shorten(f, i, f.rotated)
    f.waiting[0] = i + ONE


@helper
def turn_in(f: Any) -> None:
    """Turn the rows that wait into R by Householder reflections, three rows in each.

    (No more: the compiler makes sure that no two of a loop's rows overlap, or gives up vectors.)
    """
    if waiting(f) == ZERO:
        return
    n = np.uint64(f.theta.shape[0])
    extras = unshortened(f)
    for k in range(n):
        for i in range(ZERO, np.uint64(FEW), THREE):
            reflect(f, np.uint64(k), f.rows[i], f.rows[i + ONE], f.rows[i + TWO], extras[i:])
    f.rows[:] = 0.0
    f.turns[:] = 0.0
    f.waiting[0] = 0.0


@helper
def unshortened(f: Any) -> Array:
    """b ← what stands beside R, and for each row that waits what stands beside it.

    [R; p_i] = Z·F_i with orthonormal columns Z, and Z·b = [S_i⁻¹b; ⟨q_i, S_i⁻¹b⟩].
    """
    extras = np.zeros(FEW)
    for back in range(waiting(f)):
        i = waiting(f) - ONE - back
        shorten(f, i, f.rotated)
        u = f.turns[i]
        nu = 1.0 / (1.0 - dot(u, u))
        extras[i] = dot(u, f.rotated) * np.sqrt(nu * (1.0 + nu))
    return extras


@helper
def reflect(f: Any, k: Any, one: Any, two: Any, three: Any, extras: Any) -> None:
    """Reflect row k of R and three rows so that these are 0 in column k.

    With v = (1, t), t = (their entries there)/(old + new), new² = old² + Σ entries²: the reflection
    is I − v·vᵀ·2/‖v‖², and 2/‖v‖² = (old + new)/new. The row of R changes its sign beside.
    """
    square = one[k] * one[k] + two[k] * two[k] + three[k] * three[k]
    if square == 0.0:
        return
    top = f.factor[k]
    old = pivot(f, k)
    top[k] = old
    new = np.sqrt(old * old + square)
    share, twice = 1.0 / (old + new), (old + new) / new
    a, b, c = share * one[k], share * two[k], share * three[k]
    # From a cache line's beginning on: what lies before column k is 0 and stays so.
    for j in range(k - k % np.uint64(LINE), np.uint64(top.shape[0])):
        above, x, y, z = top[j], one[j], two[j], three[j]
        w = twice * ((above + a * x) + (b * y + c * z))
        top[j] = w - above
        one[j] = x - a * w
        two[j] = y - b * w
        three[j] = z - c * w
    top[k] = new
    one[k] = two[k] = three[k] = 0.0
    above = f.rotated[k]
    w = twice * ((above + a * extras[0]) + (b * extras[1] + c * extras[2]))
    f.rotated[k] = w - above
    extras[0] -= a * w
    extras[1] -= b * w
    extras[2] -= c * w


@helper
def length_of(a: float, b: float) -> float:
    """√(a² + b²); by ``hypot``, which costs ten times as much, only where a square might not fit."""
    square = a * a + b * b
    return float(np.sqrt(square)) if 1e-280 < square < 1e280 else saturated(np.hypot(a, b))


@helper
def rotate_in(f: Any, row: Any, scale: float, extra: float) -> None:
    """Turn one row into R at once, by one Givens rotation a row of R: exact at every scale."""
    n = np.uint64(f.theta.shape[0])
    rest = np.zeros(f.theta.shape[0])
    add_to(rest, row, scale)
    for k in range(n):
        if rest[k] != 0.0:
            old = pivot(f, k)
            new = length_of(old, rest[k])
            cosine = old / new
            sine = rest[k] / new
            f.factor[k, k] = new
            for j in range(k + ONE, n):
                above = f.factor[k, j]
                f.factor[k, j] = cosine * above + sine * rest[j]
                rest[j] = cosine * rest[j] - sine * above
            above = f.rotated[k]
            f.rotated[k] = saturated(cosine * above + sine * extra)
            extra = saturated(cosine * extra - sine * above)

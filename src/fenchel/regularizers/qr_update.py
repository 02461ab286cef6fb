"""Turning rows into the factor of a full matrix (see ``factor``): a few together, or one at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper
from fenchel.parts.memory import LINE
from fenchel.parts.state import MOST_WAITING, Array
from fenchel.regularizers.qr_factor import add_to, bounded, dot, pivot, shorten, waiting
from fenchel.rows.types import ONE, THREE, TWO, ZERO, length, saturated, slot_of, value_of

# S_i⁻¹ takes a vector to one ν times as short, at the cost of as many units in the last place: a
# row with a larger ‖R⁻ᵀp‖² does not wait.
MOST = 1e6
# As long as fewer columns were seen, every row is turned in at once: that is quicker then.
WIDE = 64


@helper
def last_slot(row: Any) -> float:
    """The last slot that is not 0; by rows, not by the room there is, which depends on blocks.

    So a dense row and a sparse one are the same.
    """
    for back in range(length(row)):
        k = length(row) - ONE - np.uint64(back)
        if value_of(row, k) != 0.0:
            return float(slot_of(row, k))
    return 0.0


@helper
def add_row(f: Any, row: Any, view: Any, scale: float, extra: float) -> None:
    """A ← A + scale²·x·xᵀ and Fᵀb ← Fᵀb + scale·extra·x; ``view`` has what ``solve_row`` gave."""
    f.widest[0] = max(f.widest[0], last_slot(row))
    waits = f.widest[0] >= WIDE and scale * scale * view.reach <= MOST
    count = wait(f, row, view.solved, scale, bounded(extra)) if waits else waiting(f)
    if count == np.uint64(MOST_WAITING) or (count > ZERO and not waits):  # one place: it is inlined
        turn_in(f, count)
    if not waits:
        rotate_in(f, row, scale, bounded(extra))


@helper
def wait(f: Any, row: Any, solved: Any, scale: float, extra: float) -> Any:
    """Keep p = scale·x and its u, and b ← S⁻¹(b + extra·q) with q = scale·a; how many wait now."""
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
    return i + ONE


@helper
def turn_in(f: Any, count: Any) -> None:
    """Turn the rows that wait into R by Householder reflections, three rows in each.

    (No more: the compiler makes sure that no two of a loop's rows overlap, or gives up vectors.)
    """
    n = np.uint64(f.theta.shape[0])
    extras = unshortened(f, count)
    for k in range(n):
        for i in range(ZERO, np.uint64(MOST_WAITING), THREE):
            reflect(f, np.uint64(k), f.rows[i], f.rows[i + ONE], f.rows[i + TWO], extras[i:])
    f.rows[:] = 0.0
    f.turns[:] = 0.0
    f.waiting[0] = 0.0


@helper
def unshortened(f: Any, count: Any) -> Array:
    """b ← what stands beside R, and for each row that waits what stands beside it.

    [R; p_i] = Z·F_i with orthonormal columns Z, and Z·b = [S_i⁻¹b; ⟨q_i, S_i⁻¹b⟩].
    """
    extras = np.zeros(MOST_WAITING)
    for back in range(count):
        i = count - ONE - back
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

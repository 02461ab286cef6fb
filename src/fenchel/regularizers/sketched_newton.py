"""Newton steps by a sketch of rank m, in units of AdaGrad: second order where d² does not fit.

Gradients are measured in units of their own coordinate, s_j = g_j/√R_j with R_j = √(Σ g²_{s,j}). Of
Σ s·sᵀ only m directions are kept, the orthonormal rows of V, and the moments M along them:

    w ← w − η·D⁻¹·(I + VᵀMV/a_t)⁻¹·D⁻¹·g,   D_j = √R_j.

Off the sketch that is AdaGrad's step; a_t = a + Σ ρ²/m grows with what the sketch leaves over. The
directions follow the stream by Oja's rule in an implicit form: with p = V·s, r = s − Vᵀp and ρ = ‖r‖,

    c = (M + p·pᵀ + (a_t + ρ²)·I)⁻¹·p,   V ← N·(V + c·rᵀ),   M ← N·M·N + q·qᵀ,   q = V·s afterwards,

N = (I + ρ²·c·cᵀ)^(−½), which makes the rows orthonormal again. The first m directions are those of the
first gradients. Only the factors of V = F·Z are kept: each change of V is one of F, and s times a few numbers
added to Z. So are the weights, w = w̄ + D⁻¹·Zᵀb. A round touches what the row touches, m numbers a slot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.jit import leaf
from fenchel._numba.libm import log
from fenchel.parts.state import RANKED, SCALAR, SKETCH, SLOTS, SMALL, Array, part
from fenchel.regularizers.protocol import commit, weight
from fenchel.regularizers.small_algebra import (
    add_product,
    add_scaled,
    cholesky,
    copy_into,
    inner,
    solve,
    solve_lower,
    times,
    times_left,
)
from fenchel.rows.types import entries, saturated, slot_of, value_of

MOST_DIRECTIONS = 100
# A gradient whose part off the sketch is a smaller share of its square than this is no new direction.
INSIDE = 1e-6
# Squares beyond this are not added up: such rows take AdaGrad's step alone.
LARGEST_SQUARE = 1e250
# V is put in order once Z may have grown by e to this: F then takes back so many digits. The sum of what
# it grows by is at most the logarithm of a determinant: m·ln T, however long the stream.
MOST_STRAIN = 10.0


@part
class SketchedNewton(NamedTuple):
    """AdaGrad's steps, corrected along ``rank`` directions that Oja's rule keeps.

    ``theta`` is w̄, ``lengths`` R, ``basis`` Z, ``pull`` b, ``mixing`` F and ``unmixing`` F⁻¹; ``filled``
    directions are in use, slots up to ``edge`` were touched; ``work`` are the non-zeros and ``strain`` the
    growth of Z since V was last put in order; ``tail`` is Σ ρ².
    """

    eta: float = 0.3
    rank: float = 10.0
    a: float = 1.0
    theta: Array = SLOTS
    lengths: Array = SLOTS
    basis: Array = SKETCH
    pull: Array = RANKED
    mixing: Array = SMALL
    unmixing: Array = SMALL
    moments: Array = SMALL
    filled: Array = SCALAR
    edge: Array = SCALAR
    work: Array = SCALAR
    strain: Array = SCALAR
    tail: Array = SCALAR

    def refuse(self) -> None:
        """Raise for a rank that is none, or larger than a sketch should be."""
        if self.rank != int(self.rank) or not 1 <= self.rank <= MOST_DIRECTIONS:
            raise ValueError(
                f"rank={self.rank:g} must be a whole number from 1 to {MOST_DIRECTIONS}"
            )

    @property
    def allocates(self) -> bool:
        """Whether rounds make arrays on the way."""
        return True


class _Scratch(NamedTuple):
    """Room for a round: p and then q = V·s, what s is added to Z by, two vectors, and a matrix."""

    p: Array
    change: Array
    c: Array
    v: Array
    L: Array


@helper
def _pulled(f: Any, slot: Any) -> float:
    """(Zᵀb)_j."""
    total = 0.0
    for i in range(f.pull.shape[0]):
        total += f.basis[slot, i] * f.pull[i]
    return total


@weight.of(SketchedNewton)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = w̄_j + (Zᵀb)_j/√R_j."""
    length = f.lengths[slot]
    return float(f.theta[slot] + (_pulled(f, slot) / np.sqrt(length) if length > 0.0 else 0.0))


@helper
def _measure(f: Any, row: Any, coefficient: float, seen: Array) -> float:
    """R_j ← √(R_j² + g_j²), no weight moving; adds Z·s to ``seen``, and gives ‖s‖²."""
    square = 0.0
    for k in range(entries(row)):
        g, j = saturated(-coefficient * value_of(row, k)), slot_of(row, k)
        if g != 0.0:
            before, now = f.lengths[j], saturated(np.hypot(f.lengths[j], g))
            if 0.0 < before < now:
                kept = _pulled(f, j) * (1.0 / np.sqrt(before) - 1.0 / np.sqrt(now))
                f.theta[j] = saturated(f.theta[j] + kept)
            f.lengths[j] = now
            s = g / np.sqrt(now)
            square += s * s
            for i in range(seen.shape[0]):
                seen[i] += f.basis[j, i] * s
            f.edge[0] = max(f.edge[0], float(j))
            f.work[0] += 1.0
    return square


@leaf
def _floor(f: Any) -> float:
    """a_t = a + Σ ρ²/m."""
    return float(f.a + f.tail[0] / f.pull.shape[0])


@leaf
def _add_direction(f: Any, scratch: Any, rho: float, k: int) -> None:
    """V gains the row r/ρ: F gains (−pᵀF, 1)/ρ, and Z the row s."""
    p, along = scratch.p, scratch.v
    times_left(along, p, f.mixing, k)
    for i in range(k):
        f.mixing[k, i] = -along[i] / rho
        f.unmixing[k, i] = p[i]
    f.mixing[k, k], f.unmixing[k, k] = 1.0 / rho, rho
    p[k], scratch.change[k] = rho, 1.0
    f.filled[0] = k + 1.0


@leaf
def _turn(f: Any, scratch: Any, rho: float, k: int) -> None:
    """V ← N·(V + c·rᵀ), by F ← N·(I − c·pᵀ)·F and Z ← Z + F⁻¹·c·sᵀ/(1 − ⟨p, c⟩)."""
    p, c, v = scratch.p, scratch.c, scratch.v
    f.tail[0] += rho * rho
    cholesky(scratch.L, f.moments, _floor(f) + rho * rho, k)
    copy_into(c, p, k)
    solve(scratch.L, c, k)
    left = 1.0 / (1.0 + inner(p, c, k))  # 1 − ⟨p, c⟩ of the c in the next line (Sherman, Morrison)
    for i in range(k):
        c[i] *= left
    f.strain[0] -= log(left)
    length = inner(c, c, k)
    if length == 0.0:
        return
    times(v, f.unmixing, c, k)
    add_scaled(scratch.change, 1.0 / left, v, k)
    stretch = np.sqrt(1.0 + rho * rho * length)
    shrink = (1.0 / stretch - 1.0) / length
    add_product(f.unmixing, 1.0 / left, v, p, k)
    times(v, f.unmixing, c, k)
    add_product(f.unmixing, (stretch - 1.0) / length, v, c, k)
    times_left(v, p, f.mixing, k)
    add_product(f.mixing, -1.0, c, v, k)
    times_left(v, c, f.mixing, k)
    add_product(f.mixing, shrink, c, v, k)
    times_left(v, c, f.moments, k)
    add_product(f.moments, shrink, c, v, k)
    times(v, f.moments, c, k)
    add_product(f.moments, shrink, v, c, k)
    add_scaled(p, rho * rho, c, k)
    add_scaled(p, shrink * inner(c, p, k), c, k)


@leaf
def _follow(f: Any, seen: Array, square: float, scratch: Any) -> None:
    """V and M take s in; then b moves by η·Fᵀ·M·(M + a_t·I)⁻¹·q, left in ``scratch.v``."""
    rank, p, c = seen.shape[0], scratch.p, scratch.c
    k = int(min(max(f.filled[0], 0.0), float(rank)))
    times(p, f.mixing, seen, k)
    off = max(square - inner(p, p, k), 0.0)
    if k < rank and off > INSIDE * square:
        _add_direction(f, scratch, np.sqrt(off), k)
        k += 1
    else:
        _turn(f, scratch, np.sqrt(off), k)
    add_product(f.moments, 1.0, p, p, k)
    floor = _floor(f)
    cholesky(scratch.L, f.moments, floor, k)
    copy_into(c, p, k)
    solve(scratch.L, c, k)
    add_scaled(p, -floor, c, k)
    times_left(scratch.v, p, f.mixing, k)
    for i in range(k):
        scratch.v[i] *= f.eta


@commit.of(SketchedNewton)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −ℓ′: see the head of the file."""
    if coefficient == 0.0:
        return
    rank = f.pull.shape[0]
    room = np.zeros((5, rank))
    scratch = _Scratch(room[0], room[1], room[2], room[3], np.zeros((rank, rank)))
    square = _measure(f, row, coefficient, room[4])
    shift = 0.0
    if 0.0 < square <= LARGEST_SQUARE:
        _follow(f, room[4], square, scratch)
        shift = inner(scratch.change, f.pull, rank)
    for n in range(entries(row)):
        g, j = saturated(-coefficient * value_of(row, n)), slot_of(row, n)
        if g != 0.0:
            unit = np.sqrt(f.lengths[j])
            s = g / unit
            f.theta[j] = saturated(f.theta[j] - s * (f.eta + shift) / unit)
            for i in range(rank):
                f.basis[j, i] += scratch.change[i] * s
    add_scaled(f.pull, 1.0, scratch.v, rank)
    if f.work[0] >= rank * (f.edge[0] + 1.0) or f.strain[0] > MOST_STRAIN:
        _put_in_order(f, scratch)
    for i in range(rank):
        f.pull[i] = saturated(f.pull[i])
        for j in range(rank):
            f.moments[i, j] = saturated(f.moments[i, j])


@leaf
def _clear(matrix: Array) -> None:
    """All zeros."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = 0.0


@leaf
def _put_in_order(f: Any, scratch: Any) -> None:
    """Z ← V, its rows made orthonormal anew, so that no rounding adds up: m² operations a slot."""
    gram, v, L = f.unmixing, scratch.v, scratch.L
    rank = f.pull.shape[0]
    k = int(min(max(f.filled[0], 0.0), float(rank)))
    slots = int(min(max(f.edge[0] + 1.0, 0.0), float(f.basis.shape[0])))
    times_left(v, f.pull, f.unmixing, k)
    copy_into(f.pull, v, k)
    _clear(gram)
    for j in range(slots):
        times(v, f.mixing, f.basis[j], k)
        copy_into(f.basis[j], v, k)
        add_product(gram, 1.0, v, v, k)
    cholesky(L, gram, 0.0, k)
    for j in range(slots):
        solve_lower(L, f.basis[j], k)
    _into_basis(f, L, v, k)
    _clear(f.mixing)
    _clear(f.unmixing)
    for i in range(k):
        f.mixing[i, i] = f.unmixing[i, i] = 1.0
    f.work[0] = f.strain[0] = 0.0


@leaf
def _into_basis(f: Any, L: Array, v: Array, k: int) -> None:
    """B ← Lᵀ·b and M ← Lᵀ·M·L, of rows that were L times those of now."""
    for i in range(k):
        for j in range(i + 1, k):
            L[i, j] = 0.0
    times_left(v, f.pull, L, k)
    copy_into(f.pull, v, k)
    for i in range(k):
        times_left(v, f.moments[i], L, k)
        copy_into(f.moments[i], v, k)
    for j in range(k):
        for i in range(k):
            v[i] = 0.0
            for n in range(k):
                v[i] += L[n, i] * f.moments[n, j]
        for i in range(k):
            f.moments[i, j] = v[i]

"""The online Newton step with its matrix kept by frequent directions: a sketch that has a bound.

Of the gradients g = ℓ′·x at most m rows B are kept, A_t = BᵀB + α_t·I, and as in the online Newton step

    θ_{t+1} = θ_t + (⟨g_t, w_t⟩ − η)·g_t,   w_{t+1} = A_t⁻¹·θ_{t+1}.

A gradient is one more row of B. Where all m are in use, with BᵀB = Σ μ_i·v_i·v_iᵀ and δ the first μ
beyond the larger half, every μ_i becomes (μ_i − δ)₊, which empties half of the rows, and α grows by δ. So
A_t ⪰ A_{t−1} + g·gᵀ, and in no direction is A_t more than Δ = Σ δ beyond a·I + Σ g·gᵀ (Ghashami, Liberty,
Phillips & Woodruff, 2016; Luo et al., 2016). With K = B·Bᵀ

    w = (θ − Bᵀ·(K + α·I)⁻¹·B·θ)/α,   xᵀA⁻¹x = (‖x‖² − (Bx)ᵀ(K + α·I)⁻¹·Bx)/α.

A round takes m times its non-zeros; emptying rows takes m² operations a column, once in m/2 rounds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.jit import leaf
from fenchel.parts.state import RANKED, SCALAR, SKETCH, SLOTS, SMALL, Array, part
from fenchel.regularizers.protocol import commit, weight
from fenchel.regularizers.sketched_newton import MOST_DIRECTIONS
from fenchel.regularizers.small_algebra import (
    add_product,
    add_scaled,
    cholesky,
    copy_into,
    diagonalise,
    inner,
    solve,
    solve_lower,
)
from fenchel.rows.types import LARGEST, entries, saturated, slot_of, value_of

# Gradients with larger squares are not learned from; the sum of steps is then the largest number.
LARGEST_SQUARE = 1e200


@part
class FrequentDirections(NamedTuple):
    """f_t(w) = ½·wᵀA_{t−1}·w, A by at most ``rank`` rows.

    ``basis`` is Bᵀ, ``gram`` K = B·Bᵀ, ``pull`` B·θ and ``solved`` (K + α·I)⁻¹·B·θ; ``filled`` rows are in
    use, slots up to ``edge`` were touched. ``tail`` is Δ = Σ δ, and ``steps`` the sum of all
    g_tᵀ(A_{t−1} + g_t·g_tᵀ)⁻¹g_t.
    """

    eta: float = 1.0
    rank: float = 10.0
    a: float = 1.0
    theta: Array = SLOTS
    basis: Array = SKETCH
    gram: Array = SMALL
    pull: Array = RANKED
    solved: Array = RANKED
    filled: Array = SCALAR
    edge: Array = SCALAR
    tail: Array = SCALAR
    steps: Array = SCALAR

    def refuse(self) -> None:
        """Raise for a rank that is none, or larger than a sketch should be."""
        if self.rank != int(self.rank) or not 2 <= self.rank <= MOST_DIRECTIONS:
            raise ValueError(
                f"rank={self.rank:g} must be a whole number from 2 to {MOST_DIRECTIONS}"
            )

    @property
    def family(self) -> str:
        """By which theorems know it."""
        return "frequent directions"

    @property
    def allocates(self) -> bool:
        """Whether rounds make arrays on the way."""
        return True


@weight.of(FrequentDirections)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = (θ_j − (Bᵀ·solved)_j)/α."""
    total = f.theta[slot]
    for i in range(f.solved.shape[0]):
        total -= f.basis[slot, i] * f.solved[i]
    return float(total / (f.a + f.tail[0]))


@commit.of(FrequentDirections)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −ℓ′: see the head of the file."""
    rank, slope = f.pull.shape[0], -coefficient
    room, L = np.zeros((2, rank)), np.zeros((rank, rank))
    p, q = room[0], room[1]
    square, along = _seen(f, row, p)
    if slope == 0.0 or square == 0.0:
        return
    if not slope * slope * square <= LARGEST_SQUARE:
        f.steps[0] = LARGEST
        return
    n = int(min(max(f.filled[0], 0.0), rank - 1.0))
    alpha = f.a + f.tail[0]
    cholesky(L, f.gram, alpha, n)
    copy_into(q, p, n)
    solve_lower(L, q, n)
    chi = slope * slope * max(square - inner(q, q, n), 0.0) / alpha
    f.steps[0] += chi / (1.0 + chi)
    margin = saturated((along - inner(p, f.solved, n)) / alpha)
    step = min(max((slope * margin - f.eta) * slope, -LARGEST), LARGEST)
    _take_in(f, row, p, slope, step, n)
    f.pull[n] = saturated(slope * (along + step * square))
    f.gram[n, n] = slope * slope * square
    f.filled[0] = n + 1.0
    if n + 1 == rank:
        _empty_half(f, L)
    n = int(f.filled[0])
    cholesky(L, f.gram, f.a + f.tail[0], n)
    copy_into(f.solved, f.pull, n)
    solve(L, f.solved, n)


@helper
def _seen(f: Any, row: Any, p: Array) -> tuple[float, float]:
    """P ← B·x; returns ‖x‖² and ⟨θ, x⟩."""
    square, along = 0.0, 0.0
    for k in range(entries(row)):
        x, j = value_of(row, k), slot_of(row, k)
        if x != 0.0:
            square += x * x
            along += f.theta[j] * x
            for i in range(p.shape[0]):
                p[i] += f.basis[j, i] * x
    return square, along


@helper
def _take_in(f: Any, row: Any, p: Array, slope: float, step: float, n: int) -> None:
    """θ ← θ + step·x, and slope·x as row n of B, with what that is to the rows before."""
    for k in range(entries(row)):
        x, j = value_of(row, k), slot_of(row, k)
        if x != 0.0:
            f.theta[j] = saturated(f.theta[j] + step * x)
            f.basis[j, n] = slope * x
            f.edge[0] = max(f.edge[0], float(j))
    for i in range(n):
        f.gram[n, i] = f.gram[i, n] = slope * p[i]
        f.pull[i] = saturated(f.pull[i] + step * p[i])


@leaf
def _empty_half(f: Any, Q: Array) -> None:
    """B ← (I − δ/μ)₊^½·Qᵀ·B, the larger half of its rows; K and B·θ anew, so that no rounding adds up."""
    rank = f.pull.shape[0]
    half, mu, v = rank // 2, f.solved, f.pull
    diagonalise(f.gram, Q, rank)
    for i in range(rank):
        mu[i] = f.gram[i, i]
    for i in range(half + 1):  # the largest first, with their directions
        best = i
        for j in range(i + 1, rank):
            if mu[j] > mu[best]:
                best = j
        mu[i], mu[best] = mu[best], mu[i]
        for j in range(rank):
            Q[j, i], Q[j, best] = Q[j, best], Q[j, i]
    delta = max(mu[half], 0.0)
    for i in range(half):
        share = np.sqrt(1.0 - delta / mu[i]) if mu[i] > delta else 0.0
        for j in range(rank):
            Q[j, i] *= share
    f.tail[0] += delta
    f.filled[0] = float(half)
    for i in range(rank):
        f.solved[i] = 0.0
        for j in range(rank):
            f.gram[i, j] = 0.0
    for j in range(int(min(max(f.edge[0] + 1.0, 0.0), float(f.basis.shape[0])))):
        for i in range(half):
            v[i] = 0.0
            for n in range(rank):
                v[i] += Q[n, i] * f.basis[j, n]
        add_product(f.gram, 1.0, v, v, half)
        add_scaled(f.solved, f.theta[j], v, half)
        for i in range(rank):
            f.basis[j, i] = v[i] if i < half else 0.0
    for i in range(rank):
        v[i] = f.solved[i]

"""f_t = ½·wᵀA_t·w with the whole matrix A_t = a·I + Σ x_s·x_sᵀ/r (Sections 4 and 6.2).

Kept as a factor F of A = FᵀF (see ``factor``) and b = F⁻ᵀθ: O(d²) a round, as the rank-one update
of an inverse is, but backward stable, so that no number of rounds and no scaling of the features
makes A indefinite. Then, with the a that solves Fᵀa = x,

    xᵀA⁻¹x = ‖a‖²,    θᵀA⁻¹x = ⟨a, b⟩,    and θᵀ(A + xxᵀ/r)⁻¹x = ⟨a, b⟩·r/(r + ‖a‖²)  (Woodbury).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel.rows import entries, saturated, slot_of, value_of
from fenchel._kernel.state import MATRIX, ROWS, SCALAR, SLOTS, Array, part
from fenchel.regularizers.factor import back_substituted, dot, solve_row
from fenchel.regularizers.turning import add_row
from fenchel.regularizers.verbs import (
    all_weights,
    commit,
    look,
    margin,
    rescued_margin,
    spread,
    weight,
)


@part
class FullQuadratic(NamedTuple):
    """f_t(w) = ½·wᵀA_t·w, A_t = a·I + Σ x_s·x_sᵀ/r over the rounds kept.

    With ``tentative`` A_t includes x_t when it predicts, otherwise x_{t−1} is the last (the original
    AROW). Kept on rounds that update, or on all with ``always``. 1-strongly convex for √(uᵀA_t·u).

    >>> f = FullQuadratic(r=1.0).begin(2).observe(np.array([1.0, 0.0]))
    >>> f.gradient(np.array([1.0, 1.0]))
    array([0.5, 1. ])
    """

    a: float = 1.0
    r: float = 1.0
    always: bool = False
    tentative: bool = True
    theta: Array = SLOTS
    rotated: Array = SLOTS
    factor: Array = MATRIX
    widest: Array = SCALAR
    waiting: Array = SCALAR
    rows: Array = ROWS
    turns: Array = ROWS

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    def observe(self, x: Array) -> FullQuadratic:
        """The tentative f_t, x_t included; without ``tentative`` f_{t−1}, x_t waiting in ``rotated``.

        (Here ``factor`` holds A_t − a·I itself.)
        """
        if not self.tentative:
            return self._replace(rotated=x)
        return self._replace(factor=self.factor + np.outer(x, x) / self.r)

    def commit(self, current: FullQuadratic, z: Array) -> FullQuadratic:
        """Keep x_t where the round updates (z ≠ 0) or always."""
        if not (self.always or np.any(z)):
            return self
        if self.tentative:
            return current
        x = current.rotated
        return self._replace(factor=self.factor + np.outer(x, x) / self.r)

    @property
    def matrix(self) -> Array:
        """A_t, in the textbook's state."""
        return np.asarray(self.a * np.eye(len(self.factor)) + self.factor)

    def value(self, u: Array) -> float:
        """f_t(u) = ½·uᵀA_t·u."""
        return 0.5 * float(u @ self.matrix @ u)

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ½·θᵀA_t⁻¹·θ."""
        return 0.5 * float(theta @ self.gradient(theta))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ) = A_t⁻¹·θ."""
        return np.asarray(np.linalg.solve(self.matrix, theta), dtype=np.float64)

    @property
    def strong_convexity(self) -> float:
        """β_t = 1."""
        return 1.0

    def norm(self, u: Array) -> float:
        """√(uᵀA_t·u)."""
        return float(np.sqrt(u @ self.matrix @ u))

    def dual_norm(self, z: Array) -> float:
        """√(zᵀA_t⁻¹·z)."""
        return float(np.sqrt(z @ np.linalg.solve(self.matrix, z)))


class _View(NamedTuple):
    solved: Array
    reach: float
    chi: float
    shrink: float


@look.of(FullQuadratic)
def _look(f: Any, row: Any) -> _View:
    solved, reach = solve_row(f, row)
    chi = saturated(dot(solved, solved))
    r = f.r / row.importance if row.importance > 0.0 else np.inf
    shrink = 1.0
    if f.tentative and np.isfinite(r):
        shrink = r / (r + chi)
    return _View(solved, reach, chi, shrink)


@margin.of(FullQuadratic)
def _margin(f: Any, view: Any, row: Any) -> float:
    """⟨w_t, x_t⟩ = m_t·r/(r + χ_t), m_t = θᵀA_{t−1}⁻¹x_t."""
    return float(dot(view.solved, f.rotated) * view.shrink)


@rescued_margin.of(FullQuadratic)
def _rescued(f: Any, view: Any, row: Any) -> float:
    total = margin(f, view, row)
    return saturated(total) if total == total else 0.0


@weight.of(FullQuadratic)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j of F·w = b, by back substitution: O(d²) for one coordinate, see ``back_substituted``."""
    return float(back_substituted(f, f.rotated)[slot])


@all_weights.of(FullQuadratic)
def _all_weights(f: Any, view: Any, out: Array) -> None:
    out[:] = back_substituted(f, f.rotated)[: out.shape[0]]


@commit.of(FullQuadratic)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if row.importance == 0.0 or (coefficient == 0.0 and not f.always):
        return
    scale = np.sqrt(saturated(row.importance / f.r))
    add_row(f, row, view, scale, coefficient / scale)
    for k in range(entries(row)):
        j = slot_of(row, k)
        f.theta[j] = saturated(f.theta[j] + coefficient * value_of(row, k))


@spread.of(FullQuadratic)
def _spread(f: Any, view: Any, row: Any) -> float:
    """x·A_t⁻¹·x with the A_t that predicts."""
    return float(view.chi * view.shrink)

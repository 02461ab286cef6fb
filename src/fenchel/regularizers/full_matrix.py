"""f_t = ½·wᵀA_t·w with the whole matrix A_t = a·I + Σ x_s·x_sᵀ/r (Sections 4 and 6.2).

Kept as a factor F of A = FᵀF (see ``factor``) and b = F⁻ᵀθ: O(d²) a round, as the rank-one update
of an inverse is, but backward stable, so that no number of rounds and no scaling of the features
makes A indefinite. Then, with the a that solves Fᵀa = x,

    xᵀA⁻¹x = ‖a‖²,    θᵀA⁻¹x = ⟨a, b⟩,    and θᵀ(A + xxᵀ/r)⁻¹x = ⟨a, b⟩·r/(r + ‖a‖²)  (Woodbury).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import MATRIX, SCALAR, SLOTS, WAITING_ROWS, Array, part
from fenchel.regularizers.matrix_sums import lay_averaged, lay_rescaled, lay_sum, seen_by
from fenchel.regularizers.protocol import (
    all_weights,
    bank_weights,
    climb,
    commit,
    dual_square,
    gained,
    keeps_all,
    kept,
    look,
    margin,
    quadratic_climb,
    rescued_margin,
    settled,
    sighted,
    spread,
    weight,
)
from fenchel.regularizers.qr_factor import back_substituted, dot, solve_row, weights_into
from fenchel.regularizers.qr_update import add_row
from fenchel.regularizers.uniting import Shards, rescale, unite
from fenchel.rows.types import entries, saturated, slot_of, value_of


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
    rows: Array = WAITING_ROWS
    turns: Array = WAITING_ROWS

    @property
    def quadratic(self) -> bool:
        """Whether f_t(w) = ½·wᵀA_t·w on the whole space."""
        return True

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def nondecreasing(self) -> bool:
        """Whether A_t grows: products x·xᵀ do."""
        return True

    @property
    def family(self) -> str:
        """The f_t of Sections 4 and 6.2, where A_t includes x_t when it predicts."""
        return "matrix" if self.tentative else "matrix of the past"

    @property
    def weighs_rows(self) -> bool:
        """Importance h is the row √h·x in A_t."""
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

    def textbook(self) -> FullQuadratic:
        """The same f in the textbook's state, from that of the compiled loop.

        A = RᵀR + Σ p·pᵀ; a row of R that was never touched is that of √a·I.
        """
        R = self.factor.copy()
        untouched = np.diag(R) == 0.0
        R[untouched, untouched] = np.sqrt(self.a)
        moments = R.T @ R + self.rows.T @ self.rows - self.a * np.eye(len(R))
        return self._replace(factor=np.asarray(moments))

    def fixed_norm(self, x: Array) -> float:
        """‖x‖₂: a norm that stays the same over the run."""
        return float(np.linalg.norm(x))

    def gained(self, before: FullQuadratic, theta: Array, x: Array, y: float, m: float) -> float:
        """2·y_t·⟨w_t, x_t⟩ − m_t²/(r + χ_t) of Section 6.2, m_t = θᵀA_{t−1}⁻¹x_t."""
        ahead = before.gradient(x)
        chi, plain = float(ahead @ x), float(ahead @ theta)
        return 2.0 * y * m - plain**2 / (self.r + chi)

    def drops(self, intercept: bool) -> _Drops | None:
        """A counter that sums f_{t−1}(w_t) − f_t(w_t) from margins alone."""
        return _Drops(self) if self.tentative else None

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
    along: float
    shrink: float


class _Sight(NamedTuple):
    chi: float
    along: float
    shrink: float


@look.of(FullQuadratic)
def _look(f: Any, row: Any) -> _View:
    solved, reach, unknown = solve_row(f, row)
    chi = saturated(dot(solved, solved) + unknown)
    sight = sighted(f, chi, dot(solved, f.rotated), row)
    return _View(solved, reach, chi, sight.along, sight.shrink)


@sighted.of(FullQuadratic)
def _sighted(f: Any, chi: float, along: float, row: Any) -> _Sight:
    r = f.r / row.importance if row.importance > 0.0 else np.inf
    shrink = 1.0
    if f.tentative and np.isfinite(r):
        shrink = r / (r + chi)
    return _Sight(chi, along, shrink)


@margin.of(FullQuadratic)
def _margin(f: Any, view: Any, row: Any) -> float:
    """⟨w_t, x_t⟩ = m_t·r/(r + χ_t), m_t = θᵀA_{t−1}⁻¹x_t."""
    return float(view.along * view.shrink)


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
    weights_into(f, out)


@kept.of(FullQuadratic)
def _kept(f: Any, view: Any, row: Any, coefficient: float) -> tuple[float, float]:
    if row.importance == 0.0 or (coefficient == 0.0 and not f.always):
        return 0.0, 0.0
    return np.sqrt(saturated(row.importance / f.r)), coefficient


@commit.of(FullQuadratic)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    scale, step = kept(f, view, row, coefficient)
    if scale == 0.0:
        return
    add_row(f, row, view, scale, step / scale)
    for k in range(entries(row)):
        j = slot_of(row, k)
        f.theta[j] = saturated(f.theta[j] + step * value_of(row, k))


@spread.of(FullQuadratic)
def _spread(f: Any, view: Any, row: Any) -> float:
    """x·A_t⁻¹·x with the A_t that predicts."""
    return float(view.chi * view.shrink)


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@settled.of(FullQuadratic)
def _settled(f: Any, slot: Any) -> float:
    """Nothing waits: every weight is counted in its own round."""
    return 0.0


@bank_weights.of(FullQuadratic)
def _bank_weights(f: Any, average: Any, view: Any, row: Any) -> None:
    """Every weight moves in every round: w_t = F⁻¹(b − a·⟨a, b⟩/(r + χ)), O(d²)."""
    shift = 0.0
    if view.chi > 0.0:
        shift = (margin(f, view, row) / view.shrink) * (1.0 - view.shrink) / view.chi
    average.total[:] += back_substituted(f, f.rotated - view.solved * shift)


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@dual_square.of(FullQuadratic)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(spread(f, view, row))


@climb.of(FullQuadratic)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return quadratic_climb(square, margin, c)


@keeps_all.of(FullQuadratic)
def _keeps_all(f: Any) -> bool:
    return bool(f.always)


@gained.of(FullQuadratic)
def _gained(f: Any, view: Any, margin: float, y: float) -> float:
    """With r/(r + χ) = shrink, m_t²/(r + χ) = ⟨w, x⟩²·(r + χ)/r²."""
    return float(2.0 * y * margin - margin * margin / (f.r * view.shrink))


class _Drops:
    """Σ f_{t−1}(w_t) − f_t(w_t): −h_t·⟨w_t, x_t⟩²/(2r) in each round kept."""

    def __init__(self, f: FullQuadratic) -> None:
        self.f = f
        self._total = 0.0

    def add(self, importance: Array, squares: Array, margins: Array, c: Array) -> None:
        """Add some rounds."""
        kept = importance * ((c != 0.0) | self.f.always)
        self._total -= 0.5 * float(kept @ margins**2) / self.f.r

    def total(self) -> float:
        """The sum over the run."""
        return self._total


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(FullQuadratic)
def _unite(f: Any, shards: Shards) -> None:
    """A and θ are sums over rows: exact where each row adds what it would anywhere (``always``).

    Where only mistakes add, shards that go on from a model all make the same ones: w is averaged then.
    """
    from_nothing = not seen_by(shards.start).any()
    (lay_sum if f.always or from_nothing else lay_averaged)(f, shards)


@rescale.of(FullQuadratic)
def _rescale(f: Any, factors: Array) -> None:
    lay_rescaled(f, factors)

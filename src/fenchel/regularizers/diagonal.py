"""f_t = ½·wᵀD_t·w, D_t = diag(a + Σ x_s²/r): the diagonal second-order regularizer (Section 6.3)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import RECORD, Array, part
from fenchel.regularizers.domains import Whole, confine
from fenchel.regularizers.domains.protocol import (
    climb_apart,
    inverse_curvature,
    no_pressure,
)
from fenchel.regularizers.protocol import (
    absorb,
    absorb_row,
    climb,
    commit,
    dual_square,
    keeps_all,
    look,
    pace,
    settled,
    size,
    spread,
    weight,
)
from fenchel.regularizers.uniting import Shards, added, combined, gains, held, rescale, unite
from fenchel.rows.sums import alike, squared_norm, sum_over, term
from fenchel.rows.types import LARGEST, saturated


@part
@alike
class DiagonalQuadratic(NamedTuple):
    """f_t(w) = ½·Σ (a + s_j)·w_j² with s_j = Σ x_{s,j}²/r over the rounds kept, x_t's included.

    The tentative D_t = D_{t−1} + diag(x_t²)/r predicts. It is kept on rounds that update, or on all
    of them with ``always`` (Vovk-Azoury-Warmuth). 1-strongly convex for √(uᵀD_t·u), whose dual is
    √(zᵀD_t⁻¹·z).

    >>> f = DiagonalQuadratic(r=1.0).begin(2).observe(np.array([1.0, 3.0]))
    >>> f.gradient(np.array([1.0, 1.0]))
    array([0.5, 0.1])
    """

    a: float = 1.0
    r: float = 1.0
    always: bool = False
    domain: Any = Whole()
    theta: Array = RECORD
    squares: Array = RECORD

    @property
    def quadratic(self) -> bool:
        """Whether f_t(w) = ½·wᵀA_t·w on the whole space."""
        return bool(self.domain.unbounded)

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def nondecreasing(self) -> bool:
        """Whether D_t grows: sums of squares do."""
        return True

    @property
    def family(self) -> str:
        """The f_t of Section 6.3."""
        return "diagonal"

    @property
    def weighs_rows(self) -> bool:
        """Importance h is the row √h·x in D_t."""
        return True

    @property
    def averageable(self) -> bool:
        """Whether weights between visits stand still."""
        return bool(self.domain.separable)

    def fixed_norm(self, x: Array) -> float:
        """‖x‖₂, the level X_T of the rare-feature bound."""
        return float(np.linalg.norm(x))

    def observe(self, x: Array) -> DiagonalQuadratic:
        """The tentative f_t, x_t included."""
        return self._replace(squares=self.squares + x * x / self.r)

    def commit(self, tentative: DiagonalQuadratic, z: Array) -> DiagonalQuadratic:
        """Keep f_t where the round updates (z ≠ 0) or always."""
        return tentative if self.always or np.any(z) else self

    @property
    def diagonal(self) -> Array:
        """The diagonal of D_t."""
        return np.asarray(self.a + self.squares)

    def value(self, u: Array) -> float:
        """f_t(u) = ½·uᵀD_t·u."""
        return 0.5 * float(np.sum(self.diagonal * u * u))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ) = D_t⁻¹·θ, confined to S."""
        return np.asarray(self.domain.project(theta / self.diagonal))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ⟨w, θ⟩ − f_t(w) at w = ∇f_t*(θ); ½·θᵀD_t⁻¹·θ on the whole space."""
        w = self.gradient(theta)
        return float(np.vdot(w, theta)) - self.value(w)

    @property
    def strong_convexity(self) -> float:
        """β_t = 1."""
        return 1.0

    def norm(self, u: Array) -> float:
        """√(uᵀD_t·u)."""
        return float(np.sqrt(np.sum(self.diagonal * u * u)))

    def dual_norm(self, z: Array) -> float:
        """√(zᵀD_t⁻¹·z)."""
        return float(np.sqrt(np.sum(z * z / self.diagonal)))


@look.of(DiagonalQuadratic)
def _look(f: Any, row: Any) -> float:
    """1/r times the importance of the round: weight 2 is the example seen twice in D_t."""
    return saturated(row.importance / f.r)


@weight.of(DiagonalQuadratic)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = θ_j / (a + s_j + x²/r)."""
    return float(
        confine(
            f.domain, no_pressure(f.domain), f.theta[slot] / (f.a + f.squares[slot] + x * view * x)
        )
    )


@absorb.of(DiagonalQuadratic)
def _absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)
    f.squares[slot] = min(f.squares[slot] + x * view * x, LARGEST)


@commit.of(DiagonalQuadratic)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient != 0.0 or f.always:
        absorb_row(f, view, row, coefficient)


@alike
class _Spread(NamedTuple):
    """The sum that is x·D_t⁻¹·x."""


@term.of(_Spread)
def _spread_of(what: Any, f: Any, view: Any, slot: Any, x: Any) -> Any:
    return x / (f.a + f.squares[slot] + x * view * x) * x


@spread.of(DiagonalQuadratic)
def _spread(f: Any, view: Any, row: Any) -> float:
    """x·D_t⁻¹·x."""
    return float(sum_over(_Spread(), f, view, row))


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(DiagonalQuadratic)
def _pace(f: Any, view: Any) -> float:
    return 1.0


@settled.of(DiagonalQuadratic)
def _settled(f: Any, slot: Any) -> float:
    return float(weight(f, 1.0, slot, 0.0))


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@size.of(DiagonalQuadratic)
def _size(f: Any, row: Any) -> float:
    return float(np.sqrt(squared_norm(row)))


@dual_square.of(DiagonalQuadratic)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(spread(f, view, row))


@inverse_curvature.of(DiagonalQuadratic)
def _inverse_curvature(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(1.0 / (f.a + f.squares[slot] + x * x * view))


@climb.of(DiagonalQuadratic)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return climb_apart(f, view, row, square, margin, c)


@keeps_all.of(DiagonalQuadratic)
def _keeps_all(f: Any) -> bool:
    return bool(f.always)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(DiagonalQuadratic)
def _unite(f: Any, shards: Shards) -> None:
    """θ and D_t are sums over rows: exact where each row adds what it would anywhere (``always``).

    Where only mistakes add, shards that go on from a model all make the same ones: the weights θ/D_t are
    averaged by a + what each gained, a counted once. From nothing that is the sum.
    """
    f.theta[:] = added(shards, "theta")
    f.squares[:] = added(shards, "squares")
    if f.always:
        return
    start, *found = (g.theta / (g.a + g.squares) for g in (shards.start, *shards.parts))
    gained = held(gains(shards, "squares"), shards.shares)
    w = combined(start, found, [f.a + gain for gain in gained], f.a + sum(gained))
    f.theta[:] = w * (f.a + f.squares)


@rescale.of(DiagonalQuadratic)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] *= factors
    f.squares[:] *= factors**2

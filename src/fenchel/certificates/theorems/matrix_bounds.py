"""Sections 6.2 and 6.3: the second-order bounds, full and diagonal, and the rare-feature bound."""

from __future__ import annotations

import math

import numpy as np

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.theorem import (
    FORMULAS,
    ONLY_UPDATES,
    STEPS,
    Theorem,
    loss,
    regularizer,
    rule,
    theorem,
)
from fenchel.certificates.theorems.square_loss import log_determinant

_NEEDS = (FORMULAS, STEPS, loss("hinge"), ONLY_UPDATES)
_EITHER = rule("aggressive", "conservative")
_MATRIX = (*_NEEDS, _EITHER, regularizer("matrix"))
_DIAGONAL = (*_NEEDS, _EITHER, regularizer("diagonal"))


def _certificate(
    run: RunRecord,
    equation: str,
    bound: float,
    *extra: Assumption,
    theorem: str = "Second-order bound",
) -> Certificate:
    """Both sides of a bound on M + U = updates."""
    s = run.sums
    eta = Assumption("η_t = 1: η of the rule", run.rule.eta, run.rule.eta == 1.0)
    start = Assumption("A_0 = I", run.f.a, run.f.a == 1.0)
    achieved = s.mistakes + s.errors
    return Certificate(
        theorem,
        equation,
        "updates M + U",
        run.comparator,
        achieved,
        bound,
        achieved + abs(bound) + abs(s.gained) + s.inverse,
        (run.even, eta, start, run.whole, *extra),
    )


@theorem(*_MATRIX, name="Second-order bound, Section 6.2, first line")
def matrix_bound(run: RunRecord) -> Certificate:
    """M + U ≤ L(u) + √(uᵀA_T·u)·√Σ(xᵀA_t⁻¹x + 2y⟨w, x⟩ − m²/(r + χ)), the first line of Section 6.2."""
    s = run.sums
    inner = max(s.inverse + s.gained, 0.0)
    bound = s.loss_u + np.sqrt(2.0 * run.f.value(run.u)) * np.sqrt(inner)
    return _certificate(run, "Section 6.2, first line", float(bound))


def _determinant_form(run: RunRecord, extra: float) -> float:
    """L(u) + √(r‖u‖² + Σ_{M∪U}⟨u, x⟩²)·√(ln|A_T| + extra)."""
    wide = run.f.r * float(run.u @ run.u) + run.sums.update_squares_u
    inside = log_determinant(run.f.matrix, run.f.a) + extra
    return float(run.sums.loss_u + np.sqrt(wide) * np.sqrt(max(inside, 0.0)))


@theorem(*_MATRIX, name="Second-order bound, Section 6.2")
def determinant_bound(run: RunRecord) -> Certificate:
    """M + U ≤ L(u) + √(r‖u‖² + Σ⟨u, x⟩²)·√(ln|A_T| + Σ m(2ry − m)/(r(r + χ))), its last line."""
    return _certificate(run, "Section 6.2", _determinant_form(run, run.sums.gained / run.f.r))


@theorem(*_MATRIX, name="Second-order bound, as known for AROW")
def arow_bound(run: RunRecord) -> Certificate:
    """The same with U in place of the sum: the bound known for AROW, never smaller."""
    bound = _determinant_form(run, run.sums.errors)
    return _certificate(run, "as known for AROW", bound)


# The bound of the original form, with A = A_t−1, χ = xᵀA⁻¹x, m = θᵀA⁻¹x before an update and θ = Σ y·x/r:
#
#   by Woodbury   r·θᵀA⁻¹θ grows by  χ/(r + χ) + r·y·m(2 − y·m)/(r + χ)  in each update;
#   its sum is at most  ln|A_T| + U,  since χ/(r + χ) ≤ ln(1 + χ/r), whose sum is ln|A_T|, and
#   y·m(2 − y·m) is at most 0 on mistakes and at most 1 on the other updates;
#   by Cauchy     M + U − L(u) ≤ Σ y·⟨u, x⟩ = r·⟨u, θ⟩ ≤ √(r·uᵀA_T·u)·√(r·θᵀA_T⁻¹·θ).
@theorem(
    *_NEEDS,
    rule("aggressive"),
    regularizer("matrix of the past"),
    name="AROW, Crammer, Kulesza & Dredze",
)
def original_arow_bound(run: RunRecord) -> Certificate:
    """M + U ≤ L(u) + √(r‖u‖² + Σ⟨u, x⟩²)·√(ln|A_T| + U), all sums over updates (Crammer et al., 2009).

    Of the original form: predict with A_{t−1}, z_t = y_t·x_t/r.
    """
    s, f = run.sums, run.f
    loss = f.r * s.eta_loss_u  # Σ ℓ_t(u) over updates, where η_t = 1/r
    wide = f.r * float(run.u @ run.u) + s.update_squares_u
    inside = log_determinant(f.matrix, f.a) + s.errors
    bound = float(loss + np.sqrt(wide) * np.sqrt(max(inside, 0.0)))
    off = f.r * run.rule.eta - 1.0
    achieved = s.mistakes + s.errors
    return Certificate(
        "AROW",
        "Crammer, Kulesza & Dredze",
        "updates M + U",
        run.comparator,
        achieved,
        bound,
        achieved + abs(bound),
        (
            run.even,
            Assumption("η = 1/r: r·η − 1", off, abs(off) <= 1e-12),
            Assumption("A_0 = I", f.a, f.a == 1.0),
        ),
    )


@theorem(*_DIAGONAL, name="Diagonal bound, eq. (diag-bound)")
def diagonal_bound(run: RunRecord) -> Certificate:
    """M + U ≤ L(u) + √(uᵀD_T·u)·√(r·Σ_i ln(1 + Σ_t x²_{t,i}/r) + 2U), eq. (diag-bound)."""
    s, f = run.sums, run.f
    spread = f.r * float(np.log1p(f.squares).sum()) + 2.0 * s.errors
    bound = s.loss_u + np.sqrt(2.0 * f.value(run.u)) * np.sqrt(spread)
    return _certificate(run, "eq. (diag-bound)", float(bound), theorem="Diagonal bound")


def rarity(run: RunRecord) -> float:
    """s(u) = Σ u_i²·Σ_M x²_{t,i}/‖u‖²: how often the features that matter appear."""
    square = float(run.u @ run.u)
    return float(run.f.r * np.sum(run.u**2 * run.f.squares) / square) if square > 0.0 else 0.0


def rare_feature_bound(run: RunRecord, often: float | None = None) -> Certificate:
    """M ≤ L(u) + ‖u‖·√((r + s)·d·ln(√8·‖u‖²(r + s)X_T⁴/(e·d·r²) + 2·L(u)·X_T²/(d·r) + 2)), s = s(u).

    ``often`` is another s, which the theorem allows where s ≥ s(u) alone.
    """
    s, f = run.sums, run.f
    square = float(run.u @ run.u)
    measured = rarity(run)
    enough = Assumption("s ≥ s(u): s(u)", measured, often is None or often >= measured)
    often = f.r + (measured if often is None else often)
    d, level = len(run.u), s.size**2
    inside = np.sqrt(8.0) * square * often * level * level / (math.e * d * f.r**2)
    inside += 2.0 * s.loss_u * level / (d * f.r) + 2.0
    bound = s.loss_u + np.sqrt(square) * np.sqrt(often * d * np.log(inside))
    passive = Assumption("conservative: U", s.errors, s.errors == 0.0)
    return _certificate(
        run, "Section 6.3", float(bound), passive, enough, theorem="Rare-feature bound"
    )


rare_features = Theorem(
    "Rare-feature bound, Section 6.3",
    rare_feature_bound,
    (*_NEEDS, rule("conservative"), regularizer("diagonal")),
)

"""Section 6.1 and the appendix: the hinge lemma, and Corollary 2 as corrected and as printed."""

from __future__ import annotations

from functools import partial

import numpy as np

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.theorem import (
    CONSTANT,
    FORMULAS,
    HOMOGENEOUS,
    RESIDUE,
    STEPS,
    TOWARDS_LABEL,
    Theorem,
    loss,
    theorem,
)

_MISTAKES = (FORMULAS, STEPS, loss("hinge"), TOWARDS_LABEL, CONSTANT)


def _inner(run: RunRecord) -> float:
    """B + Σ (η_t²/(2β_t)·‖ℓ′_t‖²_{t,*} − η_t·⟨w_t, ℓ′_t⟩)."""
    s = run.sums
    return s.progress + s.pairs


def hinge_lemma(run: RunRecord, scale: float | None = None) -> Certificate:
    """Σ η_t ≤ L_η + λ·f_T(u) + (B + Σ …)/λ, eq. (pre-mb); without λ the best: L_η + 2√(f_T(u)·[…]₊)."""
    s = run.sums
    value, inner = float(run.f.value(run.u)), _inner(run)
    if scale is None:
        equation = "best λ"
        bound = s.eta_loss_u + 2.0 * np.sqrt(value) * np.sqrt(max(inner, 0.0))
    else:
        equation = f"eq. (pre-mb), λ = {scale:g}"
        bound = s.eta_loss_u + scale * value + inner / scale
    unit = s.etas + s.eta_loss_u + value + abs(s.progress) + abs(s.pairs)
    return Certificate(
        "Hinge lemma",
        equation,
        "Σ η_t over updates",
        run.comparator,
        s.etas,
        float(bound),
        unit,
        (run.cone,),
    )


_NEEDS = (FORMULAS, STEPS, loss("hinge"), TOWARDS_LABEL, HOMOGENEOUS, RESIDUE)
hinge_lemma_at_1 = Theorem(
    "Hinge lemma, eq. (pre-mb), λ = 1", partial(hinge_lemma, scale=1.0), _NEEDS
)
hinge_lemma_best = Theorem("Hinge lemma, best λ", hinge_lemma, _NEEDS)


def _reach(run: RunRecord) -> float:
    """k = X_T·√(2·f(u)/β)."""
    return float(run.sums.size * np.sqrt(2.0 * run.f.value(run.u) / run.f.strong_convexity))


def _mistakes(run: RunRecord, equation: str, bound: float, kind: str = "upper") -> Certificate:
    s = run.sums
    tiny = 1e-12
    assumptions = (
        run.whole,
        run.even,
        Assumption("η_t ≤ 1: the largest", s.slope, s.slope <= 1.0 + tiny),
        Assumption("η_t = 1 on mistakes: max 1 − η_t", s.shortfall, s.shortfall <= tiny),
    )
    k = _reach(run)
    unit = s.mistakes + s.loss_u + k * k + abs(s.excess) + s.error_etas
    return Certificate(
        "Corollary 2",
        equation,
        "mistakes",
        run.comparator,
        s.mistakes,
        bound,
        unit,
        assumptions,
        kind,
    )


@theorem(
    *_MISTAKES,
    name="Corollary 2, eq. (gen_aggr_bound2)",
)
def mistake_bound(run: RunRecord) -> Certificate:
    """M ≤ L(u) + k²/2 + k·√(k²/4 + L(u) + D′) − Σ_U η_t, eq. (gen_aggr_bound2)."""
    s, k = run.sums, _reach(run)
    root = np.sqrt(max(0.25 * k * k + s.loss_u + s.excess, 0.0))
    bound = s.loss_u + 0.5 * k * k + k * root - s.error_etas
    return _mistakes(run, "eq. (gen_aggr_bound2)", float(bound))


def _closing(run: RunRecord, extra: float) -> float:
    k = _reach(run)
    return float(run.sums.loss_u + extra + k * k + k * np.sqrt(run.sums.loss_u))


@theorem(
    *_MISTAKES,
    name="Corollary 2, closing form, corrected",
)
def corrected_closing_bound(run: RunRecord) -> Certificate:
    """M ≤ L(u) + max(D, −Σ_U η_t) + k² + k·√L(u): the closing form with the D that its proof allows."""
    s = run.sums
    extra = max(s.excess - s.error_etas, -s.error_etas)
    return _mistakes(run, "closing form, corrected", _closing(run, extra))


@theorem(
    *_MISTAKES,
    name="Corollary 2, closing form, as printed",
)
def printed_closing_bound(run: RunRecord) -> Certificate:
    """M ≤ L(u) + D + k² + k·√L(u), as printed: false in general where D′ < 0 and L(u) > 0."""
    extra = run.sums.excess - run.sums.error_etas
    return _mistakes(run, "closing form, as printed", _closing(run, extra), kind="printed")

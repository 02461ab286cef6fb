"""Section 3: Lemma 1 with its residue inequality, and the three bounds of Corollary 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.certificates import record
from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.theorem import (
    DROPS,
    FORMULAS,
    NOT_DECREASING,
    RESIDUE,
    STEPS,
    SUBGRADIENT,
    TERMS,
    regularizer,
    theorem,
)
from fenchel.regularizers.protocol import fact
from fenchel.rules.protocol import rate_of

FROM_LEMMA = "from Lemma 1"
_REGRET = (FORMULAS, STEPS, SUBGRADIENT, TERMS, NOT_DECREASING)


@theorem(FORMULAS, STEPS, RESIDUE, name="Lemma 1, general")
def lemma_1(run: RunRecord) -> Certificate:
    """Σ⟨z_t, u − w_t⟩ ≤ f_T(u) + Σ ‖z_t‖²_{t,*}/(2β_t) + f_t*(θ_t) − f_{t−1}*(θ_t).

    Where f_t's statistics grow with the label (AdaGrad, the scale-invariant pair, the original
    AROW) f_T is what the run left behind: the lemma over T + 1 rounds, the last with z = 0.
    """
    s = run.sums
    value = run.f.value(run.u) if run.in_domain.holds else np.inf
    return Certificate(
        "Lemma 1",
        "general",
        "Σ⟨z_t, u − w_t⟩",
        run.comparator,
        s.pairs_u - s.pairs,
        value + s.progress,
        abs(s.pairs_u) + abs(s.pairs) + abs(value) + abs(s.progress),
        (run.in_domain, run.fixed_domain) if fact(run.f, "constant") else (run.in_domain,),
        kind="tight",
    )


@theorem(FORMULAS, STEPS, RESIDUE, DROPS, name="Lemma 1, eq. (residue)")
def residue_inequality(run: RunRecord) -> Certificate:
    """Σ f_t*(θ_t) − f_{t−1}*(θ_t) ≤ Σ f_{t−1}(w_t) − f_t(w_t), eq. (residue), with f_0 = 0."""
    s = run.sums
    return Certificate(
        "Lemma 1",
        "eq. (residue)",
        "Σ f_t*(θ_t) − f_{t−1}*(θ_t)",
        "no u",
        s.residue,
        s.drops,
        abs(s.residue) + abs(s.drops) + s.steps + _hidden_by_a_matrix(run.f),
        kind="tight",
    )


def _hidden_by_a_matrix(f: Any) -> float:
    """The part of θ·A⁻¹·θ that rounding may hide, beside 1e-9 of it: 1e-16·‖θ‖²/a, a the least curvature."""
    if getattr(f, "matrix", None) is None:
        return 0.0
    with np.errstate(over="ignore"):
        return float(1e-7 * (f.theta @ f.theta) / getattr(f, "a", 1.0))


def step_size(run: RunRecord) -> float:
    """η of z_t = −η·ℓ′_t."""
    eta = rate_of(run.rule, run.loss)
    assert eta is not None, "needed by the theorem"
    return eta


def composite_term(run: RunRecord) -> float:
    """F(u)."""
    return float(run.f.composite_term(run.u)) if hasattr(run.f, "composite_term") else 0.0


def growing_part(run: RunRecord) -> float:
    """g_T(u) = f_T(u) − η·T·F(u)."""
    return record.growing_part(run.f, run.u)


def composite_regret(run: RunRecord) -> float:
    """Σ (ℓ_t + F)(w_t) − Σ (ℓ_t + F)(u)."""
    s = run.sums
    return s.loss + s.terms - s.loss_u - s.rounds * composite_term(run)


def _regret_unit(run: RunRecord) -> float:
    s = run.sums
    return abs(s.loss) + abs(s.terms) + abs(s.loss_u) + s.rounds * abs(composite_term(run))


def _assumptions(run: RunRecord, eta: float) -> tuple[Assumption, ...]:
    least = -float(run.f.conjugate(np.zeros_like(run.u)))
    same = getattr(run.f, "eta", eta) if composite_term(run) else eta
    return (
        run.in_domain,
        run.fixed_domain,
        Assumption("g ≥ 0: min g", least, least >= -1e-12),
        Assumption("one η in z_t and in η·t·F: their difference", same - eta, same == eta),
        Assumption("g_{t−1} ≤ g_t at every w_t: the largest fall", run.sums.falls, run.grows),
    )


@theorem(FORMULAS, STEPS, RESIDUE, SUBGRADIENT, TERMS, name="Corollary 1, from Lemma 1")
def regret_lemma(run: RunRecord) -> Certificate:
    """Regret ≤ (g_T(u) + Σ ‖z_t‖²_{t,*}/(2β_t) + f_t*(θ_t) − f_{t−1}*(θ_t))/η + Σ F(w_t).

    Lemma 1 in the units of the loss: never larger than what Corollary 1 makes of it.
    """
    eta = step_size(run)
    s, lag = run.sums, float(getattr(run.f, "lag", 0.0))
    bound = (growing_part(run) + s.progress) / eta + s.terms - lag * composite_term(run)
    return Certificate(
        "Corollary 1",
        FROM_LEMMA,
        "regret",
        run.comparator,
        composite_regret(run),
        bound,
        _regret_unit(run) + (abs(growing_part(run)) + abs(s.progress)) / eta,
        (run.in_domain, run.fixed_domain),
    )


@theorem(
    FORMULAS, STEPS, SUBGRADIENT, TERMS, NOT_DECREASING, name="Corollary 1, eq. (composite_bound)"
)
def composite_bound(run: RunRecord) -> Certificate:
    """Regret ≤ g_T(u)/η + η·Σ ‖ℓ′_t‖²_{t,*}/(2β_t), eq. (composite_bound).

    Under Xiao's indexing the first round is not charged with F: F(w_1) − F(u) is added.
    """
    eta = step_size(run)
    s = run.sums
    bound = growing_part(run) / eta + s.steps / eta
    if getattr(run.f, "lag", 0.0):
        first = run.f.domain.project(np.zeros_like(run.u))
        bound += run.f.composite_term(first) - composite_term(run)
    return Certificate(
        "Corollary 1",
        "eq. (composite_bound)",
        "regret",
        run.comparator,
        composite_regret(run),
        bound,
        _regret_unit(run) + abs(bound),
        _assumptions(run, eta),
    )


@theorem(
    FORMULAS,
    STEPS,
    SUBGRADIENT,
    TERMS,
    NOT_DECREASING,
    regularizer("AdaGrad"),
    name="AdaGrad, Duchi et al.",
)
def adaptive_bound(run: RunRecord) -> Certificate:
    """Regret ≤ g_{T+1}(u)/η + η·Σ_i √(Σ_t ℓ′²_{t,i}) where δ ≥ max |ℓ′_{t,i}| (Duchi et al., 2011)."""
    eta = step_size(run)
    steepest = run.sums.gradient / eta
    bound = growing_part(run) / eta + eta * float(np.sqrt(run.f.squares).sum())
    large = Assumption("δ ≥ max |ℓ′_t,i|: the largest", steepest, run.f.delta >= steepest)
    return Certificate(
        "AdaGrad",
        "Duchi et al.",
        "regret",
        run.comparator,
        composite_regret(run),
        bound,
        _regret_unit(run) + abs(bound),
        (*_assumptions(run, eta), large),
    )


@theorem(
    FORMULAS,
    STEPS,
    SUBGRADIENT,
    TERMS,
    NOT_DECREASING,
    regularizer("√t·g + η·t·F"),
    name="Corollary 1, eq. (tuned-bound)",
)
def tuned_bound(run: RunRecord) -> Certificate:
    """Regret ≤ √T·(g(u)/η + η/β·max‖ℓ′_t‖²_*), eq. (tuned-bound), for f_t = √t·g + η·t·F."""
    eta = step_size(run)
    s, f = run.sums, run.f
    steepest = (s.gradient / eta) ** 2 / f.base_convexity
    bound = np.sqrt(s.rounds) * (f.base(run.u) / eta + eta * steepest)
    return Certificate(
        "Corollary 1",
        "eq. (tuned-bound)",
        "regret",
        run.comparator,
        composite_regret(run),
        float(bound),
        _regret_unit(run) + float(bound),
        _assumptions(run, eta),
    )


@theorem(
    FORMULAS,
    STEPS,
    SUBGRADIENT,
    TERMS,
    NOT_DECREASING,
    regularizer("t·F"),
    name="Corollary 1, eq. (log-bound)",
)
def log_bound(run: RunRecord) -> Certificate:
    """Regret ≤ max‖ℓ′_t‖²_*·(1 + ln T)/(2β), eq. (log-bound), for f_t = t·F and η = 1."""
    s = run.sums
    bound = s.gradient**2 * (1.0 + np.log(max(s.rounds, 1.0))) / (2.0 * run.f.base_convexity)
    one = Assumption("η = 1", float(run.rule.eta), run.rule.eta == 1.0 and run.f.eta == 1.0)
    return Certificate(
        "Corollary 1",
        "eq. (log-bound)",
        "regret",
        run.comparator,
        composite_regret(run),
        float(bound),
        _regret_unit(run) + float(bound),
        (run.in_domain, run.fixed_domain, one),
    )

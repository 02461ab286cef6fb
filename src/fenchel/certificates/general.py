"""Section 3: Lemma 1 with its residue inequality, and the three bounds of Corollary 1."""

from __future__ import annotations

import numpy as np

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.runs import Run, constant
from fenchel.losses import Hinge, Squared
from fenchel.regularizers import AdaGrad, Composite
from fenchel.rules import Aggressive, Residual, Subgradient


def lemma_1(run: Run) -> Certificate:
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
        value + s.steps + s.residue,
        abs(s.pairs_u) + abs(s.pairs) + value + s.steps + abs(s.residue),
        (run.in_domain, run.fixed_domain) if constant(run.f) else (run.in_domain,),
        kind="tight",
    )


def residue_inequality(run: Run) -> Certificate:
    """Σ f_t*(θ_t) − f_{t−1}*(θ_t) ≤ Σ f_{t−1}(w_t) − f_t(w_t), eq. (residue), with f_0 = 0."""
    s = run.sums
    return Certificate(
        "Lemma 1",
        "eq. (residue)",
        "Σ f_t*(θ_t) − f_{t−1}*(θ_t)",
        "no u",
        s.residue,
        s.drops,
        abs(s.residue) + abs(s.drops) + s.steps,
        kind="tight",
    )


def step_size(run: Run) -> float | None:
    """η where z_t = −η·ℓ′_t, None for every other rule."""
    if isinstance(run.rule, Subgradient):
        return float(run.rule.eta)
    if isinstance(run.rule, Residual) and isinstance(run.loss, Squared):
        return float(run.rule.eta)
    if isinstance(run.rule, Aggressive) and isinstance(run.loss, Hinge):
        return float(run.rule.eta)
    return None


def composite_term(run: Run) -> float:
    """F(u)."""
    return float(run.f.composite_term(run.u)) if hasattr(run.f, "composite_term") else 0.0


def growing_part(run: Run) -> float:
    """g_T(u) = f_T(u) − η·T·F(u)."""
    value = float(run.f.value(run.u))
    if isinstance(run.f, (Composite, AdaGrad)):
        t = float(run.f.rounds[0]) - getattr(run.f, "lag", 0.0)
        value -= run.f.eta * t * composite_term(run)
    return value


def composite_regret(run: Run) -> float:
    """Σ (ℓ_t + F)(w_t) − Σ (ℓ_t + F)(u)."""
    s = run.sums
    return s.loss + s.terms - s.loss_u - s.rounds * composite_term(run)


def _regret_unit(run: Run) -> float:
    s = run.sums
    return abs(s.loss) + abs(s.terms) + abs(s.loss_u) + s.rounds * abs(composite_term(run))


def _assumptions(run: Run, eta: float) -> tuple[Assumption, ...]:
    least = -float(run.f.conjugate(np.zeros_like(run.u)))
    same = getattr(run.f, "eta", eta) if composite_term(run) else eta
    return (
        run.in_domain,
        run.fixed_domain,
        Assumption("g ≥ 0: min g", least, least >= -1e-12),
        Assumption("one η in z_t and in η·t·F: their difference", same - eta, same == eta),
    )


def composite_bound(run: Run) -> Certificate:
    """Regret ≤ g_T(u)/η + η·Σ ‖ℓ′_t‖²_{t,*}/(2β_t), eq. (composite_bound).

    Under Xiao's indexing the first round is not charged with F: F(w_1) − F(u) is added.
    """
    eta = step_size(run)
    assert eta is not None
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


def adaptive_bound(run: Run) -> Certificate:
    """Regret ≤ g_{T+1}(u)/η + η·Σ_i √(Σ_t ℓ′²_{t,i}) where δ ≥ max |ℓ′_{t,i}| (Duchi et al., 2011)."""
    eta = step_size(run)
    assert eta is not None
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


def tuned_bound(run: Run) -> Certificate:
    """Regret ≤ √T·(g(u)/η + η·max‖ℓ′_t‖²), eq. (tuned-bound), for f_t = √t·½‖·‖² + η·t·F."""
    eta = step_size(run)
    assert eta is not None
    s = run.sums
    g = 0.5 * float(run.u @ run.u)
    bound = np.sqrt(s.rounds) * (g / eta + eta * (s.gradient / eta) ** 2)
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


def log_bound(run: Run) -> Certificate:
    """Regret ≤ max‖ℓ′_t‖²·(1 + ln T)/(2β), eq. (log-bound), for f_t = t·F and η = 1."""
    s = run.sums
    bound = s.gradient**2 * (1.0 + np.log(max(s.rounds, 1.0))) / (2.0 * run.f.l2)
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

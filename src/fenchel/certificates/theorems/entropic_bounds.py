"""Exponentiated gradient with corrections (Steinhardt & Liang, 2014), signed or not.

f_t(w) = Σ v_i·ln v_i + ln d + Σ v_i·Σ_{s<t} a²_{s,i} with w = total·v and a_t = total·z_t, so that

    f_{t+1}*(θ_{t+1}) − f_t*(θ_t) = ln Σ v_i·exp(a_i − a_i²) ≤ ln(1 + Σ v_i·a_i) ≤ ⟨z_t, w_t⟩

where |a_{t,i}| ≤ ½, since exp(a − a²) ≤ 1 + a there; the negative half of a signed v has −a. Summed up,
with f_1*(0) = 0 and Fenchel-Young at u: Σ⟨z_t, u − w_t⟩ ≤ f_{T+1}(u). Coordinates that u does not use
are not charged: at u = total·e_i the bound is ln d + Σ a²_{t,i}.
"""

from __future__ import annotations

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.theorem import FORMULAS, SUBGRADIENT, regularizer, theorem
from fenchel.certificates.theorems.corollary_1 import step_size

_NEEDS = (FORMULAS, regularizer("adaptive entropy"))


def _assumptions(run: RunRecord) -> tuple[Assumption, ...]:
    largest = run.f.total * run.sums.gradient
    small = Assumption("|total·z_t,i| ≤ ½: the largest", largest, largest <= 0.5)
    return run.in_domain, run.fixed_domain, small


@theorem(*_NEEDS, name="Adaptive exponentiated gradient, general")
def corrected_entropy(run: RunRecord) -> Certificate:
    """Σ⟨z_t, u − w_t⟩ ≤ f_{T+1}(u), the corrections of all rounds included."""
    s = run.sums
    value = run.f.value(run.u)
    return Certificate(
        "Adaptive exponentiated gradient",
        "general",
        "Σ⟨z_t, u − w_t⟩",
        run.comparator,
        s.pairs_u - s.pairs,
        value,
        abs(s.pairs_u) + abs(s.pairs) + value,
        _assumptions(run),
    )


@theorem(*_NEEDS, SUBGRADIENT, name="Adaptive exponentiated gradient, Steinhardt & Liang")
def corrected_regret(run: RunRecord) -> Certificate:
    """Regret ≤ f_{T+1}(u)/η: ln d/η + η·total²·Σ ℓ′²_{t,i} at u = total·e_i (Steinhardt & Liang, 2014)."""
    s = run.sums
    bound = run.f.value(run.u) / step_size(run)
    return Certificate(
        "Adaptive exponentiated gradient",
        "Steinhardt & Liang",
        "regret",
        run.comparator,
        s.loss - s.loss_u,
        bound,
        s.loss + s.loss_u + bound,
        _assumptions(run),
    )

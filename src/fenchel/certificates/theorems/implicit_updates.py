"""Implicit updates under f = ½‖·‖²: the regret bound of Campolongo & Orabona (2020).

z_t = −η·g_t with g_t ∈ ∂ℓ_t(w_{t+1}), so that by convexity ℓ_t(w_{t+1}) − ℓ_t(u) ≤ ⟨z_t, u − w_{t+1}⟩/η; and
since w_{t+1} = w_t + z_t, 2·⟨z_t, u − w_{t+1}⟩ = ‖u − w_t‖² − ‖u − w_{t+1}‖² − ‖z_t‖². Summed up,

    Σ ℓ_t(w_t) − Σ ℓ_t(u) ≤ ‖u‖²/(2η) + Σ (ℓ_t(w_t) − ℓ_t(w_{t+1})) − Σ ‖z_t‖²/(2η).
"""

from __future__ import annotations

from fenchel.certificates.certificate import Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.theorem import FORMULAS, STEPS, regularizer, rule, theorem
from fenchel.certificates.theorems.square_loss import EUCLIDEAN


@theorem(
    FORMULAS,
    STEPS,
    rule("implicit"),
    regularizer(EUCLIDEAN),
    name="Implicit updates, Campolongo & Orabona",
)
def implicit_bound(run: RunRecord) -> Certificate:
    """Regret ≤ ‖u‖²/(2η) + Σ (ℓ_t(w_t) − ℓ_t(w_{t+1})) − Σ ‖z_t‖²/(2η) (Campolongo & Orabona, 2020)."""
    s, eta = run.sums, run.rule.eta
    bound = (run.f.value(run.u) - s.steps) / eta + s.loss - s.loss_after
    return Certificate(
        "Implicit updates",
        "Campolongo & Orabona",
        "regret",
        run.comparator,
        s.loss - s.loss_u,
        bound,
        s.loss + s.loss_u + s.loss_after + (run.f.value(run.u) + s.steps) / eta,
        (run.whole,),
    )

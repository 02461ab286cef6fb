"""Frequent directions: the regret bound of the sketched online Newton step, after Luo et al. (2016).

Let E_t = A_t − A_{t−1} − g_t·g_tᵀ ⪰ 0, what emptying rows adds: together at most Δ·I. The weights minimise

    F_t(w) = a/2·‖w‖² + Σ_{s ≤ t} (η·⟨g_s, w⟩ + ½·⟨g_s, w − w_s⟩² + ½·wᵀE_s·w),   w_{t+1} = A_t⁻¹·θ_{t+1}.

A round raises the minimum of F by η·⟨g_t, w_t⟩ − η²/2·g_tᵀ(A_{t−1} + g_t·g_tᵀ)⁻¹g_t at least, since
½·wᵀE_t·w ≥ 0; summed up, and with F_T(u) above the minimum,

    Σ ⟨g_t, w_t − u⟩ ≤ (a + Δ)·‖u‖²/(2η) + η/2·Σ g_tᵀ(A_{t−1} + g_t·g_tᵀ)⁻¹g_t + Σ ⟨g_t, w_t − u⟩²/(2η).

On the left stands the regret and Σ D_t, D_t = ℓ_t(u) − ℓ_t(w_t) − ⟨g_t, u − w_t⟩ ≥ 0, by which a curved
loss pays the last sum. The sum in the middle is at most ln|I + B·Bᵀ/a| + m·Δ/a: a·I + BᵀB is below A, so
each of its terms is at most what the round adds to ln|a·I + BᵀB|, and emptying rows takes no more than
m·δ/a from that.
"""

from __future__ import annotations

import numpy as np

from fenchel.certificates.certificate import Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.sketch_replay import SketchReplay
from fenchel.certificates.theorem import SUBGRADIENT, regularizer, theorem
from fenchel.certificates.theorems.square_loss import log_determinant
from fenchel.rows.types import LARGEST

_NEEDS = (SUBGRADIENT, regularizer("frequent directions"))


def _certificate(run: RunRecord, equation: str, steps: float) -> Certificate:
    """The regret, and the bound with this much for the sum in its middle."""
    s, f = run.sums, run.f
    if float(f.steps[0]) >= LARGEST:  # a gradient was too large to learn from
        steps = np.inf
    start = 0.5 * (f.a + float(f.tail[0])) * float(run.u @ run.u) / f.eta
    straight, regret = s.pairs_u - s.pairs, s.loss - s.loss_u  # Σ ⟨g_t, w_t − u⟩
    paid = straight - regret  # Σ D_t
    bound = start + 0.5 * f.eta * steps + 0.5 * s.step_squares_u / f.eta - paid
    unit = s.loss + s.loss_u + abs(s.pairs) + abs(s.pairs_u) + start + s.step_squares_u / f.eta
    return Certificate(
        "Frequent directions", equation, "regret", run.comparator, regret, bound, unit
    )


@theorem(*_NEEDS, name="Frequent directions, sum", replay=SketchReplay)
def sketch_sum(run: RunRecord) -> Certificate:
    """R_T(u) ≤ (a + Δ)/(2η)·‖u‖² + η/2·Σ g_tᵀ(A_{t−1} + g_t·g_tᵀ)⁻¹g_t + Σ (⟨g_t, w_t − u⟩²/(2η) − D_t)."""
    return _certificate(run, "sum", float(run.f.steps[0]))


@theorem(*_NEEDS, name="Frequent directions, log-determinant", replay=SketchReplay)
def sketch_logdet(run: RunRecord) -> Certificate:
    """The same with ln|I + B·Bᵀ/a| + m·Δ/a for the sum in the middle, never smaller."""
    f = run.f
    steps = log_determinant(f.a * np.eye(len(f.gram)) + f.gram, f.a)
    return _certificate(run, "log-determinant", steps + f.rank * float(f.tail[0]) / f.a)

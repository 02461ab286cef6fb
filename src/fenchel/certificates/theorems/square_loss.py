"""Section 4: the Vovk-Azoury-Warmuth bounds and the filtering bound."""

from __future__ import annotations

import numpy as np

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.theorem import (
    ALL_ROUNDS,
    FORMULAS,
    STEPS,
    Need,
    loss,
    regularizer,
    rule,
    theorem,
)
from fenchel.certificates.theorems.corollary_1 import FROM_LEMMA
from fenchel.regularizers.protocol import fact

SCALED = "X_t²·f"
EUCLIDEAN = "½‖·‖²"
_FORECASTER = (FORMULAS, STEPS, loss("squared"), rule("target"), ALL_ROUNDS)
_FILTER = Need("f_t = X_t²·f or ½‖·‖²", lambda run: fact(run.f, "family") in (SCALED, EUCLIDEAN))


def _regret(run: RunRecord) -> float:
    return run.sums.loss - run.sums.loss_u


def _unit(run: RunRecord) -> float:
    return run.sums.loss + run.sums.loss_u


@theorem(
    FORMULAS,
    STEPS,
    *_FORECASTER,
    regularizer("matrix", "diagonal"),
    name="Vovk-Azoury-Warmuth, from Lemma 1",
)
def forecaster_lemma(run: RunRecord) -> Certificate:
    """R_T(u) ≤ f_T(u) + Σ y²‖x‖²_{t,*}/2 + residue − ½Σ⟨u, x⟩² + ½Σ⟨w_t, x⟩²: the display's second line.

    Lemma 1 in the units of the square loss; valid for the diagonal form too.
    """
    s = run.sums
    value = run.f.value(run.u)
    bound = value + s.progress - 0.5 * s.squares_u + 0.5 * s.squares
    unit = _unit(run) + value + abs(s.progress) + s.squares_u + s.squares
    return Certificate(
        "Vovk-Azoury-Warmuth",
        FROM_LEMMA,
        "regret",
        run.comparator,
        _regret(run),
        bound,
        unit,
        (run.in_domain,),
        kind="tight",
    )


@theorem(*_FORECASTER, regularizer("matrix"), name="Vovk-Azoury-Warmuth, sum")
def forecaster_sum(run: RunRecord) -> Certificate:
    """R_T(u) ≤ a/2·‖u‖² + Y²/2·Σ x_tᵀA_t⁻¹x_t."""
    s = run.sums
    bound = 0.5 * run.f.a * float(run.u @ run.u) + 0.5 * s.target * s.inverse
    return Certificate(
        "Vovk-Azoury-Warmuth",
        "sum",
        "regret",
        run.comparator,
        _regret(run),
        bound,
        _unit(run) + bound,
    )


def log_determinant(matrix: np.ndarray, a: float) -> float:
    """ln|A/a|."""
    return float(np.linalg.slogdet(matrix / a)[1])


@theorem(
    FORMULAS,
    STEPS,
    *_FORECASTER,
    regularizer("matrix"),
    name="Vovk-Azoury-Warmuth, log-determinant",
)
def forecaster_logdet(run: RunRecord) -> Certificate:
    """R_T(u) ≤ a/2·‖u‖² + Y²/2·ln|A_T/a|."""
    logdet = log_determinant(run.f.matrix, run.f.a)
    bound = 0.5 * run.f.a * float(run.u @ run.u) + 0.5 * run.sums.target * logdet
    return Certificate(
        "Vovk-Azoury-Warmuth",
        "log-determinant",
        "regret",
        run.comparator,
        _regret(run),
        bound,
        _unit(run) + bound,
    )


@theorem(
    FORMULAS,
    STEPS,
    loss("squared"),
    rule("residual"),
    _FILTER,
    name="Adaptive filtering, Section 4",
)
def filtering_bound(run: RunRecord) -> Certificate:
    """Σ (⟨w_t, x_t⟩ − ⟨u, x_t⟩)² ≤ 2·X_T²·f(u) + Σ (y_t − ⟨u, x_t⟩)².

    For LMS with a fixed step 1/η stands for X_T², which needs η·X_T² ≤ 1.
    """
    s = run.sums
    value = 2.0 * float(run.f.value(run.u))
    light = Assumption("importance ≤ 1: max h_t", s.heaviest, s.heaviest <= 1.0)
    if fact(run.f, "family") == SCALED:
        beta = run.f.inner.strong_convexity
        ready = Assumption("f is 1-strongly convex: β", beta, beta >= 1.0 - 1e-12)
        scale = Assumption("z_t = (y_t − m_t)·x_t: η", run.rule.eta, run.rule.eta == 1.0)
        assumptions = (light, ready, scale)
    else:
        value /= run.rule.eta
        share = run.rule.eta * s.size**2
        assumptions = (light, run.in_domain, Assumption("η·X_T² ≤ 1", share, share <= 1.0 + 1e-12))
    bound = value + 2.0 * s.loss_u
    return Certificate(
        "Adaptive filtering",
        "Section 4",
        "Σ(⟨w_t, x_t⟩ − ⟨u, x_t⟩)²",
        run.comparator,
        s.apart_u,
        bound,
        bound + s.apart_u,
        assumptions,
        kind="tight",
    )

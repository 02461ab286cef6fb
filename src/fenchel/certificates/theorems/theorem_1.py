"""Section 5: Theorem 1, both bounds, the intermediate form, and the one tuned to a box."""

from __future__ import annotations

import math

import numpy as np

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.record import RunRecord
from fenchel.certificates.theorem import FORMULAS, STEPS, regularizer, theorem


def _certificate(run: RunRecord, equation: str, bound: float, *extra: Assumption) -> Certificate:
    s = run.sums
    steepest = s.slope / run.rule.eta
    lipschitz = Assumption(
        f"|ℓ′| ≤ L = {run.f.lipschitz:g}: max |h_t·ℓ′_t|",
        steepest,
        steepest <= run.f.lipschitz * (1.0 + 1e-12),
    )
    return Certificate(
        "Theorem 1",
        equation,
        "regret",
        run.comparator,
        s.loss - s.loss_u,
        bound,
        s.loss + s.loss_u + bound,
        (lipschitz, *extra),
    )


@theorem(FORMULAS, STEPS, regularizer("scale-invariant p-norm"), name="Theorem 1, first bound")
def p_norm_bound(run: RunRecord) -> Certificate:
    """R_T(u) ≤ L·√(e·(T + 1)·(p_T − 1))·((Σ|u_i|·b_i)²/(2η) + η), p_T = max(2, 2·ln m_T)."""
    f, eta = run.f, run.rule.eta
    reach = float(np.abs(run.u * f.largest).sum())
    factor = f.lipschitz * np.sqrt(math.e * (run.sums.rounds + 1.0) * (f.p - 1.0))
    return _certificate(run, "first bound", float(factor * (reach**2 / (2.0 * eta) + eta)))


@theorem(
    FORMULAS,
    STEPS,
    regularizer("scale-invariant p-norm"),
    name="Theorem 1, first bound, with β_{T+1}",
)
def p_norm_inner_bound(run: RunRecord) -> Certificate:
    """R_T(u) ≤ β_{T+1}·((Σ|u_i|·b_i)²/(2η) + η), with e·L²·(p_T − 1) in β_{T+1}."""
    reach = float(np.abs(run.u * run.f.largest).sum())
    bound = run.f.beta * (reach**2 / (2.0 * run.rule.eta) + run.rule.eta)
    return _certificate(run, "first bound, with β_{T+1}", float(bound))


def _growths(run: RunRecord) -> np.ndarray:
    """√(L² + Σ_{t≤T} (ℓ′_{t,i}/b_{t,i})²) of the features seen."""
    return np.asarray(run.f.growth * (run.f.largest > 0.0))


@theorem(FORMULAS, STEPS, regularizer("scale-invariant AdaGrad"), name="Theorem 1, second bound")
def adagrad_bound(run: RunRecord) -> Certificate:
    """R_T(u) ≤ L·√(T + 1)·(Σ √d_i·(u_i·b_i)²/(2η) + η·Σ 1/√d_i).

    With d_i = d this is L·√(d(T + 1))·(Σ(u_i·b_i)²/(2η) + η); where features appear one after the
    other, Σ 1/√d_i ≤ 2√d.
    """
    f, eta, seen = run.f, run.rule.eta, run.f.largest > 0.0
    reach = float(np.sum(f.roots * (run.u * f.largest) ** 2))
    each = reach / (2.0 * eta) + eta * float(np.sum(1.0 / f.roots[seen]))
    bound = f.lipschitz * np.sqrt(run.sums.rounds + 1.0) * each
    return _certificate(run, "second bound", float(bound))


@theorem(FORMULAS, STEPS, regularizer("scale-invariant AdaGrad"), name="Theorem 1, eq. (tocompare)")
def adagrad_inner_bound(run: RunRecord) -> Certificate:
    """R_T(u) ≤ Σ_i √(L² + Σ_t (ℓ′/b)²)·(√d_i/(2η)·(u_i·b_i)² + η/√d_i), eq. (tocompare)."""
    f, eta = run.f, run.rule.eta
    each = f.roots / (2.0 * eta) * (run.u * f.largest) ** 2 + eta / f.roots
    return _certificate(run, "eq. (tocompare)", float(np.sum(_growths(run) * each)))


@theorem(FORMULAS, STEPS, regularizer("scale-invariant AdaGrad"), name="Theorem 1, tuned to a box")
def adagrad_box_bound(run: RunRecord) -> Certificate:
    """R_T(u) ≤ √2·Σ_i C_i·√(L² + Σ_t (ℓ′/b)²) for |u_i·x_{t,i}| ≤ C_i, C_i = η·√2/√d_i.

    The paper prints (u_i·x_{t,i})² ≤ C, which is false for C < 1.
    """
    C = np.sqrt(2.0) * run.rule.eta / run.f.roots
    most = float((np.abs(run.u * run.f.largest) / C).max(initial=0.0))
    inside = Assumption("|u_i·x_t,i| ≤ C_i: the largest ratio", most, most <= 1.0 + 1e-12)
    bound = float(np.sqrt(2.0) * np.sum(C * _growths(run)))
    return _certificate(run, "tuned to a box", bound, inside)

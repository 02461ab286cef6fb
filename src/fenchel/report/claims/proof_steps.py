"""The inequalities inside the proofs: eqs. (filtering1), (filtering2), (auer), log_diagonal, Section 6.2."""

from __future__ import annotations

import numpy as np

from fenchel.certificates.lemmas import auer, log_diagonal
from fenchel.report.claims.claim import (
    Check,
    Claim,
    certifying,
    check_table,
    equality,
    inequality,
    named,
)
from fenchel.report.claims.data_sets import ClaimData, Sample, Vector
from fenchel.report.page import Section, paragraph

CHAIN = "Section 6.2, chain"
LEVELS = (0.1, 10.0)  # of r
MOST = 400  # rounds of a run in NumPy


def measure(source: ClaimData) -> Claim:
    """Each step by itself, on the rows of the sections above."""
    checks: list[Check] = []
    for rows in source.signals():
        checks += _filtering(rows)
    for rows in source.units():
        checks += _sums(rows)
    for rows in source.few_columns():
        for r in LEVELS:
            checks += _chain(rows, r)
    parts = [
        paragraph(
            "What the proofs pass through, measured by itself: the identity (filtering1) and "
            "(filtering2) on signals; (auer) and Lemma log_diagonal on the squares of real rows; "
            "and, with r ≠ 1, the chain that puts U in place of the sum of Section 6.2, on "
            f"{MOST} rounds of AROW in NumPy."
        ),
        check_table(checks),
    ]
    return Claim(Section("Steps of the proofs", parts), checks)


def _filtering(rows: Sample) -> list[Check]:
    """R_T + ½·R^AF = Σ⟨u − w_t, z_t⟩ ≤ f_T(u) + ½·Σ (y_t − m_t)² at the u of the filtering bound."""
    learner = certifying("p_norm_lms", p=2.0, intercept=False)
    m = learner.learn_many(rows.X, rows.y)
    u = named(learner.certificates(), "Section 4").origin.u
    v, y = rows.X @ u, rows.y
    regret = 0.5 * float(np.sum((y - m) ** 2) - np.sum((y - v) ** 2))
    pairs = float(np.sum((y - m) * (v - m)))
    level = float((rows.X**2).sum(axis=1).max())
    bound = 0.5 * level * float(u @ u) + 0.5 * float(np.sum((y - m) ** 2))
    apart = 0.5 * float(np.sum((m - v) ** 2))
    return [
        equality("R_T + ½·R^AF", regret + apart, pairs, rows.name, "eq. (filtering1)"),
        inequality("Σ⟨u − w_t, z_t⟩", pairs, bound, rows.name, "eq. (filtering2)"),
    ]


def _sums(rows: Sample) -> list[Check]:
    """Eq. (auer) and Lemma log_diagonal on the squares of the rows, in units of a deviation."""
    dense = np.asarray(rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X)
    spread = dense.std(axis=0)
    X = dense / np.where(spread > 0.0, spread, 1.0)
    found = [inequality("eq. (auer)", *auer((X * X).sum(axis=1)), rows.name, "eq. (auer)")]
    for r in (1.0, *LEVELS):
        sides = log_diagonal(X, r)
        found.append(inequality("Lemma log_diagonal", *sides, f"{rows.name}, r = {r:g}", "Lemma 4"))
    return found


def _chain(rows: Sample, r: float) -> list[Check]:
    """Σ_{M∪U} ≤ Σ_U m_t(2r·y_t − m_t)/(r(r + χ_t)) ≤ Σ_U r/(r + χ_t) ≤ U."""
    y = rows.y[:MOST]
    m, chi, mistake = _second_order(rows.unit(), r)
    each = m * (2.0 * r * y[: len(m)] - m) / (r * (r + chi))
    each[np.isnan(m)] = 0.0  # rounds without an update
    margin = ~(mistake | np.isnan(m))
    over = float(each[margin].sum())
    most = float(np.sum(r / (r + chi[margin])))
    where = f"{rows.name}, r = {r:g}"
    return [
        inequality("the sum over all updates", float(each.sum()), over, where, CHAIN),
        inequality("the sum over margin errors", over, most, where, CHAIN),
        inequality("Σ_U r/(r + χ_t)", most, float(margin.sum()), where, CHAIN),
    ]


def _second_order(rows: Sample, r: float) -> tuple[Vector, Vector, Vector]:
    """m_t = θ_tᵀA_{t−1}⁻¹x_t (NaN without an update), χ_t, and whether the round was a mistake."""
    X = np.asarray(rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X)[:MOST]
    A, theta = np.eye(X.shape[1]), np.zeros(X.shape[1])
    m, chi = np.full(len(X), np.nan), np.zeros(len(X))
    for t, (x, y) in enumerate(zip(X, rows.y, strict=False)):
        ahead = np.linalg.solve(A, x)
        plain, chi[t] = float(ahead @ theta), float(ahead @ x)
        if y * plain * r / (r + chi[t]) < 1.0:
            m[t] = plain
            A += np.outer(x, x) / r
            theta += y * x
    return m, chi, rows.y[: len(X)] * m <= 0.0

"""Section 3: composite losses, with regularized dual averaging as a special case."""

from __future__ import annotations

import numpy as np

from fenchel.certificates import Hindsight
from fenchel.learners.certification import certify
from fenchel.report.claims.claim import (
    Check,
    Claim,
    all_certified,
    certifying,
    check_table,
    hindsight,
    named,
    rounding,
)
from fenchel.report.claims.data_sets import ClaimData, Sample
from fenchel.report.page import Section, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure

STRENGTHS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
ROUNDS = 400  # of the comparison with the minimisation that defines dual averaging


def measure(source: ClaimData) -> Claim:
    """Sparsity, regret and bound as l1 grows; the two ways to write dual averaging."""
    checks: list[Check] = []
    cells = []
    rows = source.texts()[0]
    shares: dict[str, list[float]] = {"corollary": [], "xiao": []}
    errors: list[float] = []
    past: Hindsight | None = None
    for l1 in STRENGTHS:
        for indexing, found_shares in shares.items():
            learner = certifying("dual_averaging", l1=l1, indexing=indexing)
            margins = learner.learn_many(rows.X, rows.y)
            past = past or hindsight(learner)
            found = certify(learner, None, None, past)
            checks += all_certified(found, learner, rows.name)
            bound = named(found, "eq. (composite_bound)")
            error = float(np.mean(rows.y * margins <= 0.0))
            found_shares.append(learner.nonzeros / rows.X.shape[1])
            numbers = [
                figure(found_shares[-1], 3),
                figure(error, 3),
                figure(bound.achieved),
                figure(bound.bound),
            ]
            cells.append([f"l1 = {figure(l1)}, {_titles[indexing]}", *numbers])
        errors.append(error)
    _two_forms(rows, checks)
    _strongly_convex(source, checks)
    svg = draw(
        f"Weights that are not zero, and mistakes, as l1 grows: {rows.name}",
        Axis("l1", log=True),
        Axis("share", log=True),
        [
            Series("weights ≠ 0, corollary", STRENGTHS, shares["corollary"]),
            Series("weights ≠ 0, dual averaging", STRENGTHS, shares["xiao"]),
            Series("mistakes", STRENGTHS, errors),
        ],
    )
    apart = next(c for c in checks if c.claim == TWO_FORMS)
    parts = [
        paragraph(
            "f_t = √t·½‖·‖² + η·t·F with F = l1·‖·‖₁ makes Σ(ℓ_t + F)(w_t) small with weights that "
            "are exactly zero. Xiao's regularized dual averaging, the minimiser of ⟨mean of "
            "the subgradients, w⟩ + F(w) + (β/t)·½‖w‖², is the same with t − 1 for t. Computed by "
            f"that minimisation and by mirror descent the margins of {ROUNDS} rounds differ by at "
            f"most {figure(apart.left, 2)}."
        ),
        pictures((svg, f"{rows.name}: the larger l1, the fewer words are used.")),
        table(
            f"{rows.name}: sparsity, error, regret of loss plus F, and its bound",
            ["strength, indexing", "weights ≠ 0", "error", "regret", "bound"],
            cells,
        ),
        paragraph(
            "With f_t = t·F, F strongly convex, the regret grows like ln T (eq. (log-bound))."
        ),
        check_table(checks),
    ]
    return Claim(Section("Composite losses", parts), checks)


_titles = {"corollary": "t as in Corollary 1", "xiao": "t − 1 as Xiao"}
TWO_FORMS = "dual averaging by minimisation and by mirror descent"


def _two_forms(rows: Sample, checks: list[Check], l1: float = 1e-2, eta: float = 1.0) -> None:
    """w_t = argmin_w ⟨ḡ, w⟩ + l1·‖w‖₁ + β/(η(t−1))·½‖w‖², ḡ the mean of the subgradients so far."""
    X = rows.X[:ROUNDS]
    used = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    dense, y = X[:, used].toarray(), rows.y[:ROUNDS]
    learner = certifying("dual_averaging", l1=l1, eta=eta, indexing="xiao", intercept=False)
    learner.declare([-1.0, 1.0])
    margins = learner.learn_many(dense, y)
    total, found = np.zeros(len(used)), np.zeros(len(y))
    for t, (x, label) in enumerate(zip(dense, y, strict=True)):
        if t:
            mean = total / t
            shrunk = np.sign(mean) * np.maximum(np.abs(mean) - l1, 0.0)
            found[t] = float(-shrunk * (eta * t / np.sqrt(t)) @ x)
        if label * found[t] < 1.0:
            total -= label * x
    apart = float(np.abs(found - margins).max())
    checks.append(rounding(TWO_FORMS, apart, 1e-9, f"{rows.name}, {len(y)} rounds", "Section 3"))


def _strongly_convex(source: ClaimData, checks: list[Check]) -> None:
    for rows in source.units():
        scaled = rows.unit()
        learner = certifying("strongly_convex", l2=0.1)
        learner.learn_many(scaled.X, scaled.y)
        checks += all_certified(learner.certificates(), learner, scaled.name)

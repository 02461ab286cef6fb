"""Section 6.3: diagonal updates where most features are rare, as words are."""

from __future__ import annotations

import numpy as np

from fenchel.certificates import Certificate, Hindsight
from fenchel.learners.certification import certify
from fenchel.report.claims.claim import (
    Check,
    Claim,
    all_certified,
    certifying,
    check_table,
    hindsight,
    inequality,
    named,
)
from fenchel.report.claims.data_sets import ClaimData, Sample
from fenchel.report.page import Section, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure
from fenchel.report.zipf import ranked

LEARNERS = {
    "second_order_perceptron": "second-order Perceptron, diagonal",
    "arow": "AROW, diagonal",
    "perceptron": "Perceptron",
}
DIAGONAL, RARE, FIRST_ORDER = "eq. (diag-bound)", "Section 6.3", "eq. (gen_aggr_bound2)"


def measure(source: ClaimData) -> Claim:
    """The heavy tail of the words, and the diagonal bounds on the same streams."""
    checks: list[Check] = []
    cells = []
    texts = source.texts()
    for rows in texts:
        past: Hindsight | None = None
        for name, title in LEARNERS.items():
            learner = certifying(name)
            learner.learn_many(rows.X, rows.y)
            past = past or hindsight(learner)
            found = certify(learner, None, None, past)
            checks += all_certified(found, learner, rows.name)
            fitted = list(past.best(learner.loss, learner.intercept).values())[-1]
            at_u = learner.certificates(fitted)
            checks += all_certified(at_u, learner, f"{rows.name}, u fitted in hindsight")
            cells.append(_row(rows, title, found, at_u, checks))
    series = [Series(rows.name, *ranked(_counts(rows))) for rows in texts]
    svg = draw(
        "How often each word occurs, by rank",
        Axis("rank of the word", log=True),
        Axis("texts with the word", log=True),
        series,
    )
    parts = [
        paragraph(
            "Few words are frequent, most are rare: the count of a word against its rank is close "
            "to a straight line on logarithmic axes. The diagonal bound profits where the u that "
            "matters lies on rare features: it charges s(u) = Σ u_i²·Σ_M x_t,i²/‖u‖², the frequency "
            "of the features weighted by u, where the most frequent feature alone would cost "
            "max_i Σ x_t,i²."
        ),
        pictures((svg, "The paper's figure of heavy tails, on these texts.")),
        table(
            "Updates and their least bound; of the u that fits best, the rare-feature bound and s(u)",
            ["stream: learner", "M + U", "bound", "rare-feature bound", "s(u)", "max Σ x²"],
            cells,
        ),
        check_table(checks),
    ]
    return Claim(Section("Diagonal updates on texts", parts), checks)


def _counts(rows: Sample) -> np.ndarray:
    return np.bincount(rows.X.indices, minlength=rows.X.shape[1])


def _row(
    rows: Sample,
    title: str,
    found: list[Certificate],
    at_u: list[Certificate],
    checks: list[Check],
) -> list[str]:
    """The best bound, and what the rare-feature bound says of a u that fits the texts."""
    by_equation = {c.equation for c in found}
    bound = named(found, DIAGONAL if DIAGONAL in by_equation else FIRST_ORDER)
    row = [f"{rows.name}: {title}", f"{int(bound.achieved):,}", figure(bound.bound)]
    if RARE not in by_equation:
        return [*row, "–", "–", "–"]
    rare = named(at_u, RARE)
    often = next(a.measured for a in rare.assumptions if a.statement.startswith("s ≥ s(u)"))
    squares = float((rows.X * rows.X).sum(axis=0).max())
    most = max(squares, float(rare.achieved))  # the intercept is 1 on each of the mistakes
    checks.append(inequality("s(u) ≤ max_i Σ x_t,i²", often, most, row[0], "eq. (nlp)"))
    return [*row, figure(rare.bound), figure(often), figure(most)]

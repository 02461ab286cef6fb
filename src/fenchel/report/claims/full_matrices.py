"""Section 6.2: AROW and the second-order Perceptron with the full matrix."""

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
    inequality,
    ledger,
    named,
)
from fenchel.report.claims.data_sets import ClaimData, Sample
from fenchel.report.page import Section, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure

LEARNERS = {
    "second-order Perceptron": ("second_order_perceptron", {}),
    "AROW, the paper's form": ("arow", {}),
    "AROW, original form": ("arow", {"form": "original"}),
}
OURS, KNOWN = "Section 6.2", "as known for AROW"
POINTS = 24


def measure(source: ClaimData) -> Claim:
    """Mistakes, margin errors and bounds; the sum that takes the place of U."""
    checks: list[Check] = []
    cells, drawn = [], []
    for rows in source.few_columns():
        curves: list[Series] = []
        past: Hindsight | None = None
        for title, (name, parameters) in LEARNERS.items():
            learner = certifying(name, diagonal=False, **parameters)
            margins = learner.learn_many(rows.X, rows.y)
            past = past or hindsight(learner)
            found = certify(learner, None, None, past)
            checks += all_certified(found, learner, rows.name)
            kept = ledger(learner)
            row = [f"{rows.name}: {title}", *(f"{int(kept[k]):,}" for k in ("mistakes", "errors"))]
            if any(c.equation == OURS for c in found):
                r = float(learner.regularizer.r)
                extra, errors = kept["gained"] / r, kept["errors"]
                checks.append(
                    inequality("the sum is at most U", extra, errors, row[0], "Section 6.2, chain")
                )
                ours, known = (named(found, equation) for equation in (OURS, KNOWN))
                row += [figure(extra), figure(ours.bound), figure(known.bound)]
            else:
                row += ["–", "–", "–"]
            cells.append(row)
            curves.append(_curve(title, rows, margins))
        svg = draw(
            f"Mistakes of second-order learners: {rows.name}",
            Axis("rounds", log=True),
            Axis("mistakes so far"),
            curves,
        )
        drawn.append((svg, rows.name))
    parts = [
        paragraph(
            "With f_t = ½·wᵀA_t·w, A_t = A_{t−1} + x_t·x_tᵀ/r, mirror descent is the second-order "
            "Perceptron (conservative) and AROW (aggressive, up to which A predicts). The bound on "
            "M + U has the sum Σ m_t(2r·y_t − m_t)/(r(r + χ_t)) where the bound known for AROW has "
            "U, and the sum is never larger. The original form predicts with A_{t−1}; for it the "
            "hinge lemma is checked."
        ),
        table(
            "Mistakes M, margin errors U, the sum in place of U, and the bounds on M + U",
            ["stream: learner", "M", "U", "the sum", "bound", "known bound"],
            cells,
        ),
        pictures(*drawn),
        check_table(checks),
    ]
    return Claim(Section("Second order", parts), checks)


def _curve(title: str, rows: Sample, margins: np.ndarray) -> Series:
    mistakes = np.cumsum(rows.y * margins <= 0.0)
    ends = np.unique(np.geomspace(1, len(rows.y), POINTS).astype(int))
    return Series(title, ends, mistakes[ends - 1])

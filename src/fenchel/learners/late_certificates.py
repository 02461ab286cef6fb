"""The bound of delayed mirror descent, measured along a run of tickets.

With z_t = −η·ℓ′_t(m_t)·x_t at the margin m_t = ⟨w, x_t⟩ of the prediction, and f constant and
β-strongly convex, Lemma 1 in the order of arrival bounds Σ ⟨z_t, u − w′_t⟩ by f(u) + Σ ‖z_t‖²/(2β),
w′_t the weights when the label came. They have moved by at most Σ ‖z_s‖/β over the steps s taken
while t waited, so

    Σ ℓ_t(m_t) − Σ ℓ_t(⟨u, x_t⟩) ≤ (f(u) + Σ ‖z_t‖²/(2β) + Σ_t ‖z_t‖·Σ_{s while t waited} ‖z_s‖/β)/η.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel.certificates import Assumption, Certificate, Hindsight, comparator
from fenchel.learners.certification import SecondReading
from fenchel.learners.tickets import ANSWERS, FRESH, LAGS, LOSS, SQUARES
from fenchel.loops import loss_values
from fenchel.regularizers.protocol import fact
from fenchel.rules.protocol import rate_of


def step_size(engine: Any, rows: Any, c: float) -> float:
    """‖z‖_* of a step c·x, the intercept included."""
    view = rows.csr()
    entries = view.values[view.indptr[0] : view.indptr[1]]
    return float(engine.regularizer.dual_norm(c * np.append(entries, float(engine.intercept))))


def covers(engine: Any) -> bool:
    """Whether the bound speaks of these parts: f never changes, and z_t = −η·ℓ′_t."""
    parts = getattr(engine, "parts", None)
    if parts is None or not fact(parts.regularizer, "constant"):
        return False
    return rate_of(parts.rule, parts.loss) is not None


def certificates(learner: Any, u: ArrayLike | None, stream: Any) -> list[Certificate]:
    """The bound against u, or against the best ones in hindsight of the rows answered."""
    engine, ledger = learner.engine, learner.tickets.ledger
    if not covers(engine):
        raise ValueError(
            f"{learner.name} has no theorem for labels that come late: gradient_descent with "
            "schedule='constant', or lms, has one"
        )
    loss, f = engine.loss, engine.regularizer
    read = SecondReading(learner, stream)
    if u is None:
        candidates = Hindsight(read, learner.columns).best(loss, learner.intercept)
    else:
        candidates = {"the given u": comparator(u, learner.columns, learner.intercept)}
    eta = rate_of(engine.rule, loss)
    assert eta is not None
    assumptions = (
        Assumption(
            "every label came by answer()", ledger[ANSWERS], ledger[ANSWERS] == learner.rounds
        ),
        Assumption("every step at the old margin", ledger[FRESH], ledger[FRESH] == 0.0),
    )
    found = []
    for name, point in candidates.items():
        total = _loss_of(point, read, learner, loss)
        terms = f.value(point), ledger[SQUARES] / 2, ledger[LAGS]
        beta = f.strong_convexity
        bound = (terms[0] + terms[1] / beta + terms[2] / beta) / eta
        told = f"Σ ℓ_t of the predictions asked − Σ ℓ_t(u), {learner.rounds} answers"
        found.append(
            Certificate(
                "Delayed mirror descent",
                "Lemma 1 in the order of arrival",
                told,
                name,
                float(ledger[LOSS] - total),
                float(bound),
                float(ledger[LOSS] + total + bound),
                assumptions,
            )
        )
    return found


def _loss_of(u: Any, read: Any, learner: Any, loss: Any) -> float:
    """Σ ℓ_t(⟨u, x_t⟩), by importance."""
    total = 0.0
    for block in read():
        margins = block.rows.margins(u, learner.intercept)
        values, slopes = np.empty(len(block)), np.empty(len(block))
        loss_values(loss, margins, block.labels, values, slopes)
        total += float(values @ np.broadcast_to(block.amounts, len(block)))
    return total

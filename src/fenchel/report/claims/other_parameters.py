"""The theorems away from their defaults: p > 2, r ≠ 1, short rows, a box, and eq. (lang)."""

from __future__ import annotations

from typing import Any

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
)
from fenchel.report.claims.data_sets import ClaimData, Sample
from fenchel.report.page import Section, paragraph, table
from fenchel.report.text import figure

LEVELS = (0.1, 10.0)  # of r
BOX = "tuned to a box"


def measure(source: ClaimData) -> Claim:
    """Each family on rows where its assumptions hold."""
    checks: list[Check] = []
    cells: list[list[str]] = []
    for rows in source.few_columns()[:2]:
        short = within_one(rows)
        p = max(2.5, 2.0 * float(np.log(rows.X.shape[1])))
        _measured(short, _first_order(p), checks, cells, intercept=False)
        _measured(rows.unit(), _FULL, checks, cells)
    for rows in source.texts()[:1]:
        _measured(rows, _DIAGONAL, checks, cells)
    for rows in source.units():
        _box(rows, checks, cells)
    parts = [
        paragraph(
            "The p-norm Perceptron and the tuned η_t with p = 2·ln d and 4; PA-I on rows of length "
            "at most 1, the constant that serves as intercept counted, where Corollary 2 covers it; "
            "the second-order bounds, full and diagonal, with r ≠ 1; Theorem 1 tuned to the box "
            "of the u that fits best. Eq. (lang) is of a variant with projections that is not "
            "this learner: both sides are measured and nothing is promised."
        ),
        table(
            "The tightest promised inequality of each run",
            ["run", "inequality", "left", "right"],
            cells,
        ),
        check_table(checks),
    ]
    return Claim(Section("Other parameters", parts), checks)


def _first_order(p: float) -> tuple[tuple[str, dict[str, Any]], ...]:
    return (
        ("passive_aggressive", {}),
        ("p_norm_perceptron", {"p": p}),
        ("tuned_aggressive", {"p": 4.0}),
        ("tuned_aggressive", {"p": p}),
    )


_FULL = tuple(
    (name, {"r": r, "diagonal": False})
    for name in ("arow", "second_order_perceptron")
    for r in LEVELS
)
_DIAGONAL = tuple((name, {"r": r}) for name in ("arow", "second_order_perceptron") for r in LEVELS)


def within_one(rows: Sample) -> Sample:
    """The rows with a constant 1 as their first column, divided by the longest: at most of length 1."""
    X = np.asarray(rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X)
    with_one = np.hstack([np.ones((len(X), 1)), X / np.abs(X).max()])
    longest = float(np.sqrt((with_one**2).sum(axis=1)).max())
    return Sample(f"{rows.name}, lengths at most 1", with_one / longest, rows.y)


def _measured(
    rows: Sample,
    runs: tuple[tuple[str, dict[str, Any]], ...],
    checks: list[Check],
    cells: list[list[str]],
    **options: Any,
) -> None:
    """Every learner on the same rows, against the same best u."""
    past: Hindsight | None = None
    for name, parameters in runs:
        learner = certifying(name, **parameters, **options)
        learner.learn_many(rows.X, rows.y)
        past = past or hindsight(learner)
        found = all_certified(certify(learner, None, None, past), learner, rows.name)
        checks += found
        _cell(found, cells)


def _cell(found: list[Check], cells: list[list[str]]) -> None:
    """The check with the least ratio that speaks of mistakes, updates or regret."""
    told = [c for c in found if c.counts and not c.claim.startswith(("Lemma", "Hinge"))]
    if told:
        best = min(told, key=lambda c: c.ratio)
        cells.append([best.where, best.equation, figure(best.left), figure(best.right)])


def _box(rows: Sample, checks: list[Check], cells: list[list[str]]) -> None:
    """η = C·√(d/2) for the C that the u of the best fit needs, C = max |u_i·x_{t,i}|."""
    first = certifying("scale_invariant_adagrad")
    first.learn_many(rows.X, rows.y)
    past = hindsight(first)
    points = list(past.best(first.loss, first.intercept).values())
    u = min(points[1:], key=lambda v: _loss(rows, v))
    size = np.concatenate([[1.0], np.abs(rows.X).max(axis=0)])
    eta = float(np.abs(u * size).max() * np.sqrt(len(u) / 2.0)) * (1.0 + 1e-9)
    learner = certifying("scale_invariant_adagrad", eta=eta)
    learner.learn_many(rows.X, rows.y)
    found = learner.certificates(u)
    assert named(found, BOX).applies, "η was chosen so"
    told = all_certified(found, learner, f"{rows.name}, u fitted in hindsight")
    checks += told
    _cell(told, cells)
    _measured(rows, (("normalized_adaptive_gradient", {"eta": 10.0}),), checks, cells)


def _loss(rows: Sample, u: np.ndarray) -> float:
    """Σ ℓ_t(u)."""
    margins = rows.X @ u[1:] + u[0]
    return float(np.sum(np.maximum(0.0, 1.0 - rows.y * margins)))

"""Section 4: adaptive filtering without knowing how loud the input will be."""

from __future__ import annotations

import numpy as np

from fenchel import learners
from fenchel.report.claims.claim import (
    Check,
    Claim,
    all_certified,
    certifying,
    check_table,
    named,
    rounding,
)
from fenchel.report.claims.data_sets import ClaimData, Sample, Vector
from fenchel.report.page import Section, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure

EQUATION = "Section 4"
POINTS = 40
START = 200  # rounds from which someone who tunes in advance guesses the level


def measure(source: ClaimData) -> Claim:
    """The level learned on the way, known in advance, and guessed from the beginning."""
    checks: list[Check] = []
    drawn, cells = [], []
    for rows in source.signals():
        lengths = np.sqrt((rows.X**2).sum(axis=1))
        certifiable = {
            "level learned on the way": certifying("p_norm_lms", p=2.0, intercept=False),
            "largest level known": certifying("lms", eta=_step(lengths), intercept=False),
            "level learned, p = 2 ln d": certifying(
                "p_norm_lms", p=2.0 * float(np.log(rows.X.shape[1])), intercept=False
            ),
        }
        series = []
        for title, learner in certifiable.items():
            margins = learner.learn_many(rows.X, rows.y)
            found = learner.certificates()
            checks += all_certified(found, learner, f"{rows.name} ({title})")
            bound = named(found, EQUATION)
            numbers = [_squared_error(rows, margins), bound.achieved, bound.bound]
            cells.append([f"{rows.name}: {title}", *map(figure, numbers)])
            series.append(_curve(title, rows, margins))
        guessed = learners.lms(eta=_step(lengths[:START]), intercept=False)
        margins = guessed.learn_many(rows.X, rows.y)
        error = figure(_squared_error(rows, margins))
        cells.append(
            [f"{rows.name}: level of the first {START} rounds", error, "–", "not promised"]
        )
        series.append(_curve(f"level of the first {START}", rows, margins))
        _same_in_other_units(rows, checks)
        svg = draw(
            f"Squared error so far: {rows.name}",
            Axis("rounds", log=True),
            Axis("mean squared error so far", log=True),
            series,
        )
        drawn.append((svg, rows.name))
    parts = [
        paragraph(
            "p-norm LMS needs the largest ‖x_t‖ in advance for its step 1/X². With f_t = X_t²·f, X_t "
            "the largest so far, mirror descent has the same bound, "
            "Σ(⟨w_t, x_t⟩ − ⟨u, x_t⟩)² ≤ 2·X_T²·f(u) + Σ(y_t − ⟨u, x_t⟩)², without knowing it. "
            f"A step tuned to the first {START} rounds has no guarantee once the input grows."
        ),
        table(
            "Mean squared error, filtering regret at the best u found, and its bound",
            ["signal: step", "squared error", "filtering regret", "bound"],
            cells,
        ),
        pictures(*drawn),
        check_table(checks),
    ]
    return Claim(Section("Filtering with an unknown level", parts), checks)


def _squared_error(rows: Sample, margins: Vector) -> float:
    """The mean; infinite where the filter ran away."""
    with np.errstate(over="ignore"):
        return float(np.mean((rows.y - margins) ** 2))


def _step(lengths: Vector) -> float:
    return float(1.0 / lengths.max() ** 2)


def _same_in_other_units(rows: Sample, checks: list[Check]) -> None:
    """The whole input a thousand times louder: the same predictions."""
    quiet, loud = (
        certifying("p_norm_lms", p=2.0, intercept=False).learn_many(factor * rows.X, rows.y)
        for factor in (1.0, 1000.0)
    )
    apart = float(np.abs(quiet - loud).max() / np.abs(quiet).max())
    checks.append(
        rounding("a louder input changes nothing", apart, 1e-9, rows.name, "f_t = X_t²·f")
    )


def _curve(title: str, rows: Sample, margins: Vector) -> Series:
    with np.errstate(over="ignore"):
        means = np.cumsum((rows.y - margins) ** 2) / np.arange(1, len(rows.y) + 1)
    ends = np.unique(np.geomspace(1, len(rows.y), POINTS).astype(int))
    return Series(title, ends, means[ends - 1])

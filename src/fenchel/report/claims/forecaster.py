"""Section 4: the regret of the Vovk-Azoury-Warmuth forecaster grows like ln T."""

from __future__ import annotations

import math

from fenchel.certificates import Certificate
from fenchel.report.claims.claim import (
    Check,
    Claim,
    all_certified,
    certifying,
    check_table,
    inequality,
    named,
)
from fenchel.report.claims.data_sets import ClaimData, Sample
from fenchel.report.page import Section, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure

SUM, DETERMINANT = "sum", "log-determinant"
FIRST = 16


def checkpoints(rows: Sample) -> list[int]:
    """Powers of two, and the end."""
    last = len(rows.y)
    return [*(2**k for k in range(int(math.log2(FIRST)), 40) if 2**k < last), last]


def followed(rows: Sample, a: float = 1.0) -> list[tuple[int, list[Certificate]]]:
    """Rounds and certificates along the stream, each against the best u of the rounds so far."""
    learner = certifying("vovk_azoury_warmuth", a=a)
    start, found = 0, []
    for end in checkpoints(rows):
        learner.learn_many(rows.X[start:end], rows.y[start:end])
        found.append((end, learner.certificates()))
        start = end
    return found


def curves(found: list[tuple[int, list[Certificate]]]) -> list[Series]:
    """Measured regret and the two bounds, each at the u where the sum's slack is least."""
    rounds = [end for end, _ in found]
    sums = [named(certificates, SUM) for _, certificates in found]
    dets = [named(certificates, DETERMINANT) for _, certificates in found]
    return [
        Series("measured regret", rounds, [c.achieved for c in sums]),
        Series("proven bound", rounds, [c.bound for c in sums]),
        Series("with ln|A_T|", rounds, [c.bound for c in dets]),
    ]


def measure(source: ClaimData) -> Claim:
    """Regret and bounds along every stream."""
    checks: list[Check] = []
    drawn, cells = [], []
    for rows in source.numbers():
        found = followed(rows)
        learner = certifying("vovk_azoury_warmuth", a=1.0)
        for end, certificates in found:
            checks += all_certified(certificates, learner, f"{rows.name}, T = {end:,}")
            best = named(certificates, SUM)
            determinant = named(certificates, DETERMINANT).bound
            shares = [figure(best.achieved), figure(best.bound), figure(determinant)]
            cells.append([f"{rows.name}, T = {end:,}", *shares, figure(best.bound / math.log(end))])
        _logarithmic(rows, found, checks)
        svg = draw(
            f"Regret and bounds of Vovk-Azoury-Warmuth: {rows.name}",
            Axis("rounds T", log=True),
            Axis("half squared loss"),
            curves(found),
        )
        drawn.append((svg, f"{rows.name}: on this axis ln T is a straight line."))
    parts = [
        paragraph(
            "R_T(u) ≤ a/2·‖u‖² + Y²/2·Σ x_tᵀA_t⁻¹x_t ≤ a/2·‖u‖² + Y²/2·ln|A_T/a|, with no step to "
            "tune: the regret grows like d·ln T. Here a = 1; at each T the u is that with the least "
            "slack among minimisers of loss plus ridge over the rounds so far."
        ),
        pictures(*drawn),
        table(
            "Along the streams",
            ["stream", "regret", "bound", "with ln|A_T|", "bound / ln T"],
            cells,
        ),
        check_table(checks),
    ]
    return Claim(Section("Vovk-Azoury-Warmuth", parts), checks)


def _logarithmic(
    rows: Sample, found: list[tuple[int, list[Certificate]]], checks: list[Check]
) -> None:
    """Y²·d/2·ln(1 + T·X²/(a·d)) is what ln|A_T| comes to at most: the growth is logarithmic."""
    end, certificates = found[-1]
    bound = named(certificates, DETERMINANT)
    d = rows.X.shape[1] + 1
    level = float((rows.X**2).sum(axis=1).max()) + 1.0
    target = float((rows.y**2).max())
    u = bound.origin.u
    most = 0.5 * float(u @ u) + 0.5 * target * d * math.log1p(end * level / d)
    checks.append(
        inequality(
            "ln|A_T| ≤ d·ln(1 + T·X²/d)",
            bound.bound,
            most,
            f"{rows.name}, T = {end:,}",
            "Section 4",
        )
    )

"""Section 5: predictions and bounds that no rescaling of single features changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.report.claims.claim import (
    Check,
    Claim,
    all_certified,
    certifying,
    check_table,
    inequality,
    rounding,
)
from fenchel.report.claims.data_sets import ClaimData, Sample, Vector
from fenchel.report.page import Section, Words, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure, power

INVARIANT = ("scale_invariant_p_norm", "scale_invariant_adagrad")
OTHERS = ("gradient_descent", "adagrad", "passive_aggressive", "arow")
LARGEST = 6  # features are multiplied by up to 10^±6
SAME, DIFFERENT = 1e-9, 1e-3


class _Measured(NamedTuple):
    """A learner before and after the change of units."""

    name: str
    apart: float  # the largest difference of a margin, as a share of the largest margin
    mistakes: tuple[int, int]
    bounds: tuple[float, float]
    quantity: str  # that the bounds are on


def measure(source: ClaimData) -> Claim:
    """Run every learner in two systems of units."""
    checks: list[Check] = []
    parts = [
        paragraph(
            "Both new algorithms predict the same whatever the units of single features "
            "(Section 5), and so does their bound once u is given in the new units. Each feature "
            f"is multiplied by a factor of its own between {power(-LARGEST)} and {power(LARGEST)}; the "
            "margins may then differ by rounding alone. The other learners are other learners in "
            "other units."
        )
    ]
    for rows in source.units():
        found = [_measured(rows, name, checks) for name in (*INVARIANT, *OTHERS)]
        parts += [_table(rows, found), _picture(rows)]
    parts.append(check_table(checks))
    return Claim(Section("Scale invariance", parts), checks)


def _factors(columns: int, spread: float) -> Vector:
    return np.asarray(10.0 ** np.random.default_rng(6).uniform(-spread, spread, size=columns))


def _rescaled(rows: Sample, spread: float) -> Any:
    scaled = rows.X * _factors(rows.X.shape[1], spread)
    return scaled if isinstance(scaled, np.ndarray) else scaled.tocsr()


def _measured(rows: Sample, name: str, checks: list[Check]) -> _Measured:
    before, after = (certifying(name) for _ in range(2))
    first = before.learn_many(rows.X, rows.y)
    second = after.learn_many(_rescaled(rows, LARGEST), rows.y)
    apart = float(np.abs(first - second).max() / np.abs(first).max())
    mistakes = tuple(int(np.sum(rows.y * margins <= 0.0)) for margins in (first, second))
    tightest = before.certificate()
    u = tightest.origin.u
    factors = np.concatenate([[1.0], _factors(rows.X.shape[1], LARGEST)])
    found = after.certificates(u / factors)
    again = next(c for c in found if c.equation == tightest.equation)
    checks += all_certified(before.certificates(u), before, rows.name)
    checks += all_certified(found, after, f"{rows.name}, other units")
    where = f"{name} on {rows.name}"
    if name in INVARIANT:
        checks.append(rounding("margins in two units differ by rounding", apart, SAME, where))
        change = abs(again.bound - tightest.bound) / tightest.bound
        checks.append(rounding("bounds in two units differ by rounding", change, SAME, where))
    else:
        checks.append(inequality("margins depend on the units", DIFFERENT, apart, where))
    bounds = tightest.bound, again.bound
    return _Measured(name, apart, (mistakes[0], mistakes[1]), bounds, tightest.quantity)


def _table(rows: Sample, found: list[_Measured]) -> str:
    headings = [
        "learner",
        "largest change of a margin",
        "mistakes",
        "in other units",
        "the bound is on",
        "bound",
        "in other units",
    ]
    cells = [
        [
            m.name,
            figure(m.apart, 2),
            *(f"{n:,}" for n in m.mistakes),
            Words(m.quantity),
            *(figure(b) for b in m.bounds),
        ]
        for m in found
    ]
    return table(f"{rows.name}: {len(rows.y):,} rounds in two systems of units", headings, cells)


def _picture(rows: Sample) -> str:
    """Mistakes against how far the units are spread."""
    spreads = np.arange(0, LARGEST + 1, 2)
    series = []
    for name in (*INVARIANT, *OTHERS):
        counts = [_mistakes(rows, name, float(spread)) for spread in spreads]
        series.append(Series(name, spreads, counts))
    title = f"Mistakes in other units, {rows.name}"
    x = Axis("k, features multiplied by 10^±k at random")
    svg = draw(title, x, Axis("mistakes"), series)
    return pictures((svg, f"{rows.name}: the lines of the scale-invariant learners are level."))


def _mistakes(rows: Sample, name: str, spread: float) -> int:
    margins = certifying(name).learn_many(_rescaled(rows, spread), rows.y)
    return int(np.sum(rows.y * margins <= 0.0))

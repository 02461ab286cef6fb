"""Naive Bayes as weights of a linear model: the log odds of each feature between the two classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel.parts.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.protocol import commit, look, product, weight
from fenchel.regularizers.safe_division import over
from fenchel.regularizers.uniting import Shards, added, rescale, unite
from fenchel.rows.types import LARGEST, ZERO, entry, length, saturated, slot

MOST = 1e300  # of counts: their sums stay within the floats


class Lean(NamedTuple):
    """How all features together lean to a class: the share of the second, and its log odds."""

    share: float
    odds: float


@part
class LogOdds(NamedTuple):
    """θ_j = Σ z_j, m_j = Σ |z_j| and n_j, how often z_j was not 0; z = y·x makes them counts.

    In units of its mean size m_j/n_j feature j came p_j = (n_j + θ_j·n_j/m_j)/2 times with the second class
    and q_j = n_j − p_j times with the first. With ρ the second class's share of all p + q,

        w_j·m_j/n_j = ln((p_j + prior·ρ)/(q_j + prior·(1 − ρ))) − ln(ρ/(1 − ρ)),

    0 for a feature that leans as all together do, or was never seen. The intercept is the log odds of the
    classes. No prediction depends on the units of the features. ``total`` and ``lean`` are Σ n_j and
    Σ (p_j − q_j) as they were counted, each z_j in the units of its time.
    """

    prior: float = 2.0
    theta: Array = RECORD
    mass: Array = RECORD
    times: Array = RECORD
    total: Array = SCALAR
    lean: Array = SCALAR


@look.of(LogOdds)
def _look(f: Any, row: Any) -> Lean:
    """ρ and ln ρ/(1 − ρ), of counts that begin with a half of each class."""
    ahead = 0.5 * (f.total[0] + f.lean[0]) + 0.5
    behind = 0.5 * (f.total[0] - f.lean[0]) + 0.5
    if not (ahead > 0.0 and behind > 0.0):  # in a forged state
        ahead, behind = 0.5, 0.5
    return Lean(ahead / (ahead + behind), np.log(ahead / behind))


@helper
def _odds(f: Any, view: Any, slot: Any) -> float:
    """w_j in units of the feature's mean size."""
    count = f.times[slot]
    if not count > 0.0:
        return 0.0
    ahead = over(f.theta[slot], f.mass[slot]) * count
    share, shift = view.share, view.odds
    if slot == ZERO:  # the intercept leans by itself
        share, shift = 0.5, 0.0
    second = max(count + ahead, 0.0) + 2.0 * f.prior * share
    first = max(count - ahead, 0.0) + 2.0 * f.prior * (1.0 - share)
    return float(np.log(second / first) - shift)


@weight.of(LogOdds)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """The log odds over the mean size m_j/n_j."""
    return saturated(over(_odds(f, view, slot), f.mass[slot]) * f.times[slot])


@product.of(LogOdds)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    """x in units of its mean size, times the log odds."""
    return float(over(x, f.mass[slot]) * f.times[slot] * _odds(f, view, slot))


@helper
def _count(f: Any, slot: Any, x: float, coefficient: float) -> float:
    """Keep z = coefficient·x; returns it in units of the mean size, z's own included."""
    z = saturated(coefficient * x)
    if z == 0.0:
        return 0.0
    often = abs(coefficient)
    f.theta[slot] = saturated(f.theta[slot] + z)
    f.mass[slot] = min(f.mass[slot] + abs(z), LARGEST)
    f.times[slot] = min(f.times[slot] + often, MOST)
    return float(over(z, f.mass[slot]) * f.times[slot])


@commit.of(LogOdds)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = ±importance."""
    if coefficient == 0.0:
        return
    for k in range(length(row)):
        z = _count(f, slot(row, k), entry(row, k), coefficient)
        f.total[0] = min(f.total[0] + abs(z), MOST)
        f.lean[0] = min(max(f.lean[0] + z, -MOST), MOST)
    if row.bias != 0.0:
        _count(f, ZERO, row.bias, coefficient)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(LogOdds)
def _unite(f: Any, shards: Shards) -> None:
    """Counts add: what was learned apart is what was learned in one place."""
    for name in ("theta", "mass", "times", "total", "lean"):
        getattr(f, name)[:] = added(shards, name)


@rescale.of(LogOdds)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] *= factors
    f.mass[:] *= factors

"""Naive Bayes as weights of a linear model: the log odds of each feature between the two classes."""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._numba import helper, way
from fenchel._numba.intrinsics import all_above, lanes, seldom
from fenchel._numba.libm import log
from fenchel._numba.logarithm import quick_log
from fenchel.parts.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.protocol import commit, look, margin, product, weight
from fenchel.regularizers.safe_division import over
from fenchel.regularizers.uniting import Shards, added, rescale, unite
from fenchel.rows.sums import (
    alike,
    by_fours,
    four_slots,
    four_values,
    sum_over,
    term,
    usual_term,
    usual_terms,
)
from fenchel.rows.types import FOUR, LARGEST, ONE, ZERO, entry, length, saturated, slot

LEAST, MOST = (
    1e-300,
    1e300,
)  # of counts and their ratios: what is made of them stays within the floats


@alike
class Lean(NamedTuple):
    """How all features together lean to a class: the share of the second, and its log odds."""

    share: float
    odds: float


@part
@alike
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
    return Lean(ahead / (ahead + behind), log(ahead / behind))


@helper
def _log_odds(f: Any, view: Any, count: Any, ahead: Any) -> Any:
    """w_j in units of the feature's mean size, from n_j and p_j − q_j."""
    second = max(count + ahead, 0.0) + 2.0 * f.prior * view.share
    first = max(count - ahead, 0.0) + 2.0 * f.prior * (1.0 - view.share)
    return quick_log(min(max(second / first, LEAST), MOST)) - view.odds


@helper
def _odds(f: Any, view: Any, slot: Any) -> float:
    """w_j in units of the feature's mean size, 0 where it was never seen."""
    count = f.times[slot]
    if not count > 0.0:
        return 0.0
    ahead = over(f.theta[slot], f.mass[slot]) * count
    if slot == ZERO:  # the intercept leans by itself
        return float(_log_odds(f, Lean(0.5, 0.0), count, ahead))
    return float(_log_odds(f, view, count, ahead))


@weight.of(LogOdds)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """The log odds over the mean size m_j/n_j."""
    return saturated(over(_odds(f, view, slot), f.mass[slot]) * f.times[slot])


@product.of(LogOdds)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    """x in units of its mean size, times the log odds."""
    return float(over(x, f.mass[slot]) * f.times[slot] * _odds(f, view, slot))


@alike
class _Margin(NamedTuple):
    """The sum that is the margin."""


@term.of(_Margin)
def _term(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(product(f, view, slot, x))


@usual_terms.of(_Margin)
def _all_seen(what: Any, f: Any, view: Any, slots: Any, x: Any) -> bool:
    return bool(all_above(f.mass[slots], 0.0) and all_above(f.times[slots], 0.0))


@usual_term.of(_Margin)
def _seen_term(what: Any, f: Any, view: Any, slots: Any, x: Any) -> Any:
    count, mass = f.times[slots], f.mass[slots]
    return x / mass * count * _log_odds(f, view, count, f.theta[slots] / mass * count)


@margin.of(LogOdds)
def _margin(f: Any, view: Any, row: Any) -> float:
    return float(sum_over(_Margin(), f, view, row))


@helper
def _counted(f: Any, slots: Any, z: Any, often: float) -> Any:
    """Keep z ≠ 0, or four of them; returns them in units of the mean size."""
    mass = min(f.mass[slots] + abs(z), LARGEST)
    count = min(f.times[slots] + often, MOST)
    f.theta[slots] = saturated(f.theta[slots] + z)
    f.mass[slots] = mass
    f.times[slots] = count
    return z / mass * count


@helper
def _count(f: Any, slot: Any, x: float, coefficient: float) -> float:
    """Keep z = coefficient·x where it is not 0."""
    z = saturated(coefficient * x)
    return float(_counted(f, slot, z, abs(coefficient))) if z != 0.0 else 0.0


def _count_row(f: Any, row: Any, coefficient: float) -> tuple[float, float]:
    """Keep the row but for the intercept; returns Σ z and Σ |z| in units of the mean sizes."""
    lean = size = 0.0
    for k in range(length(row)):
        z = _count(f, slot(row, k), entry(row, k), coefficient)
        lean, size = lean + z, size + abs(z)
    return lean, size


def _count_by_fours(f: Any, row: Any, coefficient: float) -> tuple[float, float]:
    lean = size = 0.0
    n, often = length(row), abs(coefficient)
    whole = n - n % FOUR
    k = ZERO
    while k < whole:
        slots, z = four_slots(row, k), saturated(coefficient * four_values(row, k))
        if seldom(not all_above(abs(z), 0.0)):
            for l in range(k, k + FOUR):
                a = _count(f, slot(row, l), entry(row, l), coefficient)
                lean, size = lean + a, size + abs(a)
        else:
            a, b, c, d = lanes(_counted(f, slots, z, often))
            lean = lean + a + b + c + d
            size = size + abs(a) + abs(b) + abs(c) + abs(d)
        k += FOUR
    while k < n:
        a = _count(f, slot(row, k), entry(row, k), coefficient)
        lean, size = lean + a, size + abs(a)
        k += ONE
    return lean, size


way.inside(
    _count_row,
    lambda f, row, coefficient: _count_by_fours if by_fours(row, f) else _count_row,
    way.INLINED,
)


@commit.of(LogOdds)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = ±importance."""
    if coefficient == 0.0:
        return
    lean, size = _count_row(f, row, coefficient)
    f.total[0] = min(f.total[0] + size, MOST)
    f.lean[0] = min(max(f.lean[0] + lean, -MOST), MOST)
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

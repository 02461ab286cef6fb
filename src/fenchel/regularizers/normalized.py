"""Normalized adaptive gradient (Ross, Mineiro & Langford, 2013), Vowpal Wabbit's kind of step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.intrinsics import all_above, none_above, seldom
from fenchel.parts.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.adopting import Penalty, adopt, penalty
from fenchel.regularizers.protocol import (
    absorb,
    absorb_divided,
    absorb_quotients,
    commit,
    divided,
    keep_quotient,
    keep_usual,
    margin,
    stands_still,
    under_root,
    usual,
    usual_divided,
    weight,
)
from fenchel.regularizers.safe_division import in_units, inverse, inverses, over_all
from fenchel.regularizers.uniting import Shards, added, combined, largest, rescale, unite
from fenchel.rows.sums import alike, sum_over, term, usual_term, usual_terms
from fenchel.rows.types import LARGEST, saturated

FEW = (
    20.0  # rows: a weight that fewer have moved was moved by them alike, one after another or apart
)


@stands_still
@part
@alike
class NormalizedAdaptive(NamedTuple):
    """Weights in ``theta``, s_j the largest |x_j| seen, G_j = Σ ℓ′_j², N = Σ_t Σ_j (x_j/s_j)².

    Adaptive by its learning rate, not by its regularizer: when s_j grows, w_j ← w_j·s_j/|x_j|; then

        w_j ← w_j − η·√(t/N)·ℓ′_j/(s_j·√G_j).

    Not an instance of mirror descent with a plain sum θ. ``units`` keeps 1/s_j.
    """

    eta: float = 0.5
    theta: Array = RECORD
    largest: Array = RECORD
    squares: Array = RECORD
    units: Array = RECORD
    rounds: Array = SCALAR
    total: Array = SCALAR

    @property
    def family(self) -> str:
        """Algorithm 2 of Ross, Mineiro & Langford."""
        return "normalized adaptive gradient"


@weight.of(NormalizedAdaptive)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j, shrunk by s_j/|x| where x is larger than all before."""
    if seldom(abs(x) > f.largest[slot]):
        return float(f.theta[slot] * (f.largest[slot] / abs(x)))
    return float(f.theta[slot])


@alike
class _Margin(NamedTuple):
    """The sum that is the margin."""


@term.of(_Margin)
def _margin_term(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(weight(f, view, slot, x) * x)


@usual_terms.of(_Margin)
def _not_larger(what: Any, f: Any, view: Any, slots: Any, x: Any) -> bool:
    return bool(none_above(abs(x), f.largest[slots]))


@usual_term.of(_Margin)
def _usual_product(what: Any, f: Any, view: Any, slots: Any, x: Any) -> Any:
    return f.theta[slots] * x


@margin.of(NormalizedAdaptive)
def _margin(f: Any, view: Any, row: Any) -> float:
    return float(sum_over(_Margin(), f, view, row))


@helper
def _within(f: Any, slots: Any, x: Any) -> bool:
    """Whether no |x_j| of these is above s_j, and 1/s_j is kept."""
    return bool(none_above(abs(x), f.largest[slots]) and all_above(f.units[slots], 0.0))


@alike
class _Shares(NamedTuple):
    """The sum that is Σ_j (x_j/s_j)²."""


@term.of(_Shares)
def _share(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    """(x/s)², once s and what is measured in it have grown to |x|."""
    if seldom(abs(x) > f.largest[slot]):
        shrink = f.largest[slot] / abs(x)
        f.theta[slot] *= shrink
        f.squares[slot] *= shrink * shrink
        f.largest[slot] = abs(x)
        f.units[slot] = inverse(abs(x))
        return 1.0
    share = in_units(x, f.largest[slot], f.units[slot])
    return float(share * share)


@usual_terms.of(_Shares)
def _usual_shares(what: Any, f: Any, view: Any, slots: Any, x: Any) -> bool:
    return _within(f, slots, x)


@usual_term.of(_Shares)
def _usual_share(what: Any, f: Any, view: Any, slots: Any, x: Any) -> Any:
    share = x * f.units[slots]
    return share * share


@divided.of(NormalizedAdaptive)
def _divided(f: Any, pull: Any, slot: Any, x: float, slope: float) -> tuple[float, float]:
    """G_j is kept in units of s_j², so that features of 1e±300 neither over- nor underflow."""
    share = in_units(x, f.largest[slot], f.units[slot])
    squares = _squares_with(f, slot, slope * share)
    f.squares[slot] = squares
    return (pull * share, squares) if squares > 0.0 else (0.0, 1.0)


@keep_quotient.of(NormalizedAdaptive)
def _keep_quotient(f: Any, pull: Any, slot: Any, x: float, slope: float, step: float) -> None:
    f.theta[slot] = saturated(f.theta[slot] + in_units(step, f.largest[slot], f.units[slot]))


@helper
def _squares_with(f: Any, slot: Any, gradient: Any) -> Any:
    return min(f.squares[slot] + gradient * gradient, LARGEST)


@usual.of(NormalizedAdaptive)
def _usual(f: Any, pull: Any, slots: Any, x: Any, slope: float) -> bool:
    squares = _squares_with(f, slots, slope * (x * f.units[slots]))
    return bool(all_above(f.units[slots], 0.0) and all_above(squares, 0.0))


@usual_divided.of(NormalizedAdaptive)
def _usual_divided(f: Any, pull: Any, slots: Any, x: Any, slope: float) -> Any:
    share = x * f.units[slots]
    squares = _squares_with(f, slots, slope * share)
    f.squares[slots] = squares
    return pull * share, squares


@keep_usual.of(NormalizedAdaptive)
def _keep_usual(f: Any, pull: Any, slots: Any, x: Any, slope: float, steps: Any) -> None:
    f.theta[slots] = saturated(f.theta[slots] + steps * f.units[slots])


@under_root.of(NormalizedAdaptive)
def _under_root(f: Any) -> bool:
    return True


absorb.of(NormalizedAdaptive)(absorb_divided)


@commit.of(NormalizedAdaptive)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −η·ℓ′."""
    f.rounds[0] += 1.0
    f.total[0] += sum_over(_Shares(), f, view, row)
    if coefficient != 0.0 and f.total[0] > 0.0:
        rate = np.sqrt(f.rounds[0] / f.total[0])
        absorb_quotients(f, saturated(coefficient * rate), row, saturated(coefficient / f.eta))


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(NormalizedAdaptive)
def _unite(f: Any, shards: Shards) -> None:
    """G_j, rounds and N add, s_j is the largest; weights go by what each shard added to G_j.

    Beside it counts, once, what ``FEW`` rows would have added, c: weights of rare features add up. From a
    model with G_0 it is √(c·(c + G_0)), as of a ``Gaussian``.
    """
    f.largest[:] = largest(shards, "largest")
    start, *squares = (_squares_in(g, f.largest) for g in (shards.start, *shards.parts))
    f.squares[:] = start + sum(now - start for now in squares)
    f.rounds[:] = added(shards, "rounds")
    f.total[:] = added(shards, "total")
    f.units[:] = inverses(f.largest)
    *masses, whole = (_mass(g, shards.start, f.largest) for g in (*shards.parts, f))
    weights = [part.theta for part in shards.parts]
    f.theta[:] = combined(shards.start.theta, weights, masses, whole)


def _mass(f: Any, start: Any, largest: Array) -> Array:
    """√(c·(c + G_0)) + G − G_0, in units of this larger s_j²."""
    before = _squares_in(start, f.largest)
    c = FEW * f.squares.max(initial=0.0) / max(f.rounds[0], 1.0)
    mass = np.sqrt(c * (c + before)) + np.maximum(f.squares - before, 0.0)
    return np.asarray(mass * over_all(f.largest, largest) ** 2)


@rescale.of(NormalizedAdaptive)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] /= factors
    f.largest[:] *= factors
    f.units[:] = inverses(f.largest)


def _squares_in(f: Any, largest: Array) -> Array:
    """G_j in units of this larger s_j²."""
    return np.asarray(f.squares * over_all(f.largest, largest) ** 2)


# ── weights from elsewhere ──────────────────────────────────────────────────────────────────────


@penalty.of(NormalizedAdaptive)
def _penalty(f: Any) -> Penalty:
    return Penalty()


@adopt.of(NormalizedAdaptive)
def _adopt(f: Any, w: Array) -> None:
    f.theta[:] = w

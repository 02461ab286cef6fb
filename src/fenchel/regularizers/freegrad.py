"""FreeGrad (Mhammedi & Koolen, 2020): no learning rate, and no bound on the gradients known ahead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.intrinsics import seldom
from fenchel._numba.libm import exp
from fenchel.parts.state import RECORD, Array, part
from fenchel.regularizers.protocol import commit, product, weight
from fenchel.regularizers.safe_division import over, over_all, within
from fenchel.regularizers.uniting import Shards, added, combined, gains, largest, rescale, unite
from fenchel.rows.types import LARGEST, ZERO, entry, length, saturated, slot

HIGHEST = 600.0  # of an exponent


@part
class FreeGrad(NamedTuple):
    """With a_j the first |x_j|, b_j the largest so far, q = a_j/b_j, g = −ℓ′/L·x_j/b_j, G_j = Σ g,

        V_j = q² + Σ g²,   A_j = V_j + |G_j|,
        bet_j = wealth·q·G_j·(V_j + A_j)/(2·A_j²·√V_j)·exp(G_j²/(2·A_j)),   w_j = bet_j/(L·b_j).

    Where b_j has outgrown a_j by more than 2 + Σ |g| the coordinate begins anew from the present x_j.
    """

    lipschitz: float = 1.0
    wealth: float = 1.0
    theta: Array = RECORD
    squares: Array = RECORD
    stakes: Array = RECORD  # Σ |g|, each in the units of its time
    largest: Array = RECORD
    first: Array = RECORD


@helper
def _restarts(f: Any, slot: Any, x: float) -> bool:
    """Whether x outgrows the first value by more than the past allows; so does the very first."""
    return bool(abs(x) > f.largest[slot] and abs(x) / (2.0 + f.stakes[slot]) > f.first[slot])


@helper
def _bet_of(theta: float, squares: float, first: float, wealth: float) -> float:
    """bet_j from sums in units of b_j; ``first`` is q."""
    v = first * first + squares
    if not v > 0.0:
        return 0.0
    both = v + abs(theta)
    size = theta * (v + both) / (2.0 * both * both * np.sqrt(v))
    return float(wealth * first * size * exp(min(theta * theta / (2.0 * both), HIGHEST)))


@helper
def _bet(f: Any, slot: Any, x: float) -> float:
    """bet_j in a round with x_j = x."""
    if not seldom(abs(x) > f.largest[slot]):
        first = over(f.first[slot], f.largest[slot])
        return float(_bet_of(f.theta[slot], f.squares[slot], first, f.wealth))
    if _restarts(f, slot, x):
        return 0.0
    shrink = f.largest[slot] / abs(x)
    squares = f.squares[slot] * shrink * shrink
    return float(_bet_of(f.theta[slot] * shrink, squares, f.first[slot] / abs(x), f.wealth))


@weight.of(FreeGrad)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    return saturated(over(_bet(f, slot, x) / f.lipschitz, max(f.largest[slot], abs(x))))


@product.of(FreeGrad)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(_bet(f, slot, x) / f.lipschitz * within(x, f.largest[slot]))


@helper
def _learn(f: Any, slot: Any, x: float, coefficient: float) -> None:
    """Keep b_j, or begin anew, and the gradient; an importance above 1 would be more than the steepest."""
    if x == 0.0:
        return
    if seldom(abs(x) > f.largest[slot]):
        if _restarts(f, slot, x):
            f.first[slot] = abs(x)
            f.theta[slot] = 0.0
            f.squares[slot] = 0.0
            f.stakes[slot] = 0.0
        else:
            shrink = f.largest[slot] / abs(x)
            f.theta[slot] *= shrink
            f.squares[slot] *= shrink * shrink
        f.largest[slot] = abs(x)
    g = min(max(coefficient * within(x, f.largest[slot]), -1.0), 1.0)
    f.theta[slot] += g
    f.squares[slot] = min(f.squares[slot] + g * g, LARGEST)
    f.stakes[slot] = min(f.stakes[slot] + abs(g), LARGEST)


@commit.of(FreeGrad)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −ℓ′."""
    pull = saturated(coefficient / f.lipschitz)
    for k in range(length(row)):
        _learn(f, slot(row, k), entry(row, k), pull)
    if row.bias != 0.0:
        _learn(f, ZERO, row.bias, pull)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(FreeGrad)
def _unite(f: Any, shards: Shards) -> None:
    """Squares and stakes add, a_j is the least there was; weights are averaged by 1 + squares, the 1 once.

    The sums of gradients are those that bet so, found by halving.
    """
    everyone = (shards.start, *shards.parts)
    f.largest[:] = largest(shards, "largest")
    f.squares[:], f.stakes[:] = added(shards, "squares"), added(shards, "stakes")
    gained = gains(shards, "squares")
    told = [np.where(g.first > 0.0, g.first, np.inf) for g in everyone]
    least = np.minimum.reduce(told)
    f.first[:] = np.where(np.isfinite(least), least, 0.0)
    start, *bets = (over_all(_bets(g), g.largest) for g in everyone)
    w = combined(start, bets, [1.0 + gain for gain in gained], 1.0 + sum(gained))
    f.theta[:] = _sums_betting(f, w * f.largest)


def _bets(f: Any) -> Array:
    """All bets where no x is new, in NumPy."""
    q = over_all(f.first, f.largest)
    v = q * q + f.squares
    both = v + np.abs(f.theta)
    size = over_all(f.theta * (v + both), 2.0 * both * both * np.sqrt(v))
    power = np.minimum(over_all(f.theta**2, 2.0 * both), HIGHEST)
    return np.asarray(f.wealth * q * size * np.exp(power))


def _sums_betting(f: Any, wanted: Array) -> Array:
    """G with these bets: bets grow with it."""
    low, high = np.zeros_like(wanted), 4.0 * HIGHEST + 4.0 * f.squares + 4.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        enough = _bets(f._replace(theta=middle)) >= np.abs(wanted)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(np.where(wanted == 0.0, 0.0, np.copysign(high, wanted)))


@rescale.of(FreeGrad)
def _rescale(f: Any, factors: Array) -> None:
    f.largest[:] *= factors
    f.first[:] *= factors

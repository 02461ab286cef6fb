"""ScInOL (Kempka, Kotłowski & Warmuth, 2019): scale-invariant steps of coin bettors, nothing to tune.

Everything is kept in units of b_j, the largest |x_j| so far: gradients are divided by it as they come, and
what is kept is put in the new units when it grows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.intrinsics import seldom
from fenchel._numba.libm import expm1
from fenchel.parts.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.protocol import commit, product, weight
from fenchel.regularizers.safe_division import over, over_all, within
from fenchel.regularizers.uniting import (
    Shards,
    added,
    combined,
    gains,
    largest,
    rescale,
    unite,
    weighed,
)
from fenchel.rows.types import LARGEST, ZERO, entry, length, saturated, slot

HIGHEST = 600.0  # of an exponent


@part
class ScInOL(NamedTuple):
    """ScInOL₂: with g = −ℓ′/L·x_j/b_j, G_j = Σ g (in ``theta``), S_j = Σ g² and the reward R_j = Σ g·bet,

        D_j = √(S_j + 1),   bet_j = clip(G_j/D_j, ±1)·(wealth + R_j)/(2·D_j),   w_j = bet_j/(L·b_j).

    A bet is at most half of what there is: the wealth stays positive.
    """

    lipschitz: float = 1.0
    wealth: float = 1.0
    theta: Array = RECORD
    squares: Array = RECORD
    reward: Array = RECORD
    largest: Array = RECORD


@part
class ExponentialScInOL(NamedTuple):
    """ScInOL₁: with β_j the least of wealth·D_j²·b_j²/(x_j²·t) over the rounds t that had x_j,

    bet_j = β_j·sgn(G_j)·(exp(|G_j|/(2·D_j)) − 1)/(2·D_j).
    """

    lipschitz: float = 1.0
    wealth: float = 1.0
    theta: Array = RECORD
    squares: Array = RECORD
    reward: Array = RECORD  # wealth − β_j: what is held back
    largest: Array = RECORD
    rounds: Array = SCALAR


@helper
def _shrunk(f: Any, slot: Any, x: float) -> float:
    """b_j/|x| where x is larger than all before, else 1."""
    return float(f.largest[slot] / abs(x)) if seldom(abs(x) > f.largest[slot]) else 1.0


@helper
def _bet(f: Any, slot: Any, x: float) -> float:
    """bet_j of ScInOL₂ in a round with x_j = x."""
    shrink = _shrunk(f, slot, x)
    root = np.sqrt(f.squares[slot] * shrink * shrink + 1.0)
    lean = min(max(f.theta[slot] * shrink / root, -1.0), 1.0)
    return float(lean * (f.wealth + f.reward[slot]) / (2.0 * root))


@helper
def _held_back(f: Any, slot: Any, x: float) -> float:
    """wealth − β_j in a round with x_j = x."""
    shrink = _shrunk(f, slot, x)
    share = over(abs(x), f.largest[slot] / shrink if shrink > 0.0 else abs(x))
    room = f.squares[slot] * shrink * shrink + 1.0
    least = over(f.wealth * room, share * share * (f.rounds[0] + 1.0))
    return float(max(f.reward[slot], f.wealth - least)) if share > 0.0 else float(f.reward[slot])


@helper
def _exponential_bet(f: Any, slot: Any, x: float) -> float:
    """bet_j of ScInOL₁ in a round with x_j = x."""
    shrink = _shrunk(f, slot, x)
    root = np.sqrt(f.squares[slot] * shrink * shrink + 1.0)
    lean = f.theta[slot] * shrink / root
    size = expm1(min(0.5 * abs(lean), HIGHEST)) / (2.0 * root)
    return float(np.copysign((f.wealth - _held_back(f, slot, x)) * size, lean))


@weight.of(ScInOL)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    return saturated(over(_bet(f, slot, x) / f.lipschitz, max(f.largest[slot], abs(x))))


@product.of(ScInOL)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(_bet(f, slot, x) / f.lipschitz * within(x, f.largest[slot]))


@weight.of(ExponentialScInOL)
def _exponential_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    bet = _exponential_bet(f, slot, x) / f.lipschitz
    return saturated(over(bet, max(f.largest[slot], abs(x))))


@product.of(ExponentialScInOL)
def _exponential_product(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(_exponential_bet(f, slot, x) / f.lipschitz * within(x, f.largest[slot]))


@helper
def _keep(f: Any, slot: Any, x: float, reward: float, coefficient: float) -> None:
    """Keep b_j and, in its units, the gradient; an importance above 1 would be more than the steepest."""
    shrink = _shrunk(f, slot, x)
    f.largest[slot] = max(f.largest[slot], abs(x))
    g = min(max(coefficient * within(x, f.largest[slot]), -1.0), 1.0)
    f.theta[slot] = f.theta[slot] * shrink + g
    f.squares[slot] = f.squares[slot] * shrink * shrink + g * g
    f.reward[slot] = min(f.reward[slot] + g * reward, LARGEST)


@helper
def _learn(f: Any, slot: Any, x: float, coefficient: float) -> None:
    if x != 0.0:
        _keep(f, slot, x, _bet(f, slot, x), coefficient)


@commit.of(ScInOL)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −ℓ′."""
    pull = saturated(coefficient / f.lipschitz)
    for k in range(length(row)):
        _learn(f, slot(row, k), entry(row, k), pull)
    if row.bias != 0.0:
        _learn(f, ZERO, row.bias, pull)


@helper
def _learn_exponential(f: Any, slot: Any, x: float, coefficient: float) -> None:
    if x != 0.0:
        f.reward[slot] = _held_back(f, slot, x)
        _keep(f, slot, x, 0.0, coefficient)


@commit.of(ExponentialScInOL)
def _exponential_commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −ℓ′."""
    pull = saturated(coefficient / f.lipschitz)
    for k in range(length(row)):
        _learn_exponential(f, slot(row, k), entry(row, k), pull)
    if row.bias != 0.0:
        _learn_exponential(f, ZERO, row.bias, pull)
    f.rounds[0] += 1.0


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(ScInOL)
def _unite(f: Any, shards: Shards) -> None:
    """Squares add and rewards are averaged by them; weights are averaged by 1 + squares, the 1 counted once.

    The sums of gradients are those that bet so. Squares stay in the units of their shard.
    """
    f.largest[:] = largest(shards, "largest")
    f.squares[:] = added(shards, "squares")
    gained = gains(shards, "squares")
    start, *bets = (over_all(_bets(g), g.largest) for g in (shards.start, *shards.parts))
    w = combined(start, bets, [1.0 + gain for gain in gained], 1.0 + sum(gained))
    bet = w * f.largest
    rewards = weighed(shards.start.reward, [part.reward for part in shards.parts], gained)
    root = np.sqrt(f.squares + 1.0)
    f.reward[:] = np.maximum(rewards, 2.0 * root * np.abs(bet) - f.wealth)  # at a lean of 1
    f.theta[:] = 2.0 * root**2 * bet / (f.wealth + f.reward)


def _bets(f: Any) -> Array:
    """All bets where no x is new, in NumPy."""
    root = np.sqrt(f.squares + 1.0)
    return np.asarray(np.clip(f.theta / root, -1.0, 1.0) * (f.wealth + f.reward) / (2.0 * root))


@unite.of(ExponentialScInOL)
def _unite_exponential(f: Any, shards: Shards) -> None:
    """Sums, squares and rounds add; of what is held back the largest."""
    for name in ("theta", "squares", "rounds"):
        getattr(f, name)[:] = added(shards, name)
    f.largest[:], f.reward[:] = largest(shards, "largest"), largest(shards, "reward")


@rescale.of(ScInOL)
def _rescale(f: Any, factors: Array) -> None:
    f.largest[:] *= factors


rescale.of(ExponentialScInOL)(_rescale)

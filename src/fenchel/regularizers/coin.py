"""Coin betting (Orabona & Pál, 2016): a learner without a learning rate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel.parts.state import RECORD, Array, part
from fenchel.regularizers.protocol import (
    absorb,
    absorb_row,
    commit,
    look,
    product,
    stands_still,
    weight,
)
from fenchel.regularizers.safe_division import in_units, inverse, inverses, over, over_all
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
from fenchel.rows.types import saturated


@stands_still
@part
class CoinBetting(NamedTuple):
    """One Krichevsky-Trofimov bettor a coordinate, on the coins c_t = −ℓ′_t·x_{t,j}/(L·b_{t,j}).

    With the sum of coins C_j (kept in ``theta``), their absolute sum S_j and the reward R_j = Σ c·bet,

        bet_j = C_j/(S_j + 1)·(wealth + R_j),    w_j = bet_j/(L·b_j),    b_j = max |x_j| so far.

    Coins lie in [−1, 1], so the wealth stays positive; predictions do not depend on the units of
    the features. ``units`` keeps 1/b_j, ``bets`` the bets.
    """

    lipschitz: float = 1.0
    wealth: float = 1.0
    theta: Array = RECORD
    stakes: Array = RECORD
    reward: Array = RECORD
    largest: Array = RECORD
    units: Array = RECORD
    bets: Array = RECORD


@weight.of(CoinBetting)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = bet_j/(L·b_j)."""
    return saturated(over(f.bets[slot] / f.lipschitz, max(f.largest[slot], abs(x))))


@look.of(CoinBetting)
def _look(f: Any, row: Any) -> float:
    """1/L."""
    return float(1.0 / f.lipschitz)


@helper
def _share(f: Any, slot: Any, x: float) -> float:
    """x_j/b_j, exactly ±1 at the largest, so that opposite coins leave nothing behind."""
    if abs(x) >= f.largest[slot]:
        return float(np.sign(x))
    return float(in_units(x, f.largest[slot], f.units[slot]))


@product.of(CoinBetting)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(f.bets[slot] * view * _share(f, slot, x))


@absorb.of(CoinBetting)
def _absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    """With coefficient = −ℓ′/L."""
    if abs(x) > f.largest[slot]:
        f.largest[slot] = abs(x)
        f.units[slot] = inverse(abs(x))
    if coefficient != 0.0:
        coin = coefficient * _share(f, slot, x)
        coin = min(max(coin, -1.0), 1.0)  # an importance above 1 would bet more than all
        reward = min(f.reward[slot] + coin * f.bets[slot], 1e300)
        coins = f.theta[slot] + coin
        stakes = f.stakes[slot] + abs(coin)
        f.reward[slot] = reward
        f.theta[slot] = coins
        f.stakes[slot] = stakes
        f.bets[slot] = coins / (stakes + 1.0) * (f.wealth + reward)


@commit.of(CoinBetting)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −ℓ′."""
    absorb_row(f, view, row, saturated(coefficient / f.lipschitz))


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(CoinBetting)
def _unite(f: Any, shards: Shards) -> None:
    """Stakes add, the reward is averaged by them: K bettors are not K times as rich.

    Weights are averaged by 1 + stakes, the 1 counted once; the coins are those that bet so. (Sums of coins
    would be in units of the largest value of all, which one shard alone may have seen.)
    """
    f.stakes[:] = added(shards, "stakes")
    f.largest[:] = largest(shards, "largest")
    f.units[:] = inverses(f.largest)
    start, *found = (over_all(g.bets, g.largest) for g in (shards.start, *shards.parts))
    gained = gains(shards, "stakes")
    w = combined(start, found, [1.0 + gain for gain in gained], 1.0 + sum(gained))
    f.bets[:] = w * f.largest
    rewards = weighed(shards.start.reward, [part.reward for part in shards.parts], gained)
    needed = over_all(np.abs(f.bets) * (f.stakes + 1.0), f.stakes)  # with all coins on one side
    f.reward[:] = np.maximum(rewards, needed - f.wealth)
    f.theta[:] = f.bets * (f.stakes + 1.0) / (f.wealth + f.reward)


@rescale.of(CoinBetting)
def _rescale(f: Any, factors: Array) -> None:
    f.largest[:] *= factors
    f.units[:] = inverses(f.largest)

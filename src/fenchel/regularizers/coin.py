"""Coin betting (Orabona & Pál, 2016): a learner without a learning rate."""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._kernel import helper
from fenchel._kernel.rows import entries, saturated, slot_of, value_of
from fenchel._kernel.state import SLOTS, Array, part
from fenchel.regularizers.scale_invariant import over
from fenchel.regularizers.verbs import commit, product, weight


@part
class CoinBetting(NamedTuple):
    """One Krichevsky-Trofimov bettor a coordinate, on the coins c_t = −ℓ′_t·x_{t,j}/(L·b_{t,j}).

    With the sum of coins C_j (kept in ``theta``), their absolute sum S_j and the reward R_j = Σ c·bet,

        bet_j = C_j/(S_j + 1)·(wealth + R_j),    w_j = bet_j/(L·b_j),    b_j = max |x_j| so far.

    Coins lie in [−1, 1], so the wealth stays positive; predictions do not depend on the units of
    the features.
    """

    lipschitz: float = 1.0
    wealth: float = 1.0
    theta: Array = SLOTS
    stakes: Array = SLOTS
    reward: Array = SLOTS
    largest: Array = SLOTS


@helper
def _bet(f: Any, slot: Any) -> float:
    """C_j/(S_j + 1)·(wealth + R_j)."""
    return float(f.theta[slot] / (f.stakes[slot] + 1.0) * (f.wealth + f.reward[slot]))


@weight.of(CoinBetting)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = bet_j/(L·b_j)."""
    return saturated(over(_bet(f, slot) / f.lipschitz, max(f.largest[slot], abs(x))))


@product.of(CoinBetting)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(_bet(f, slot) / f.lipschitz * over(x, max(f.largest[slot], abs(x))))


@commit.of(CoinBetting)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """With coefficient = −ℓ′."""
    for k in range(entries(row)):
        j = slot_of(row, k)
        x = value_of(row, k)
        f.largest[j] = max(f.largest[j], abs(x))
        if coefficient != 0.0:
            coin = saturated(coefficient / f.lipschitz) * over(x, f.largest[j])
            coin = min(max(coin, -1.0), 1.0)  # an importance above 1 would bet more than all
            f.reward[j] = min(f.reward[j] + coin * _bet(f, j), 1e300)
            f.theta[j] += coin
            f.stakes[j] += abs(coin)

"""A linear combination of experts, learned by coin betting: it can be better than each of them.

A vote says who is right; the margins also say how sure. Each expert's margins are put on one scale,
s_{t,k} = m_{t,k}/(mean of |m_{s,k}| over s ≤ t), held in [−1, 1], and the class probabilities are
the softmax of Σ_k w_k·s_{t,k,c}, with one weight an expert for all classes. The weights are those
of Krichevsky-Trofimov bettors (Orabona & Pál, 2016) on the gradient of the logistic loss, which
have no learning rate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper, kernel
from fenchel._kernel.state import Array

# The gradient of the logistic loss in w_k is at most Σ_c |p_c − 1[c = y]|·|s_c| ≤ 2.
STEEPEST = 2.0


class Scales(NamedTuple):
    """The mean size of each expert's margins."""

    total: Array
    rounds: Array


class Coins(NamedTuple):
    """One bettor an expert: the sum of its coins, their absolute sum, and what it has won."""

    sums: Array
    stakes: Array
    reward: Array


def new_scales(count: int) -> Scales:
    """Before the first round."""
    return Scales(np.zeros(count), np.zeros(1))


def new_coins(count: int) -> Coins:
    """Before the first round, with a wealth of 1 each."""
    return Coins(np.zeros(count), np.zeros(count), np.zeros(count))


@helper
def _mean_size(values: Array) -> float:
    """The mean |value|; classes not known yet (−∞) do not count."""
    total = 0.0
    count = 0
    for c in range(values.shape[0]):
        if values[c] > -np.inf:
            total += abs(values[c])
            count += 1
    return total / count if count else 0.0


@kernel
def standardise(
    scales: Any, values: Array, active: Array, importance: Array, learning: bool, out: Array
) -> None:
    """out[t, k, c] = values[k, t, c] over the mean size of the expert's values, row t included.

    0 for a retired expert and for classes not known yet. Scales move only while learning.
    """
    experts, count, classes = values.shape
    last = importance.shape[0] - 1
    for t in range(count):
        for k in range(experts):
            size = scales.total[k] + _mean_size(values[k, t])
            mean = size / (scales.rounds[0] + 1.0)
            for c in range(classes):
                known = active[k] > 0.0 and mean > 0.0 and values[k, t, c] > -np.inf
                out[t, k, c] = values[k, t, c] / mean if known else 0.0
            if learning and importance[min(t, last)] > 0.0:
                scales.total[k] = size
        if learning and importance[min(t, last)] > 0.0:
            scales.rounds[0] += 1.0


@helper
def _bet(coins: Any, k: int) -> float:
    """What expert k's bettor stakes, from a wealth that began at 1."""
    return float(coins.sums[k] / (coins.stakes[k] + 1.0) * (1.0 + coins.reward[k]))


@helper
def _softmax(coins: Any, standard: Array, known: Any, chances: Array) -> None:
    """chances[c] ∝ exp(Σ_k w_k·standard[k, c]) over the known classes."""
    highest = -np.inf
    for c in range(chances.shape[0]):
        chances[c] = 0.0
        if known[c]:
            for k in range(standard.shape[0]):
                chances[c] += _bet(coins, k) / STEEPEST * standard[k, c]
            highest = max(highest, chances[c])
    total = 0.0
    for c in range(chances.shape[0]):
        if known[c]:
            chances[c] = np.exp(chances[c] - highest)
            total += chances[c]
    for c in range(chances.shape[0]):
        if known[c]:
            chances[c] /= total


@helper
def _toss(coins: Any, standard: Array, chances: Array, y: int, importance: float) -> None:
    """Every bettor gets its coin, the negative gradient over its largest size."""
    for k in range(standard.shape[0]):
        slope = -standard[k, y]
        for c in range(chances.shape[0]):
            slope += chances[c] * standard[k, c]
        # An importance above 1 would bet more than all.
        coin = min(max(-importance * slope / STEEPEST, -1.0), 1.0)
        coins.reward[k] = min(coins.reward[k] + coin * _bet(coins, k), 1e300)
        coins.sums[k] += coin
        coins.stakes[k] += abs(coin)


@kernel
def combine(
    coins: Any,
    standard: Array,
    known: Any,
    y: Any,
    importance: Array,
    learning: bool,
    chances: Array,
) -> None:
    """chances[t, c], the probability of each known class from before label t.

    ``standard[t, k, c]`` lies in [−1, 1]. A label that was not known yet teaches nothing.
    """
    last = importance.shape[0] - 1
    for t in range(standard.shape[0]):
        _softmax(coins, standard[t], known[t], chances[t])
        if learning and known[t, y[t]]:
            _toss(coins, standard[t], chances[t], y[t], importance[min(t, last)])

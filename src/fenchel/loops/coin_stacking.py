"""A linear combination of experts, learned by coin betting: it can be better than each of them.

A vote says who is right; the margins also say how sure. Each expert's margins are put on one scale,
s_{t,k} = m_{t,k}/(mean of |m_{s,k}| over s ≤ t), held in [−1, 1], and the class probabilities are
the softmax of Σ_k w_k·s_{t,k,c}, with one weight an expert for all classes. The weights are those
of Krichevsky-Trofimov bettors (Orabona & Pál, 2016) on the gradient of the logistic loss, which
have no learning rate; none is below 0, so that no expert counts against what it says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.libm import exp
from fenchel.loops.adahedge import Hedge, charge, charged, new_hedge, shares_into
from fenchel.loops.newton_mixture import stands_for
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards, added, gains, weighed

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


# All but the coins are charged with so many mistakes before the first round: on short streams the refined
# class is often the coins' with noise, and it is chance when the vote leads so soon. Mistakes on the halves
# that choose: 20,766 with the refined class alone behind, 20,740 with both; 0.36 % fewer in short pieces.
AHEAD = 5.0
VOTE, COINS = 0, 1


def new_choice(refined: bool) -> Hedge:
    """AdaHedge between the vote and the coins, and the refined class; the coins lead.

    Its bound speaks of the vote: the sum of gaps begins with what the vote is behind, and so the bound holds.
    """
    choice = new_hedge(3 if refined else 2)
    choice.losses[:], choice.gap[:] = AHEAD, AHEAD
    choice.losses[COINS] = 0.0
    return choice


@helper
def _mean_size(values: Array, k: int, t: int) -> float:
    """The mean |values[k, t, c]| over c; classes not known yet (−∞) do not count."""
    total = 0.0
    count = 0
    for c in range(values.shape[2]):  # by index: a view would count its references
        if values[k, t, c] > -np.inf:
            total += abs(values[k, t, c])
            count += 1
    return total / count if count else 0.0


@helper
def _mean_with(scales: Any, values: Array, k: int, t: int, counts: bool) -> float:
    """The mean size of expert k's values, row t included, which stays so where it counts."""
    size = scales.total[k] + _mean_size(values, k, t)
    if counts:
        scales.total[k] = size
    return float(size / (scales.rounds[0] + 1.0))


@helper
def _on_scale(value: float, mean: float) -> float:
    """value/mean; 0 for a class not known yet and before there is a scale."""
    return value / mean if mean > 0.0 and value > -np.inf else 0.0


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
        counts = learning and importance[min(t, last)] > 0.0
        for k in range(experts):
            mean = _mean_with(scales, values, k, t, counts)
            for c in range(classes):
                out[t, k, c] = _on_scale(values[k, t, c], mean) if active[k] > 0.0 else 0.0
        if counts:
            scales.rounds[0] += 1.0


@helper
def _bet(coins: Any, k: int) -> float:
    """The stake of expert k's bettor, from a wealth that began at 1; never against its expert."""
    # Σ coins ≤ Σ |coins| in every run; a forged state may say otherwise.
    part = min(max(coins.sums[k], 0.0) / (max(coins.stakes[k], 0.0) + 1.0), 1.0)
    return float(part * (1.0 + coins.reward[k]))


@helper
def _softmax(
    bets: Array, standard: Array, known: Any, ballots: Array, t: int, chances: Array, logits: Array
) -> int:
    """logits[t, c] = Σ_k bets[k]·standard[k, c] of the known classes, chances ∝ exp of them.

    Returns the likeliest class, or −1; of several that are likeliest, the one with most votes.
    """
    highest = -np.inf
    likeliest = -1
    for c in range(chances.shape[0]):
        logits[t, c] = 0.0 if known[c] else -np.inf
        if known[c]:
            for k in range(bets.shape[0]):
                logits[t, c] += bets[k] * standard[k, c]
            tied = logits[t, c] == highest and ballots[t, c] > ballots[t, likeliest]
            if logits[t, c] > highest or tied:
                highest = logits[t, c]
                likeliest = c
    total = 0.0
    for c in range(chances.shape[0]):
        chances[c] = exp(logits[t, c] - highest) if known[c] else 0.0
        total += chances[c]
    for c in range(chances.shape[0]):
        chances[c] /= max(total, 1.0)
    return likeliest


@helper
def _toss(
    coins: Any, bets: Array, standard: Array, chances: Array, y: int, importance: float
) -> None:
    """Every bettor gets its coin, the negative gradient over its largest size."""
    for k in range(standard.shape[0]):
        slope = -standard[k, y]
        for c in range(chances.shape[0]):
            slope += chances[c] * standard[k, c]
        # An importance above 1 would bet more than all.
        coin = min(max(-importance * slope / STEEPEST, -1.0), 1.0)
        coins.reward[k] = max(min(coins.reward[k] + coin * STEEPEST * bets[k], 1e300), -1e300)
        coins.sums[k] += coin
        coins.stakes[k] += abs(coin)


@helper
def _put_on_one_scale(
    scales: Any, margins: Array, k: int, t: int, counts: bool, standard: Array, sizes: Array
) -> None:
    """standard[k, c] = expert k's margins over sizes[t, k], their mean size, row t included, in [−1, 1]."""
    mean = _mean_with(scales, margins, k, t, counts)
    sizes[t, k] = mean
    for c in range(margins.shape[2]):
        standard[k, c] = min(max(_on_scale(margins[k, t, c], mean), -1.0), 1.0)
    if margins.shape[2] < standard.shape[1]:  # one margin for two classes
        standard[k, 1] = standard[k, 0]
        standard[k, 0] = -standard[k, 1]


@kernel
def combine(
    scales: Any,
    coins: Any,
    margins: Array,
    active: Array,
    ballots: Array,
    y: Any,
    importance: Array,
    learning: bool,
    logits: Array,
    sizes: Array,
    stands: Array,
    likeliest: Any,
) -> None:
    """logits[t, c], those of the combination from before label t, −∞ for a class not known yet.

    likeliest[t] is the class with the largest, −1 where none is known, of several the one with most votes
    (``ballots``); sizes[t, k] the mean size of an expert's margins, stands[t] what the row counts in
    ``newton_mixture`` where it is no surprise. ``margins`` as in ``mix_choices``. A label that was not known
    yet teaches nothing.
    """
    experts, count = margins.shape[:2]
    classes = logits.shape[1]
    chances = np.empty(classes)
    standard = np.zeros((experts, classes))
    bets = np.zeros(experts)
    known = np.ones(classes, np.bool_)
    two = margins.shape[2] < classes
    first = np.argmax(active)
    last = importance.shape[0] - 1
    for t in range(count):
        weight = importance[min(t, last)]
        counts = learning and weight > 0.0
        stands[t] = stands_for(scales.rounds[0])
        for k in range(experts):
            if active[k] > 0.0:
                _put_on_one_scale(scales, margins, k, t, counts, standard, sizes)
                bets[k] = _bet(coins, k) / STEEPEST
        if counts:
            scales.rounds[0] += 1.0
        if not two:
            for c in range(classes):
                known[c] = margins[first, t, c] > -np.inf
        likeliest[t] = _softmax(bets, standard, known, ballots, t, chances, logits)
        if learning and known[y[t]]:
            _toss(coins, bets, standard, chances, y[t], weight)


@kernel
def largest_into(chances: Array, out: Any) -> None:
    """The class with the largest probability, the first of several, −1 where there is none yet."""
    for t in range(out.shape[0]):
        out[t] = np.argmax(chances[t]) if chances.shape[1] > 0 else -1


@kernel
def decide(
    choice: Any,
    ballots: Array,
    likeliest: Any,
    refined: Any,
    y: Any,
    importance: Array,
    learning: bool,
    decided: Any,
) -> None:
    """decided[t], the class that AdaHedge decides for, −1 where none is known.

    It is over the vote (``ballots``), the combination's likeliest class and, where ``choice`` has three, the
    refined one; each is charged with its mistakes, the vote with the share that it gave to other classes.
    """
    options = choice.losses.shape[0]
    count, classes = ballots.shape
    votes = np.empty(classes)
    shares = np.empty(options)
    losses = np.empty(options)
    last = importance.shape[0] - 1
    eta = shares_into(choice, shares)
    for t in range(count):
        for c in range(classes):
            votes[c] = shares[0] * ballots[t, c] + shares[1] * (c == likeliest[t])
        if options > 2 and refined[t] >= 0:
            votes[refined[t]] += shares[2]
        decided[t] = np.argmax(votes) if likeliest[t] >= 0 else -1
        if learning:
            weight = importance[min(t, last)]
            losses[0] = charged(weight, 1.0 - ballots[t, y[t]])
            losses[1] = charged(weight, 0.0 if likeliest[t] == y[t] else 1.0)
            if options > 2:
                losses[2] = charged(weight, 0.0 if refined[t] == y[t] else 1.0)
            if charge(choice, shares, eta, losses):
                eta = shares_into(choice, shares)


def unite_scales(scales: Scales, shards: Shards) -> None:
    """Sums of sizes and of rounds add."""
    scales.total[:], scales.rounds[:] = added(shards, "total"), added(shards, "rounds")


def unite_coins(coins: Coins, shards: Shards) -> None:
    """Coins and stakes add; the reward is averaged by stakes: K bettors are not K times as rich."""
    coins.sums[:], coins.stakes[:] = added(shards, "sums"), added(shards, "stakes")
    rewards = [part.reward for part in shards.parts]
    coins.reward[:] = weighed(shards.start.reward, rewards, gains(shards, "stakes"))

"""AdaHedge that shares: near the best sequence of experts, with nothing to choose.

After the nth round that told the experts apart, with v_k ∝ w_k·exp(−η_n·ℓ_k),

    η_{n+1} = min(η_n, (ln K + ln(n + 1))/Δ_n),   u_k ∝ v_k^{η_{n+1}/η_n},   w_k = (1 − α)·u_k + α/K,

α = 1/(n + 1): every expert gets a little back (Herbster & Warmuth, 1998), and less as time goes on. With
m_t = −1/η_t·ln Σ w_k·exp(−η_t·ℓ_k), h_t = Σ w_k·ℓ_k and Δ = Σ h_t − m_t, a sequence of experts that changes
k times loses L with

    Σ h_t − L ≤ Δ + S + k·ln(K·(n + 1))/η_n,
    S = ln K/η_1 + Σ (ln Σ v^{η_{t+1}/η_t} + ln((t + 1)/t))/η_{t+1}:

Σ m_t − L is Σ (ln v_t(i_t) − ln w_t(i_t))/η_t over the sequence i, w_{t+1}(i) is at least (1 − α)·u_t(i)
where it stays and α/K where it changes, and ln v ≤ 0. Both sides are measured: ``paths`` keeps the least loss
of a sequence with at most 0, 1, … changes that ends with each expert.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.libm import exp, log
from fenchel.loops.adahedge import charge, shares_into
from fenchel.parts.state import Array

CHANGES = 16  # sequences with fewer changes are measured
# The places of ``sums``.
RATE, SPENT, COUNT = 0, 1, 2


class SwitchingHedge(NamedTuple):
    """The state over K experts; the first four are as in ``Hedge``."""

    losses: Array
    gap: Array
    expected: Array
    active: Array
    shares: Array  # w_k
    sums: Array  # η (0 while it is infinite), S, n
    paths: Array  # changes × experts


def new_switching(count: int) -> SwitchingHedge:
    """The state before the first round."""
    ones, none = np.ones(count), np.zeros(1)
    start = np.zeros(count), none, none.copy(), ones, np.full(count, 1.0 / max(count, 1))
    return SwitchingHedge(*start, np.zeros(3), np.zeros((CHANGES, count)))


@shares_into.of(SwitchingHedge)
def _shares_into(hedge: Any, shares: Array) -> float:
    """w_k of the experts that are left; returns η."""
    total = 0.0
    for k in range(shares.shape[0]):
        shares[k] = hedge.shares[k] if hedge.active[k] > 0.0 else 0.0
        total += shares[k]
    for k in range(shares.shape[0]):
        shares[k] /= total
    return float(hedge.sums[RATE]) if hedge.sums[RATE] > 0.0 else np.inf


@helper
def _follow_paths(hedge: Any, losses: Array) -> None:
    """paths[j, k] = min(paths[j, k], min over all experts of paths[j − 1]) + ℓ_k."""
    for j in range(hedge.paths.shape[0] - 1, -1, -1):
        least = np.inf
        if j > 0:
            for k in range(losses.shape[0]):
                if hedge.active[k] > 0.0:
                    least = min(least, hedge.paths[j - 1, k])
        for k in range(losses.shape[0]):
            hedge.paths[j, k] = min(hedge.paths[j, k], least) + losses[k]


@helper
def _share(hedge: Any, shares: Array, losses: Array, eta: float, mixed: float) -> None:
    """w of the next round, from v_k = w_k·exp(−η·(ℓ_k − m))."""
    count = float(losses.shape[0])
    hedge.sums[COUNT] += 1.0
    n = hedge.sums[COUNT]
    rate = (log(count) + log(n + 1.0)) / hedge.gap[0]
    if eta < np.inf:
        rate = min(rate, eta)
    ratio = rate / eta if eta < np.inf else 0.0  # 0: whatever was known, all are alike again
    total = 0.0
    for k in range(losses.shape[0]):
        v = shares[k] * exp(-eta * (losses[k] - mixed)) if eta < np.inf else 1.0
        hedge.shares[k] = v**ratio if v > 0.0 else 0.0
        total += hedge.shares[k]
    alpha = 1.0 / (n + 1.0)
    for k in range(losses.shape[0]):
        hedge.shares[k] = (1.0 - alpha) * hedge.shares[k] / total + alpha / count
    hedge.sums[SPENT] += (log(total) - log(1.0 - alpha)) / rate
    hedge.sums[RATE] = rate


@charge.of(SwitchingHedge)
def _charge(hedge: Any, shares: Array, eta: float, losses: Array) -> bool:
    """One round: the losses of the experts are known; whether the shares have to be taken anew."""
    least = np.inf
    most = -np.inf
    expected = 0.0
    for k in range(losses.shape[0]):
        if hedge.active[k] > 0.0:
            least = min(least, losses[k])
            most = max(most, losses[k])
            expected += shares[k] * losses[k]
    for k in range(losses.shape[0]):
        hedge.losses[k] += losses[k]
    _follow_paths(hedge, losses)
    if least == most:
        hedge.expected[0] += least
        return False
    hedge.expected[0] += expected
    mixed = least
    if eta < np.inf:
        sum_of = 0.0
        for k in range(losses.shape[0]):
            sum_of += shares[k] * exp(-eta * (losses[k] - least))
        mixed = least - log(sum_of) / eta
    hedge.gap[0] += max(0.0, expected - mixed)
    if hedge.gap[0] > 0.0:
        _share(hedge, shares, losses, eta, mixed)
    return True


def path_bound(hedge: SwitchingHedge, changes: int) -> float:
    """The most by which Σ h_t may exceed the loss of a sequence with so many changes."""
    rate, spent, n = hedge.sums
    if rate == 0.0:
        return 0.0
    each = np.log(len(hedge.losses)) + np.log(n + 1.0)
    return float(hedge.gap[0] + spent + changes * each / rate)


def best_path(hedge: SwitchingHedge, changes: int) -> float:
    """The least loss of a sequence of experts with at most so many changes."""
    return float(hedge.paths[changes][hedge.active > 0.0].min())

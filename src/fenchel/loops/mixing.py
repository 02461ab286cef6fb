"""AdaHedge: entropic mirror descent over experts, its step learned from the run (no parameter).

With L_k the total loss of expert k and Δ the sum of mixability gaps so far,

    η_t = ln K/Δ_{t−1},   v_k ∝ exp(−η_t·L_k),   h_t = Σ v_k·ℓ_{t,k},
    m_t = −1/η_t·ln Σ v_k·exp(−η_t·ℓ_{t,k}),   Δ_t = Δ_{t−1} + h_t − m_t,

and Σ h_t − min_k L_k ≤ 2·Δ_T (de Rooij, van Erven, Grünwald & Koolen, 2014), whatever the range
of the losses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper, kernel
from fenchel._kernel.state import Array


class Hedge(NamedTuple):
    """The state of AdaHedge over K experts."""

    losses: Array  # L_k
    gap: Array  # Δ
    expected: Array  # Σ h_t
    active: Array  # 1, or 0 for an expert that was retired


def new_hedge(count: int) -> Hedge:
    """AdaHedge before its first round."""
    return Hedge(np.zeros(count), np.zeros(1), np.zeros(1), np.ones(count))


@helper
def shares_into(hedge: Any, shares: Array) -> float:
    """The experts' shares v_k; returns η (infinite while Δ = 0: the leaders share alike)."""
    best = np.inf
    count = 0.0
    for k in range(shares.shape[0]):
        if hedge.active[k] > 0.0:
            best = min(best, hedge.losses[k])
            count += 1.0
    eta = np.log(max(count, 2.0)) / hedge.gap[0] if hedge.gap[0] > 0.0 else np.inf
    total = 0.0
    for k in range(shares.shape[0]):
        behind = hedge.losses[k] - best
        if hedge.active[k] == 0.0:
            shares[k] = 0.0
        elif behind == 0.0:
            shares[k] = 1.0
        else:
            shares[k] = np.exp(-eta * behind) if np.isfinite(eta) else 0.0
        total += shares[k]
    for k in range(shares.shape[0]):
        shares[k] /= total
    return float(eta)


@helper
def charge(hedge: Any, shares: Array, eta: float, losses: Array) -> None:
    """One round: the losses of the experts are known."""
    least = np.inf
    expected = 0.0
    for k in range(shares.shape[0]):
        if shares[k] > 0.0:
            least = min(least, losses[k])
            expected += shares[k] * losses[k]
    mixed = least
    if np.isfinite(eta):
        total = 0.0
        for k in range(shares.shape[0]):
            if shares[k] > 0.0:
                total += shares[k] * np.exp(-eta * (losses[k] - least))
        mixed = least - np.log(total) / eta
    hedge.gap[0] += max(0.0, expected - mixed)
    hedge.expected[0] += expected
    for k in range(shares.shape[0]):
        hedge.losses[k] += losses[k]


@kernel
def mix_votes(hedge: Any, margins: Array, y: Array, importance: Array, votes: Array) -> None:
    """Two classes: votes[t] = Σ v_k·sign(m_k) from before label t, experts charged with mistakes."""
    experts, count = margins.shape
    shares = np.empty(experts)
    losses = np.empty(experts)
    last = importance.shape[0] - 1
    for t in range(count):
        eta = shares_into(hedge, shares)
        vote = 0.0
        for k in range(experts):
            vote += shares[k] if margins[k, t] > 0.0 else -shares[k]
            losses[k] = importance[min(t, last)] if y[t] * margins[k, t] <= 0.0 else 0.0
        votes[t] = vote
        charge(hedge, shares, eta, losses)


@kernel
def mix_choices(hedge: Any, choices: Any, y: Any, importance: Array, votes: Array) -> None:
    """Several classes: votes[t, c] = Σ v_k over the experts that chose c."""
    experts, count = choices.shape
    shares = np.empty(experts)
    losses = np.empty(experts)
    last = importance.shape[0] - 1
    for t in range(count):
        eta = shares_into(hedge, shares)
        votes[t] = 0.0
        for k in range(experts):
            if choices[k, t] >= 0:
                votes[t, choices[k, t]] += shares[k]
            losses[k] = importance[min(t, last)] if choices[k, t] != y[t] else 0.0
        charge(hedge, shares, eta, losses)


@kernel
def mix_numbers(
    hedge: Any, margins: Array, y: Array, importance: Array, bounds: Array, mixed: Array
) -> None:
    """Regression: mixed[t] = Σ v_k·p_k, each p_k held inside the targets seen so far."""
    experts, count = margins.shape
    shares = np.empty(experts)
    losses = np.empty(experts)
    last = importance.shape[0] - 1
    for t in range(count):
        eta = shares_into(hedge, shares)
        total = 0.0
        for k in range(experts):
            p = min(max(margins[k, t], bounds[0]), bounds[1])
            total += shares[k] * p
            losses[k] = importance[min(t, last)] * 0.5 * (p - y[t]) * (p - y[t])
        mixed[t] = total
        charge(hedge, shares, eta, losses)
        bounds[0] = min(bounds[0], y[t])
        bounds[1] = max(bounds[1], y[t])


@kernel
def shares_of(hedge: Any, shares: Array) -> None:
    """The experts' shares in the next round."""
    shares_into(hedge, shares)

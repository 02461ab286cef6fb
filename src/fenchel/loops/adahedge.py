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

from fenchel._numba import helper, kernel, verb
from fenchel._numba.libm import exp, log
from fenchel.losses.protocol import margin_for, value
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards, added

# A round is charged no more: sums of losses stay within the floats, and differ by no NaN.
MOST = 1e290


# e^−40 is less than what a sum of shares, at least 1, is rounded by: such a share predicts nothing.
NEGLIGIBLE = 40.0


class Hedge(NamedTuple):
    """The state of AdaHedge over K experts."""

    losses: Array  # L_k
    gap: Array  # Δ
    expected: Array  # Σ h_t
    active: Array  # 1, or 0 for an expert that was retired


def new_hedge(count: int) -> Hedge:
    """AdaHedge before its first round."""
    return Hedge(np.zeros(count), np.zeros(1), np.zeros(1), np.ones(count))


@verb
def shares_into(hedge: Any, shares: Array) -> float:
    """The experts' shares v_k; returns η (infinite while Δ = 0: the leaders share alike)."""
    best = np.inf
    count = 0.0
    for k in range(shares.shape[0]):
        if hedge.active[k] > 0.0:
            best = min(best, hedge.losses[k])
            count += 1.0
    eta = log(max(count, 2.0)) / hedge.gap[0] if hedge.gap[0] > 0.0 else np.inf
    total = 0.0
    for k in range(shares.shape[0]):
        behind = hedge.losses[k] - best
        if hedge.active[k] == 0.0:
            shares[k] = 0.0
        elif behind == 0.0:
            shares[k] = 1.0
        else:
            shares[k] = exp(-eta * behind) if eta * behind < NEGLIGIBLE else 0.0
        total += shares[k]
    for k in range(shares.shape[0]):
        shares[k] /= total
    return float(eta)


@helper
def _mix_loss(hedge: Any, eta: float, losses: Array) -> float:
    """m_t over all active experts, also those whose share is too small to be counted.

    With L*_k = L_k + ℓ_{t,k}, it is min L* − min L − 1/η·(ln Σ exp(−η(L*_k − min L*)) −
    ln Σ exp(−η(L_k − min L))): both sums are at least 1, and nothing overflows. An expert far behind
    counts again once the leaders lose much at once.
    """
    best = np.inf
    after = np.inf
    for k in range(losses.shape[0]):
        if hedge.active[k] > 0.0:
            best = min(best, hedge.losses[k])
            after = min(after, (hedge.losses[k] - hedge.losses[0]) + losses[k])
    after += hedge.losses[0] - best  # in this order small losses stay beside large sums of losses
    if not np.isfinite(eta):
        return float(after)
    earlier = 0.0
    later = 0.0
    for k in range(losses.shape[0]):
        if hedge.active[k] > 0.0:
            behind = hedge.losses[k] - best
            earlier += exp(-eta * behind)
            later += exp(-eta * (behind + losses[k] - after))
    return float(after - (log(later) - log(earlier)) / eta)


@verb
def charge(hedge: Any, shares: Array, eta: float, losses: Array) -> bool:
    """One round: the losses of the experts are known; whether the shares have to be taken anew."""
    lost = 0.0
    least = np.inf
    most = -np.inf
    expected = 0.0
    for k in range(losses.shape[0]):
        lost = max(lost, abs(losses[k]))
        if hedge.active[k] > 0.0:
            least = min(least, losses[k])
            most = max(most, losses[k])
            expected += shares[k] * losses[k]
    if lost == 0.0:
        return False
    if least == most:  # nothing to tell the experts apart: no exponentials
        expected = least
    else:
        hedge.gap[0] += max(0.0, expected - _mix_loss(hedge, eta, losses))
    hedge.expected[0] += expected
    for k in range(shares.shape[0]):
        hedge.losses[k] += losses[k]
    return True


@helper
def charged(importance: float, loss: float) -> float:
    """importance·loss, held below what a sum can bear."""
    return float(min(importance * min(loss, MOST), MOST))


@helper
def choice_of(margins: Array, k: int, t: int, two: bool) -> int:
    """The class that expert k gives its vote to, −1 while it knows none.

    ``two``: one margin counts for the second class and against the first.
    """
    if two:
        return 1 if margins[k, t, 0] > 0.0 else 0
    chosen = -1
    highest = -np.inf
    for c in range(margins.shape[2]):
        if margins[k, t, c] > highest:
            highest = margins[k, t, c]
            chosen = c
    return chosen


@kernel
def mix_choices(
    hedge: Any, margins: Array, y: Any, importance: Array, learning: bool, ballots: Array
) -> None:
    """Classes: ballots[t, c] = Σ v_k over the experts k that choose c, from before label t.

    ``margins[k, t, c]``, or for two classes ``margins[k, t, 0]``; an expert is charged with its
    mistakes. Shares stay as they are unless ``learning``.
    """
    experts, count = margins.shape[:2]
    two = margins.shape[2] < ballots.shape[1]
    shares = np.empty(experts)
    losses = np.zeros(experts)
    last = importance.shape[0] - 1
    eta = shares_into(hedge, shares)
    for t in range(count):
        for c in range(ballots.shape[1]):
            ballots[t, c] = 0.0
        for k in range(experts):
            if hedge.active[k] > 0.0:
                chosen = choice_of(margins, k, t, two)
                if chosen >= 0:
                    ballots[t, chosen] += shares[k]
                if learning:
                    wrong = 0.0 if chosen == y[t] else 1.0
                    losses[k] = charged(importance[min(t, last)], wrong)
        if learning and charge(hedge, shares, eta, losses):
            eta = shares_into(hedge, shares)


@kernel
def sides_into(y: Array, labels: Any) -> None:
    """Two classes from ±1: 1 for a positive number, 0 for any other."""
    for t in range(y.shape[0]):
        labels[t] = 1 if y[t] > 0.0 else 0


@kernel
def classes_into(y: Array, labels: Any) -> None:
    """Several classes by their numbers."""
    for t in range(y.shape[0]):
        labels[t] = int(y[t])


@kernel
def against_rest(y: Array, own: Array) -> None:
    """own[c] = 1 for the class of a single row, −1 for all others."""
    for c in range(own.shape[0]):
        own[c] = 1.0 if y[0] == c else -1.0


@kernel
def less_first(ballots: Array, out: Array) -> None:
    """The second class's share of the vote less the first's."""
    for t in range(out.shape[0]):
        out[t] = ballots[t, 1] - ballots[t, 0]


@kernel
def mix_numbers(
    hedge: Any,
    loss: Any,
    numbers: Array,
    y: Array,
    importance: Array,
    bounds: Array,
    mixed: Array,
) -> None:
    """Regression: mixed[t] = Σ v_k·p_k, each p_k held (in place) inside the targets seen so far."""
    experts, count = numbers.shape
    shares = np.empty(experts)
    losses = np.empty(experts)
    last = importance.shape[0] - 1
    eta = shares_into(hedge, shares)
    for t in range(count):
        total = 0.0
        for k in range(experts):
            p = numbers[k, t]
            if bounds[0] <= bounds[1]:  # a target was seen
                p = min(max(p, bounds[0]), bounds[1])
                numbers[k, t] = p
            total += shares[k] * p
            losses[k] = charged(importance[min(t, last)], value(loss, p, y[t]))
        mixed[t] = total
        if charge(hedge, shares, eta, losses):
            eta = shares_into(hedge, shares)
        if importance[min(t, last)] > 0.0:
            target = margin_for(loss, y[t])
            bounds[0] = min(bounds[0], target)
            bounds[1] = max(bounds[1], target)


@kernel
def move_by(numbers: Array, origin: Array, sign: float, always: bool, out: Array) -> None:
    """out = numbers + sign·origin; an origin of 0 changes no bit, unless ``always``."""
    for t in range(out.shape[0]):
        out[t] = numbers[t]
        if always or origin[0] != 0.0:
            out[t] = numbers[t] + sign * origin[0]


def regroup(hedge: Any, leaving: list[int], joining: list[int]) -> None:
    """Let experts go, and others count from here on as if they had said what the mixture said until now.

    These have lost Σ h_t, and the bound speaks of them as of all others. The step never grows: where more
    experts would make it, the sum of gaps is counted so much larger.
    """
    before = max(float(hedge.active.sum()), 2.0)
    hedge.active[leaving] = 0.0
    hedge.active[joining], hedge.losses[joining] = 1.0, hedge.expected[0]
    hedge.gap[0] *= max(1.0, log(max(float(hedge.active.sum()), 2.0)) / log(before))


@kernel
def charge_rounds(hedge: Any, losses: Array) -> None:
    """Several rounds in turn, given the losses of every expert in each."""
    shares = np.empty(losses.shape[1])
    for t in range(losses.shape[0]):
        charge(hedge, shares, shares_into(hedge, shares), losses[t])


@kernel
def _shares_of(hedge: Any, shares: Array) -> None:
    shares_into(hedge, shares)


def shares_now(hedge: Hedge) -> Array:
    """The experts' shares in the next round."""
    shares = np.empty(len(hedge.losses))
    _shares_of(hedge, shares)
    return shares


def named_arrays(**states: Any) -> dict[str, Array]:
    """The arrays of some states, as ``state.array``."""
    return {f"{of}.{name}": a for of, s in states.items() for name, a in s._asdict().items()}


def unite_hedge(hedge: Hedge, shards: Shards) -> None:
    """Losses, gaps and expected losses add; an expert that retired anywhere has retired.

    Merged from nothing the bound Σ h_t − min_k L_k ≤ 2·Δ survives, and so it does as rounds go on: with
    1/η = Σ 1/η_s the potentials Φ_s = min_v ⟨v, L_s⟩ + KL(v)/η_s, which bound the mixed losses, add up to
    at most that of the sums. So the gaps of all shards count whole, also where they begin above 0.
    """
    for name in ("losses", "gap", "expected"):
        getattr(hedge, name)[:] = added(shards, name)
    if not shards.start.expected[0]:
        hedge.gap[:] = sum(part.gap for part in shards.parts)
    hedge.active[:] = np.minimum.reduce([part.active for part in (shards.start, *shards.parts)])

"""Coverage: a radius that a score exceeds in a share α of the rounds, whatever the scores.

Mirror descent on the pinball loss with one constant feature keeps θ = Σ (1[s_t > r_t] − α), the number of
misses less α·T: its dual state is the gap of coverage. The radius is

    r_t = b_t + c_t,   c_t = ∇ψ_t(θ_t) = a_t·tan(π·θ_t/(2·h_t)),   h_t = 4 + 0.003·t,

with a_t a fifth of the mean size of the scores, held where |θ_t| > 0.999·h_t. As θ_t nears ±h_t the push c_t
grows beyond every score, so that |θ_T| ≤ h_T + 1: the share of misses is within h_T/T of α.

b_t is the best guess, that of AdaHedge over gradient descents on the pinball loss: with steps 2⁻⁷ … 2 of
the mean score, constant or falling like 1/√t, and one falling like 1/t; each for the score as it is and
for the score in units that are given for the row. What is past counts for less, 0.995 a round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.libm import cos, exp, log
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards, added, averaged

RATES = 2.0 ** np.arange(-7.0, 2.0)
FAMILY = 2 * len(RATES) + 1
GUESSES = 2 * FAMILY  # the second half in units
DISCOUNT = 0.995
PUSH, FIRST_ROOM, ROOM, REACH = 0.2, 4.0, 0.003, 0.999
LEAST_UNIT = 0.1  # of the mean unit, and of the mean score
MOST = 1e200

# The places of ``sums``: sizes of scores, of scores in units, of units; rounds; and the ledger: misses,
# Σ z·c, Σ ½z²·ψ″, Σ of ψ's changes, rounds out of reach, Σ of radii.
SIZE, IN_UNITS, UNITS, ROUNDS, MISSES, GAINED, CURVED, MOVED, BEYOND, RADII = range(10)


class Coverage(NamedTuple):
    """One side: the guesses, how AdaHedge stands, θ, and sums."""

    levels: Array
    losses: Array
    gap: Array
    theta: Array
    sums: Array
    still: (
        Array  # the mean radius along the run, what is the same for all rows and what is in units
    )


def new_coverage() -> Coverage:
    """Before the first round."""
    sizes = GUESSES, GUESSES, 1, 1, 10, 2
    return Coverage(*(np.zeros(size) for size in sizes))


@helper
def _mean(state: Any, place: int) -> float:
    return float(state.sums[place] / state.sums[ROUNDS]) if state.sums[ROUNDS] > 0.0 else 0.0


@helper
def room_of(state: Any) -> float:
    """h_t."""
    return float(FIRST_ROOM + ROOM * state.sums[ROUNDS])


@helper
def psi(theta: float, a: float, h: float) -> float:
    """ψ(θ) = −a·(2h/π)·ln cos(πθ/(2h)), a line beyond 0.999·h."""
    size = abs(theta)
    edge = min(size, REACH * h)
    inner = -a * 2.0 * h / np.pi * log(cos(0.5 * np.pi * edge / h))
    return float(inner + (size - edge) * a * np.tan(0.5 * np.pi * REACH))


@helper
def push_of(theta: float, a: float, h: float) -> float:
    """c = ψ′(θ)."""
    return float(a * np.tan(0.5 * np.pi * min(max(theta / h, -REACH), REACH)))


@helper
def _curvature(theta: float, a: float, h: float) -> float:
    """ψ″(θ) = a·(π/(2h))/cos²(πθ/(2h)), no more than at 0.999·h."""
    cosine = cos(0.5 * np.pi * min(abs(theta) / h, REACH))
    return float(a * 0.5 * np.pi / h / (cosine * cosine))


@helper
def _unit_of(state: Any, unit: float) -> float:
    """The unit of a row, held above a tenth of the mean one and of the mean score; 1 where there is none.

    The first units may be next to nothing: scores in such units would outweigh all that come.
    """
    held = max(unit, LEAST_UNIT * _mean(state, UNITS))
    if held > 0.0:
        held = max(held, LEAST_UNIT * _mean(state, SIZE))
    return float(held if 0.0 < held < MOST else 1.0)


@helper
def _shares_into(state: Any, shares: Array) -> float:
    """AdaHedge's shares v_i ∝ exp(−η·L_i); returns η."""
    best = np.inf
    for i in range(GUESSES):
        best = min(best, state.losses[i])
    eta = log(GUESSES) / state.gap[0] if state.gap[0] > 0.0 else np.inf
    total = 0.0
    for i in range(GUESSES):
        behind = state.losses[i] - best
        shares[i] = 1.0 if behind == 0.0 else exp(-eta * behind)
        total += shares[i]
    for i in range(GUESSES):
        shares[i] /= total
    return float(eta)


@helper
def _guess(state: Any, i: int, unit: float) -> float:
    return float(state.levels[i] * unit if i >= FAMILY else state.levels[i])


@helper
def _radius(state: Any, unit: float, shares: Array) -> float:
    """r_t = b_t + c_t."""
    radius = push_of(state.theta[0], PUSH * _mean(state, SIZE), room_of(state))
    for i in range(GUESSES):
        radius += shares[i] * _guess(state, i, unit)
    return radius


@helper
def _count_still(state: Any, radius: float, unit: float, shares: Array) -> None:
    """Count r_t in the mean radius, with weight t: the later half of a run has three quarters of it."""
    in_units = 0.0
    for i in range(FAMILY, GUESSES):
        in_units += shares[i] * state.levels[i]
    gain = 2.0 / (state.sums[ROUNDS] + 2.0)
    state.still[0] += gain * (radius - in_units * unit - state.still[0])
    state.still[1] += gain * (in_units - state.still[1])


@helper
def _weigh(state: Any, score: float, unit: float, alpha: float, shares: Array, eta: float) -> None:
    """AdaHedge's round: every guess is charged its pinball loss, the past counts for less."""
    least = np.inf
    expected = 0.0
    for i in range(GUESSES):
        over = score - _guess(state, i, unit)
        lost = max((1.0 - alpha) * over, -alpha * over)
        expected += shares[i] * lost
        if shares[i] > 0.0:
            least = min(least, lost)
        state.losses[i] = min(DISCOUNT * state.losses[i] + lost, MOST)
    mixed = least
    if eta < np.inf:
        total = 0.0
        for i in range(GUESSES):
            over = score - _guess(state, i, unit)
            total += shares[i] * exp(-eta * (max((1.0 - alpha) * over, -alpha * over) - least))
        mixed = least - log(total) / eta
    state.gap[0] = min(DISCOUNT * state.gap[0] + max(0.0, expected - mixed), MOST)


@helper
def _step(state: Any, score: float, unit: float, alpha: float) -> None:
    """Every guess takes its own step on the pinball loss."""
    t = state.sums[ROUNDS]
    for i in range(GUESSES):
        j = i % FAMILY
        size = _mean(state, IN_UNITS if i >= FAMILY else SIZE)
        slope = alpha - (1.0 if score > _guess(state, i, unit) else 0.0)
        if j == FAMILY - 1:
            rate = 2.5 / alpha / (t + 9.0)
        else:
            rate = RATES[j // 2]
            if j % 2 == 1:
                rate *= 4.0 / np.sqrt(t)
        state.levels[i] -= rate * size * slope


@helper
def _account(state: Any, score: float, radius: float, alpha: float) -> float:
    """θ and the ledger, once the score is known; returns ψ_t(θ_{t+1})."""
    a, h = PUSH * _mean(state, SIZE), room_of(state)
    theta = state.theta[0]
    push = push_of(theta, a, h)
    missed = 1.0 if score > radius else 0.0
    z = missed - alpha
    after = psi(theta + z, a, h)
    state.sums[GAINED] += z * push
    state.sums[CURVED] += 0.5 * z * z * max(_curvature(theta, a, h), _curvature(theta + z, a, h))
    state.sums[MISSES] += missed
    far = (theta >= REACH * h and missed > 0.0) or (theta <= -REACH * h and missed == 0.0)
    state.sums[BEYOND] += 1.0 if far else 0.0
    state.sums[RADII] = min(state.sums[RADII] + radius, MOST)
    state.theta[0] = theta + z
    return after


@kernel
def cover(
    state: Any, scores: Array, units: Array, importance: Array, alpha: float, radii: Array
) -> None:
    """radii[t] = r_t from before score t, which then counts; rows of importance 0 do not."""
    shares = np.empty(GUESSES)
    last = importance.shape[0] - 1
    eta = _shares_into(state, shares)
    for t in range(scores.shape[0]):
        score = min(max(scores[t], -MOST), MOST)
        unit = _unit_of(state, units[t])
        radii[t] = _radius(state, unit, shares)
        if importance[min(t, last)] > 0.0:
            if state.sums[ROUNDS] == 0.0 and units[t] == 0.0 and score != 0.0:
                unit = abs(score)  # nothing is known of units yet: the first score is one
            _count_still(state, radii[t], unit, shares)
            before = _account(state, score, radii[t], alpha)
            _weigh(state, score, unit, alpha, shares, eta)
            state.sums[SIZE] = min(state.sums[SIZE] + abs(score), MOST)
            state.sums[IN_UNITS] = min(state.sums[IN_UNITS] + abs(score) / unit, MOST)
            state.sums[UNITS] = min(state.sums[UNITS] + abs(units[t]), MOST)
            state.sums[ROUNDS] += 1.0
            a, h = PUSH * _mean(state, SIZE), room_of(state)
            state.sums[MOVED] += psi(state.theta[0], a, h) - before
            _step(state, score, unit, alpha)
            eta = _shares_into(state, shares)


@kernel
def radii_of(state: Any, units: Array, radii: Array) -> None:
    """radii[t] as the next round would see them; nothing changes."""
    shares = np.empty(GUESSES)
    _shares_into(state, shares)
    for t in range(units.shape[0]):
        radii[t] = _radius(state, _unit_of(state, units[t]), shares)


@kernel
def still_radii_of(state: Any, units: Array, radii: Array) -> None:
    """radii[t] by the mean radius along the run; nothing changes."""
    for t in range(units.shape[0]):
        radii[t] = state.still[0] + state.still[1] * _unit_of(state, units[t])


def unite_coverages(state: Coverage, shards: Shards) -> None:
    """Misses and sums add; what forgets, guesses and their latest losses, is averaged by rounds.

    So is θ as a share of its room, from which the push comes: rooms do not add.
    """
    for name in ("levels", "losses", "gap", "still"):
        getattr(state, name)[:] = averaged(shards, name)
    state.sums[:] = added(shards, "sums")
    both = zip(shards.shares, shards.parts, strict=True)
    state.theta[0] = room_of(state) * sum(s * part.theta[0] / room_of(part) for s, part in both)

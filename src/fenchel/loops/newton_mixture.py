"""Class probabilities made better by online Newton steps, and a Bayes mixture that loses nothing by them.

A row has features Φ_c for each class, the first of them a logit that is given. Forecaster 0 takes the
given logits as they are; forecasters 1, 2, … say p ∝ exp(w·Φ_c) and learn w by online Newton steps on the
log loss, each with its own forgetting d ≤ 1 (further ones may say logits of their own):

    g_t = Σ_c (p_c − 1[c = y])·Φ_c,   A_t = d·A_{t−1} + γ·g_t·g_tᵀ,   w_{t+1} = w_t − A_t⁻¹·g_t,

from w_1 = (1, 0, 0, …), where all of them agree. What is handed out is the mixture p = Σ v_i·p_i, with
v_i ∝ Π p_{s,i}(y_s) and, after round t, a share 1/(t + 1) of the weight given back to all N alike (fixed
share, Herbster & Warmuth 1998). Hence for each forecaster

    Σ −ln p_t(y_t) ≤ Σ −ln p_{t,i}(y_t) + ln N + ln(T + 1),

whatever the data: the weight of i is never below (1/N)·Π_{s≤t} (1 − 1/(s + 1))·(its likelihood).

Long streams tell the same again and again. After the first rows, those whose label had an even chance or
better are learned from once in STRIDE rows, and count so often: the sums above are then estimates that are
right on average, and the bound holds for what was counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba.jit import inlined
from fenchel._numba.libm import exp, log
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards, added

# γ of the online Newton step, and the precision that the weights begin with.
CURVATURE = 0.5
FIRM = 5.0

# A logit so far behind the highest is no farther: every probability stays a positive number.
FARTHEST_BEHIND = 690.0

LARGEST = 1e300
SMALLEST = 5e-324  # that is above 0

# A row counts no more often: sums of squares of such weights stay within the floats.
HEAVIEST = 1e6
LEAST_SHARE = 1e-250  # after a merge: the next round gives back more

# The first rows are all learned from, then those with a label that had less than an even chance, and one in
# so many of the others. One in eight by its number alone costs 4 % of log loss where labels hardly ever
# surprise; this no stream more than 0.3 %.
ALL_OF_FIRST, STRIDE, EVEN = 1 << 14, 4.0, 0.5
# Multiples of the golden ratio spread evenly, and keep step with no hour or weekday of the data.
GOLDEN = 0.6180339887498949


class Refinement(NamedTuple):
    """M Newton forecasters of D weights, and the mixture of N: of them, what is given, and others."""

    weights: Array  # M × D
    inverses: Array  # A⁻¹ of each
    shares: Array  # v_i of each of N
    lost: Array  # Σ −ln p of each, by importance
    totals: Array  # rounds that counted, Σ −ln p of the mixture, what importances above 1 add to the bound


ROUNDS, LOST, BEYOND = 0, 1, 2


def new_refinement(forecasters: int, features: int, others: int = 0) -> Refinement:
    """Before the first round: every forecaster but the others says what is given."""
    weights, count = np.zeros((forecasters, features)), 1 + forecasters + others
    weights[:, 0] = 1.0
    inverses = np.tile(np.eye(features) / FIRM, (forecasters, 1, 1))
    shares = np.full(count, 1.0 / count)
    return Refinement(weights, inverses, shares, np.zeros(count), np.zeros(3))


@inlined
def stands_for(number: float) -> float:
    """How many rows the row of this number stands for where its label is no surprise."""
    if number < ALL_OF_FIRST:
        return 1.0
    return STRIDE if GOLDEN * number % 1.0 < 1.0 / STRIDE else 0.0


@inlined
def taught(importance: Array, stands: Array, t: int, chance: float) -> float:
    """How often row t counts, given the chance that its label had."""
    weight = importance[min(t, importance.shape[0] - 1)]
    return float(weight if chance < EVEN else weight * stands[min(t, stands.shape[0] - 1)])


@inlined
def forecast(r: Any, features: Array, first: int, known: Any, each: Array, mixed: Array) -> None:
    """each[i, c] = p_{i,c} of every forecaster, mixed[c] = Σ_i v_i·p_{i,c}; 0 for a class not known.

    Classes before ``first`` have features that are all 0. Behind the Newton forecasters ``each`` has the
    logits of the others.
    """
    count, classes = each.shape
    for c in range(classes):
        mixed[c] = 0.0
    for i in range(count):
        highest = -np.inf
        for c in range(classes):
            z = features[c, 0] if i == 0 else 0.0
            if i > r.weights.shape[0]:
                z = each[i, c]
            elif i > 0 and c >= first:
                for a in range(features.shape[1]):
                    z += r.weights[i - 1, a] * features[c, a]
            # Beyond the floats only in a forged state, as a share below 0 is.
            each[i, c] = min(max(z, -LARGEST), LARGEST) if z == z else 0.0
            if known[c]:
                highest = max(highest, each[i, c])
        total = 0.0
        for c in range(classes):
            behind = max(each[i, c] - highest, -FARTHEST_BEHIND)
            each[i, c] = (1.0 if behind == 0.0 else exp(behind)) if known[c] else 0.0
            total += each[i, c]
        for c in range(classes):
            each[i, c] /= max(total, 1.0)
            mixed[c] += r.shares[i] * each[i, c]
    for c in range(classes):
        if known[c] and not mixed[c] > 0.0:
            mixed[c] = SMALLEST


@inlined
def _newton_step(
    r: Any,
    i: int,
    decay: float,
    features: Array,
    first: int,
    known: Any,
    each: Array,
    y: int,
    weight: float,
    room: Array,
) -> None:
    """w −= A⁻¹·g and A⁻¹ for A = decay·A + γ·g·gᵀ, of forecaster i + 1; ``room`` has two rows.

    Rows of A⁻¹, which stays symmetric to the bit, are gone through from end to end, in vector registers.
    """
    count = features.shape[1]
    widest = 0.0
    for a in range(count):
        room[0, a] = 0.0
        room[1, a] = 0.0
        widest = max(widest, r.inverses[i, a, a])
    for c in range(first, features.shape[0]):
        if known[c]:
            apart = weight * (each[i + 1, c] - (1.0 if c == y else 0.0))
            for a in range(count):
                room[0, a] += apart * features[c, a]
    # What is forgotten everywhere would grow without end: no direction becomes looser than at first.
    grow = 1.0 / decay if widest < decay / FIRM else 1.0
    for b in range(count):
        g = room[0, b]
        if g != 0.0:  # of the pieces of a line most are 0
            for a in range(count):
                room[1, a] += grow * r.inverses[i, b, a] * g
    along = 0.0
    for a in range(count):
        along += room[1, a] * room[0, a]
    share = 1.0 / (1.0 + CURVATURE * along)
    shrink = CURVATURE * share
    for a in range(count):
        v = room[1, a]
        r.weights[i, a] -= share * v
        for b in range(count):
            r.inverses[i, a, b] = grow * r.inverses[i, a, b] - shrink * (v * room[1, b])


@inlined
def _charge(r: Any, each: Array, mixed: Array, y: int, weight: float) -> None:
    """The mixture's shares and the sums of its certificate, once the label is known.

    Each p_{i,y} becomes −ln of it.
    """
    count = each.shape[0]
    least = np.inf
    for i in range(count):
        each[i, y] = -log(each[i, y])
        least = min(least, each[i, y])
    total = 0.0
    for i in range(count):
        lost = each[i, y]
        r.lost[i] += weight * lost
        r.shares[i] *= exp(-weight * (lost - least))
        total += r.shares[i]
    lost = -weight * log(mixed[y])
    # −ln Σ v_i·p_i^weight is what the shares have paid; for a weight above 1 it may be less than is lost.
    paid = weight * least - log(total)
    r.totals[LOST] += lost
    r.totals[BEYOND] += max(0.0, lost - paid)
    r.totals[ROUNDS] += 1.0
    back = 1.0 / (r.totals[ROUNDS] + 1.0)
    for i in range(count):
        r.shares[i] = (1.0 - back) * r.shares[i] / total + back / count


@inlined
def teach(
    r: Any,
    decays: Array,
    features: Array,
    first: int,
    known: Any,
    each: Array,
    mixed: Array,
    y: int,
    weight: float,
    room: Array,
) -> None:
    """Learn one label, given what ``forecast`` said of its row; ``room`` is 2 × D."""
    weight = min(weight, HEAVIEST)
    if known[y] and weight > 0.0:
        for i in range(decays.shape[0]):
            _newton_step(r, i, decays[i], features, first, known, each, y, weight, room)
        _charge(r, each, mixed, y, weight)


def bound_of(r: Refinement) -> tuple[float, float, float]:
    """Σ −ln p of the mixture, of its best forecaster, and the bound that it promises beyond the latter.

    >>> bound_of(new_refinement(1, 2))
    (0.0, 0.0, 0.6931471805599453)
    """
    extra = np.log(len(r.lost)) + np.log(r.totals[ROUNDS] + 1.0) + r.totals[BEYOND]
    return float(r.totals[LOST]), float(r.lost.min()), float(extra)


def unite_refinements(r: Refinement, shards: Shards, decays: Array) -> None:
    """The forecasters' quadratics ½(w − w_k)ᵀA_k(w − w_k) add; of those that forget, their mean.

    Losses add and likelihoods multiply. The bound survives: what each shard may have lost beyond a
    forecaster adds up, and −ln v_i is what the shares of the merger may cost from here on.
    """
    for i, decay in enumerate(decays):
        start, *found = (_quadratic(part, i) for part in (shards.start, *shards.parts))
        shares = [1.0] * len(found) if decay == 1.0 else shards.shares
        A, b = (
            before + sum(share * (now - before) for share, now in zip(shares, sums, strict=True))
            for before, sums in zip(start, zip(*found, strict=True), strict=True)
        )
        r.inverses[i] = np.linalg.inv(0.5 * (A + A.T))
        r.weights[i] = r.inverses[i] @ b
    r.lost[:] = added(shards, "lost")
    logs = [np.log(part.shares) for part in (shards.start, *shards.parts)]
    joint = logs[0] + sum(log - logs[0] for log in logs[1:])
    likely = np.maximum(np.exp(joint - joint.max()), LEAST_SHARE)
    r.shares[:] = likely / likely.sum()
    r.totals[:] = added(shards, "totals")
    begun = shards.start.totals[ROUNDS] > 0.0
    lost = sum(bound_of(part)[2] for part in (*shards.parts, *([shards.start] if begun else [])))
    rounds = r.totals[ROUNDS]
    costs = lost - np.log(r.shares.min()) - np.log(rounds + 1.0) - np.log(len(likely))
    r.totals[BEYOND] = max(costs, 0.0)


def _quadratic(r: Refinement, i: int) -> tuple[Array, Array]:
    """A and A·w of a forecaster."""
    A = np.linalg.inv(r.inverses[i])
    return A, A @ r.weights[i]

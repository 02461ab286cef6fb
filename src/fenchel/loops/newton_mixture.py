"""Class probabilities made better by online Newton steps, and a Bayes mixture that loses nothing by them.

A row has features Φ_c for each class, the first of them a logit that is given. Forecaster 0 takes the
given logits as they are; forecasters 1, 2, … say p ∝ exp(w·Φ_c) and learn w by online Newton steps on the
log loss, each with its own forgetting d ≤ 1:

    g_t = Σ_c (p_c − 1[c = y])·Φ_c,   A_t = d·A_{t−1} + γ·g_t·g_tᵀ,   w_{t+1} = w_t − A_t⁻¹·g_t,

from w_1 = (1, 0, 0, …), where all of them agree. What is handed out is the mixture p = Σ v_i·p_i, with
v_i ∝ Π p_{s,i}(y_s) and, after round t, a share 1/(t + 1) of the weight given back to all N alike (fixed share,
Herbster & Warmuth 1998). Hence for each forecaster

    Σ −ln p_t(y_t) ≤ Σ −ln p_{t,i}(y_t) + ln N + ln(T + 1),

whatever the data: the weight of i is never below (1/N)·Π_{s≤t} (1 − 1/(s + 1))·(its likelihood).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel.parts.state import Array

# γ of the online Newton step, and the precision that the weights begin with.
CURVATURE = 0.5
FIRM = 5.0

# −ln p of a forecaster is charged no more: a likelihood stays a positive number.
MOST_LOST = 700.0


class Refinement(NamedTuple):
    """N − 1 Newton forecasters of D weights, and the mixture of them and of what is given."""

    weights: Array  # (N − 1) × D
    inverses: Array  # A⁻¹ of each
    shares: Array  # ln of the weight of each of N
    lost: Array  # Σ −ln p of each, by importance
    totals: Array  # rounds that counted, Σ −ln p of the mixture, what importances above 1 add to the bound


ROUNDS, LOST, BEYOND = 0, 1, 2


def new_refinement(forecasters: int, features: int) -> Refinement:
    """Before the first round: every forecaster says what is given."""
    weights = np.zeros((forecasters, features))
    weights[:, 0] = 1.0
    inverses = np.tile(np.eye(features) / FIRM, (forecasters, 1, 1))
    return Refinement(
        weights, inverses, np.zeros(forecasters + 1), np.zeros(forecasters + 1), np.zeros(3)
    )


@helper
def log_softmax_into(logits: Array, i: int, known: Any, highest: float) -> None:
    """logits[i, c] −= ln Σ exp(logits[i, ·]) over the known classes; −∞ for the others."""
    total = 0.0
    for c in range(logits.shape[1]):
        if known[c]:
            total += np.exp(logits[i, c] - highest)
    shift = highest + np.log(total) if total > 0.0 else 0.0
    for c in range(logits.shape[1]):
        logits[i, c] = logits[i, c] - shift if known[c] else -np.inf


@helper
def forecast(r: Any, features: Array, known: Any, each: Array, mixed: Array) -> None:
    """each[i, c] = ln p_{i,c} of every forecaster, mixed[c] = ln Σ_i v_i·p_{i,c}."""
    count, classes = each.shape
    for i in range(count):
        highest = -np.inf
        for c in range(classes):
            each[i, c] = 0.0
            if known[c]:
                if i == 0:
                    each[i, c] = features[c, 0]
                else:
                    for j in range(features.shape[1]):
                        each[i, c] += r.weights[i - 1, j] * features[c, j]
                highest = max(highest, each[i, c])
        log_softmax_into(each, i, known, highest)
    best = -np.inf
    for i in range(count):
        best = max(best, r.shares[i])
    whole = 0.0
    for i in range(count):
        whole += np.exp(r.shares[i] - best)
    for c in range(classes):
        mixed[c] = -np.inf
        if known[c]:
            top = -np.inf
            for i in range(count):
                top = max(top, r.shares[i] - best + each[i, c])
            total = 0.0
            for i in range(count):
                total += np.exp(r.shares[i] - best + each[i, c] - top)
            mixed[c] = top + np.log(total) - np.log(whole)


@helper
def _newton_step(
    r: Any, i: int, decay: float, features: Array, known: Any, each: Array, y: int, weight: float
) -> None:
    """w −= A⁻¹·g and A⁻¹ for A = decay·A + γ·g·gᵀ, of forecaster i + 1."""
    count = features.shape[1]
    slope = np.zeros(count)
    for c in range(features.shape[0]):
        if known[c]:
            apart = np.exp(each[i + 1, c]) - (1.0 if c == y else 0.0)
            for j in range(count):
                slope[j] += weight * apart * features[c, j]
    widest = 0.0
    for j in range(count):
        widest = max(widest, r.inverses[i, j, j])
    # What is forgotten everywhere would grow without end: no direction becomes looser than at first.
    grow = 1.0 / decay if widest < decay / FIRM else 1.0
    toward = np.zeros(count)
    along = 0.0
    for j in range(count):
        for k in range(count):
            toward[j] += grow * r.inverses[i, j, k] * slope[k]
        along += toward[j] * slope[j]
    share = 1.0 / (1.0 + CURVATURE * along)
    for j in range(count):
        r.weights[i, j] -= share * toward[j]
        for k in range(count):
            less = CURVATURE * share * toward[j] * toward[k]
            r.inverses[i, j, k] = grow * r.inverses[i, j, k] - less


@helper
def _charge(r: Any, each: Array, mixed: Array, y: int, weight: float) -> None:
    """The mixture's weights and the sums of its certificate, once the label is known."""
    count = each.shape[0]
    best = -np.inf
    for i in range(count):
        best = max(best, r.shares[i])
    before = 0.0
    for i in range(count):
        before += np.exp(r.shares[i] - best)
    top = -np.inf
    for i in range(count):
        lost = min(-each[i, y], MOST_LOST)
        r.lost[i] += weight * lost
        r.shares[i] -= best + weight * lost
        top = max(top, r.shares[i])
    after = 0.0
    for i in range(count):
        after += np.exp(r.shares[i] - top)
    lost = weight * min(-mixed[y], MOST_LOST)
    # −ln Σ v_i·p_i^weight is what the weights have paid; for a weight above 1 it is less than charged.
    paid = np.log(before) - np.log(after) - top
    r.totals[LOST] += lost
    r.totals[BEYOND] += max(0.0, lost - paid)
    r.totals[ROUNDS] += 1.0
    back = 1.0 / (r.totals[ROUNDS] + 1.0)
    for i in range(count):
        r.shares[i] = np.log((1.0 - back) * np.exp(r.shares[i] - top) / after + back / count)


@helper
def teach(
    r: Any,
    decays: Array,
    features: Array,
    known: Any,
    each: Array,
    mixed: Array,
    y: int,
    weight: float,
) -> None:
    """Learn one label, given what ``forecast`` said of its row."""
    if known[y] and weight > 0.0:
        for i in range(decays.shape[0]):
            _newton_step(r, i, decays[i], features, known, each, y, weight)
        _charge(r, each, mixed, y, weight)


def bound_of(r: Refinement) -> tuple[float, float, float]:
    """Σ −ln p of the mixture, of its best forecaster, and the bound that it promises beyond the latter.

    >>> bound_of(new_refinement(1, 2))
    (0.0, 0.0, 0.6931471805599453)
    """
    extra = np.log(len(r.lost)) + np.log(r.totals[ROUNDS] + 1.0) + r.totals[BEYOND]
    return float(r.totals[LOST]), float(r.lost.min()), float(extra)

"""The combination of a mixture's experts, refined: every expert's margin may correct the logits of the coins.

With s_k the margin of expert k over the mean size of its margins, the features of a class are the logit of
the coins, s_k held in [−1, 1] and asinh s_k of every expert, and 1; for two classes those of class 0 are 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.loops.newton_mixture import Refinement, forecast, new_refinement, teach
from fenchel.parts.state import Array

DECAYS = np.array([1.0, 0.9995, 0.998])

# A class that is led by the vote against its probability is put so little beyond the others, in logits.
STEP = 1e-3


def new_stack(experts: int) -> Refinement:
    """Before the first round: the logits of the coins."""
    return new_refinement(len(DECAYS), 2 + 2 * experts)


@helper
def _features_into(
    features: Array,
    c: int,
    logit: float,
    margins: Array,
    t: int,
    place: int,
    sizes: Array,
    active: Array,
) -> None:
    """features[c] = (logit, s_k held, asinh s_k, 1); 0 for experts that have retired."""
    experts = margins.shape[0]
    features[c, 0] = logit
    for k in range(experts):
        if not active[k] > 0.0:
            continue
        s = 0.0
        if sizes[t, k] > 0.0 and margins[k, t, place] > -np.inf:
            s = margins[k, t, place] / sizes[t, k]
        features[c, 1 + k] = min(max(s, -1.0), 1.0)
        features[c, 1 + experts + k] = np.arcsinh(s)
    features[c, 1 + 2 * experts] = 1.0


@helper
def _features_of(active: Array) -> Any:
    """Which features can differ from 0: those of experts that are on, the first and the last."""
    experts = active.shape[0]
    used = np.ones(2 + 2 * experts, np.bool_)
    for k in range(experts):
        used[1 + k] = used[1 + experts + k] = active[k] > 0.0
    return used


@kernel
def refine(
    r: Any,
    logits: Array,
    margins: Array,
    active: Array,
    sizes: Array,
    y: Any,
    importance: Array,
    learning: bool,
    out: Array,
) -> None:
    """out[t, c], the probability of each class from before label t; 0 for one that is not known yet.

    ``logits`` are those of the coins, −∞ for such a class; ``sizes[t, k]`` the mean size of the margins.
    """
    count, classes = logits.shape
    two = margins.shape[2] < classes
    features = np.zeros((classes, r.weights.shape[1]))
    used, first = _features_of(active), 1 if two else 0
    known = np.ones(classes, np.bool_)
    each = np.empty((r.shares.shape[0], classes))
    mixed = np.empty(classes)
    room = np.empty((3, r.weights.shape[1]))
    last = importance.shape[0] - 1
    for t in range(count):
        if two:
            odds = logits[t, 1] - logits[t, 0]
            _features_into(features, 1, odds, margins, t, 0, sizes, active)
        else:
            for c in range(classes):
                known[c] = logits[t, c] > -np.inf
                if known[c]:
                    _features_into(features, c, logits[t, c], margins, t, c, sizes, active)
        forecast(r, features, first, known, each, mixed)
        for c in range(classes):
            out[t, c] = mixed[c]
        if learning:
            weight = importance[min(t, last)]
            teach(r, DECAYS, features, first, used, known, each, mixed, y[t], weight, room)


@kernel
def odds_into(chances: Array, out: Array) -> None:
    """out[t] = ln p₁/p₀."""
    for t in range(out.shape[0]):
        out[t] = np.log(chances[t, 1] / chances[t, 0])


@kernel
def lead_two_into(logits: Array, decided: Any, out: Array) -> None:
    """The logits of class 1, on the side that was decided (0 or 1), in the same order on each side.

    What is below the edge, or on the other side, goes between 0 and the edge: STEP·exp(z − STEP).
    """
    for t in range(out.shape[0]):
        sign = 1.0 if decided[t] == 1 else -1.0
        ahead = sign * logits[t]
        out[t] = logits[t]
        if not ahead > STEP:
            out[t] = sign * (STEP * np.exp(max(min(ahead - STEP, 0.0), -600.0)))


def lead_two(logits: Array, decided: Any) -> Array:
    """``lead_two_into`` an array of its own."""
    out = np.empty(len(logits))
    lead_two_into(logits, decided, out)
    return out


@kernel
def lead_several_into(chances: Array, decided: Any, out: Array) -> None:
    """The probabilities, the class that was decided lifted just above the others where it is not."""
    count, classes = chances.shape
    for t in range(count):
        highest = -np.inf
        first = -1
        for c in range(classes):
            out[t, c] = chances[t, c]
            if chances[t, c] > highest:
                highest = chances[t, c]
                first = c
        d = decided[t]
        if d >= 0 and first != d:
            out[t, d] = highest * (1.0 + 1e-9 + STEP * chances[t, d])
            total = 0.0
            for c in range(classes):  # in their order, however many classes will follow
                total += out[t, c]
            for c in range(classes):
                out[t, c] /= total


def lead_several(chances: Array, decided: Any) -> Array:
    """``lead_several_into`` an array of its own."""
    out = np.empty(chances.shape)
    lead_several_into(chances, decided, out)
    return out

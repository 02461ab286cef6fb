"""The combination of a mixture's experts, refined: every expert's margin may correct the logits of the coins.

With s_k the margin of expert k over the mean size of its margins, the features of a class are the logit of
the coins, s_k held in [−1, 1] and asinh s_k of every expert, and 1; for two classes those of class 0 are 0.
Experts whose margins are logits by themselves are forecasters too: the mixture loses little to each of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.libm import exp, log
from fenchel.loops.newton_mixture import Refinement, forecast, new_refinement, taught, teach
from fenchel.parts.state import Array

DECAYS = np.array([1.0, 0.9995, 0.998])

# A class that is led by the vote against its probability is put so little beyond the others, in logits.
STEP = 1e-3


def new_stack(experts: int, forecasters: int = 0) -> Refinement:
    """Before the first round: the logits of the coins; so many experts are forecasters by themselves."""
    return new_refinement(len(DECAYS), 2 + 2 * experts, forecasters)


def places_of(active: Array) -> Any:
    """Where the features of the experts that are on stand among those of all.

    >>> places_of(np.array([1.0, 0.0, 1.0]))
    array([0, 1, 3, 4, 6, 7])
    """
    on = np.flatnonzero(active)
    return np.concatenate([[0], 1 + on, 1 + len(active) + on, [1 + 2 * len(active)]])


@helper
def _among(r: Any, places: Any) -> Any:
    """The same forecasters on the features in these places alone, in arrays of their own."""
    count = places.shape[0]
    weights = np.empty((r.weights.shape[0], count))
    inverses = np.empty((r.weights.shape[0], count, count))
    for i in range(weights.shape[0]):
        for a in range(count):
            weights[i, a] = r.weights[i, places[a]]
            for b in range(count):
                inverses[i, a, b] = r.inverses[i, places[a], places[b]]
    return Refinement(weights, inverses, r.shares, r.lost, r.totals)


@helper
def _put_back(inner: Any, places: Any, r: Any) -> None:
    """What the forecasters have learned on these features."""
    count = places.shape[0]
    for i in range(r.weights.shape[0]):
        for a in range(count):
            r.weights[i, places[a]] = inner.weights[i, a]
            for b in range(count):
                r.inverses[i, places[a], places[b]] = inner.inverses[i, a, b]


@helper
def _asinh(s: float) -> float:
    """asinh s, to an error of 1e-16 where s is small: all that a feature needs."""
    size = log(abs(s) + np.sqrt(1.0 + s * s))
    return float(size if s > 0.0 else -size)


@helper
def _features_into(
    features: Array,
    c: int,
    logit: float,
    margins: Array,
    t: int,
    place: int,
    sizes: Array,
    places: Any,
) -> None:
    """features[c] = (logit, s_k held, asinh s_k, 1), of the experts that are on."""
    count = (places.shape[0] - 2) // 2
    features[c, 0] = logit
    for i in range(1, 1 + count):
        k = places[i] - 1
        size, m = sizes[t, k], margins[k, t, place]
        s = m / size if size > 0.0 and m > -np.inf else 0.0
        features[c, i] = min(max(s, -1.0), 1.0)
        features[c, count + i] = _asinh(s)
    features[c, 1 + 2 * count] = 1.0


@kernel
def refine(
    r: Any,
    logits: Array,
    margins: Array,
    places: Any,
    sizes: Array,
    forecasters: Any,
    y: Any,
    importance: Array,
    stands: Array,
    learning: bool,
    out: Array,
) -> None:
    """out[t, c], the probability of each class from before label t; 0 for one that is not known yet.

    ``logits`` are those of the coins, −∞ for such a class; ``sizes[t, k]`` the mean size of the margins.
    ``places`` are those of the features that can differ from 0, of experts that have not retired;
    ``forecasters`` the numbers of experts between two classes whose margins are logits, −1 for one that has
    retired: it says what the coins say.
    """
    count, classes = logits.shape
    some = places.shape[0] < r.weights.shape[1]
    inner = _among(r, places) if some else r
    two = margins.shape[2] < classes
    first = 1 if two else 0
    features = np.zeros((classes, places.shape[0]))
    known = np.ones(classes, np.bool_)
    each = np.empty((r.shares.shape[0], classes))
    mixed = np.empty(classes)
    room = np.empty((2, places.shape[0]))
    others = 1 + r.weights.shape[0]
    for t in range(count):
        if two:
            odds = logits[t, 1] - logits[t, 0]
            _features_into(features, 1, odds, margins, t, 0, sizes, places)
            for f in range(forecasters.shape[0]):
                k = forecasters[f]
                each[others + f, 0] = 0.0
                each[others + f, 1] = margins[k, t, 0] if k >= 0 else odds
        else:
            for c in range(classes):
                known[c] = logits[t, c] > -np.inf
                if known[c]:
                    _features_into(features, c, logits[t, c], margins, t, c, sizes, places)
        forecast(inner, features, first, known, each, mixed)
        for c in range(classes):
            out[t, c] = mixed[c]
        if learning:
            weight = taught(importance, stands, t, mixed[y[t]])
            teach(inner, DECAYS, features, first, known, each, mixed, y[t], weight, room)
    if some and learning:
        _put_back(inner, places, r)


@kernel
def odds_into(chances: Array, out: Array) -> None:
    """out[t] = ln p₁/p₀."""
    for t in range(out.shape[0]):
        out[t] = log(chances[t, 1] / chances[t, 0])


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
            out[t] = sign * (STEP * exp(max(min(ahead - STEP, 0.0), -600.0)))


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

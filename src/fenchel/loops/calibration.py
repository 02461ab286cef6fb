"""Probabilities from margins: what is given as a logit, bent by a line of several pieces.

For two classes with the logit z (class 1 against class 0) the features of class 1 are

    z, [z − κ]₊ and [−z − κ]₊ for κ in KNOTS, 1

and those of class 0 are 0: online Platt scaling whose slope differs between the knots, so that no two margins
get one probability because they shared a bin. Several classes have the features ln p_c and the same pieces
of the logit of p_c against the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.libm import log
from fenchel.loops.newton_mixture import Refinement, forecast, new_refinement, taught, teach
from fenchel.parts.state import Array

KNOTS = np.array([0.5, 1.5, 3.0])
DECAYS = np.array([1.0, 0.9998])
FEATURES = 2 + 2 * len(KNOTS)

# Beyond this a logit tells nothing more: e^−40 is below what 1 is rounded by.
FARTHEST = 40.0


def new_calibration() -> Refinement:
    """Before the first round: the logits as they are given."""
    return new_refinement(len(DECAYS), FEATURES)


@helper
def _bend_into(features: Array, c: int, given: float, z: float) -> None:
    """features[c] = (given, the pieces of z, 1)."""
    knots = KNOTS.shape[0]
    features[c, 0] = given
    for k in range(knots):
        features[c, 1 + k] = max(z - KNOTS[k], 0.0)
        features[c, 1 + knots + k] = max(-z - KNOTS[k], 0.0)
    features[c, 1 + 2 * knots] = 1.0


@helper
def _held(z: float) -> float:
    return min(max(z, -FARTHEST), FARTHEST)


@kernel
def standardised(
    margins: Array,
    importance: Array,
    sizes: Array,
    chosen: Any,
    most: float,
    large: float,
    out: Array,
) -> None:
    """out, the logits of the chosen rows among all margins of two classes; sizes move on with every row.

    ``sizes`` are Σ|m| and how many; m is divided by their mean, itself included, or with ``large`` (margins
    that are logits) by what this mean exceeds ``large``. |m| is held within ``most``. ``chosen`` are the
    numbers of rows, in order.
    """
    last = importance.shape[0] - 1
    total, count, at = sizes[0], sizes[1], 0
    for t in range(margins.shape[0]):
        m = min(max(margins[t], -most), most)
        if at < chosen.shape[0] and chosen[at] == t:
            mean = (total + abs(m)) / (count + 1.0)
            if large > 0.0:
                out[at] = m / max(mean / large, 1.0)
            else:
                out[at] = m / mean if mean > 0.0 else 0.0
            at += 1
        if importance[min(t, last)] > 0.0:
            total += abs(m)
            count += 1.0
    sizes[0], sizes[1] = total, count


@kernel
def calibrate_two(
    r: Any, logits: Array, y: Any, importance: Array, stands: Array, learning: bool, out: Array
) -> None:
    """out[t], the calibrated logit of class 1 from before label t (0 or 1); none where out has no room."""
    features = np.zeros((2, FEATURES))
    known = np.ones(2, np.bool_)
    each = np.empty((r.shares.shape[0], 2))
    mixed = np.empty(2)
    room = np.empty((2, FEATURES))
    for t in range(logits.shape[0]):
        z = _held(logits[t])
        _bend_into(features, 1, z, z)
        forecast(r, features, 1, known, each, mixed)
        if t < out.shape[0]:
            out[t] = log(mixed[1]) - log(mixed[0])
        if learning:
            weight = taught(importance, stands, t, mixed[y[t]])
            teach(r, DECAYS, features, 1, known, each, mixed, y[t], weight, room)


@kernel
def calibrate_several(
    r: Any, chances: Array, y: Any, importance: Array, stands: Array, learning: bool, out: Array
) -> None:
    """out[t, c], the calibrated probability of each class from before label t; 0 where it is not known yet.

    ``chances`` are probabilities, 0 for a class not known yet and positive for the others.
    """
    count, classes = chances.shape
    features = np.zeros((classes, FEATURES))
    known = np.ones(classes, np.bool_)
    each = np.empty((r.shares.shape[0], classes))
    mixed = np.empty(classes)
    room = np.empty((2, FEATURES))
    for t in range(count):
        for c in range(classes):
            known[c] = chances[t, c] > 0.0
            if known[c]:
                given = log(chances[t, c])
                rest = log(max(1.0 - chances[t, c], 1e-17))
                _bend_into(features, c, max(given, -FARTHEST), _held(given - rest))
        forecast(r, features, 0, known, each, mixed)
        for c in range(classes):
            out[t, c] = mixed[c]
        if learning:
            weight = taught(importance, stands, t, mixed[y[t]])
            teach(r, DECAYS, features, 0, known, each, mixed, y[t], weight, room)

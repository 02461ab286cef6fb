"""Waves of a frozen model, apart from all else: what they add to margins, and how steep they are.

Weights of waves speak of fixed waves (``loops.waves``): they need not be turned into others, as those of
products are (``learners.quadratic``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.learners.quadratic import centres, dense_columns, further_places, waving
from fenchel.loops.curves import BEHIND, KNOTS
from fenchel.loops.waves import FARTHEST, MOST, SIGN, TURNS, WAVES, frame
from fenchel.parts.state import Array
from fenchel.rows import Rows


class FeatureWaves(NamedTuple):
    """Σ weights·wave(start + Σ_i turns_i·z_i), z_i = (x_i/2 − centre_i)/unit_i held in [−4, 4].

    ``centre`` and ``unit``, halves of what they are called, are of the first columns; ``turns`` are waves ×
    columns, ``weights`` waves × experts × outputs. A unit of 0 is none: z is 0.
    """

    column: NDArray[np.int64]  # the last of a wave
    centre: Array
    unit: Array
    start: Array
    turns: Array
    weights: Array

    def placed(self, x: Array) -> Array:
        """The z of rows, rows × columns."""
        away, there = 0.5 * x[:, : len(self.unit)] - self.centre, self.unit != 0.0
        z = np.divide(away, self.unit, out=np.zeros_like(away), where=there)
        return np.asarray(np.clip(z, -FARTHEST, FARTHEST))

    def of(self, x: Array) -> Array:
        """The waves of rows, rows × waves."""
        v = _from_whole(self.start + self.placed(x) @ self.turns.T)
        return np.asarray(1.0 - 16.0 * v**2 + 32.0 * v**4)

    def margins(self, rows: Rows) -> Array:
        """Their contributions to the margins, by expert, row and output."""
        x = dense_columns(rows, len(self.unit))
        return np.asarray(np.einsum("tp,pkc->ktc", self.of(x), self.weights))

    def slopes(self, x: Array) -> Array:
        """How the margins grow with each column at one row: columns × experts × outputs."""
        z = self.placed(x[None])
        v = _from_whole(self.start + (z @ self.turns.T)[0])
        steep = (-32.0 * v + 128.0 * v**3)[:, None, None] * self.weights
        inside = (np.abs(z[0]) < FARTHEST) & (self.unit != 0.0)
        per = np.divide(0.5, self.unit, out=np.zeros(len(self.unit)), where=inside)
        return np.asarray(np.einsum("pj,pkc->jkc", self.turns, steep) * per[:, None, None])


def _from_whole(phases: Array) -> Array:
    return np.asarray(phases - np.rint(phases))


def waves(weights: Array, anchors: Array) -> FeatureWaves | None:
    """Take waves out of anchored weights, slots × experts × outputs; None where there are none."""
    columns, further = len(anchors) - 1, anchors.shape[1] - BEHIND
    if further <= KNOTS or not columns:
        return None
    at = 1 + further_places(columns, further)[:, KNOTS:]
    given = np.zeros((1 + int(at.max()), *weights.shape[1:]))
    given[: min(len(given), len(weights))] = weights[: len(given)]
    column, k = np.nonzero(given[at].any(axis=(2, 3)))
    if not len(column):
        return None
    known = anchors[1 : 2 + int(column.max())]
    frames = np.array([frame(row[BEHIND:], row[SIGN]) for row in known])
    turns = TURNS[column, : len(known), k] * (np.arange(len(known)) <= column[:, None])
    start, own = TURNS[column, MOST, k], given[at[column, k]]
    return FeatureWaves(column, frames[:, 0], frames[:, 1], start, turns, own)


def wave_slopes(weights: Array, anchors: Array) -> Array:
    """The slopes of waves at the mean of the data, columns × outputs, of an expert's weights of waves."""
    columns = len(anchors) - 1
    found = waves(waving(weights, columns, KNOTS + WAVES)[:, None], anchors)
    out = np.zeros((columns, weights.shape[1]))
    if found is not None:
        slopes = found.slopes(centres(anchors))
        out[: len(slopes)] = slopes[:, 0]
    return out

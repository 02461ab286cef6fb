"""Weights of a mixture that stand still, and what is read from them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.loops.feature_pairs import is_plain, pairs_of
from fenchel.loops.frozen_losses import read_candidates
from fenchel.loops.products import fixed_products_of
from fenchel.parts.state import Array
from fenchel.rows import Rows


def margins_of(weights: Array, rows: Rows) -> Array:
    """⟨w, x⟩ by candidate, row and class."""
    margins = np.empty((weights.shape[1], len(rows), weights.shape[2]))
    read_into(margins, weights, rows, 0, 0)
    return margins


def read_into(margins: Array, weights: Array, rows: Rows, first: int, further: int) -> None:
    """Compute ``margins_of`` into an array; those before ``first`` have none of products and what follows."""
    read_candidates(weights.reshape(len(weights), -1), rows.view, 1.0, first, further, margins)


def with_products(rows: Rows, anchors: Array | None) -> Rows:
    """The rows as candidates see them: with products of anchored features, with pairs, or as they are."""
    if anchors is None:
        return rows
    if is_plain(anchors):
        return pairs_of(rows, len(anchors) - 1)
    return fixed_products_of(anchors, rows)


def tempered(logits: Array, surest: float) -> Array:
    """The logits, of which beyond ``surest`` only the logarithm counts."""
    beyond: Any = np.log1p(np.maximum(np.abs(logits) - surest, 0.0))
    return np.asarray(np.clip(logits, -surest, surest) + np.sign(logits) * beyond)


class Still(NamedTuple):
    """Frozen weights of one expert, or a mean of several, slots × 1 × classes: all that frozen use reads.

    A few thousand rows cannot tell a chance as small as a margin far beyond theirs would make it: see
    ``tempered``.
    """

    task: str
    weights: Array
    sharpness: float
    bounds: Array
    anchors: Array | None = None
    surest: float = np.inf

    def read(self, rows: Rows, what: str = "frozen") -> Array:
        """Predict numbers within the targets known, ln p₊/p₋, or the chances of classes."""
        margins = margins_of(self.weights, with_products(rows, self.anchors))[0]
        if self.task == "regression":
            return np.asarray(np.clip(margins[:, 0], *self.bounds))
        if self.task == "binary":
            return tempered(self.sharpness * margins[:, 0], self.surest)
        heights = self.sharpness * (margins - margins.max(axis=1, keepdims=True))
        heights = tempered(heights, self.surest)
        chances: Any = np.exp(np.maximum(heights, -700.0))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


class StillBlend(NamedTuple):
    """The frozen weights of all experts, slots × experts × classes, and how they are blended."""

    weights: Array
    blend: Any
    anchors: Array | None = None

    def read(self, rows: Rows, what: str = "frozen") -> Array:
        """Predict what the mixture makes of them."""
        rows = with_products(rows, self.anchors)
        found: Array = self.blend.read(margins_of(self.weights, rows))
        return found


def as_columns(weights: Array) -> Array:
    """Weights as slots × classes; one column for two classes and for numbers."""
    return weights[:, None] if weights.ndim == 1 else weights

"""The features that a learner relies on: its largest weights by name, and their share of the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.learners import Learner

Vector = NDArray[np.float64]


class Weights(NamedTuple):
    """One weight vector: of which class, and the intercept's weight."""

    label: Any
    values: Vector
    bias: float


class Evidence(NamedTuple):
    """One weight: its column, its class, and what it adds to the margins of the stream."""

    column: int
    label: Any
    weight: float
    size: float  # the mean of |x| over the rows that have the feature
    share: float  # of Σ_t |w_j·x_t,j| in the sum over all features


def weight_vectors(learner: Learner) -> Iterator[Weights]:
    """The weight vectors: one, or one for each class, label or output."""
    weights = learner.all_weights()
    if weights.ndim == 1:
        yield Weights(None, weights[1:], float(weights[0]))
        return
    outputs = weights.shape[1]
    labels = learner.classes if len(learner.classes) == outputs else range(outputs)
    for label, column in zip(labels, weights.T, strict=True):
        yield Weights(label, column[1:], float(column[0]))


def evidence(learner: Learner, counts: Vector, sizes: Vector, top: int) -> list[Evidence]:
    """The features that added most to the sizes of the margins, |w_j|·Σ_t |x_t,j|.

    ``counts`` has in how many rows each column is not zero, ``sizes`` has Σ_t |x_t,j|.
    """
    vectors = list(weight_vectors(learner))
    values = np.stack([vector.values for vector in vectors])
    width = min(values.shape[1], len(sizes))
    added = np.abs(values[:, :width]) * sizes[:width]
    total = float(added.sum()) or 1.0
    found = []
    for flat in np.argsort(-added, axis=None, kind="stable")[:top].tolist():
        which, column = divmod(flat, width)
        if added[which, column] == 0.0:
            break
        found.append(
            Evidence(
                column,
                vectors[which].label,
                float(values[which, column]),
                float(sizes[column] / counts[column]),
                float(added[which, column] / total),
            )
        )
    return found

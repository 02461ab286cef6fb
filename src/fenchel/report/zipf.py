"""Counts of features by rank: the heavy tail of texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

POINTS = 80


def ranked(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ranks and counts of the features that occur, thinned evenly on the logarithmic axis.

    >>> ranked(np.array([1, 0, 5, 2]))
    (array([1, 2, 3]), array([5, 2, 1]))
    """
    sorted_counts = np.sort(counts[counts > 0])[::-1]
    if not len(sorted_counts):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    ranks = np.unique(np.geomspace(1, len(sorted_counts), POINTS).round().astype(np.int64))
    return ranks, sorted_counts[ranks - 1]

"""The best constant in hindsight: what a prediction that ignores the features would have cost."""

from __future__ import annotations

import numpy as np

from fenchel.parts.state import Array


class BestConstant:
    """Finds, along the stream, the class or number that would have cost least.

    >>> constant = BestConstant(regression=False)
    >>> constant.see(np.array([1.0, -1.0, 1.0, 1.0]))
    >>> constant.value, constant.loss
    (1.0, 0.25)
    >>> constant = BestConstant(regression=True)
    >>> constant.see(np.array([1.0, 3.0]))
    >>> constant.value, constant.loss
    (2.0, 1.0)
    """

    def __init__(self, *, regression: bool) -> None:
        self._regression = regression
        self._weight = self._mean = self._squares = 0.0
        self._weights: dict[float, float] = {}

    def see(self, targets: Array, weights: Array | None = None) -> None:
        """Count in some more labels, as the learner's numbers."""
        if not len(targets):
            return
        importance = np.ones(len(targets)) if weights is None else weights
        if self._regression:
            self._see_numbers(targets, importance)
        else:
            self._see_classes(targets, importance)

    def _see_numbers(self, targets: Array, importance: Array) -> None:
        """Mean and squared deviations, merged as Chan, Golub & LeVeque do."""
        weight = float(importance.sum())
        if weight == 0.0:
            return
        mean = float(importance @ targets) / weight
        apart, total = mean - self._mean, self._weight + weight
        self._squares += float(importance @ np.square(targets - mean))
        self._squares += apart * apart * self._weight * weight / total
        self._mean += apart * weight / total
        self._weight = total

    def _see_classes(self, targets: Array, importance: Array) -> None:
        least = targets.min()  # −1 for two classes, else 0: small whole numbers
        counts = np.bincount((targets - least).astype(np.int64), importance)
        for place in np.flatnonzero(counts).tolist():
            label = float(least) + place
            self._weights[label] = self._weights.get(label, 0.0) + float(counts[place])
        self._weight += float(importance.sum())

    @property
    def value(self) -> float:
        """The constant, as the learner's number: the mean, or the most frequent class."""
        if self._regression or not self._weights:
            return self._mean
        return max(self._weights, key=self._weights.__getitem__)

    @property
    def loss(self) -> float:
        """Its average loss."""
        if self._weight == 0.0:
            return 0.0
        if self._regression:
            return self._squares / self._weight
        return 1.0 - max(self._weights.values()) / self._weight

    @property
    def rarest(self) -> float:
        """The share of the class that is seen least; 1 before there are two, and for numbers."""
        if self._regression or len(self._weights) < 2 or not self._weight:
            return 1.0
        return min(self._weights.values()) / self._weight

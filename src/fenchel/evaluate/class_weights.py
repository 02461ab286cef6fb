"""Classes that count alike: each row weighed by how rare its class has been so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fenchel.parts.state import Array
from fenchel.rows import Block


class Balance:
    """Running counts of labels; a row of class c has the weight n/(C·n_c), itself counted.

    The formula is scikit-learn's ``balanced``, with the n rows and C classes met up to this row.

    >>> balance = Balance()
    >>> balance.weights(np.array(["ham", "ham", "ham", "spam"])).tolist()
    [1.0, 1.0, 1.0, 2.0]
    """

    def __init__(self) -> None:
        self._counts: dict[Any, int] = {}
        self._total = 0

    def weights(self, labels: Any) -> Array:
        """The weight of each label, in turn; they are counted."""
        out = np.empty(len(labels))
        for t, label in enumerate(np.asarray(labels).tolist()):
            self._counts[label] = self._counts.get(label, 0) + 1
            self._total += 1
            out[t] = self._total / (len(self._counts) * self._counts[label])
        return out

    def see(self, labels: Any) -> None:
        """Count some more labels."""
        self.weights(labels)

    def factors(self, classes: Any) -> Array:
        """The weight of each class so far; 1 for one that was not met."""
        met = max(len(self._counts), 1)
        counts = [self._counts.get(label, 0) for label in classes]
        return np.array([self._total / (met * n) if n else 1.0 for n in counts])

    def weighed(self, block: Block) -> Block:
        """The block with its rows weighed, on top of the importance that they have."""
        weights = self.weights(block.labels)
        if block.importance is not None:
            weights = weights * block.importance
        return block.replace(importance=weights)


class Fixed(Balance):
    """Weights that are given for each class; 1 for a class without.

    >>> Fixed({"spam": 10.0}).weights(np.array(["ham", "spam"])).tolist()
    [1.0, 10.0]
    """

    def __init__(self, given: Mapping[Any, float]) -> None:
        super().__init__()
        self._given = {label: float(weight) for label, weight in given.items()}
        for label, weight in self._given.items():
            if not 0.0 <= weight < float("inf"):
                raise ValueError(f"class {label!r} has the weight {weight!r}: give a number ≥ 0")

    def weights(self, labels: Any) -> Array:
        """The weight of each label."""
        return self.factors(np.asarray(labels).tolist())

    def factors(self, classes: Any) -> Array:
        """The weight of each class."""
        return np.array([self._given.get(label, 1.0) for label in classes])


def balance_of(class_weight: Any, counts: Iterable[Any] = ()) -> Balance:
    """The weights of the classes: a dict of weights, or ``"balanced"`` by the counts so far.

    >>> balance_of("balanced", [["ham", 3], ["spam", 1]]).factors(["spam"]).tolist()
    [2.0]
    """
    if isinstance(class_weight, Mapping):
        return Fixed(class_weight)
    if class_weight != "balanced":
        what = f"class_weight={class_weight!r}"
        raise ValueError(f"{what}: give 'balanced' or a dict of weights by class")
    made = Balance()
    made._counts = {label: int(count) for label, count in counts}
    made._total = sum(made._counts.values())
    return made


def counts_of(balance: Balance | None) -> list[list[Any]]:
    """The counts of labels so far, for a file."""
    return [] if balance is None else [[label, n] for label, n in balance._counts.items()]

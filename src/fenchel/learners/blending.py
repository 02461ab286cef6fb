"""What a mixture makes of its experts' margins: their vote or mean, and their combination above it.

Margins come as margins[k, t, c]: expert, row, class; a margin between two classes, or a number, has
only c = 0. What is made of a row is made before its label counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeVar

import numpy as np

from fenchel._kernel.state import Array
from fenchel.learners.combination import ClassCombination, NumberCombination
from fenchel.learners.features import ONE
from fenchel.loops.mixing import (
    Hedge,
    mix_choices,
    mix_numbers,
    named_arrays,
    new_hedge,
    shares_now,
)

NO_LABELS = np.zeros(0, dtype=np.int64)  # nothing is learned from

Kind = TypeVar("Kind", bound="Blend")


class Blend(ABC):
    """AdaHedge over the experts; with ``combined`` their combination competes with what it gives."""

    kind: Any  # of combination
    combination: Any

    def __init__(self, count: int, combined: bool) -> None:
        self.hedge: Hedge = new_hedge(count)
        self.combination = self.kind(count) if combined else None

    @property
    def choice(self) -> Hedge | None:
        """AdaHedge between the mixture and the combination."""
        return None if self.combination is None else self.combination.choice

    @property
    def active(self) -> list[int]:
        """The numbers of the experts that have not retired."""
        return [k for k, on in enumerate(self.hedge.active) if on]

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        arrays = named_arrays(hedge=self.hedge)
        if self.combination is not None:
            arrays |= {f"combination.{k}": v for k, v in self.combination.arrays().items()}
        return arrays

    def copy(self: Kind) -> Kind:
        """The same state, which goes its own way."""
        twin = type(self)(len(self.hedge.losses), self.combination is not None)
        kept = self.arrays()
        for name, array in twin.arrays().items():
            array[...] = kept[name]
        return twin

    @abstractmethod
    def learn(self, margins: Array, y: Array, weights: Array) -> Array:
        """What is made of each row from before its label, which then counts."""

    @abstractmethod
    def read(self, margins: Array) -> Array:
        """What the next round would make of each row."""


class ClassBlend(Blend):
    """Several classes: the votes for each, or with a combination the probabilities."""

    kind = ClassCombination
    combination: ClassCombination | None

    def learn(self, margins: Array, y: Array, weights: Array) -> Array:
        """Shares of one for each class."""
        return self._blended(margins, margins.shape[2], y.astype(np.int64), weights, True)

    def read(self, margins: Array) -> Array:
        """Shares of one for each class."""
        return self._blended(margins, margins.shape[2], NO_LABELS, ONE, learning=False)

    def _blended(
        self, margins: Array, classes: int, labels: Any, weights: Array, learning: bool
    ) -> Array:
        votes = np.empty((margins.shape[1], classes))
        mix_choices(self.hedge, margins, labels, weights, learning, votes)
        if self.combination is None:
            return votes
        given = margins, self.hedge.active, votes, labels, weights, learning
        return self.combination.chances(*given)


class TwoClassBlend(ClassBlend):
    """Two classes: the second's share less the first's, −1 … 1."""

    def learn(self, margins: Array, y: Array, weights: Array) -> Array:
        """p₊ − p₋."""
        return _difference(self._blended(margins, 2, (y > 0.0).astype(np.int64), weights, True))

    def read(self, margins: Array) -> Array:
        """p₊ − p₋."""
        return _difference(self._blended(margins, 2, NO_LABELS, ONE, learning=False))


class NumberBlend(Blend):
    """Regression: the weighed mean, each number held inside the targets seen so far."""

    kind = NumberCombination
    combination: NumberCombination | None

    def __init__(self, count: int, combined: bool) -> None:
        super().__init__(count, combined)
        self.bounds = np.array([np.inf, -np.inf])

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        return super().arrays() | {"hedge.bounds": self.bounds}

    def learn(self, margins: Array, y: Array, weights: Array) -> Array:
        """One number a row."""
        numbers, before = margins[:, :, 0], self.bounds.copy()
        mixed = np.empty(len(y))
        mix_numbers(self.hedge, numbers, y, weights, self.bounds, mixed)
        if self.combination is None:
            return mixed
        return self.combination.learn(numbers, self.hedge.active, mixed, y, weights, before)

    def read(self, margins: Array) -> Array:
        """One number a row; 0 before the first target."""
        if self.bounds[0] > self.bounds[1]:
            return np.zeros(margins.shape[1])
        numbers = np.clip(margins[:, :, 0], *self.bounds)
        mixed = shares_now(self.hedge) @ numbers
        if self.combination is None:
            return np.asarray(mixed)
        return self.combination.read(numbers, self.hedge.active, mixed, self.bounds)


def _difference(shares: Array) -> Array:
    return np.asarray(shares[:, 1] - shares[:, 0])


BLENDS: dict[str, type[Blend]] = {
    "binary": TwoClassBlend,
    "multiclass": ClassBlend,
    "regression": NumberBlend,
}

"""Several classes from learners of two: one against the rest, with classes that appear any time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel._kernel.state import Array
from fenchel.certificates import Block, Certificate, Hindsight, seen_through, tightest
from fenchel.certificates.blocks import Reading
from fenchel.certificates.sums import EVERY, every_class
from fenchel.learners.labels import known_after
from fenchel.learners.learner import Learner
from fenchel.learners.members import Members
from fenchel.learners.rows import part_of


class OneAgainstRest(Members):
    """One learner of two classes for each class; the largest margin wins.

    A class that appears mid-stream gets a learner of its own from that row on; before, its margin
    is −∞.

    >>> from fenchel import learners
    >>> learner = learners.one_against_rest(learners.perceptron())
    >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["x", "y", "z"])
    >>> learner.classes, learner.predict_one([0.0, 2.0])
    (['x', 'y', 'z'], 'z')
    """

    def __init__(self, learner: Learner, *, classes: Sequence[Any] | None = None) -> None:
        if learner.task != "binary":
            raise ValueError(f"learner={learner!r}: give a learner of two classes")
        super().__init__("one_against_rest", learner, "multiclass", classes)

    @property
    def certifies(self) -> bool:
        """Whether the members keep ledgers."""
        return self._pattern.certifies

    def _probabilities(self, margins: Array) -> Array:
        """The members' probabilities of their class, scaled to add up to 1."""
        return shares_of_one(self._chances(margins))

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        known = known_after(targets, len(self.members))
        total = int(np.max(known, initial=len(self.members)))
        begins = np.searchsorted(known, np.arange(total), side="right").tolist()

        def signs(k: int) -> Array:
            return np.where(targets == k, 1.0, -1.0)

        return self._learn_members(rows, count, width, begins, signs, importance)

    def _certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Sums over all classes, then the certificates of each; u has one column a class."""
        if not self.certifies:
            return super()._certify(read, past, u)
        assert past is not None
        by_class: dict[str, list[Certificate]] = {}
        for k, (label, member) in enumerate(zip(self.classes, self.members, strict=True)):
            late = self.rounds - _rounds(member)
            seen_as = partial(_one_class, number=k, late=late)
            one = None if u is None else np.asarray(u, dtype=np.float64)[:, k]
            then = past.seen_as(("class", k, late), seen_as)
            found = member._certify(seen_as(read), then, one)
            by_class[str(label)] = [seen_through(c, seen_as) for c in found]
        return every_class(by_class)

    def _headline(self, found: list[Certificate]) -> Certificate:
        return tightest(c for c in found if c.comparator == EVERY)


def _rounds(member: Any) -> int:
    """How many rounds a member has seen, by its ledger: that is in model files too."""
    if hasattr(member, "experts"):
        return max(map(_rounds, member.experts))
    return int(member._parts.ledger.rounds[0])


def _one_class(read: Reading, number: int, late: int) -> Reading:
    """The rows as the member of one class saw them: ±1, from its first row on."""

    def changed() -> Iterator[Block]:
        waiting = late
        for block in read():
            count = len(block.targets)
            if waiting < count:
                targets = np.where(block.targets[waiting:] == number, 1.0, -1.0)
                h = block.importance if len(block.importance) == 1 else block.importance[waiting:]
                yield Block(part_of(block.rows, waiting, count), block.width, targets, h)
            waiting = max(0, waiting - count)

    return changed


def shares_of_one(amounts: Array) -> Array:
    """Each row divided by its sum; equal shares where all are 0."""
    total = amounts.sum(axis=1, keepdims=True)
    even = np.full_like(amounts, 1.0 / max(1, amounts.shape[1]))
    return np.asarray(np.divide(amounts, total, out=even, where=total > 0.0))

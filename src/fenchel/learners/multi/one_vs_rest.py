"""Several classes from learners of two: one against the rest, with classes that appear any time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel.certificates import Certificate, Hindsight, seen_through, tightest
from fenchel.certificates.aggregate import EVERY, every_class
from fenchel.learners.engine import refuse_unsound
from fenchel.learners.labels import known_after
from fenchel.learners.multi.base import Members
from fenchel.parts.state import Array
from fenchel.rows import Block, ReadBlocks, Rows


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

    def __init__(self, learner: Any) -> None:
        if learner.task != "binary":
            raise ValueError(f"learner={learner!r}: give a learner of two classes")
        super().__init__("one_against_rest", learner, "multiclass")

    def probabilities(self, margins: Array) -> Array:
        """Compute the members' probabilities of their class, scaled to add up to 1."""
        return shares_of_one(self._chances(margins))

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Let each member learn its class against the others."""
        refuse_unsound(rows, checked)
        known = known_after(targets, len(self.members))
        total = int(np.max(known, initial=len(self.members)))
        begins = np.searchsorted(known, np.arange(total), side="right").tolist()

        def signs(k: int) -> Array:
            return np.where(targets == k, 1.0, -1.0)

        return self._learn_members(rows, begins, signs, importance)

    def certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Measure sums over all classes, then the certificates of each; u has one column a class."""
        if not self.certifies:
            return super().certify(read, past, u)
        assert past is not None
        by_class: dict[str, list[Certificate]] = {}
        for k, member in enumerate(self.members):
            late = self.rounds - _rounds(member)
            seen_as = partial(_one_class, number=k, late=late)
            one = None if u is None else np.asarray(u, dtype=np.float64)[:, k]
            then = past.seen_as(("class", k, late), seen_as)
            found = member.certify(seen_as(read), then, one)
            by_class[str(k)] = [seen_through(c, seen_as) for c in found]
        return every_class(by_class)

    def headline(self, found: list[Certificate]) -> Certificate:
        """Choose the tightest of the sums over all classes."""
        return tightest(c for c in found if c.comparator == EVERY)


def _rounds(member: Any) -> int:
    """How many rounds a member has seen, by its ledger: that is in model files too."""
    if hasattr(member, "experts"):
        return max(map(_rounds, member.experts))
    return int(member.parts.ledger.rounds[0])


def _one_class(read: ReadBlocks, number: int, late: int) -> ReadBlocks:
    """The rows as the member of one class saw them: ±1, from its first row on."""

    def changed() -> Iterator[Block]:
        waiting = late
        for block in read():
            if waiting < len(block):
                part = block.part(waiting, len(block))
                assert part.labels is not None, "rows to certify have targets"
                yield part.replace(labels=np.where(part.labels == number, 1.0, -1.0))
            waiting = max(0, waiting - len(block))

    return changed


def shares_of_one(amounts: Array) -> Array:
    """Each row divided by its sum; equal shares where all are 0."""
    total = amounts.sum(axis=1, keepdims=True)
    even = np.full_like(amounts, 1.0 / max(1, amounts.shape[1]))
    return np.asarray(np.divide(amounts, total, out=even, where=total > 0.0))

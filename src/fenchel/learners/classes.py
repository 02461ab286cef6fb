"""Several classes from learners of two: one against the rest, with classes that appear any time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel._kernel.rows import DenseRows, SparseRows
from fenchel._kernel.state import Array
from fenchel.certificates import Block, Certificate, Hindsight, seen_through, tightest
from fenchel.certificates.blocks import Reading
from fenchel.certificates.sums import EVERY, every_class
from fenchel.learners.learner import Learner
from fenchel.learners.workers import in_parallel


class OneAgainstRest(Learner):
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
        super().__init__(
            name="one_against_rest",
            parameters={"learner": learner},
            task="multiclass",
            intercept=learner.intercept,
            classes=classes,
        )
        self._pattern = learner.copy()
        self.members: list[Learner] = [learner.copy() for _ in self.classes]

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the classes before they are seen: each gets its learner now."""
        super().declare(classes)
        while len(self.members) < len(self.classes):
            self.members.append(self._member(self.columns))

    def state_arrays(self) -> dict[str, Array]:
        """The members' arrays by number."""
        return {
            f"{number}.{name}": array
            for number, member in enumerate(self.members)
            for name, array in member.state_arrays().items()
        }

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self.columns = width
        self.members = [self._member(width) for _ in self.classes]
        for member in self.members:
            member.restart(width)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["members"] = [member.copy() for member in self.members]
        return kept

    @property
    def certifies(self) -> bool:
        """Whether the members keep ledgers."""
        return self._pattern.certifies

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _member(self, width: int) -> Learner:
        member = self._pattern.copy()
        member._take_up(width)
        return member

    def _probabilities(self, margins: Array) -> Array:
        """The members' probabilities of their class, scaled to add up to 1."""
        known = ~np.isneginf(margins)
        of_each = self._pattern._probabilities(np.where(known, margins, 0.0))[..., 1]
        return shares_of_one(np.where(known, of_each, 0.0))

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        known = len(self.members)
        classes = max(known, int(np.max(targets, initial=-1.0)) + 1)
        begins = [0] * known
        for k in range(known, classes):
            begins.append(int(np.argmax(targets == k)))
            self.members.append(self._member(width))

        def learn(k: int) -> Array:
            begin = begins[k]
            signs = np.where(targets[begin:] == k, 1.0, -1.0)
            weights = importance if len(importance) == 1 else importance[begin:]
            part = _from(rows, begin)
            member = self.members[k]
            member.rounds += count - begin
            return member._learn_rows(part, count - begin, width, signs, weights, True)

        margins = np.full((count, classes), -np.inf)
        for k, column in enumerate(in_parallel(learn, range(classes))):
            margins[begins[k] :, k] = column
            if k >= known:  # at its first row the class was not known yet
                margins[begins[k], k] = -np.inf
        return margins

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

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        if not self.members:
            return np.zeros((count, 0))
        read = [member._read_rows(rows, count, width, what) for member in self.members]
        return np.stack(read, axis=1)

    def _all_weights(self) -> Array:
        """One row of weights a slot, one column a class."""
        if not self.members:
            return np.zeros((self.columns + 1, 0))
        return np.stack([member._all_weights() for member in self.members], axis=1)

    def _take_up(self, width: int) -> Any:
        before = self.columns, len(self.members)
        states = [member._take_up(width) for member in self.members]
        self.columns = max(self.columns, width)
        return before, states

    def _put_back(self, before: Any) -> None:
        (self.columns, count), states = before
        del self.members[count:]
        for member, state in zip(self.members, states, strict=True):
            member._put_back(state)


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
                yield Block(_from(block.rows, waiting), block.width, targets, h)
            waiting = max(0, waiting - count)

    return changed


def shares_of_one(amounts: Array) -> Array:
    """Each row divided by its sum; equal shares where all are 0."""
    total = amounts.sum(axis=1, keepdims=True)
    even = np.full_like(amounts, 1.0 / max(1, amounts.shape[1]))
    return np.asarray(np.divide(amounts, total, out=even, where=total > 0.0))


def _from(rows: Any, begin: int) -> Any:
    """The rows from this one on."""
    if begin == 0:
        return rows
    if isinstance(rows, DenseRows):
        return DenseRows(rows.values[begin:], rows.bits[begin:])
    return SparseRows(rows.indptr[begin:], *rows[1:])

"""A learner's certificates: the rows it keeps for them, and the comparators it is measured against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel import certificates
from fenchel._kernel.state import Array
from fenchel.certificates import Block, Certificate
from fenchel.learners import border
from fenchel.loops import Ledger

if TYPE_CHECKING:
    from fenchel.learners.composed import Composed

# Rows are kept up to so many bytes; beyond, certificates ask for the stream again.
MOST_KEPT = 50_000_000


class Memory:
    """The rows seen so far, while they are few. It is not saved with a model."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.rounds = 0
        self.bytes = 0

    def keep(self, block: Block) -> None:
        """Copies of the arrays of a block, unless they are too many."""
        arrays = (*block.rows, block.targets, block.importance)
        self.bytes += sum(array.nbytes for array in arrays)
        if self.bytes > MOST_KEPT:
            self.blocks = []
            return
        rows = type(block.rows)(*(array.copy() for array in block.rows))
        targets, importance = block.targets.copy(), block.importance.copy()
        self.blocks.append(Block(rows, block.width, targets, importance))
        self.rounds += len(targets)

    def copy(self) -> Memory:
        """The same rows in a list of its own."""
        twin = Memory()
        twin.blocks, twin.rounds, twin.bytes = list(self.blocks), self.rounds, self.bytes
        return twin


class Stream:
    """The rows of a learner, read as often as needed: those it kept, or those it is given."""

    def __init__(self, learner: Composed, stream: Any) -> None:
        self.learner = learner
        self.given = stream
        memory = learner._memory
        if stream is None and (memory.bytes > MOST_KEPT or memory.rounds != learner.rounds):
            raise ValueError(
                "the rows are no longer kept (a loaded model, or more than "
                f"{MOST_KEPT // 1_000_000} MB): give stream=(X, y), or stream=[(X, y), …] with the "
                "blocks that were learned, in their order"
            )
        if isinstance(stream, Iterator):
            raise ValueError(
                "stream is an iterator, to be read once: give a list, or arrays (X, y)"
            )

    def __call__(self) -> Iterable[Block]:
        """One reading."""
        if self.given is None:
            return self.learner._memory.blocks
        return self._blocks()

    def _blocks(self) -> Iterator[Block]:
        arrays = isinstance(self.given, tuple)
        for X, y, *weights in [self.given] if arrays else self.given:
            rows, count, width = border.as_rows(X)
            importance = border.as_importance(weights[0] if weights else None, count)
            yield Block(rows, width, self.learner._encode(y, count), importance)


def comparator(learner: Composed, u: ArrayLike) -> Array:
    """u with a number for each coordinate: the columns', preceded by the intercept's."""
    point = np.asarray(u, dtype=np.float64)
    full = learner.columns + int(learner.intercept)
    if point.shape == (learner.columns,) and learner.intercept:
        point = np.concatenate([[0.0], point])
    if point.shape != (full,) or not np.isfinite(point).all():
        raise ValueError(
            f"u has shape {point.shape}: give {full} finite numbers"
            + (", the intercept's first" if learner.intercept else "")
        )
    return point


def certify(learner: Composed, u: ArrayLike | None, stream: Any) -> list[Certificate]:
    """Every certificate of the learner's run; without u against the best ones in hindsight."""
    parts = learner._parts
    if not isinstance(parts.ledger, Ledger):
        raise ValueError(f"{learner.name} kept no ledger: make it with certify=True")
    if learner.rounds == 0:
        raise ValueError(f"{learner.name} has learned nothing yet: there is nothing to certify")
    read = Stream(learner, stream)
    columns, intercept = learner.columns, learner.intercept
    if u is None:
        candidates = certificates.best_in_hindsight(read, parts.loss, columns, intercept)
        last = learner._all_weights()
        candidates["the last weights"] = last if intercept else last[1:]
    else:
        candidates = {"the given u": comparator(learner, u)}
    ours = learner._is_ours()
    return certificates.certificates(parts, read, columns, intercept, candidates, ours)


def verify(learner: Composed, certificate: Certificate, stream: Any = None) -> Certificate:
    """A certificate recomputed from the data by Algorithm 1 in NumPy."""
    return certificates.verify(certificate, Stream(learner, stream)())

"""A learner's certificates: the rows it keeps for them, and the stream they are measured on again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel import certificates
from fenchel._kernel import border
from fenchel._kernel.rows import SparseRows
from fenchel._kernel.state import Array
from fenchel.certificates import Block, Certificate, Hindsight, Regret
from fenchel.certificates.hindsight import MOST_HELD
from fenchel.loops import Ledger, check_rows

if TYPE_CHECKING:
    from fenchel.learners.composed import Composed
    from fenchel.learners.learner import Learner


class Memory:
    """The rows seen so far, while they are few. It is not saved with a model."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.rounds = 0
        self.bytes = 0
        self.full = False

    def keep(self, block: Block) -> None:
        """Copies of the arrays of a block, unless they are too many."""
        self.bytes += _size(block)
        self.full = self.full or self.bytes > MOST_HELD
        if self.full:
            self.blocks = []
            return
        self.blocks.append(_copied(block))
        self.rounds += len(block.targets)

    def close(self) -> None:
        """Keep nothing from here on: the stream will be given again."""
        self.blocks, self.full = [], True

    def copy(self) -> Memory:
        """The same rows in a list of its own."""
        twin = Memory()
        twin.__dict__.update(self.__dict__, blocks=list(self.blocks))
        return twin


def _size(block: Block) -> int:
    """The bytes that a copy of the block takes, about."""
    rows, count = block.rows, len(block.targets)
    if not isinstance(rows, SparseRows):
        return int(rows.values.nbytes + block.targets.nbytes)
    entries = int(rows.indptr[count] - rows.indptr[0])
    return entries * (rows.indices.itemsize + rows.values.itemsize) + 16 * count


def _copied(block: Block) -> Block:
    """The block with arrays of its own, no longer than it needs."""
    rows = block.rows
    targets, importance = block.targets.copy(), block.importance.copy()
    if not isinstance(rows, SparseRows):
        values = rows.values.copy()
        return Block(
            type(rows)(values, values.view(rows.bits.dtype)), block.width, targets, importance
        )
    first, last = rows.indptr[0], rows.indptr[len(targets)]
    indptr, values = rows.indptr[: len(targets) + 1] - first, rows.values[first:last].copy()
    kept = SparseRows(indptr, rows.indices[first:last].copy(), values, values.view(rows.bits.dtype))
    return Block(kept, block.width, targets, importance)


class Stream:
    """The rows of a learner, read as often as needed: those it kept, or those it is given."""

    def __init__(self, learner: Learner, stream: Any) -> None:
        self.learner = learner
        self.given = stream
        memory = learner._memory
        if stream is None and (memory.full or memory.rounds != learner.rounds):
            raise ValueError(
                "the rows are no longer kept (a loaded model, or more than "
                f"{MOST_HELD // 1_000_000} MB): give stream=(X, y), or stream=[(X, y), …] with the "
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
        if callable(self.given):  # blocks that a reader has checked already
            blocks: Iterable[Block] = self.given()
            return blocks
        return self._blocks()

    def _blocks(self) -> Iterator[Block]:
        arrays = isinstance(self.given, tuple)
        for X, y, *weights in [self.given] if arrays else self.given:
            rows, count, width = border.as_rows(X)
            if width > self.learner.columns:
                raise ValueError(
                    f"the stream has {width} columns, the learner {self.learner.columns}: "
                    "give the rows that were learned"
                )
            bad = int(check_rows(rows, count, width))
            if bad >= 0:
                rows = self.learner._mended(rows, count, width, bad)
            importance = border.as_importance(weights[0] if weights else None, count)
            yield Block(rows, width, self.learner._encode(y, count), importance)


def comparator(learner: Learner, u: ArrayLike) -> Array:
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


def certify(
    learner: Learner, u: ArrayLike | None, stream: Any, past: Hindsight | None = None
) -> list[Certificate]:
    """Every certificate of the learner's run; without u against the best ones in hindsight.

    ``past`` is the hindsight that several learners of one stream share.
    """
    if not learner.certifies:
        return learner._certify(None, None, u)
    if learner.rounds == 0:
        raise ValueError(f"{learner.name} has learned nothing yet: there is nothing to certify")
    read = Stream(learner, stream)
    return learner._certify(read, past or Hindsight(read, learner.columns), u)


def certify_composed(
    learner: Composed, read: Any, past: Hindsight | None, u: ArrayLike | None
) -> list[Certificate]:
    """Every certificate of a single learner's run."""
    parts = learner._parts
    if not isinstance(parts.ledger, Ledger):
        raise ValueError(f"{learner.name} kept no ledger: make it with certify=True")
    columns, intercept = learner.columns, learner.intercept
    if u is None:
        assert past is not None
        last = learner._all_weights()
        candidates = {
            **past.best(parts.loss, intercept),
            "the last weights": last if intercept else last[1:],
        }
    else:
        candidates = {"the given u": comparator(learner, u)}
    return certificates.certificates(parts, read, columns, intercept, candidates)


def verify(learner: Learner, certificate: Certificate, stream: Any = None) -> Certificate:
    """A certificate recomputed from the data by Algorithm 1 in NumPy."""
    return certificates.verify(certificate, Stream(learner, stream))


def regret(learner: Learner, stream: Any = None, past: Hindsight | None = None) -> Regret:
    """The regret of a single learner against the best u in hindsight, and how it grew."""
    parts = getattr(learner, "_parts", None)
    if parts is None:
        raise ValueError(f"{learner.name} has no loss of its own: ask one of its learners")
    if learner.rounds == 0:
        raise ValueError(f"{learner.name} has learned nothing yet: there is no regret")
    read = Stream(learner, stream)
    past = past or Hindsight(read, learner.columns)
    return certificates.regret(parts, read, past, learner.intercept)

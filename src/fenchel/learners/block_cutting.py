"""Blocks of a stream into a learner, so that where the blocks were cut makes no difference.

Some learners depend on how many columns are known: √d, the simplex, a full matrix that is given up
beyond a limit. That number must come from the rows themselves, not from the block they arrived in,
or stopping and resuming elsewhere would give another model. So a block is cut where it matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba.trial import trial
from fenchel.learners.ranking import groups, targets_of_queries
from fenchel.parts.state import Array
from fenchel.rows import Block

if TYPE_CHECKING:
    from fenchel.learners.learner import Learner


def learn(learner: Learner, block: Block, width: int = 0) -> Array:
    """Learn from every row in turn; the margins returned are from before each label was seen.

    ``width`` is the number of columns where it is known in advance (arrays, hashed names).
    """
    return learn_block(learner, block, width)[0]


def learn_block(learner: Learner, block: Block, width: int = 0) -> tuple[Array, Array]:
    """Learn from every row in turn; returns the margins, and the labels as the learner's numbers."""
    known = max(learner.columns, width)
    cut = _on_trial(learner, pieces(learner, block, known))
    learned = [learner.learn_block(piece) for piece in cut]
    if len(learned) == 1:
        return learned[0]
    margins, targets = zip(*learned, strict=True)
    return joined(margins), np.concatenate(targets)


def _on_trial(learner: Learner, cut: Iterator[Block]) -> Iterator[Block]:
    """Cut further while kernels are on trial; queries stay whole, and so do blocks whose cut shows."""
    for piece in cut:
        if trial.is_on and learner.engine.learns_by_blocks(piece.rows.width):
            trial.end()  # it needs the compiler anyway
        if learner.task == "ranking":
            yield piece
            continue
        for begin, end in trial.pieces(learner, len(piece)):
            yield piece.part(begin, end)


def pieces(learner: Learner, block: Block, known: int) -> Iterator[Block]:
    """Cut the block into pieces, each as wide as the columns known at its end.

    ``known`` columns were known before it.
    """
    assert block.labels is not None, "learning needs labels"
    if learner.task == "ranking":
        block = block.replace(labels=targets_of_queries(block))
    for start, stop, columns in _cuts(learner, block, known):
        piece = block.part(start, stop)
        yield piece.replace(rows=piece.rows.widened(columns))


def predict(learner: Learner, block: Block) -> Array:
    """Compute the margins of the block's rows, each as the next round would see it; nothing changes."""
    columns = learner.columns
    if block.rows.used_columns <= columns or not learner.engine.counts_columns:
        return learner.decision_rows(block.rows)
    # A round counts the new columns of its own row: those of other rows must not widen it.
    unseen = _unseen(block, columns)
    margins: list[Any] = [None] * len(block)
    for new in np.unique(unseen).tolist():
        rows = block.rows.select(unseen == new).widened(columns + new)
        for row, margin in zip(
            np.flatnonzero(unseen == new), learner.decision_rows(rows), strict=True
        ):
            margins[row] = margin
    return np.array(margins)


def _unseen(block: Block, columns: int) -> NDArray[np.int64]:
    """Count the columns of each row that are not known."""
    rows = block.rows.csr()
    before = np.concatenate([[0], np.cumsum(rows.indices >= columns)])
    return np.asarray(before[rows.indptr[1:]] - before[rows.indptr[:-1]])


def joined(margins: Sequence[Array]) -> Array:
    """Join margins; classes that a later piece brought were not known before: −∞."""
    if margins[-1].ndim == 1:
        return np.concatenate(margins)
    classes = margins[-1].shape[1]
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, classes - part.shape[1])), constant_values=-np.inf)
            for part in margins
        ]
    )


# ── where a block must be cut ───────────────────────────────────────────────────────────────────


def _cuts(learner: Learner, block: Block, known: int) -> Iterator[tuple[int, int, int]]:
    """Yield start, stop and number of known columns of each piece."""
    last = max(known, block.rows.used_columns)
    everywhere = learner.engine.counts_columns
    limits = [limit for limit in learner.engine.column_limits if known <= limit < last]
    if last == known or not (everywhere or limits):
        yield 0, len(block), last
        return
    columns = _columns_by_row(block, known)
    if learner.task == "ranking" and block.groups is not None:  # a query is learned as a whole
        for start, stop in groups(block.groups):
            columns[start:stop] = columns[stop - 1]
    grows = np.flatnonzero(np.diff(columns, prepend=known))
    if not everywhere:
        grows = np.searchsorted(columns, limits, side="right")
    for start, stop in pairwise(sorted({0, *grows.tolist(), len(block)})):
        yield start, stop, int(columns[stop - 1])


def _columns_by_row(block: Block, known: int) -> NDArray[np.int64]:
    """Count the columns that are known once a row was seen."""
    rows = block.rows.csr()
    columns = np.full(len(block), known, np.int64)
    filled = np.flatnonzero(np.diff(rows.indptr))
    if len(filled):
        largest = np.maximum.reduceat(rows.indices, rows.indptr[filled]).astype(np.int64)
        columns[filled] = largest + 1
    return np.maximum.accumulate(np.maximum(columns, known))

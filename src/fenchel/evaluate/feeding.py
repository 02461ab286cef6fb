"""Blocks of a stream into a learner, so that where the blocks were cut makes no difference.

Some learners depend on how many columns are known: √d, the simplex, a full matrix that is given up
beyond a limit. That number must come from the rows themselves, not from the block they arrived in,
or stopping and resuming elsewhere would give another model. So a block is cut where it matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._kernel.rows import SparseRows
from fenchel._kernel.state import Array
from fenchel.evaluate.queries import targets_of_queries
from fenchel.learners import Learner, Mixture
from fenchel.learners.automatic import FULL
from fenchel.learners.queries import groups
from fenchel.streams import Block


def learn(learner: Learner, block: Block, width: int = 0) -> Array:
    """Learn from every row in turn; the margins are from before each label was seen.

    ``width`` is the number of columns where it is known in advance (arrays, hashed names).
    """
    margins = [
        learner.learn_block(*piece) for piece in pieces(learner, block, max(learner.columns, width))
    ]
    return margins[0] if len(margins) == 1 else _joined(margins)


Piece = tuple[SparseRows, int, NDArray[Any], Array | None]


def pieces(learner: Learner, block: Block, known: int) -> Iterator[Piece]:
    """Rows, number of columns, labels and importance of each piece of a block.

    ``known`` columns were known before it.
    """
    assert block.labels is not None, "learning needs labels"
    rows = _sparse(block)
    labels = targets_of_queries(block) if learner.task == "ranking" else block.labels
    for start, stop, columns in _cuts(learner, block, known):
        weights = None if block.weights is None else block.weights[start:stop]
        piece = SparseRows(rows.indptr[start : stop + 1], *rows[1:])
        yield piece, columns, labels[start:stop], weights


def predict(learner: Learner, block: Block) -> Array:
    """The margins of the block's rows, each as the next round would see it; nothing changes."""
    block, unseen = _squeezed(block, learner.columns)
    if not (unseen.any() and counts_columns(learner)):
        width = learner.columns + int(unseen.max(initial=0))
        return learner.decide_block(_sparse(block), block.rows, width)
    margins: list[Any] = [None] * block.rows
    for new in np.unique(unseen).tolist():
        part = rows_where(block, unseen == new)
        decided = learner.decide_block(_sparse(part), part.rows, learner.columns + new)
        for row, margin in zip(np.flatnonzero(unseen == new), decided, strict=True):
            margins[row] = margin
    return np.array(margins)


def rows_where(block: Block, keep: NDArray[np.bool_]) -> Block:
    """The rows of a block for which ``keep`` is true."""
    lengths = np.diff(block.indptr)
    entries = np.repeat(keep, lengths)
    indptr = np.zeros(int(keep.sum()) + 1, np.int64)
    np.cumsum(lengths[keep], out=indptr[1:])
    return block._replace(
        indptr=indptr,
        indices=block.indices[block.indptr[0] : block.indptr[-1]][entries],
        values=block.values[block.indptr[0] : block.indptr[-1]][entries],
        labels=None if block.labels is None else block.labels[keep],
        weights=None if block.weights is None else block.weights[keep],
        groups=None if block.groups is None else block.groups[keep],
        tags=None,
    )


def _sparse(block: Block) -> SparseRows:
    return SparseRows(block.indptr, block.indices, block.values, block.values.view(np.uint64))


def _joined(margins: list[Array]) -> Array:
    """One array; classes that a later piece brought were not known before: −∞."""
    if margins[-1].ndim == 1:
        return np.concatenate(margins)
    classes = margins[-1].shape[1]
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, classes - part.shape[1])), constant_values=-np.inf)
            for part in margins
        ]
    )


def _squeezed(block: Block, columns: int) -> tuple[Block, NDArray[np.int64]]:
    """Columns never seen, numbered anew in each row, right after the known ones; how many a row.

    A round counts the new columns of its own row: those of other rows must not widen it.
    """
    new = block.indices >= columns
    before = np.concatenate([[0], np.cumsum(new)])
    first = before[block.indptr[:-1]]
    unseen = before[block.indptr[1:]] - first
    if not unseen.any():
        return block, unseen
    place = columns + before[:-1] - np.repeat(first, np.diff(block.indptr))
    return block._replace(indices=np.where(new, place, block.indices).astype(np.uint32)), unseen


# ── where a block must be cut ───────────────────────────────────────────────────────────────────


def _cuts(learner: Learner, block: Block, known: int) -> Iterator[tuple[int, int, int]]:
    """Start, stop and number of known columns of each piece."""
    last = max(known, int(block.indices.max()) + 1 if len(block.indices) else 0)
    everywhere = counts_columns(learner)
    if last == known or not (everywhere or known <= FULL < last):
        yield 0, block.rows, last
        return
    columns = _columns_by_row(block, known)
    if learner.task == "ranking" and block.groups is not None:  # a query is learned as a whole
        for start, stop in groups(block.groups):
            columns[start:stop] = columns[stop - 1]
    grows = np.flatnonzero(np.diff(columns, prepend=known))
    if not everywhere:
        grows = np.array([np.searchsorted(columns, FULL, side="right")])
    for start, stop in pairwise(sorted({0, *grows.tolist(), block.rows})):
        yield start, stop, int(columns[stop - 1])


def _columns_by_row(block: Block, known: int) -> NDArray[np.int64]:
    """How many columns are known once a row was seen."""
    columns = np.full(block.rows, known, np.int64)
    filled = np.flatnonzero(np.diff(block.indptr))
    if len(filled):
        largest = np.maximum.reduceat(block.indices, block.indptr[filled]).astype(np.int64)
        columns[filled] = largest + 1
    return np.maximum.accumulate(np.maximum(columns, known))


def counts_columns(learner: Any) -> bool:
    """Whether the number of columns enters the formulas themselves."""
    if isinstance(learner, Mixture):
        return any(counts_columns(expert) for expert in learner.experts)
    if "learner" in learner.parameters:  # one for each class
        return counts_columns(learner.parameters["learner"])
    regularizer = getattr(learner, "regularizer", None)
    if getattr(regularizer, "sqrt_d", True) is False:
        return False
    return any(name.endswith("dimension") for name in learner.state_arrays())

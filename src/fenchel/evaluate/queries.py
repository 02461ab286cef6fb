"""Queries of a stream: blocks cut between them, and the share of pairs that scores order wrongly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from fenchel.learners.ranking import groups, pairs_of
from fenchel.parts.state import Array
from fenchel.rows import Block


def whole_queries(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the same rows in blocks that no query crosses: the last query waits for the next block."""
    waiting: Block | None = None
    for block in blocks:
        joined = block if waiting is None else Block.concatenate([waiting, block])
        if joined.groups is None:
            raise ValueError(
                "ranking needs queries: write qid:NUMBER after each label of a svmlight file"
            )
        cut = groups(joined.groups)[-1][0]
        if cut:
            yield joined.part(0, cut)
        waiting = joined.part(cut, len(joined))
    if waiting is not None:
        yield waiting


def misordered(scores: Array, targets: Array) -> Array:
    """Of each row, the share of its pairs in the wrong order; a tie is half wrong.

    >>> misordered(np.array([0.5, 0.1, 0.9]), np.array([[1.0, 0], [0.0, 0], [0.0, 0]]))
    array([0.5, 0. , 1. ])
    """
    losses = np.zeros(len(scores))
    for begin, end in groups(targets[:, 1]):
        better, worse = pairs_of(targets[begin:end, 0])
        apart = scores[begin:end][better] - scores[begin:end][worse]
        wrong = 0.5 - 0.5 * np.sign(apart)
        pairs = _by_row(better, worse, np.ones(len(wrong)), end - begin)
        found = _by_row(better, worse, wrong, end - begin)
        losses[begin:end] = found / np.maximum(pairs, 1.0)
    return losses


def _by_row(better: NDArray[np.intp], worse: NDArray[np.intp], of_pair: Array, rows: int) -> Array:
    each = np.bincount(better, of_pair, rows) + np.bincount(worse, of_pair, rows)
    return each.astype(np.float64)

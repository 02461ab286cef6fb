"""Certificates in the matrix space: the pairs that a run met, as plain rows of R^{K·d} with target +1.

Which ŷ a row met only the run itself can tell, so that it is repeated while the rows are read again.
Everything else is as for two classes: any theorem that speaks of the learner speaks of these rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fenchel import certificates
from fenchel.certificates import Certificate, Hindsight, seen_through
from fenchel.certificates.rerun import targets_of
from fenchel.parts.state import Array
from fenchel.rows import Block, ReadBlocks
from fenchel.rows.pairs import pair_rows

if TYPE_CHECKING:
    from fenchel.learners.max_margin import MaxMargin

LATE = "coordinates that are all there from the first pair on, since f_t counts them"


def certify(
    engine: MaxMargin, read: ReadBlocks, past: Hindsight | None, u: ArrayLike | None
) -> list[Certificate]:
    """Every certificate of the run over its pairs; none where f_t counts coordinates that came late."""
    if came_late(engine):
        return []
    places = (engine.columns + engine.intercept) * engine.outputs
    seen_as = partial(
        pairs_seen, blank=engine.blank(), classes=engine.outputs, columns=engine.columns
    )
    parts, pairs = engine.compact_parts, seen_as(read)
    if u is None:
        assert past is not None
        then = past.seen_as(("pairs", engine), seen_as, places)
        last = engine.weights()[0 if engine.intercept else 1 :]
        candidates = {**then.best(parts.loss, False), "the last weights": last.reshape(-1)}
    else:
        candidates = {"the given u": matrix(u, engine)}
    found = certificates.certificates(parts, pairs, places, False, candidates)
    return [seen_through(c, seen_as) for c in found]


def missing(engine: MaxMargin) -> dict[str, list[str]]:
    """Every theorem, with what it misses of the parts in the matrix space."""
    places = (engine.columns + engine.intercept) * engine.outputs
    found = certificates.missing(engine.compact_parts, places, False)
    return {name: [*lacks, LATE] for name, lacks in found.items()} if came_late(engine) else found


def came_late(engine: MaxMargin) -> bool:
    """Whether f_t counts coordinates, and a class or a column joined after the first pair."""
    if not engine.counts_columns or engine.begun[0] == 0.0:
        return False
    first = np.sort(engine.joined)[1]  # the row with which there were two classes
    return bool(np.any(engine.joined > first) or engine.begun[0] != engine.columns + 1.0)


def pairs_seen(read: ReadBlocks, blank: MaxMargin, classes: int, columns: int) -> ReadBlocks:
    """The rows as pairs (e_y − e_ŷ)·xᵀ with target +1; a row without a rival is none."""

    def changed() -> Iterator[Block]:
        engine = blank.blank()
        for block in read():
            engine.take_up(block.rows.width)
            labels = targets_of(block)
            _, rivals = engine.learn_pairs(block.rows, labels, block.amounts)
            met = rivals >= 0
            some = block.select(met)
            if len(some):
                y = labels[met].astype(np.int64)
                rows = pair_rows(some.rows, y, rivals[met], classes, columns, engine.intercept)
                yield some.replace(rows=rows, labels=np.ones(len(some)))

    return changed


def matrix(u: ArrayLike, engine: MaxMargin) -> Array:
    """u, one row a column (the intercept's first, or left out) and one column a class, in one line."""
    point = np.asarray(u, dtype=np.float64)
    full = engine.columns + engine.intercept
    if point.shape == (engine.columns, engine.outputs) and engine.intercept:
        point = np.vstack([np.zeros(engine.outputs), point])
    if point.shape != (full, engine.outputs) or not np.isfinite(point).all():
        raise ValueError(
            f"u has shape {point.shape}: give {full} × {engine.outputs} finite numbers, one column "
            "a class" + (", the intercept's row first" if engine.intercept else "")
        )
    return point.reshape(-1)

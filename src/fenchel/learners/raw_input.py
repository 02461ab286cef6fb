"""Raw rows that users bring at once: frames, and lists of dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fenchel.rows import Block, Rows
from fenchel.schema import Schema
from fenchel.streams import Names, from_frame
from fenchel.streams.batch import in_columns
from fenchel.streams.frames import is_frame
from fenchel.streams.raw_rows import RawRows, UnreadableRowError


def is_raw(X: Any) -> bool:
    """Whether X is made of raw rows, which a schema reads: a frame, or a list of dicts."""
    listed = isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Mapping)
    return listed or is_frame(X)


def block_of(X: Any, schema: Schema, names: Names, *, labelled: bool, frozen: bool) -> Block:
    """All rows of X as one block."""
    if not is_frame(X):
        return _of_dicts(X, schema.copy() if frozen else schema, names, labelled, frozen)
    stream = from_frame(X, schema=schema, names=names, labelled=labelled, frozen=frozen)
    blocks = list(stream)
    if not blocks:
        return Block(Rows.sparse([0], [], [], len(names)))
    return blocks[0] if len(blocks) == 1 else Block.concatenate(blocks)


def _of_dicts(
    X: list[Mapping[str, Any]], schema: Schema, names: Names, labelled: bool, frozen: bool
) -> Block:
    rows = RawRows(schema, names, labelled)
    for at, row in enumerate(X):
        try:
            rows.add(row)
        except UnreadableRowError as bad:
            shown = "" if bad.value is None else f" ({bad.value!r:.60})"
            raise ValueError(
                f"X[{at}][{bad.column!r}]: {bad}{shown}; {bad.remedy} (nothing was learned)"
            ) from None
    batch = rows.batch()
    assert batch.vocabulary is not None, "raw rows have names"
    if frozen:
        columns, width = names.look_up(*batch.vocabulary)
    else:
        columns = names.columns(*batch.vocabulary)
        width = len(names)
    parsed = batch.parsed
    indices = columns.astype(np.uint32)[parsed.indices]
    entries = in_columns(parsed.indptr, indices, parsed.values, batch.hashed, tabular=True)
    labels: Any = parsed.labels if labelled else None
    if batch.classes is not None:
        labels = np.array(batch.classes, dtype=object)[parsed.labels.astype(np.int64)]
    weights = parsed.weights if len(parsed.weights) else None
    return Block(Rows.sparse(*entries, width), labels, weights, ids=batch.ids)

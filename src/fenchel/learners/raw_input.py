"""Raw rows that users bring at once: frames, and lists of dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fenchel.rows import Block, Rows
from fenchel.schema import Schema
from fenchel.streams import Names, from_frame
from fenchel.streams.batch import labels_of, rows_by_name
from fenchel.streams.frames import as_frame, is_frame
from fenchel.streams.raw_rows import RawRows, UnreadableRowError


def is_raw(X: Any) -> bool:
    """Whether X is made of raw rows, which a schema reads: a frame, or a list of dicts."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], Mapping)
    return is_frame(X) and all(type(name) is str for name in as_frame(X).columns)


def has_no_rows(X: Any) -> bool:
    """Whether X is a list without rows, be they numbers or dicts."""
    return isinstance(X, (list, tuple)) and not X


def as_one_row(x: Any) -> Any:
    """One example that is no dict: a pandas Series by its names, or of numbers.

    An empty one is a row without numbers, and not no row.
    """
    if hasattr(x, "to_dict") and hasattr(x, "index") and getattr(x, "ndim", 0) == 1:
        return _of_series(x)
    is_empty = has_no_rows(x) or (isinstance(x, np.ndarray) and x.shape == (0,))
    return np.zeros((1, 0)) if is_empty else x


def _of_series(x: Any) -> Any:
    """A pandas Series as a dict, or as numbers where its index has no names."""
    if not all(isinstance(name, str) for name in x.index):
        return np.asarray(x)
    row = x.to_dict()
    if len(row) < len(x):
        twice = x.index[x.index.duplicated()][0]
        raise ValueError(f"the Series has {twice!r} twice: rename one of them, or drop it")
    return row


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
    weights = batch.parsed.weights
    return Block(
        rows_by_name(batch, names, frozen=frozen, tabular=True),
        labels_of(batch),
        weights if len(weights) else None,
        ids=batch.ids,
    )

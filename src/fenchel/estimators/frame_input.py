"""Frames in scikit-learn's interface: their columns by name, through the learner's schema.

A frame of numbers alone is an array with names, and read as one; any other is read by the schema. Both
meet in the learner, whose features have names.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fenchel.learners.learner import Learner
from fenchel.learners.raw_input import is_raw
from fenchel.rows import Block
from fenchel.rows.validate import as_rows
from fenchel.schema import Number
from fenchel.streams import Names
from fenchel.streams.frames import is_frame


class RawTable:
    """Raw rows, not read yet: a frame, or a list of dicts."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.shape = (len(rows),)


def is_table(X: Any) -> bool:
    """Whether the columns of X have names, or values, that only a schema can read."""
    return is_raw(X) and not (is_frame(X) and _is_numeric(X))


def _is_numeric(frame: Any) -> bool:
    """Whether a frame is of numbers alone, none missing."""
    columns = nw.from_native(frame, eager_only=True)
    if not all(type(name) is str for name in columns.columns):
        return True  # scikit-learn takes such a frame for an array
    types = columns.schema.values()
    if not all(kind.is_numeric() or kind == nw.Boolean for kind in types):
        return False
    return not any(
        np.isnan(columns[name].cast(nw.Float64).to_numpy()).any() for name in columns.columns
    )


def begin_with(learner: Learner, names: NDArray[Any]) -> None:
    """Let the columns of an array be features of these names, in a learner that knows none yet."""
    learner.names = Names.of(names.tolist())
    learner.schema.recognise_all(dict.fromkeys(names.tolist(), Number()))


def stands_in_order(learner: Learner, names: NDArray[Any]) -> bool:
    """Whether the columns of an array of these names are the learner's, one by one."""
    known = learner.names
    if known is None or known.bits is not None or len(known) < len(names):
        return False
    return all(known.find(name) == k for k, name in enumerate(names.tolist()))


def block_of(X: Any, learner: Learner, names: NDArray[Any] | None, learning: bool) -> Any:
    """X as the learner reads it: an array where columns are numbers, else a block of named features."""
    if isinstance(X, RawTable):
        return learner._block_of(X.rows, learning)
    if names is None:
        return X
    if learning and not learner.columns and learner.names is None and learner.schema.is_empty:
        begin_with(learner, names)
    if stands_in_order(learner, names):
        return Block(as_rows(X))
    return learner._block_of(_dicts(X, names), learning)


def _dicts(X: Any, names: NDArray[Any]) -> list[dict[str, Any]]:
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return [dict(zip(names.tolist(), row, strict=True)) for row in dense.tolist()]


def repeated_rows(block: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a block or an array, each as often as it is named."""
    if isinstance(block, Block):
        return Block(as_rows(block.rows.to_matrix().tocsr()[rows]))
    return block[rows]

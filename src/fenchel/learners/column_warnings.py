"""A warning where a frame has other columns than those that a learner knows."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from fenchel.schema import Schema
from fenchel.streams import Names
from fenchel.streams.frames import as_frame
from fenchel.streams.other_columns import other_columns, told


class OtherColumnsWarning(UserWarning):
    """A frame lacks columns that a learner has learned from, or has some that it does not know."""


class ColumnWarnings:
    """Warns of each choice of columns once."""

    def __init__(self) -> None:
        self._seen: set[Any] = set()

    def see(
        self, X: Any, schema: Schema, names: Names | None, learning: bool, labelled: bool
    ) -> None:
        """Look at the columns of a frame before it is learned, with its label or without, or predicted."""
        frame = as_frame(X)
        columns = tuple(frame.columns)
        key = learning, columns, len(schema.kinds)
        if key in self._seen:
            return
        self._seen.add(key)
        label = columns[-1:] if labelled and schema.label is None else ()
        absent, new = other_columns(schema, names, columns, label)
        new = [name for name in new if not frame[name].is_null().all()]
        told_of = []
        if absent:
            told_of.append(f"there is no column {told(absent)}: missing in every row")
        if new:
            what = "learned from now on" if learning else "not used"
            told_of.append(f"the column {told(new)} is not known to the learner: {what}")
        if told_of:
            text = f"the frame has other columns: {'; '.join(told_of)}"
            warnings.warn(text, OtherColumnsWarning, stacklevel=_levels_to_user())


def _levels_to_user() -> int:
    """How many calls up the code of the user stands."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == "fenchel"

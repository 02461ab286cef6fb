"""Checks between a model file and a learner: nothing unchecked is built or run.

The reader has checked that the arrays lie in the file. Here it is checked that they can be a learner's:
before anything is built how much there would be of it, and afterwards every number of its state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fenchel.learners.engine import MOST_LEARNERS, Engine
from fenchel.rows.validate import MOST_COLUMNS

# Learners inside learners: hedge of one_against_rest of arow is three deep, in JSON twice that.
DEEPEST = 24
COUNTS = frozenset({"rounds", "tally", "joined", "begun"})  # fields of state that count
MOST_COUNTED = 1 << 53  # whole numbers up to here are exact as floats


def refuse_outsized(arrays: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    """Raise for a description of more than its arrays can hold, before room is made for it."""
    columns, rounds = metadata["columns"], metadata["rounds"]
    for name, number in (("columns", columns), ("rounds", rounds)):
        if type(number) is not int or not 0 <= number < 1 << 62:
            raise ValueError(f"{name} is {number!r:.40}, not a whole number")
    if columns > room_in(arrays):
        raise ValueError(f"{columns} columns are more than its arrays hold")
    most_classes = max(2, len(arrays))
    if _learners_in(metadata.get("parameters"), 0, most_classes) > MOST_LEARNERS:
        raise ValueError(f"it is made of more than {MOST_LEARNERS} learners")


def room_in(arrays: Mapping[str, Any]) -> int:
    """More columns or labels than this a file with these arrays cannot have."""
    return sum(array.size for array in arrays.values()) if arrays else MOST_COLUMNS


def _learners_in(value: Any, depth: int, most_classes: int) -> int:
    """The number of learners inside a parameter; each must be written out, none as a text."""
    if depth > DEEPEST:
        raise ValueError("its learners are nested too deeply")
    if isinstance(value, list):
        return sum(_learners_in(item, depth + 1, most_classes) for item in value)
    if not isinstance(value, dict):
        return 0
    if len(value.get("classes") or ()) > most_classes:
        raise ValueError("it declares more classes than its arrays tell of")
    named = isinstance(value.get("learner"), str)
    if (named and "parameters" not in value) or any(
        isinstance(e, str) for e in value.get("experts", ())
    ):
        raise ValueError("a learner inside it has no parameters")
    inside = sum(_learners_in(item, depth + 1, most_classes) for item in value.values())
    return named + inside


def refuse_labels(labels: Any, arrays: Mapping[str, Any], engine: Engine) -> None:
    """Raise for what cannot be labels, and for more than the arrays tell of.

    Some learners make an engine for each label.
    """
    if not isinstance(labels, list) or len(labels) > max(2, room_in(arrays)):
        raise ValueError("its labels do not fit its arrays")
    known = [label for label in labels if label is not None or engine.task != "binary"]
    if not all(isinstance(k, (str, int, float)) and k == k for k in known):
        raise ValueError("its labels are neither texts nor numbers")
    if len(set(known)) < len(known):
        raise ValueError("it has a label twice")
    if len(labels) > 2 and engine.engines_a_label * len(labels) > 2 * len(arrays):
        raise ValueError("it has more labels than its arrays tell of")


def merged_of(metadata: Mapping[str, Any]) -> dict[str, int]:
    """Of how many learners a model was merged, and from how many rounds on; nothing for one run."""
    told = metadata.get("merged") or {}
    wanted = {"learners", "start"}
    if told and (set(told) != wanted or any(type(n) is not int or n < 0 for n in told.values())):
        raise ValueError(f"merged is {told!r:.60}, not two whole numbers")
    return dict(told)


def refuse_roles(schema: Any) -> None:
    """Raise for a schema whose label, importance or identifier is no column."""
    for role in ("label", "weight", "id"):
        told = getattr(schema, role)
        if told is not None and not isinstance(told, str):
            raise ValueError(f"its {role} is {told!r:.40}, not the name of a column")
    for name in (*schema.kinds, *schema.declared):
        if not isinstance(name, str):
            raise ValueError(f"a column of its schema is {name!r:.40}, not a name")


def refuse_name_arrays(arrays: Mapping[str, Any]) -> None:
    """Raise for a table of names that is not of bytes and whole numbers."""
    for name, array in arrays.items():
        wanted = "u" if name.endswith(".text") else "iu"
        if array.dtype.kind not in wanted or array.ndim != 1:
            raise ValueError(f"array {name!r:.60} is of another kind than fenchel writes")


def refuse_unsound_state(engine: Engine) -> None:
    """Raise for a number in the state that no run leaves behind."""
    for name, array in engine.state_arrays().items():
        field = name.rpartition(".")[2]
        if "ledger." in name:  # NaN there says that a sum is not known; nothing is computed from it
            continue
        sound = ~np.isnan(array) if field == "bounds" else np.isfinite(array)
        if field in COUNTS:
            sound &= (array >= 0.0) & (array <= MOST_COUNTED)
        if not sound.all():
            raise ValueError(
                f"array {name!r:.60} has {array[~sound][0]}, which no run leaves behind"
            )
    engine.check_state()

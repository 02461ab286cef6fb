"""Named features: a dict of one example to columns and values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from math import isfinite
from typing import Any

import numpy as np

from fenchel._numba.choice import READS_DICTS
from fenchel._numba.jit import settled
from fenchel._numba.pydict import KINDS, NameTable, read_dict
from fenchel.rows.types import SparseRows

ONE = np.ones(1)
NOTHING: dict[str, int] = {}


class SingleRow:
    """A block of one row, in arrays that the next example overwrites.

    They may be longer than the row: ``indptr`` tells where it ends.
    """

    def __init__(self) -> None:
        self._end = np.zeros(2, np.int64)
        self._known = NameTable()
        self._new = NOTHING
        self._widen(16)

    def _widen(self, room: int) -> None:
        values = np.zeros(room)
        self._room = room
        self.rows = SparseRows(self._end, np.zeros(room, np.uint32), values, values.view(np.uint64))
        self._arrays = KINDS, np.zeros(3 + 2 * room, np.uintp), *self.rows[:3]

    def fill(self, x: Mapping[str, Any], names: dict[str, int]) -> dict[str, int]:
        """Put a dict into the row; returns the columns that names not known yet would get.

        Numbers count as they are, True as 1 and False as absent; a string makes a feature
        ``name=value``.
        """
        if len(x) > self._room:
            self._widen(2 * len(x))
        if READS_DICTS and type(x) is dict:
            known = self._known
            if len(names) != known.count or names is not known.names:
                known.follow(names, self._new)
            if self._read(x, NOTHING, known.table, *self._arrays):
                return NOTHING
            met = [name for name in x if name not in names]
            self._new = {name: column for column, name in enumerate(met, len(names))}
            if met and self._read(x, self._new, known.table, *self._arrays):
                return self._new
        self._new = {}
        columns, values = _one_by_one(x, names, self._new)
        self._end[1] = count = len(columns)
        self.rows.indices[:count] = columns
        self.rows.values[:count] = values
        return self._new

    @cached_property
    def _read(self) -> Any:
        return _reader()


@cache
def _reader() -> Any:
    row = SingleRow()
    return settled(read_dict, (dict, dict, row._known.table, *row._arrays))


def _one_by_one(
    x: Mapping[str, Any], names: Mapping[str, int], new: dict[str, int]
) -> tuple[list[int], list[float]]:
    columns, values = [], []
    for name, value in x.items():
        if not isinstance(name, str):
            raise ValueError(
                f"x has the key {name!r}: names of features are strings, give {str(name)!r} "
                "(nothing was learned)"
            )
        if type(value) is not float:
            name, value = _plain(name, value)
        if not isfinite(value):
            raise ValueError(
                f"x[{name!r}] is {x[name]}: values must be finite; "
                "leave the feature out (nothing was learned)"
            )
        column = names.get(name)
        if column is None:
            column = new.setdefault(str(name), len(names) + len(new))
        columns.append(column)
        values.append(value)
    if len(set(columns)) < len(columns):
        return _added_up(columns, values)
    return columns, values


def _plain(name: str, value: Any) -> tuple[str, float]:
    """Name and number of a feature whose value is not a float."""
    if isinstance(value, str):
        return f"{name}={value}", 1.0
    if not isinstance(value, (bool, int, float, np.number, np.bool_)):
        raise ValueError(
            f"x[{name!r}] is {value!r}: give a number, a boolean or a string (nothing was learned)"
        )
    return name, _number(value)


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return float("inf")


def _added_up(columns: list[int], values: list[float]) -> tuple[list[int], list[float]]:
    """Two keys may make one feature, such as {"a": "b", "a=b": 2}: their values add up."""
    total: dict[int, float] = {}
    for column, value in zip(columns, values, strict=True):
        total[column] = total.get(column, 0.0) + value
    return list(total), list(total.values())

"""Named features: a dict of one example to columns and values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any

import numpy as np

from fenchel._kernel.compile import settled
from fenchel._kernel.dicts import KINDS, READABLE, read_dict
from fenchel._kernel.rows import SparseRows

ONE = np.ones(1)
NOTHING: dict[str, int] = {}


class SingleRow:
    """A block of one row, in arrays that the next example overwrites.

    They may be longer than the row: ``indptr`` tells where it ends.
    """

    def __init__(self) -> None:
        self._end = np.zeros(2, np.int64)
        self._widen(16)

    def _widen(self, room: int) -> None:
        values = np.zeros(room)
        self._room = room
        self.rows = SparseRows(self._end, np.zeros(room, np.uint32), values, values.view(np.uint64))
        self._arguments = KINDS, np.zeros(3 + room, np.uintp), self.rows.indices, values

    def fill(self, x: Mapping[str, Any], names: dict[str, int]) -> dict[str, int]:
        """Put a dict into the row; returns the columns that names not known yet would get.

        Numbers count as they are, True as 1 and False as absent; a string makes a feature
        ``name=value``.
        """
        if len(x) > self._room:
            self._widen(2 * len(x))
        if READABLE and type(x) is dict:
            if self._filled(x, names, NOTHING):
                return NOTHING
            met = [name for name in x if name not in names]
            new = {name: column for column, name in enumerate(met, len(names))}
            if new and self._filled(x, names, new):
                return new
        new = {}
        columns, values = _one_by_one(x, names, new)
        self._end[1] = count = len(columns)
        self.rows.indices[:count] = columns
        self.rows.values[:count] = values
        return new

    def _filled(self, x: dict[str, Any], names: dict[str, int], new: dict[str, int]) -> bool:
        """Whether x was a plain dict of numbers, which compiled code can read."""
        count = _reader()(id(x), id(names), id(new), *self._arguments)
        self._end[1] = max(count, 0)
        return bool(count >= 0)


@cache
def _reader() -> Any:
    return settled(read_dict, (0, 0, 0, KINDS, np.zeros(3, np.uintp), np.zeros(1, np.uint32), ONE))


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

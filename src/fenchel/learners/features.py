"""Named features: a dict of one example to columns and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._kernel.rows import SparseRows
from fenchel._kernel.state import Array

ONE = np.ones(1)


def columns_of(
    x: Mapping[str, Any], names: Mapping[str, int]
) -> tuple[NDArray[np.uint32], Array, dict[str, int]]:
    """Columns and values of a dict, and the columns that names not known yet would get.

    Numbers count as they are, True as 1 and False as absent; a string makes a feature
    ``name=value``.
    """
    new: dict[str, int] = {}
    try:
        columns = [names[name] for name in x]
        values = np.fromiter(x.values(), np.float64, len(x))
    except (KeyError, ValueError, TypeError, OverflowError):
        columns, numbers = _one_by_one(x, names, new)
        values = np.array(numbers, dtype=np.float64)
    if not np.isfinite(values).all():
        name = list(x)[int(np.argmin(np.isfinite(values)))]
        raise ValueError(
            f"x[{name!r}] is {x[name]}: values must be finite; "
            "leave the feature out (nothing was learned)"
        )
    return np.array(columns, dtype=np.uint32), values, new


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
        if isinstance(value, str):
            name, value = f"{name}={value}", 1.0
        elif not isinstance(value, (bool, int, float, np.number, np.bool_)):
            raise ValueError(
                f"x[{name!r}] is {value!r}: give a number, a boolean or a string "
                "(nothing was learned)"
            )
        column = names.get(name)
        if column is None:
            column = new.setdefault(name, len(names) + len(new))
        columns.append(column)
        values.append(_number(value))
    if len(set(columns)) < len(columns):
        return _added_up(columns, values)
    return columns, values


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


def one_row(columns: NDArray[np.uint32], values: Array) -> SparseRows:
    """Rows of a single example."""
    return SparseRows(np.array([0, len(columns)]), columns, values, values.view(np.uint64))

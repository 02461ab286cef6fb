"""A dict of named numbers read by compiled code.

Names are plain strings, values plain numbers. Whatever is not is left to the caller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba.jit import helper, locked_kernel
from fenchel._numba.name_table import column_of, entry_of
from fenchel._numba.pyobjects import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    NUMPY_FLOAT,
    STRING,
    WORD,
    address_of,
    as_double,
    as_integer,
    find,
    hash_of,
    kind_of,
    next_item,
    prefetch,
)
from fenchel.parts.state import Array

# The hash and the letters of a string lie behind its third word.
THIRD = np.uintp(3) * WORD


@locked_kernel
def read_dict(
    x: dict[str, Any],
    more: dict[str, int],
    table: NDArray[np.uint64],
    kinds: NDArray[np.uintp],
    scratch: NDArray[np.uintp],
    end: NDArray[np.int64],
    columns: NDArray[np.uint32],
    values: Array,
) -> bool:
    """Columns in order and values of x, columns by the table of names or the dict ``more``; end[1] of them.

    Zeros are left out. False where a name is in neither or not a string, or a value is not a finite
    number.
    ``scratch`` has two places for each item and three more: names are looked up after all items
    were visited, and what the table has of them was asked for, many at a time.
    """
    items, new = address_of(x), address_of(more)
    entries = table.ctypes.data
    place = scratch.ctypes.data
    scratch[0] = 0
    end[1] = count = 0
    while next_item(items, place, place + WORD, place + WORD + WORD):
        name, value = scratch[1], scratch[2]
        kind = kind_of(value)
        if kind == kinds[FLOAT] or kind == kinds[NUMPY_FLOAT]:
            number = as_double(value)
        elif kind == kinds[INTEGER] or kind == kinds[BOOLEAN]:
            scratch[1] = 0
            number = float(as_integer(value, place + WORD))
            if scratch[1] != 0:  # beyond 64 bits
                return False
        else:
            return False
        if not np.isfinite(number) or kind_of(name) != kinds[STRING]:
            return False
        if number == 0.0:
            continue
        key = hash_of(name)
        prefetch(entries + entry_of(table, key) * (WORD + WORD))
        scratch[3 + 2 * count] = name
        scratch[4 + 2 * count] = key
        values[count] = number
        count += 1
    for k in range(count):
        prefetch(table[entry_of(table, scratch[4 + 2 * k]), 1] + THIRD)
    for k in range(count):
        name = scratch[3 + 2 * k]
        column = column_of(table, name, scratch[4 + 2 * k])
        if column < 0:
            place_of_column = find(new, name)
            if place_of_column == 0:
                return False
            column = as_integer(place_of_column, place + WORD)
        columns[k] = column
    _put_in_order(columns, values, count)
    end[1] = count
    return True


@helper
def _put_in_order(columns: Any, values: Any, count: Any) -> None:
    """Sort by column, in place: nothing to do where they are, else by combing."""
    gap = count
    moved = True
    for k in range(1, count):
        if columns[k - 1] > columns[k]:
            break
    else:
        return
    while moved or gap > 1:
        gap = max(1, (gap * 10) // 13)
        moved = False
        for k in range(gap, count):
            if columns[k - gap] > columns[k]:
                columns[k - gap], columns[k] = columns[k], columns[k - gap]
                values[k - gap], values[k] = values[k], values[k - gap]
                moved = True

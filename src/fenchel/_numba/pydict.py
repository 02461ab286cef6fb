"""Dicts of named numbers read by compiled code, and columns by name as that code looks them up.

Names are plain strings, values plain numbers. Whatever is not is left to the caller.

A dict {name: column} of Python's answers too, but through four places in memory a name; the table here
through two. An entry of it is a pair of words: the upper half of the name's hash with the column below,
and the address of the name, 0 where the entry is free.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba.choice import READS_DICTS
from fenchel._numba.jit import helper, locked_kernel, settled
from fenchel.parts.state import Array

if READS_DICTS:  # elsewhere nothing here is ever compiled
    from fenchel._numba.fast.objects import (
        address_of,
        as_double,
        as_integer,
        compare,
        find,
        hash_of,
        item_at,
        kind_of,
        next_item,
        prefetch,
    )

STRING, FLOAT, NUMPY_FLOAT, INTEGER, BOOLEAN, DICT = range(6)
KINDS = np.array([id(kind) for kind in (str, float, np.float64, int, bool, dict)], np.uintp)

WORD = np.uintp(np.dtype(np.uintp).itemsize)
# The hash and the letters of a string lie behind its third word.
THIRD = np.uintp(3) * WORD
UPPER = np.uint64(0xFFFFFFFF00000000)
LOWER = np.uint64(0x00000000FFFFFFFF)
ONE = np.uint64(1)
ROOMY = 3  # entries for each name, at the least
ABSENT = -1


@helper
def entry_of(table: Any, key: Any) -> Any:
    """The slot at which the search for a name of this hash begins."""
    return key & (np.uint64(table.shape[0]) - ONE)


@helper
def column_of(table: Any, name: Any, key: Any) -> int:
    """The column of a plain string with this hash, or −1."""
    mask = np.uint64(table.shape[0]) - ONE
    at = entry_of(table, key)
    while table[at, 1] != 0:
        if (table[at, 0] ^ key) & UPPER == 0 and (
            table[at, 1] == name or compare(table[at, 1], name) == 0
        ):
            return int(table[at, 0] & LOWER)
        at = (at + ONE) & mask
    return ABSENT


@locked_kernel
def enter(new: dict[str, int], table: NDArray[np.uint64], scratch: NDArray[np.uintp]) -> None:
    """Put names that are not in the table yet into it."""
    items = address_of(new)
    mask = np.uint64(table.shape[0]) - ONE
    place = scratch.ctypes.data
    scratch[0] = 0
    while next_item(items, place, place + WORD, place + WORD + WORD):
        name, value = scratch[1], scratch[2]
        key = hash_of(name)
        at = entry_of(table, key)
        while table[at, 1] != 0:
            at = (at + ONE) & mask
        table[at, 0] = (key & UPPER) | np.uint64(as_integer(value, place + WORD))
        table[at, 1] = name


class NameTable:
    """The mirror of a dict {name: column} that only grows."""

    def __init__(self) -> None:
        self._scratch = np.zeros(3, np.uintp)
        self._mirror({})

    def follow(self, names: dict[str, int], new: dict[str, int]) -> None:
        """Catch up with the dict, which has probably got these new names since the last time."""
        same = names is self.names and len(names) == self.count + len(new)
        if same and new.keys() <= names.keys() and ROOMY * len(names) <= len(self.table):
            self._enter(new)
        else:
            self._mirror(names)

    def _mirror(self, names: dict[str, int]) -> None:
        size = 64
        while size < 2 * ROOMY * len(names):
            size *= 2
        self.table = np.zeros((size, 2), np.uint64)
        self.names = names
        self.count = 0
        self._kept: list[str] = []
        self._enter(names)

    def _enter(self, new: dict[str, int]) -> None:
        if new:
            _entering()(new, self.table, self._scratch)
        self.count += len(new)
        self._kept.extend(new)  # the table holds addresses: nothing there may be freed


@cache
def _entering() -> Any:
    return settled(enter, (dict, np.zeros((1, 2), np.uint64), np.zeros(3, np.uintp)))


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
    ``scratch`` has two places for each item and three more.
    """
    count = _read(address_of(x), address_of(more), table, kinds, scratch, columns, values, 0)
    end[1] = max(count, 0)
    return count >= 0


@locked_kernel
def read_dicts(
    several: list[dict[str, Any]],
    more: dict[str, int],
    table: NDArray[np.uint64],
    kinds: NDArray[np.uintp],
    scratch: NDArray[np.uintp],
    ends: NDArray[np.int64],
    columns: NDArray[np.uint32],
    values: Array,
) -> int:
    """The same of several dicts, one behind the other, dict k up to ends[k + 1]; how many could be read."""
    items, new = address_of(several), address_of(more)
    ends[0] = 0
    for row in range(len(ends) - 1):
        x = item_at(items, row)
        if kind_of(x) != kinds[DICT]:
            return row
        count = _read(x, new, table, kinds, scratch, columns, values, ends[row])
        if count < 0:
            return row
        ends[row + 1] = ends[row] + count
    return len(ends) - 1


@helper
def _read(
    items: Any,
    new: Any,
    table: Any,
    kinds: Any,
    scratch: Any,
    columns: Any,
    values: Any,
    start: Any,
) -> int:
    """Columns and values of a dict from a place on; how many, −1 where it cannot be read.

    Names are looked up after all items were visited, and what the table has of them was asked for, many
    at a time.
    """
    entries = table.ctypes.data
    place = scratch.ctypes.data
    scratch[0] = 0
    count = 0
    while next_item(items, place, place + WORD, place + WORD + WORD):
        name, value = scratch[1], scratch[2]
        kind = kind_of(value)
        if kind == kinds[FLOAT] or kind == kinds[NUMPY_FLOAT]:
            number = as_double(value)
        elif kind == kinds[INTEGER] or kind == kinds[BOOLEAN]:
            scratch[1] = 0
            number = float(as_integer(value, place + WORD))
            if scratch[1] != 0:  # beyond 64 bits
                return ABSENT
        else:
            return ABSENT
        if not np.isfinite(number) or kind_of(name) != kinds[STRING]:
            return ABSENT
        if number == 0.0:
            continue
        key = hash_of(name)
        prefetch(entries + entry_of(table, key) * (WORD + WORD))
        scratch[3 + 2 * count] = name
        scratch[4 + 2 * count] = key
        values[start + count] = number
        count += 1
    for k in range(count):
        prefetch(table[entry_of(table, scratch[4 + 2 * k]), 1] + THIRD)
    for k in range(count):
        name = scratch[3 + 2 * k]
        column = column_of(table, name, scratch[4 + 2 * k])
        if column < 0:
            place_of_column = find(new, name)
            if place_of_column == 0:
                return ABSENT
            column = as_integer(place_of_column, place + WORD)
        columns[start + k] = column
    _put_in_order(columns, values, start, count)
    return count


@helper
def _put_in_order(columns: Any, values: Any, start: Any, count: Any) -> None:
    """Sort some entries by column, in place: nothing to do where they are, else by combing."""
    gap = count
    moved = True
    for k in range(start + 1, start + count):
        if columns[k - 1] > columns[k]:
            break
    else:
        return
    while moved or gap > 1:
        gap = max(1, (gap * 10) // 13)
        moved = False
        for k in range(start + gap, start + count):
            if columns[k - gap] > columns[k]:
                columns[k - gap], columns[k] = columns[k], columns[k - gap]
                values[k - gap], values[k] = values[k], values[k - gap]
                moved = True

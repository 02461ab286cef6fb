"""Columns by name, as compiled code looks them up.

A dict of Python's answers too, but through four places in memory a name; this table through two. An
entry of it is a pair of words: the upper half of the name's hash with the column below, and the
address of the name, 0 where the entry is free.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba.jit import helper, locked_kernel, settled
from fenchel._numba.pyobjects import WORD, address_of, as_integer, compare, hash_of, next_item

UPPER = np.uint64(0xFFFFFFFF00000000)
LOWER = np.uint64(0x00000000FFFFFFFF)
ONE = np.uint64(1)
ROOMY = 3  # entries for each name, at the least
ABSENT = -1


@helper
def entry_of(table: Any, key: Any) -> Any:
    """Where the search for a name of this hash begins."""
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

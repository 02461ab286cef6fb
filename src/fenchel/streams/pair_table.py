"""Pairs of numbers, each with a number of its own in order of arrival; compiled.

A cross of names is numbered by the numbers of its parts: its name is only written where it is new. Where
a cross has three parts or more the number of the first two goes on as the left one of the next pair.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper
from fenchel._numba.intrinsics import fetch
from fenchel._numba.jit import inlined, leaf

NONE = -1
RIGHT_BITS = 32
RIGHT = (1 << RIGHT_BITS) - 1
# Odd, and below 2^31: a product with a number of 31 bits stays below 2^62.
LEFT_FACTOR, RIGHT_FACTOR = 0x5BD1E995, 0x2C1B3C6D


class PairTable(NamedTuple):
    """``slots`` holds keys and their numbers in turn, ``keys`` the keys by number."""

    slots: NDArray[np.int64]
    keys: NDArray[np.int64]
    used: NDArray[np.int64]


@helper
def new_pairs(count: Any) -> Any:
    """A table without pairs, with room for so many (a power of two)."""
    return PairTable(
        np.full(4 * count, NONE, np.int64), np.empty(count, np.int64), np.zeros(1, np.int64)
    )


@inlined
def key_of(left: Any, right: Any) -> Any:
    """Both numbers in one."""
    return left << RIGHT_BITS | right


@inlined
def slot_of(table: Any, key: Any) -> Any:
    """Where to begin looking for a key."""
    mixed = (key >> RIGHT_BITS) * LEFT_FACTOR ^ (key & RIGHT) * RIGHT_FACTOR
    return ((mixed ^ mixed >> 29) & (len(table.slots) // 2 - 1)) * 2


@inlined
def ask_for(table: Any, key: Any) -> Any:
    """Have the slot of a key brought near, which is looked into soon."""
    fetch(table.slots, slot_of(table, key))


@leaf
def pair_number(table: Any, key: Any) -> Any:
    """The number of a pair, which is given one where it is new; there must be room."""
    slots, last = table.slots, len(table.slots) - 1
    slot = slot_of(table, key)
    while slots[np.uint64(slot)] != key:
        if slots[np.uint64(slot)] == NONE:
            number = table.used[0]
            slots[np.uint64(slot)] = key
            slots[np.uint64(slot + 1)] = number
            table.keys[number] = key
            table.used[0] = number + 1
            return number
        slot = slot + 2 & last
    return slots[np.uint64(slot + 1)]


@helper
def more_pairs(table: Any, room: Any) -> Any:
    """The same pairs, with room for so many more."""
    used, count = table.used[0], len(table.keys)
    if used + room <= count:
        return table
    while count < used + room:
        count *= 2
    larger = new_pairs(count)
    for number in range(used):
        pair_number(larger, table.keys[number])
    return larger

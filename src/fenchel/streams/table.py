"""A compiled table of names: bytes to a number, in order of arrival.

The names lie one after the other in ``text``; ``slots`` is an open-addressed index into them. The
arrays are replaced when they are full, so every function that may add returns the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._kernel import helper, kernel

EMPTY = -1
SEED, PRIME, MASK = 2166136261, 16777619, (1 << 32) - 1


class Table(NamedTuple):
    """``used`` holds the number of names; name k is text[offsets[k]:offsets[k + 1]]."""

    slots: NDArray[np.int32]
    hashes: NDArray[np.int64]
    offsets: NDArray[np.int64]
    text: NDArray[np.uint8]
    used: NDArray[np.int64]


@helper
def new_table() -> Any:
    """A table without names."""
    return Table(
        np.full(1024, EMPTY, np.int32),
        np.empty(512, np.int64),
        np.zeros(513, np.int64),
        np.empty(8192, np.uint8),
        np.zeros(1, np.int64),
    )


@helper
def mix(state: Any, byte: Any) -> Any:
    """One byte more into a running hash (FNV-1a); start from SEED."""
    return ((state ^ np.int64(byte)) * PRIME) & MASK


@helper
def mix_all(state: Any, text: Any, start: Any, stop: Any) -> Any:
    """Some bytes more into a running hash."""
    for i in range(start, stop):
        state = mix(state, text[i])
    return state


@helper
def _slot(state: Any, size: Any) -> Any:
    return (state ^ (state >> 15)) & (size - 1)


@helper
def _same(
    table: Any,
    name: Any,
    head: Any,
    head_start: Any,
    head_stop: Any,
    tail: Any,
    start: Any,
    stop: Any,
) -> Any:
    at = table.offsets[name]
    length = head_stop - head_start
    if table.offsets[name + 1] - at != length + stop - start:
        return False
    for k in range(stop - start):
        if table.text[at + length + k] != tail[start + k]:
            return False
    for k in range(length):  # noqa: SIM110 (Numba compiles loops, not generators)
        if table.text[at + k] != head[head_start + k]:
            return False
    return True


@helper
def find(
    table: Any,
    state: Any,
    head: Any,
    head_start: Any,
    head_stop: Any,
    tail: Any,
    start: Any,
    stop: Any,
) -> Any:
    """The number of the name head + tail whose hash is ``state``, or EMPTY."""
    size = len(table.slots)
    slot = _slot(state, size)
    while table.slots[slot] != EMPTY:
        name = table.slots[slot]
        if table.hashes[name] == state and _same(
            table, name, head, head_start, head_stop, tail, start, stop
        ):
            return np.int64(name)
        slot = (slot + 1) & (size - 1)
    return np.int64(EMPTY)


@helper
def _longer(array: Any, least: Any) -> Any:
    longer = np.empty(max(2 * len(array), least), array.dtype)
    for k in range(len(array)):
        longer[k] = array[k]
    return longer


@helper
def _with_room(table: Any, length: Any) -> Any:
    """The table, with larger arrays where one more name of this length would not fit."""
    slots, hashes, offsets, text, used = table
    count = used[0]
    if count == len(hashes):
        hashes = _longer(hashes, 0)
        offsets = _longer(offsets, 0)
        slots = np.full(2 * len(slots), EMPTY, np.int32)
        for name in range(count):
            slot = _slot(hashes[name], len(slots))
            while slots[slot] != EMPTY:
                slot = (slot + 1) & (len(slots) - 1)
            slots[slot] = name
    if offsets[count] + length > len(text):
        text = _longer(text, offsets[count] + length)
    return Table(slots, hashes, offsets, text, used)


@helper
def add(
    table: Any,
    state: Any,
    head: Any,
    head_start: Any,
    head_stop: Any,
    tail: Any,
    start: Any,
    stop: Any,
) -> Any:
    """The table with one more name, head + tail, that is not in it yet."""
    length = head_stop - head_start
    table = _with_room(table, length + stop - start)
    name = table.used[0]
    at = table.offsets[name]
    for k in range(length):
        table.text[at + k] = head[head_start + k]
    for k in range(stop - start):
        table.text[at + length + k] = tail[start + k]
    table.offsets[name + 1] = at + length + stop - start
    table.hashes[name] = state
    slot = _slot(state, len(table.slots))
    while table.slots[slot] != EMPTY:
        slot = (slot + 1) & (len(table.slots) - 1)
    table.slots[slot] = name
    table.used[0] = name + 1
    return table


@kernel
def empty_table() -> Any:
    """A table without names, for Python."""
    return new_table()


@kernel
def add_all(table: Any, text: Any, offsets: Any) -> Any:
    """The table with all these names in it, and the number of each."""
    numbers = np.empty(len(offsets) - 1, np.int64)
    for k in range(len(numbers)):
        start, stop = offsets[k], offsets[k + 1]
        state = mix_all(np.int64(SEED), text, start, stop)
        name = find(table, state, text, 0, 0, text, start, stop)
        if name == EMPTY:
            name = table.used[0]
            table = add(table, state, text, 0, 0, text, start, stop)
        numbers[k] = name
    return table, numbers


@kernel
def find_one(table: Any, text: Any) -> Any:
    """The number of a name, or EMPTY."""
    state = mix_all(np.int64(SEED), text, 0, len(text))
    return find(table, state, text, 0, 0, text, 0, len(text))


@kernel
def own(table: Any, owners: Any, columns: Any, text: Any, offsets: Any, limit: Any) -> Any:
    """Give each column its first name; mark in ``owners`` the columns that another one reaches.

    ``owners`` holds the number of a column's first name, from 1, and is negative once shared. No
    more than ``limit`` names are kept.
    """
    for k in range(len(columns)):
        start, stop = offsets[k], offsets[k + 1]
        owner = np.int64(owners[columns[k]])
        if owner > 0 and not _same(table, owner - 1, text, 0, 0, text, start, stop):
            owners[columns[k]] = -owner
        elif owner == 0 and table.used[0] < limit:
            state = mix_all(np.int64(SEED), text, start, stop)
            table = add(table, state, text, 0, 0, text, start, stop)
            owners[columns[k]] = table.used[0]
    return table

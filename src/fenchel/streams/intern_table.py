"""A compiled table of names: bytes to a number, in order of arrival.

The names lie one after the other in ``text``; ``slots`` is an open-addressed index into them, with the
hash of each name beside its number, so that a name is only looked at where it is probably the one. Names
are added in place while there is room. A full table is replaced by a larger one, which is
left to the outermost loop: to hand tables back from inner functions costs more than the search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper, kernel
from fenchel._numba.intrinsics import byte_at, fetch
from fenchel._numba.jit import inlined, leaf

EMPTY = -1
SEED, PRIME, MASK = 2166136261, 16777619, (1 << 32) - 1
NAME_BITS = 31  # of a slot; the hash is above them
NAME_MASK = (1 << NAME_BITS) - 1
AHEAD = 12  # names, whose slots are asked for before they are looked into


class InternTable(NamedTuple):
    """``used`` holds the number of names; name k is text[offsets[k]:offsets[k + 1]]."""

    slots: NDArray[np.int64]
    offsets: NDArray[np.int64]
    text: NDArray[np.uint8]
    used: NDArray[np.int64]


@helper
def new_table() -> Any:
    """A table without names."""
    return InternTable(
        np.full(2048, EMPTY, np.int64),
        np.zeros(1025, np.int64),
        np.empty(16384, np.uint8),
        np.zeros(1, np.int64),
    )


@leaf
def mix(state: Any, byte: Any) -> Any:
    """One byte more into a running hash (FNV-1a); start from SEED."""
    return ((state ^ np.int64(byte)) * PRIME) & MASK


@leaf
def mix_all(state: Any, text: Any, start: Any, stop: Any) -> Any:
    """Some bytes more into a running hash."""
    for i in range(start, stop):
        state = mix(state, byte_at(text, i))
    return state


@leaf
def _slot(state: Any, size: Any) -> Any:
    return (state ^ (state >> 15)) & (size - 1)


@inlined
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
        if byte_at(table.text, at + length + k) != byte_at(tail, start + k):
            return False
    for k in range(length):  # noqa: SIM110 (Numba compiles loops, not generators)
        if byte_at(table.text, at + k) != byte_at(head, head_start + k):
            return False
    return True


@inlined
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
    entry = table.slots[slot]
    while entry != EMPTY:
        name = entry & NAME_MASK
        if entry >> NAME_BITS == state and _same(
            table, name, head, head_start, head_stop, tail, start, stop
        ):
            return name
        slot = (slot + 1) & (size - 1)
        entry = table.slots[slot]
    return np.int64(EMPTY)


@leaf
def capacity(table: Any) -> Any:
    """The number of names that a table can hold before it has to grow."""
    return len(table.offsets) - 1


@leaf
def has_room(table: Any, length: Any) -> Any:
    """Whether one more name of this length fits."""
    count = table.used[0]
    return count < capacity(table) and table.offsets[count] + length <= len(table.text)


@helper
def _longer(array: Any, size: Any) -> Any:
    longer = np.empty(size, array.dtype)
    for k in range(len(array)):
        longer[k] = array[k]
    return longer


@helper
def grown(table: Any, length: Any) -> Any:
    """The same names in arrays twice as long, with room for one more of this length."""
    return _resized(table, 2 * capacity(table), 2 * len(table.text) + length)


@helper
def with_room(table: Any, names: Any, length: Any) -> Any:
    """The same names, with room for so many more of so many bytes together."""
    count, size = capacity(table), len(table.text)
    used = table.used[0]
    while count < used + names:
        count *= 2
    while size < table.offsets[used] + length:
        size *= 2
    if count == capacity(table) and size == len(table.text):
        return table
    return _resized(table, count, size)


@helper
def _resized(table: Any, count: Any, size: Any) -> Any:
    """The same names in arrays for so many, of so many bytes."""
    slots = np.full(2 * count, EMPTY, np.int64)
    for entry in table.slots:
        if entry != EMPTY:
            _take_slot(slots, entry >> NAME_BITS, entry & NAME_MASK)
    return InternTable(
        slots, _longer(table.offsets, count + 1), _longer(table.text, size), table.used
    )


@leaf
def _take_slot(slots: Any, state: Any, name: Any) -> None:
    slot = _slot(state, len(slots))
    while slots[slot] != EMPTY:
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = state << NAME_BITS | name


@leaf
def put(
    table: Any,
    state: Any,
    head: Any,
    head_start: Any,
    head_stop: Any,
    tail: Any,
    start: Any,
    stop: Any,
) -> Any:
    """Add a name, head + tail, that is not in the table and has room there; its number."""
    length = head_stop - head_start
    name = table.used[0]
    at = table.offsets[name]
    for k in range(length):
        table.text[at + k] = head[head_start + k]
    for k in range(stop - start):
        table.text[at + length + k] = tail[start + k]
    table.offsets[name + 1] = at + length + stop - start
    _take_slot(table.slots, state, name)
    table.used[0] = name + 1
    return name


@kernel
def empty_table() -> Any:
    """A table without names, for Python."""
    return new_table()


@helper
def _hashes(text: Any, offsets: Any) -> Any:
    """The hash of each name, and zeros for ``AHEAD`` more."""
    states = np.zeros(len(offsets) - 1 + AHEAD, np.int64)
    for k in range(len(offsets) - 1):
        states[k] = mix_all(np.int64(SEED), text, offsets[k], offsets[k + 1])
    return states


@kernel
def add_all(table: Any, text: Any, offsets: Any) -> Any:
    """The table with all these names in it, and the number of each."""
    numbers = np.empty(len(offsets) - 1, np.int64)
    states = _hashes(text, offsets)
    for k in range(len(numbers)):
        start, stop, state = offsets[k], offsets[k + 1], states[k]
        fetch(table.slots, _slot(states[k + AHEAD], len(table.slots)))
        name = find(table, state, text, 0, 0, text, start, stop)
        if name == EMPTY:
            if not has_room(table, stop - start):  # at once for all that may be new
                table = with_room(table, len(numbers) - k, offsets[-1] - start)
            name = put(table, state, text, 0, 0, text, start, stop)
        numbers[k] = name
    return table, numbers


@kernel
def find_all(table: Any, text: Any, offsets: Any) -> Any:
    """The number of each name, or EMPTY."""
    numbers = np.empty(len(offsets) - 1, np.int64)
    states = _hashes(text, offsets)
    for k in range(len(numbers)):
        fetch(table.slots, _slot(states[k + AHEAD], len(table.slots)))
        numbers[k] = find(table, states[k], text, 0, 0, text, offsets[k], offsets[k + 1])
    return numbers


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
            if not has_room(table, stop - start):
                table = grown(table, stop - start)
            owners[columns[k]] = put(table, state, text, 0, 0, text, start, stop) + 1
    return table

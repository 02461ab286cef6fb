"""Crosses of features in many rows at once, compiled: what ``schema.crosses`` says of one row.

Features are numbers of a vocabulary. A cross is a list of words, each a mask over the vocabulary. The
products of a row are written behind its features; a product is a new name (its parts joined by ×), or,
where names are hashed, the column that the hashes of its parts combine to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper, kernel
from fenchel._numba.jit import leaf
from fenchel.schema.crosses import ANY, JOINT, fits
from fenchel.streams.batch import side_by_side
from fenchel.streams.intern_table import (
    EMPTY,
    SEED,
    add_all,
    empty_table,
    find,
    grown,
    has_room,
    mix_all,
    put,
)
from fenchel.streams.murmur import name_hashes
from fenchel.streams.names import HASH_MASK, HASH_PRIME, joined

EQUALS, CARET, DOT = 61, 94, 46

Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@kernel
def origins(text: Any, offsets: Any, columns: Any) -> Any:
    """The column that each name of a vocabulary comes from, −1 where none is known.

    A name is a column's, or begins with one and =, ^ or a dot.
    """
    found = np.full(len(offsets) - 1, -1, np.int64)
    for k in range(len(found)):
        start, stop = offsets[k], offsets[k + 1]
        for i in range(start, stop + 1):
            if found[k] < 0 and (i == stop or text[i] in (EQUALS, CARET, DOT)):
                state = mix_all(np.int64(SEED), text, start, i)
                found[k] = find(columns, state, text, 0, 0, text, start, i)
    return found


@leaf
def _less(text: Any, offsets: Any, a: Any, b: Any) -> Any:
    """Whether name a comes before name b, by bytes."""
    i, j = offsets[a], offsets[b]
    while i < offsets[a + 1] and j < offsets[b + 1]:
        if text[i] != text[j]:
            return text[i] < text[j]
        i += 1
        j += 1
    return offsets[a + 1] - offsets[a] < offsets[b + 1] - offsets[b]


@kernel
def _rank(text: Any, offsets: Any) -> Any:
    """The place of each name in the order of their bytes, by merging runs."""
    count = len(offsets) - 1
    order, other = np.arange(count), np.empty(count, np.int64)
    width = 1
    while width < count:
        for begin in range(0, count, 2 * width):
            i, j = begin, min(begin + width, count)
            middle, end = j, min(begin + 2 * width, count)
            for k in range(begin, end):
                if i < middle and (j >= end or not _less(text, offsets, order[j], order[i])):
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        order, other = other, order
        width *= 2
    rank = np.empty(count, np.int64)
    for k in range(count):
        rank[order[k]] = k
    return rank


@leaf
def _next(
    chosen: Any,
    level: Any,
    members: Any,
    counts: Any,
    again: Any,
    rank: Any,
    numbers: Any,
    values: Any,
) -> Any:
    """Move the choice of one word on to the next feature that may stand there; False at the end."""
    chosen[level] += 1
    while chosen[level] < counts[level]:
        if not again[level]:
            return True
        a, b = members[level - 1, chosen[level - 1]], members[level, chosen[level]]
        if a == b:
            if values[a] != 1.0:
                return True
        elif rank[numbers[a]] < rank[numbers[b]]:
            return True
        chosen[level] += 1
    return False


@leaf
def _combined(hashes: Any, members: Any, chosen: Any, numbers: Any, words: Any) -> Any:
    """The hash of a product: h ← (h·prime) xor the next part's."""
    state = hashes[numbers[members[0, chosen[0]]]]
    for place in range(1, words):
        state = ((state * HASH_PRIME) & HASH_MASK) ^ hashes[numbers[members[place, chosen[place]]]]
    return state


@leaf
def _row_products(
    members: Any,
    counts: Any,
    chosen: Any,
    again: Any,
    rank: Any,
    numbers: Any,
    values: Any,
    hashes: Any,
    parts: Any,
    found: Any,
    k: Any,
) -> Any:
    """The products of one row, from the k-th on, where there is room for all; how many there are then."""
    words, hashed = len(counts), len(hashes) > 0
    level = 0
    chosen[0] = -1
    while level >= 0:
        if not _next(chosen, level, members, counts, again, rank, numbers, values):
            level -= 1
            continue
        if level < words - 1:
            level += 1
            chosen[level] = -1
            continue
        value = 1.0
        for place in range(words):
            at = members[place, chosen[place]]
            value *= values[at]
            if not hashed:
                parts[k, place] = numbers[at]
        if hashed:
            parts[k, 0] = _combined(hashes, members, chosen, numbers, words)
        found[k] = value
        k += 1
    return k


@kernel
def products(
    indptr: Any, numbers: Any, values: Any, masks: Any, again: Any, rank: Any, hashes: Any
) -> Any:
    """Row pointers, parts (one row of numbers each) and values of the products of one cross.

    Where names are hashed, ``hashes`` has that of each name, and the one part is the combined hash.
    """
    words, rows = masks.shape[0], len(indptr) - 1
    longest = 0
    for row in range(rows):
        longest = max(longest, indptr[row + 1] - indptr[row])
    members = np.empty((words, longest), np.int64)
    counts, chosen = np.zeros(words, np.int64), np.zeros(words, np.int64)
    ends = np.zeros(rows + 1, np.int64)
    parts, found = np.empty((1024, 1 if len(hashes) > 0 else words), np.int64), np.empty(1024)
    k = 0
    for row in range(rows):
        most = 1
        for level in range(words):
            counts[level] = 0
            for at in range(indptr[row], indptr[row + 1]):
                if masks[level, numbers[at]]:
                    members[level, counts[level]] = at
                    counts[level] += 1
            most *= counts[level]
        if k + most > len(found):
            parts, found = _longer(parts, found, k + most)
        room = members, counts, chosen, again, rank, numbers, values, hashes
        k = _row_products(*room, parts, found, k)
        ends[row + 1] = k
    return ends, parts[:k], found[:k]


@helper
def _longer(parts: Any, values: Any, needed: Any) -> Any:
    more = np.empty((2 * needed, parts.shape[1]), np.int64)
    more[: len(parts)] = parts
    longer = np.empty(2 * needed)
    longer[: len(values)] = values
    return more, longer


@kernel
def name_products(text: Any, offsets: Any, parts: Any, joint: Any, names: Any) -> Any:
    """The number of each product's name in a table, parts joined; the table."""
    out = np.empty(len(parts), np.int64)
    scratch = np.empty(64, np.uint8)
    for k in range(len(parts)):
        size = 0
        for place in range(parts.shape[1]):
            start, stop = offsets[parts[k, place]], offsets[parts[k, place] + 1]
            needed = size + stop - start + len(joint)
            if needed > len(scratch):
                longer = np.empty(2 * needed, np.uint8)
                longer[:size] = scratch[:size]
                scratch = longer
            if place > 0:
                for byte in joint:
                    scratch[size] = byte
                    size += 1
            for i in range(start, stop):
                scratch[size] = text[i]
                size += 1
        state = mix_all(np.int64(SEED), scratch, 0, size)
        name = find(names, state, scratch, 0, 0, scratch, 0, size)
        if name == EMPTY:
            if not has_room(names, size):
                names = grown(names, size)
            name = put(names, state, scratch, 0, 0, scratch, 0, size)
        out[k] = name
    return out, names


def masks_of(
    cross: Sequence[str], columns: Sequence[str], kinds: Sequence[str], origin: Longs
) -> NDArray[np.bool_]:
    """For each word of a cross, which names of the vocabulary it speaks of."""
    masks = np.zeros((len(cross), len(origin)), np.bool_)
    for place, word in enumerate(cross):
        if word == ANY:
            masks[place] = True
            continue
        chosen = np.array(
            [fits(*column, word) for column in zip(columns, kinds, strict=True)] + [False]
        )
        masks[place] = chosen[origin]  # −1 is the last: no column
    return masks


def repeated(cross: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each word is the one before it once more."""
    return np.array([place > 0 and cross[place - 1] == word for place, word in enumerate(cross)])


JOINT_BYTES = np.frombuffer(JOINT.encode(), np.uint8)


class Crosses:
    """The crosses of a schema, over the vocabulary of one chunk after the other."""

    def __init__(self, crosses: Sequence[Sequence[str]], bits: int | None) -> None:
        self.crosses, self.bits = crosses, bits

    def added(
        self,
        rows: tuple[Longs, Longs, NDArray[np.float64]],
        names: Any,
        columns: Sequence[str],
        kinds: Sequence[str],
    ) -> tuple[tuple[Longs, Longs, NDArray[np.float64]], Any]:
        """The products of all crosses as rows of their own, and the table with their names.

        ``rows`` are row pointers, numbers of names and values; ``names`` is their table. Where names
        are hashed the numbers of products are their columns.
        """
        count = int(names.used[0])
        text, offsets = names.text[: names.offsets[count]], names.offsets[: count + 1]
        table = add_all(empty_table(), *joined(columns))[0]
        origin = origins(text, offsets, table)
        rank = _rank(text, offsets) if any(repeated(c).any() for c in self.crosses) else NO_RANK
        hashes = NO_RANK if self.bits is None else name_hashes(text, offsets)
        found = np.zeros(len(rows[0]), np.int64), NO_RANK, np.empty(0)
        for cross in self.crosses:
            masks = masks_of(cross, columns, kinds, origin)
            ends, parts, values = products(*rows, masks, repeated(cross), rank, hashes)
            if self.bits is None:
                numbers, names = name_products(
                    text.copy(), offsets, parts, JOINT_BYTES.copy(), names
                )
            else:
                numbers = parts[:, 0] & ((1 << self.bits) - 1)
            found = side_by_side(*found, ends, numbers, values)
        return found, names


NO_RANK: Longs = np.empty(0, np.int64)

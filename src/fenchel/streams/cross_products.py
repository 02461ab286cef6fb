"""Crosses of features in many rows at once, compiled: what ``schema.crosses`` says of one row.

Features are numbers of a vocabulary. A cross is a list of words, each a mask over the vocabulary. The
products of a row are written behind its features; a product is a new name (its parts joined by ×), which
is written once however often it occurs, or, where names are hashed, the column that the hashes of its parts
combine to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import kernel
from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import leaf
from fenchel.schema.crosses import ANY, JOINT, fits
from fenchel.streams.batch import side_by_side
from fenchel.streams.intern_table import SEED, add_all, empty_table, find, mix_all
from fenchel.streams.murmur import name_hashes
from fenchel.streams.names import joined
from fenchel.streams.pair_table import RIGHT, RIGHT_BITS
from fenchel.streams.product_rows import products_of

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


@kernel
def names_of_pairs(text: Any, offsets: Any, pairs: Any, words: Any, joint: Any) -> Any:
    """The names of products of so many words, one after the other, and which of them each pair is.

    The left of a pair may be a pair itself, which has come before: its number is then behind those of
    the vocabulary.
    """
    vocabulary = len(offsets) - 1
    depths, sizes = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
    places = np.empty(len(pairs), np.int64)
    count = total = 0
    for k in range(len(pairs)):
        left, right = pairs[k] >> RIGHT_BITS, pairs[k] & RIGHT
        earlier = left - vocabulary
        depths[k] = 2 if earlier < 0 else depths[earlier] + 1
        size = offsets[left + 1] - offsets[left] if earlier < 0 else sizes[earlier]
        sizes[k] = size + len(joint) + offsets[right + 1] - offsets[right]
        places[k] = count
        count += depths[k] == words
        total += sizes[k] if depths[k] == words else 0
    names, ends = np.empty(total, np.uint8), np.zeros(count + 1, np.int64)
    for k in range(len(pairs)):
        if depths[k] == words:
            end = ends[places[k]] + sizes[k]
            ends[places[k] + 1] = end
            _write(names, end, text, offsets, pairs, k, joint)
    return names, ends, places


@leaf
def _write(
    names: Any, end: Any, text: Any, offsets: Any, pairs: Any, pair: Any, joint: Any
) -> None:
    """Write the name of a pair before ``end``, from its last part to its first."""
    vocabulary = len(offsets) - 1
    number = vocabulary + pair
    while True:
        key = pairs[number - vocabulary] if number >= vocabulary else number
        part = key & RIGHT
        end -= offsets[part + 1] - offsets[part]
        for i in range(offsets[part + 1] - offsets[part]):
            names[np.uint64(end + i)] = byte_at(text, offsets[part] + i)
        if number < vocabulary:
            return
        end -= len(joint)
        for i in range(len(joint)):
            names[np.uint64(end + i)] = joint[i]
        number = key >> RIGHT_BITS


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
        # Copies, since names of products are put behind these.
        offsets = names.offsets[: count + 1].copy()
        text = names.text[: offsets[-1]].copy()
        table = add_all(empty_table(), *joined(columns))[0]
        origin = origins(text, offsets, table)
        rank = _rank(text, offsets) if any(repeated(c).any() for c in self.crosses) else NO_RANK
        hashes = NO_RANK if self.bits is None else name_hashes(text, offsets)
        found: Any = None
        for cross in self.crosses:
            masks = masks_of(cross, columns, kinds, origin)
            given = *rows, masks, repeated(cross), rank, hashes
            ends, numbers, values, pairs = products_of(*given)
            if self.bits is None:
                new = names_of_pairs(text, offsets, pairs, len(cross), JOINT_BYTES.copy())
                names, added = add_all(names, *new[:2])
                numbers = added[new[2]][numbers]
            else:
                numbers &= (1 << self.bits) - 1
            more: Any = ends, numbers, values
            found = more if found is None else side_by_side(*found, *more)
        return found, names


NO_RANK: Longs = np.empty(0, np.int64)

"""The words met in the texts of a chunk, each with a number; compiled.

Words lie in numbers of eight bytes, zeros behind the last letter: most are looked up by one comparison.
Texts in which a word is sought must have room for eight bytes behind it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper
from fenchel._numba.jit import inlined, leaf
from fenchel.streams.eight_bytes import up_to_eight
from fenchel.streams.intern_table import EMPTY, NAME_BITS, NAME_MASK

HALF = (1 << 32) - 1
# Odd, and below 2^31: a product with half a number stays below 2^63.
FIRST_FACTOR, SECOND_FACTOR = 0x5BD1E995, 0x2C1B3C6D


class WordTable(NamedTuple):
    """Word k is words[ends[k]:ends[k + 1]]; a slot is a hash and the number of a word, or EMPTY."""

    slots: NDArray[np.int64]
    ends: NDArray[np.int64]
    words: NDArray[np.int64]
    used: NDArray[np.int64]


@helper
def new_words(count: Any) -> Any:
    """A table without words, with room for so many (a power of two)."""
    return WordTable(
        np.full(2 * count, EMPTY, np.int64),
        np.zeros(count + 1, np.int64),
        np.empty(2 * count, np.int64),
        np.zeros(1, np.int64),
    )


@inlined
def hash_of(text: Any, start: Any, stop: Any) -> Any:
    """A hash of 32 bits of text[start:stop]."""
    state, i = np.int64(0), start
    while i < stop:
        part = up_to_eight(text, i, stop)
        both = ((part & HALF) ^ state) * FIRST_FACTOR ^ (part >> 32 & HALF) * SECOND_FACTOR
        state = (both ^ both >> 29) & HALF
        i += 8
    return state


@inlined
def _same(table: Any, word: Any, text: Any, start: Any, stop: Any) -> Any:
    at = table.ends[word]
    if table.ends[word + 1] - at != (stop - start + 7) >> 3:
        return False
    while start < stop:
        if table.words[at] != up_to_eight(text, start, stop):
            return False
        at += 1
        start += 8
    return True


@inlined
def word_number(table: Any, state: Any, text: Any, start: Any, stop: Any) -> Any:
    """The number of the word text[start:stop] whose hash is ``state``, or EMPTY."""
    last = len(table.slots) - 1
    slot = state & last
    entry = table.slots[slot]
    while entry != EMPTY:
        word = entry & NAME_MASK
        if entry >> NAME_BITS == state and _same(table, word, text, start, stop):
            return word
        slot = (slot + 1) & last
        entry = table.slots[slot]
    return np.int64(EMPTY)


@leaf
def fit_in(table: Any, words: Any, room: Any) -> Any:
    """Whether so many more words do, which take so many eights of bytes in all."""
    count = table.used[0]
    return count + words < len(table.ends) and table.ends[count] + room <= len(table.words)


@leaf
def _take_slot(slots: Any, state: Any, word: Any) -> None:
    last = len(slots) - 1
    slot = state & last
    while slots[slot] != EMPTY:
        slot = (slot + 1) & last
    slots[slot] = state << NAME_BITS | word


@leaf
def put_word(table: Any, state: Any, text: Any, start: Any, stop: Any) -> Any:
    """Add a word that is not in the table and fits in; its number."""
    word = table.used[0]
    at = table.ends[word]
    while start < stop:
        table.words[at] = up_to_eight(text, start, stop)
        at += 1
        start += 8
    table.ends[word + 1] = at
    _take_slot(table.slots, state, word)
    table.used[0] = word + 1
    return word


@helper
def more_words(table: Any, words: Any, room: Any) -> Any:
    """The same words in a table into which so many more fit, which take so much room."""
    count, size = len(table.ends) - 1, len(table.words)
    if fit_in(table, words, room):
        return table
    used = table.used[0]
    while count < used + words:
        count *= 4
    larger = WordTable(
        np.full(2 * count, EMPTY, np.int64),
        np.empty(count + 1, np.int64),
        np.empty(max(2 * count, 2 * size, 2 * (table.ends[used] + room)), np.int64),
        table.used,
    )
    larger.ends[: used + 1] = table.ends[: used + 1]
    larger.words[:size] = table.words
    for entry in table.slots:
        if entry != EMPTY:
            _take_slot(larger.slots, entry >> NAME_BITS, entry & NAME_MASK)
    return larger

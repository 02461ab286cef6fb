"""murmur3 in 32 bits, and Vowpal Wabbit's hash of a name.

A name ``namespace^feature`` hashes its feature with the namespace's hash as the seed; a name
without a namespace has seed 0. Words of digits are not hashed: their number is added to the seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import kernel
from fenchel._numba.jit import leaf

MASK = (1 << 32) - 1
FIRST, SECOND = 0xCC9E2D51, 0x1B873593
CARET = 94


@leaf
def _times(a: Any, b: Any) -> Any:
    """The low 32 bits of a·b; in two halves, so that no product leaves 63 bits."""
    return ((a & 0xFFFF) * b + ((((a >> 16) * b) & 0xFFFF) << 16)) & MASK


@leaf
def _turn(word: Any, by: Any) -> Any:
    return ((word << by) | (word >> (32 - by))) & MASK


@leaf
def _mixed(word: Any) -> Any:
    return _times(_turn(_times(word, FIRST), 15), SECOND)


@leaf
def murmur3(text: Any, start: Any, stop: Any, seed: Any) -> Any:
    """murmur3_32 of text[start:stop]."""
    state = seed & MASK
    whole = start + (stop - start) // 4 * 4
    for i in range(start, whole, 4):
        word = np.int64(0)
        for k in range(4):
            word |= np.int64(text[i + k]) << (8 * k)
        state = (_times(_turn(state ^ _mixed(word), 13), 5) + 0xE6546B64) & MASK
    if whole < stop:
        word = np.int64(0)
        for k in range(stop - whole):
            word |= np.int64(text[whole + k]) << (8 * k)
        state ^= _mixed(word)
    state ^= stop - start
    state = _times(state ^ (state >> 16), 0x85EBCA6B)
    state = _times(state ^ (state >> 13), 0xC2B2AE35)
    return state ^ (state >> 16)


@leaf
def _word_hash(text: Any, start: Any, stop: Any, seed: Any) -> Any:
    whole = np.int64(0)
    for i in range(start, stop):
        if not 48 <= text[i] <= 57:
            return murmur3(text, start, stop, seed)
        whole = (whole * 10 + (np.int64(text[i]) - 48)) & MASK
    return (whole + seed) & MASK


@leaf
def name_hash(text: Any, start: Any, stop: Any) -> Any:
    """Vowpal Wabbit's 32-bit hash of the name text[start:stop]."""
    for i in range(start, stop):
        if text[i] == CARET:
            return _word_hash(text, i + 1, stop, _word_hash(text, start, i, np.int64(0)))
    return _word_hash(text, start, stop, np.int64(0))


@kernel
def name_hashes(text: Any, offsets: Any) -> Any:
    """The hash of each name of a table."""
    hashes = np.empty(len(offsets) - 1, np.int64)
    for k in range(len(hashes)):
        hashes[k] = name_hash(text, offsets[k], offsets[k + 1])
    return hashes

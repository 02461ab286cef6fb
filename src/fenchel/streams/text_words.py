"""The words of one text, compiled: where each begins and ends in a copy in lower case.

Texts of ASCII alone go by a table of bytes; any other is taken apart into characters.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import inlined, leaf
from fenchel.schema.tokens import WORD, character_table

MASK = 0x7FFFFFFF
SPACE = 32
WORD_BIT = int(WORD)
ASCII = 128


@cache
def byte_table(lower: bool) -> NDArray[np.uint8]:
    """For each byte the letter that a word has there, 0 where there is none; beyond ASCII it is 255."""
    entries = character_table()[:ASCII]
    letters = entries & MASK if lower else np.arange(ASCII)
    table = np.full(256, 255, np.uint8)
    table[:ASCII] = np.where(entries & WORD != 0, letters, 0)
    return table


@leaf
def _decoded(text: Any, i: Any) -> Any:
    """The character at ``i`` of valid UTF-8, and the position after it."""
    first = np.int64(text[i])
    if first < 0x80:
        return first, i + 1
    if first < 0xE0:
        return (first & 0x1F) << 6 | (np.int64(text[i + 1]) & 0x3F), i + 2
    if first < 0xF0:
        high = (first & 0x0F) << 12 | (np.int64(text[i + 1]) & 0x3F) << 6
        return high | (np.int64(text[i + 2]) & 0x3F), i + 3
    high = (first & 0x07) << 18 | (np.int64(text[i + 1]) & 0x3F) << 12
    return high | (np.int64(text[i + 2]) & 0x3F) << 6 | (np.int64(text[i + 3]) & 0x3F), i + 4


@leaf
def _encoded(code: Any, out: Any, k: Any) -> Any:
    """Write a character as UTF-8 at ``k``; the position after it."""
    if code < 0x80:
        out[k] = code
        return k + 1
    if code < 0x800:
        out[k] = 0xC0 | code >> 6
        out[k + 1] = 0x80 | (code & 0x3F)
        return k + 2
    if code < 0x10000:
        out[k] = 0xE0 | code >> 12
        out[k + 1] = 0x80 | (code >> 6 & 0x3F)
        out[k + 2] = 0x80 | (code & 0x3F)
        return k + 3
    out[k] = 0xF0 | code >> 18
    out[k + 1] = 0x80 | (code >> 12 & 0x3F)
    out[k + 2] = 0x80 | (code >> 6 & 0x3F)
    out[k + 3] = 0x80 | (code & 0x3F)
    return k + 4


@leaf
def _any_words(
    text: Any, start: Any, stop: Any, table: Any, runs: Any, out: Any, begins: Any, ends: Any
) -> Any:
    """The words of text[start:stop], in lower case and spaces between, into ``out``; how many."""
    i, k, count, letters = start, 0, 0, 0
    begin = 0
    while True:
        last = i >= stop
        if not last:
            code = np.int64(byte_at(text, i))
            i += 1
            if code >= ASCII:
                code, i = _decoded(text, i - 1)
            entry = np.int64(table[np.uint64(code)])
            if entry & WORD_BIT != 0:
                k = _encoded(entry & MASK if runs.lower else code, out, k)
                letters += 1
                continue
        if letters >= runs.shortest and letters > 0:
            begins[count] = begin
            ends[count] = k
            count += 1
            out[k] = SPACE
            k += 1
            begin = k
        else:
            k = begin
        letters = 0
        if last:
            return count


@inlined
def _edges(text: Any, start: Any, stop: Any, bytes_of: Any, out: Any, edges: Any) -> Any:
    """Letters into ``out``, where words begin and end into ``edges``: how many, or −1 beyond ASCII.

    Nothing here depends on what a letter is but sums: words are short, and a branch at each end of
    one would be guessed wrongly.
    """
    count, inside, seen = 0, False, np.int64(0)
    for k in range(stop - start):
        byte = np.int64(byte_at(text, start + k))
        seen |= byte
        letter = byte_at(bytes_of, byte)
        out[np.uint64(k)] = letter
        edges[np.uint64(count)] = k
        count += (letter != 0) != inside
        inside = letter != 0
    edges[np.uint64(count)] = stop - start
    count += inside
    return -1 if seen >= ASCII else count


@leaf
def _side_by_side(out: Any, begins: Any, ends: Any, count: Any) -> None:
    """Move words together in place, a space between, as runs of several are written."""
    k = 0
    for word in range(count):
        begin = k
        for i in range(begins[word], ends[word]):
            out[k] = out[i]
            k += 1
        begins[word] = begin
        ends[word] = k
        out[k] = SPACE
        k += 1


@leaf
def words_of_text(
    text: Any,
    start: Any,
    stop: Any,
    tables: Any,
    runs: Any,
    out: Any,
    edges: Any,
    begins: Any,
    ends: Any,
) -> Any:
    """Put the words of text[start:stop] into ``out``; how many there are, from begins[k] to ends[k]."""
    characters, bytes_of = tables
    found = _edges(text, start, stop, bytes_of, out, edges)
    if found < 0:
        return _any_words(text, start, stop, characters, runs, out, begins, ends)
    count = 0
    for k in range(0, found, 2):
        begins[count] = edges[k]
        ends[count] = edges[k + 1]
        count += edges[k + 1] - edges[k] >= runs.shortest
    if runs.most_words > 1:
        _side_by_side(out, begins, ends, count)
    return count

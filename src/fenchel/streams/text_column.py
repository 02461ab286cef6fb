"""A column of texts to features, compiled: words, runs of words and of letters.

What ``fenchel.schema.kinds.Text`` says of one text, for many at once. The words of a text are written in
lower case one after the other, a space between, so that a run of words is a slice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper, kernel
from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import leaf
from fenchel.schema.tokens import WORD, character_table
from fenchel.streams.intern_table import (
    EMPTY,
    SEED,
    InternTable,
    capacity,
    find,
    grown,
    has_room,
    mix_all,
    put,
)

MASK = 0x7FFFFFFF
SPACE = 32
OPEN, CLOSE = (np.frombuffer(edge.encode(), np.uint8) for edge in "‹›")
WORD_BIT = int(WORD)


class Runs(NamedTuple):
    """The runs of a text that are features: see ``schema.kinds.Text``."""

    least_words: int
    most_words: int
    least_letters: int
    most_letters: int
    lower: bool
    counts: bool
    shortest: int


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
def _words(
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
            if code >= 0x80:
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


@leaf
def _edged(out: Any, begin: Any, end: Any, edged: Any, letters: Any) -> Any:
    """A word with its edges into ``edged``, where each letter begins into ``letters``; how many."""
    k, count = 0, 0
    for byte in OPEN:
        edged[k] = byte
        k += 1
    letters[0] = 0
    count = 1
    for i in range(begin, end):
        if out[i] & 0xC0 != 0x80:  # not the middle of a character
            letters[count] = k
            count += 1
        edged[k] = out[i]
        k += 1
    letters[count] = k
    count += 1
    for byte in CLOSE:
        edged[k] = byte
        k += 1
    letters[count] = k
    return count


@leaf
def _counted(
    begins: Any,
    ends: Any,
    done: Any,
    count: Any,
    text: Any,
    head: Any,
    names: Any,
    counts: Any,
    first: Any,
    k: Any,
    where: Any,
    numbers: Any,
    values: Any,
) -> Any:
    """Count the names head + text[begins[i]:ends[i]] from ``done`` on, in a row that began at ``first``.

    How many are done then, fewer than ``count`` where the table is full, and the entries.
    """
    head_state = mix_all(np.int64(SEED), head, 0, len(head))
    for i in range(done, count):
        start, stop = begins[i], ends[i]
        state = mix_all(head_state, text, start, stop)
        name = find(names, state, head, 0, len(head), text, start, stop)
        if name == EMPTY:
            if not has_room(names, len(head) + stop - start):
                return i, k
            name = put(names, state, head, 0, len(head), text, start, stop)
        at = where[name]
        if at < first:
            where[name] = k
            numbers[k] = name
            values[k] = 1.0
            k += 1
        elif counts:
            values[at] += 1.0
    return count, k


@helper
def _longer(array: Any, size: int) -> Any:
    """The array with room for so many."""
    if size <= len(array):
        return array
    longer = np.full(size, -1, array.dtype)
    longer[: len(array)] = array
    return longer


@kernel
def text_features(
    text: Any, starts: Any, stops: Any, present: Any, head: Any, names: Any, runs: Any, table: Any
) -> Any:
    """Row pointers, names and values of each text, and the table of names ``head`` + run."""
    rows = len(starts)
    longest = 0
    for row in range(rows):
        longest = max(longest, stops[row] - starts[row])
    out, edged = np.empty(2 * longest + 8, np.uint8), np.empty(2 * longest + 16, np.uint8)
    begins, ends = np.empty(longest + 2, np.int64), np.empty(longest + 2, np.int64)
    letters = np.empty(longest + 8, np.int64)
    indptr = np.zeros(rows + 1, np.int64)
    numbers, values = np.empty(1024, np.int64), np.empty(1024)
    where = np.full(capacity(names), -1, np.int64)
    k = 0
    for row in range(rows):
        first = k
        count = 0
        if present[row]:
            count = _words(text, starts[row], stops[row], table, runs, out, begins, ends)
        size = stops[row] - starts[row] + 4 * count
        most = count * (runs.most_words + 1) + size * (runs.most_letters + 1)
        if k + most > len(numbers):
            numbers, values = _longer(numbers, 2 * (k + most)), _longer(values, 2 * (k + most))
        for n in range(max(runs.least_words, 1), runs.most_words + 1):
            done, wanted = 0, count - n + 1
            while done < wanted:
                to = runs.counts, first, k, where, numbers, values
                done, k = _counted(begins, ends[n - 1 :], done, wanted, out, head, names, *to)
                if done < wanted:
                    names = grown(names, len(head) + ends[done + n - 1] - begins[done])
                    where = _longer(where, capacity(names))
        for n in range(max(runs.least_letters, 1), runs.most_letters + 1):
            for w in range(count):
                done, wanted = 0, _edged(out, begins[w], ends[w], edged, letters) - n + 1
                while done < wanted:
                    to = runs.counts, first, k, where, numbers, values
                    done, k = _counted(letters, letters[n:], done, wanted, edged, head, names, *to)
                    if done < wanted:
                        names = grown(names, len(head) + letters[done + n] - letters[done])
                        where = _longer(where, capacity(names))
        indptr[row + 1] = k
    return indptr, numbers[:k], values[:k], names


def runs_of(kind: Any) -> Runs:
    """The runs that a ``Text`` asks for."""
    (least_words, most_words), (least_letters, most_letters) = kind.words, kind.letters
    lengths = least_words, most_words, least_letters, most_letters
    return Runs(*lengths, kind.lower, kind.counts, kind.shortest)


def features_of_texts(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    present: NDArray[np.bool_],
    name: str,
    kind: Any,
    names: InternTable,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], InternTable]:
    """Row pointers, numbers of names and values of a column of texts, each a slice of ``text``."""
    head = np.frombuffer(f"{name}=".encode(), np.uint8)
    cuts = np.ascontiguousarray(starts), np.ascontiguousarray(stops), np.ascontiguousarray(present)
    given = text, *cuts, head.copy(), names, runs_of(kind), character_table()
    indptr, numbers, values, names = text_features(*given)
    return indptr, numbers, values, names

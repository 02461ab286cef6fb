"""A column of texts to features, compiled: words, runs of words and of letters.

What ``fenchel.schema.kinds.Text`` says of one text, for many at once. The words of a text are written in
lower case one after the other, a space between, so that a run of words is a slice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper, kernel
from fenchel._numba.jit import leaf
from fenchel.schema.tokens import character_table
from fenchel.streams.intern_table import EMPTY, SEED, InternTable, find, mix_all, put, with_room
from fenchel.streams.text_words import byte_table, words_of_text
from fenchel.streams.word_table import fit_in, hash_of, more_words, new_words, put_word, word_number

OPEN, CLOSE = (np.frombuffer(edge.encode(), np.uint8) for edge in "‹›")


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
    apart: Any,
    count: Any,
    text: Any,
    words: Any,
    counts: Any,
    first: Any,
    k: Any,
    where: Any,
    numbers: Any,
    values: Any,
) -> Any:
    """Count the runs text[begins[i]:ends[i + apart]] in a row that began at ``first``; the entries then."""
    for i in range(count):
        start, stop = begins[i], ends[i + apart]
        state = hash_of(text, start, stop)
        word = word_number(words, state, text, start, stop)
        if word == EMPTY:
            word = put_word(words, state, text, start, stop)
            where[word] = -1
        at = where[word]
        if at < first:
            where[word] = k
            numbers[k] = word
            values[k] = 1.0
            k += 1
        elif counts:
            values[at] += 1.0
    return k


@leaf
def _needs(size: Any, count: Any, runs: Any) -> Any:
    """How many runs a text of so many bytes and words has at most, and the room that they take in all.

    A run of n words is as long as n words and the spaces between, one of n letters as n letters of four
    bytes; room is counted in eights of bytes.
    """
    letters = size + 6 * count if runs.most_letters > 0 else 0
    entries = count * runs.most_words + letters * runs.most_letters
    size_of_runs = runs.most_words**2 * (size + count) + 4 * runs.most_letters**2 * letters
    return entries, entries + size_of_runs // 8 + 1


@leaf
def _rows_into(
    text: Any,
    starts: Any,
    stops: Any,
    present: Any,
    tables: Any,
    runs: Any,
    space: Any,
    row: Any,
    indptr: Any,
    words: Any,
    where: Any,
    numbers: Any,
    values: Any,
) -> Any:
    """Write rows from ``row`` on; the first for which there is no room, and what it needs."""
    out, edges, begins, ends, edged, letters = space
    k = indptr[row]
    while row < len(starts):
        first = k
        count = 0
        if present[row]:
            given = text, starts[row], stops[row], tables, runs
            count = words_of_text(*given, out, edges, begins, ends)
        entries, room = _needs(stops[row] - starts[row], count, runs)
        if k + entries > len(numbers) or not fit_in(words, entries, room):
            return row, entries, room
        to = words, runs.counts, first
        for n in range(max(runs.least_words, 1), runs.most_words + 1):
            wanted = count - n + 1
            k = _counted(begins, ends, n - 1, wanted, out, *to, k, where, numbers, values)
        for n in range(max(runs.least_letters, 1), runs.most_letters + 1):
            for w in range(count):
                wanted = _edged(out, begins[w], ends[w], edged, letters) - n + 1
                k = _counted(letters, letters, n, wanted, edged, *to, k, where, numbers, values)
        row += 1
        indptr[row] = k
    return row, 0, 0


@helper
def _longer(array: Any, size: int) -> Any:
    """The array with room for so many."""
    if size <= len(array):
        return array
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer


@helper
def _named(words: Any, head: Any, names: Any) -> Any:
    """The table of names with ``head`` + word for each word, and the number of each there."""
    count = words.used[0]
    text = words.words.view(np.uint8)
    numbers = np.empty(count, np.int64)
    names = with_room(names, count, count * len(head) + 8 * words.ends[count])
    head_state = mix_all(np.int64(SEED), head, 0, len(head))
    for word in range(count):
        start, stop = 8 * words.ends[word], 8 * words.ends[word + 1]
        while text[stop - 1] == 0:  # no letter is
            stop -= 1
        state = mix_all(head_state, text, start, stop)
        name = find(names, state, head, 0, len(head), text, start, stop)
        if name == EMPTY:
            name = put(names, state, head, 0, len(head), text, start, stop)
        numbers[word] = name
    return names, numbers


@kernel
def text_features(
    text: Any, starts: Any, stops: Any, present: Any, head: Any, names: Any, runs: Any, tables: Any
) -> Any:
    """Row pointers, names and values of each text, and the table of names ``head`` + run."""
    rows = len(starts)
    longest = total = 0
    for row in range(rows):
        longest = max(longest, stops[row] - starts[row])
        total += stops[row] - starts[row]
    # Lower case may take a byte more; words are read eight bytes at a time.
    out, edged = np.empty(2 * longest + 16, np.uint8), np.empty(2 * longest + 24, np.uint8)
    begins, ends = np.empty(longest + 2, np.int64), np.empty(longest + 2, np.int64)
    edges, letters = np.empty(longest + 2, np.int64), np.empty(longest + 8, np.int64)
    space = out, edges, begins, ends, edged, letters
    indptr = np.zeros(rows + 1, np.int64)
    numbers, values = np.empty(total // 8 + 64, np.int64), np.empty(total // 8 + 64)
    words = new_words(4096 if total > 1 << 14 else 256)
    where = np.empty(len(words.ends), np.int64)
    given = text, starts, stops, present, tables, runs, space
    row = 0
    while row < rows:
        to = indptr, words, where, numbers, values
        row, entries, room = _rows_into(*given, row, *to)
        if row < rows:
            if indptr[row] + entries > len(numbers):
                size = 2 * (indptr[row] + entries)
                numbers, values = _longer(numbers, size), _longer(values, size)
            words = more_words(words, entries, room)
            where = _longer(where, len(words.ends))
    k = indptr[rows]
    names, places = _named(words, head, names)
    for at in range(k):
        numbers[at] = places[numbers[at]]
    return indptr, numbers[:k], values[:k], names


def runs_of(kind: Any) -> Runs:
    """The runs that a ``Text`` asks for."""
    (least_words, most_words), (least_letters, most_letters) = kind.words, kind.letters
    lengths = least_words, most_words, least_letters, most_letters
    return Runs(*lengths, kind.lower, kind.counts, max(kind.shortest, 1))


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
    tables = character_table(), byte_table(kind.lower)
    given = text, *cuts, head.copy(), names, runs_of(kind), tables
    indptr, numbers, values, names = text_features(*given)
    return indptr, numbers, values, names

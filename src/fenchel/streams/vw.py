"""Vowpal Wabbit text, compiled: ``label importance base 'tag|namespace:scale name:value …``."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import leaf
from fenchel.streams.batch import KEPT_MISTAKES, UNKNOWN, Parsed
from fenchel.streams.decimal import NOT_FINITE, OK, number
from fenchel.streams.errors import Mistake
from fenchel.streams.intern_table import (
    EMPTY,
    SEED,
    find,
    grown,
    has_room,
    mix,
    mix_all,
    new_table,
    put,
)
from fenchel.streams.lines import (
    BAR,
    COLON,
    NEWLINE,
    RETURN,
    SPACE,
    TAB,
    TICK,
    count,
    next_line,
    skip_blanks,
)
from fenchel.streams.utf8 import valid

LONGEST_NAME = 65535
CARET = 94
TABLE_FULL = -1  # the line is read again, with a larger table
NUMBERS, WORDS = 1, 2  # kinds of labels, besides UNKNOWN
MOST_DIGITS = 20

FINE = int(Mistake.NONE)
NO_LABEL = int(Mistake.NO_LABEL)
BAD_LABEL = int(Mistake.BAD_LABEL)
TWO_COLONS = int(Mistake.TWO_COLONS)
BAD_VALUE = int(Mistake.BAD_VALUE)
INFINITE = int(Mistake.NOT_FINITE)
NO_BAR = int(Mistake.NO_BAR)
LABEL_AT_BAR = int(Mistake.LABEL_AT_BAR)
BAD_WEIGHT = int(Mistake.BAD_WEIGHT)
BAD_PREAMBLE = int(Mistake.BAD_PREAMBLE)
NO_NAME = int(Mistake.NO_NAME)
TOO_LONG = int(Mistake.NAME_TOO_LONG)
NUL_BYTE = int(Mistake.CONTROL_BYTE)
NOT_UTF8 = int(Mistake.NOT_UTF8)


@leaf
def _ends_word(byte: Any) -> Any:
    return byte in (SPACE, NEWLINE, BAR, TAB, RETURN)


@leaf
def _word_end(data: Any, i: Any) -> Any:
    while not _ends_word(byte_at(data, i)):
        i += 1
    return i


@leaf
def _number_mistake(data: Any, i: Any, end: Any, words: Any, hard: Any) -> Any:
    """The number that fills data[i:end], the first, second or third word: mistake, value."""
    value, stop, status = number(data, i, hard)
    if stop == end and status == NOT_FINITE:
        return INFINITE, value
    if stop != end or status != OK:
        return (BAD_LABEL if words == 0 else BAD_WEIGHT if words == 1 else BAD_PREAMBLE), value
    return (BAD_WEIGHT if words == 1 and value < 0.0 else FINE), value


@leaf
def _word_label(data: Any, i: Any, end: Any, classes: Any) -> Any:
    """The number of a label that is a word, or TABLE_FULL, or −2 where it is no text."""
    state = mix_all(np.int64(SEED), data, i, end)
    name = find(classes, state, data, 0, 0, data, i, end)
    if name != EMPTY:
        return name
    if end - i > LONGEST_NAME or not valid(data, i, end):
        return np.int64(-2)
    if not has_room(classes, end - i):
        return np.int64(TABLE_FULL)
    return put(classes, state, data, 0, 0, data, i, end)


@leaf
def _preamble(data: Any, i: Any, labelled: Any, hard: Any, kind: Any, classes: Any) -> Any:
    """Read what is before the first bar: mistake, position, label, importance, tag's start and stop.

    The first label settles in ``kind`` whether labels are numbers or words; its second entry says
    whether they may be missing.
    """
    label, weight = 0.0, 1.0
    tag, tag_stop = 0, 0
    words = 0
    line = i
    while byte_at(data, i) != BAR:
        end = _word_end(data, i)
        mistake = FINE
        is_tag = byte_at(data, i) == TICK or byte_at(data, end) == BAR
        if byte_at(data, i) == NEWLINE:
            mistake = NO_BAR
        elif tag_stop > 0 or (words == 3 and not is_tag):
            mistake = BAD_PREAMBLE
        elif is_tag:
            tag, tag_stop = i + (byte_at(data, i) == TICK), end
        elif words == 0 and not labelled:
            words += 1  # a label that is not needed, be it a number or a word
        else:
            mistake, value = _number_mistake(data, i, end, words, hard)
            if words == 0:
                is_word = mistake == BAD_LABEL
                if kind[0] == UNKNOWN:
                    kind[0] = WORDS if is_word else NUMBERS
                if kind[0] == WORDS:
                    name = _word_label(data, i, end, classes)
                    value = np.float64(name)
                    mistake = TABLE_FULL if name == TABLE_FULL else NOT_UTF8 if name < 0 else FINE
            label = value if words == 0 else label
            weight = value if words == 1 else weight
            words += 1
        if mistake == TABLE_FULL:
            return mistake, i, label, weight, tag, tag_stop
        if mistake != FINE:
            mistake, i = (mistake, i) if _has_bar(data, i) else (NO_BAR, line)
            return mistake, i, label, weight, tag, tag_stop
        i = skip_blanks(data, end)
    if labelled and words == 0:
        at_bar = tag_stop > 0 and byte_at(data, line) != TICK
        if kind[1] != 0 and not at_bar:
            return FINE, i, np.nan, weight, tag, tag_stop
        return (LABEL_AT_BAR if at_bar else NO_LABEL), line, label, weight, tag, tag_stop
    return FINE, i, label, weight, tag, tag_stop


@leaf
def _has_bar(data: Any, i: Any) -> Any:
    while byte_at(data, i) != BAR and byte_at(data, i) != NEWLINE:
        i += 1
    return byte_at(data, i) == BAR


@leaf
def _value(data: Any, i: Any, hard: Any) -> Any:
    """The number after a name, 1 where there is none: mistake, position, value."""
    if byte_at(data, i) != COLON:
        return FINE, i, 1.0
    value, end, status = number(data, i + 1, hard)
    if byte_at(data, end) == COLON:
        return TWO_COLONS, end, 0.0
    if status == NOT_FINITE and _ends_word(byte_at(data, end)):
        return INFINITE, i + 1, 0.0
    if status != OK or not _ends_word(byte_at(data, end)):
        return BAD_VALUE, i + 1, 0.0
    return FINE, end, value


@leaf
def _name_end(data: Any, i: Any, state: Any) -> Any:
    """The end of the name at ``i``: mistake, position, hash, whether it is plain ASCII."""
    start = i
    high: Any = 0
    while not _ends_word(byte_at(data, i)) and byte_at(data, i) != COLON:
        if byte_at(data, i) == 0:
            return NUL_BYTE, i, state, True
        high |= np.int64(byte_at(data, i))
        state = mix(state, byte_at(data, i))
        i += 1
    if i - start > LONGEST_NAME:
        return TOO_LONG, start, state, True
    return FINE, i, state, high < 128


@leaf
def _namespace(data: Any, i: Any, prefix: Any, hard: Any) -> Any:
    """The namespace after the bar, into ``prefix``: mistake, position, length, hash, scale."""
    start = i + 1
    mistake, end, state, ascii = _name_end(data, start, np.int64(SEED))
    if mistake != FINE:
        return mistake, end, 0, state, 1.0
    if not ascii and not valid(data, start, end):
        return NOT_UTF8, start, 0, state, 1.0
    if end == start:
        mistake = NO_NAME if byte_at(data, end) == COLON else FINE
        return mistake, end, 0, np.int64(SEED), 1.0
    for k in range(start, end):
        prefix[k - start] = byte_at(data, k)
    prefix[end - start] = CARET
    mistake, i, scale = _value(data, end, hard)
    return mistake, i, end - start + 1, mix(state, CARET), scale


@leaf
def _line(
    data: Any, i: Any, k: Any, table: Any, prefix: Any, hard: Any, indices: Any, values: Any
) -> Any:
    """The features from the bar at ``i`` on: mistake, position, entries so far.

    A feature without a name, ``:0.5``, is named by how many such stood before it in the line.
    """
    length, prefix_state, scale = 0, np.int64(SEED), 1.0
    nameless = 0
    digits = prefix[LONGEST_NAME + 1 :]
    while byte_at(data, i) != NEWLINE:
        if byte_at(data, i) == BAR:
            mistake, i, length, prefix_state, scale = _namespace(data, i, prefix, hard)
            if mistake != FINE:
                return mistake, i, k
            i = skip_blanks(data, i)
            continue
        start = i
        mistake, i, state, ascii = _name_end(data, start, prefix_state)
        if mistake != FINE:
            return mistake, i, k
        stop = i
        anonymous = i == start
        mistake, i, value = _value(data, i, hard)
        value *= scale
        if mistake == FINE and not np.isfinite(value):
            mistake, i = INFINITE, start
        if mistake != FINE:
            return mistake, i, k
        if anonymous:
            size = _write_digits(nameless, digits)
            nameless += 1
            if value != 0.0:
                state = mix_all(prefix_state, digits, 0, size)
                name = find(table, state, prefix, 0, length, digits, 0, size)
                if name == EMPTY:
                    if not has_room(table, length + size):
                        return TABLE_FULL, start, k
                    name = put(table, state, prefix, 0, length, digits, 0, size)
                indices[k] = name
                values[k] = value
                k += 1
        elif value != 0.0:
            name = find(table, state, prefix, 0, length, data, start, stop)
            if name == EMPTY:
                if not ascii and not valid(data, start, stop):
                    return NOT_UTF8, start, k
                if not has_room(table, length + stop - start):
                    return TABLE_FULL, start, k
                name = put(table, state, prefix, 0, length, data, start, stop)
            indices[k] = name
            values[k] = value
            k += 1
        i = skip_blanks(data, i)
    return FINE, i, k


@leaf
def _write_digits(number: Any, out: Any) -> Any:
    """The decimal digits of a number; how many."""
    size = 1
    rest = number
    while rest >= 10:
        rest //= 10
        size += 1
    rest = number
    for k in range(size):
        out[size - 1 - k] = 48 + rest % 10
        rest //= 10
    return size


@kernel
def parse(data: Any, labelled: Any, stop: Any, hard: Any, kind: Any) -> Any:
    """Lines of Vowpal Wabbit text to rows, the table of their names and that of labels in words."""
    entries, lines = _count_words(data)
    indptr = np.zeros(lines + 1, np.int64)
    indices = np.empty(entries, np.uint32)
    values = np.empty(entries, np.float64)
    labels = np.empty(lines, np.float64)
    weights = np.empty(lines, np.float64)
    tags = np.empty((lines, 2), np.int64)
    mistakes = np.empty((KEPT_MISTAKES, 2), np.int64)
    prefix = np.empty(LONGEST_NAME + 1 + MOST_DIGITS, np.uint8)
    table, classes = new_table(), new_table()
    before = kind[0]
    weighted = tagged = False
    wrong = row = k = i = 0
    while i < len(data) and not (stop and wrong > 0):
        i = skip_blanks(data, i)
        start = i
        if byte_at(data, i) != NEWLINE:
            mistake, i, label, weight, tag, tag_stop = _preamble(
                data, i, labelled, hard, kind, classes
            )
            if mistake == FINE:
                mistake, i, k = _line(data, i, k, table, prefix, hard, indices, values)
            if mistake == TABLE_FULL:
                longest = 2 * LONGEST_NAME
                table = table if has_room(table, longest) else grown(table, longest)
                classes = classes if has_room(classes, longest) else grown(classes, longest)
                i, k = start, indptr[row]
                continue
            if mistake != FINE:
                kind[0] = before  # a refused line settles nothing
                k = indptr[row]
                if wrong < KEPT_MISTAKES:
                    mistakes[wrong, 0] = mistake
                    mistakes[wrong, 1] = i
                wrong += 1
            else:
                before = kind[0]
                labels[row] = label
                weights[row] = weight
                weighted = weighted or weight != 1.0
                tags[row, 0] = tag
                tags[row, 1] = tag_stop
                tagged = tagged or tag_stop > tag
                row += 1
                indptr[row] = k
        i = next_line(data, i)
    parsed = Parsed(
        indptr[: row + 1],
        indices[:k],
        values[:k],
        labels[: row if labelled else 0],
        weights[: row if weighted else 0],
        np.empty(0, np.int64),
        tags[: row if tagged else 0],
        mistakes[: min(wrong, KEPT_MISTAKES)],
        wrong,
        lines,
        0,
    )
    return parsed, table, classes


@helper
def _count_words(data: Any) -> Any:
    """A bound on the features (each follows a blank) and the number of lines."""
    spaces, lines = count(data, SPACE)
    tabs, bars = count(data, 9)[0], count(data, BAR)[0]
    return spaces + tabs + bars + lines, lines

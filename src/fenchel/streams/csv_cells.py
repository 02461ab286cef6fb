"""The cells of CSV text, compiled: quotes, blanks around cells, missing values, record ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import kernel
from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import leaf
from fenchel.streams.eight_bytes import after_plain
from fenchel.streams.errors import Mistake
from fenchel.streams.lines import NEWLINE, QUOTE, RETURN, SPACE, TAB, count, is_blank

LONGEST_CELL = 65535  # that is a name; texts may be longer
NO_QUOTE = 256  # for the quote of cells in which quotes are letters: no byte is
AT_START, PLAIN, INSIDE, CLOSED = 0, 1, 2, 3  # where a scan stands in a cell

FINE = int(Mistake.NONE)
NUL_BYTE = int(Mistake.CONTROL_BYTE)
STRAY = int(Mistake.STRAY_QUOTE)
OPEN = int(Mistake.OPEN_QUOTE)


@leaf
def _skip_spaces(data: Any, i: Any, separator: Any) -> Any:
    while (
        byte_at(data, i) == SPACE
        or byte_at(data, i) == RETURN
        or (byte_at(data, i) == TAB and separator != TAB)
    ):
        i += 1
    return i


@leaf
def cell(text: Any, size: Any, i: Any, separator: Any, quote: Any, long: Any) -> Any:
    """The cell at ``i`` of text[:size]: mistake, its position, start, stop, the byte after it.

    ``long`` says that most are, and eight bytes at once worth looking at.

    Start and stop are without quotes and without blanks around the cell. A quoted cell may hold
    separators and line ends; one with doubled quotes is written out after ``size``. A quote inside a
    cell that does not begin with one is a character like any other.
    """
    start = _skip_spaces(text, i, separator)
    if byte_at(text, start) == quote:
        return _quoted_cell(text, size, start, separator, long)
    first = i
    i = after_plain(text, start, size, separator, NEWLINE) if long else start
    while byte_at(text, i) != separator and byte_at(text, i) != NEWLINE:
        if byte_at(text, i) == 0:
            return NUL_BYTE, i, start, start, i
        i += 1
    stop = i
    while stop > start and is_blank(byte_at(text, stop - 1)):
        stop -= 1
    return FINE, (start if stop > start else first), start, stop, i


@leaf
def _quoted_cell(text: Any, size: Any, first: Any, separator: Any, long: Any) -> Any:
    i = first + 1
    doubled = 0
    while True:
        if long:
            i = after_plain(text, i, size, QUOTE, QUOTE)
        while i < size and byte_at(text, i) != QUOTE and byte_at(text, i) != 0:
            i += 1
        if i >= size:
            return OPEN, first, first, first, size - 1
        if byte_at(text, i) == 0:
            return NUL_BYTE, i, first, first, i
        if byte_at(text, i + 1) != QUOTE:
            break
        doubled += 1
        i += 2
    start, stop = first + 1, i
    if doubled > 0:
        start, stop = _without_doubled(text, size, start, stop)
    i = _skip_spaces(text, i + 1, separator)
    if byte_at(text, i) != separator and byte_at(text, i) != NEWLINE:
        return STRAY, i, start, stop, i
    return FINE, first, start, stop, i


@leaf
def _without_doubled(text: Any, size: Any, start: Any, stop: Any) -> Any:
    """A quoted cell's text with single quotes, written after ``size``; where it is."""
    end, second = size, False
    for i in range(start, stop):  # sums instead of branches, which would be guessed wrongly
        byte = byte_at(text, i)
        text[np.uint64(end)] = byte
        end += not (byte == QUOTE and second)
        second ^= byte == QUOTE
    text[end] = NEWLINE
    return size, end


@leaf
def is_missing(text: Any, start: Any, stop: Any) -> Any:
    """Whether a cell says that there is nothing: empty, ?, NA, N/A, NaN, null, #N/A, in any case."""
    size = stop - start
    if size == 4 and text[start] == 35:  # a spreadsheet's
        start += 1
        size = 3
    if size == 0 or size > 4:
        return size == 0
    first = text[start] | 32
    if size == 1:
        return text[start] == 63
    second = text[start + 1] | 32
    if first != 110:
        return False
    if size == 2:
        return second == 97
    third = text[start + 2] | 32
    if size == 3:
        return (second == 97 and third == 110) or (text[start + 1] == 47 and third == 97)
    return second == 117 and third == 108 and text[start + 3] | 32 == 108


@leaf
def next_record(data: Any, i: Any, separator: Any, quote: Any) -> Any:
    """The position after the record that begins at ``i``; past the end if it is not whole."""
    state = AT_START
    while i < len(data):
        byte = byte_at(data, i)
        if state == INSIDE:
            state = CLOSED if byte == quote else INSIDE
        elif byte == NEWLINE:
            return i + 1
        elif byte == separator:
            state = AT_START
        elif byte == quote and state != PLAIN:  # a quote after a closing one is a doubled quote
            state = INSIDE
        elif state != AT_START or not is_blank(byte):
            state = PLAIN
        i += 1
    return len(data) + 1


@kernel
def after_last_record(data: Any, separator: Any, quote: Any) -> Any:
    """The position after the last whole record, 0 when there is none."""
    if quote != QUOTE or count(data, QUOTE)[0] == 0:
        for i in range(len(data) - 1, -1, -1):
            if byte_at(data, i) == NEWLINE:
                return i + 1
        return 0
    end = 0
    following = next_record(data, 0, separator, quote)
    while following <= len(data):
        end = following
        following = next_record(data, end, separator, quote)
    return end

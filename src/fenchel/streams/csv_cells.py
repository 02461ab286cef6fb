"""The cells of CSV text, compiled: quotes, blanks around cells, missing values, record ends."""

from __future__ import annotations

from typing import Any

from fenchel._kernel import helper, kernel
from fenchel.streams.errors import Mistake
from fenchel.streams.lines import NEWLINE, QUOTE, RETURN, SPACE, TAB, count, is_blank

LONGEST_CELL = 65535
AT_START, PLAIN, INSIDE, CLOSED = 0, 1, 2, 3  # where a scan stands in a cell

FINE = int(Mistake.NONE)
TOO_LONG = int(Mistake.NAME_TOO_LONG)
NUL_BYTE = int(Mistake.CONTROL_BYTE)
STRAY = int(Mistake.STRAY_QUOTE)
OPEN = int(Mistake.OPEN_QUOTE)


@helper
def _skip_spaces(data: Any, i: Any, separator: Any) -> Any:
    while data[i] == SPACE or data[i] == RETURN or (data[i] == TAB and separator != TAB):
        i += 1
    return i


@helper
def cell(data: Any, i: Any, separator: Any, scratch: Any) -> Any:
    """The cell at ``i``: mistake, its position, start, stop, the byte after it, quoted.

    A quoted cell's text is in ``scratch`` and may hold separators and line ends; another's is in
    ``data``, without the blanks around it.
    """
    start = _skip_spaces(data, i, separator)
    if data[start] == QUOTE:
        return _quoted_cell(data, start, separator, scratch)
    stop = i = start
    while data[i] != separator and data[i] != NEWLINE:
        if data[i] == QUOTE:
            return STRAY, i, start, stop, i, False
        if data[i] == 0:
            return NUL_BYTE, i, start, stop, i, False
        if data[i] != SPACE and data[i] != RETURN and data[i] != TAB:
            stop = i + 1
        i += 1
    return (TOO_LONG if stop - start > LONGEST_CELL else FINE), start, start, stop, i, False


@helper
def _quoted_cell(data: Any, first: Any, separator: Any, scratch: Any) -> Any:
    size = 0
    i = first + 1
    while True:
        if i >= len(data):
            return OPEN, first, 0, 0, i - 1, True
        if data[i] == QUOTE:
            i += 1
            if data[i] != QUOTE:
                break
        if data[i] == 0:
            return NUL_BYTE, i, 0, 0, i, True
        if size == LONGEST_CELL:
            return TOO_LONG, first, 0, 0, i, True
        scratch[size] = data[i]
        size += 1
        i += 1
    scratch[size] = NEWLINE
    i = _skip_spaces(data, i, separator)
    mistake = FINE if data[i] == separator or data[i] == NEWLINE else STRAY
    return mistake, (first if mistake == FINE else i), 0, size, i, True


@helper
def is_missing(text: Any, start: Any, stop: Any) -> Any:
    """Whether a cell says that there is nothing: empty, ?, NA, N/A, NaN, null, in any case."""
    size = stop - start
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


@helper
def next_record(data: Any, i: Any, separator: Any) -> Any:
    """The position after the record that begins at ``i``; past the end if it is not whole."""
    state = AT_START
    while i < len(data):
        byte = data[i]
        if state == INSIDE:
            state = CLOSED if byte == QUOTE else INSIDE
        elif byte == NEWLINE:
            return i + 1
        elif byte == separator:
            state = AT_START
        elif byte == QUOTE and state != PLAIN:  # a quote after a closing one is a doubled quote
            state = INSIDE
        elif state != AT_START or not is_blank(byte):
            state = PLAIN
        i += 1
    return len(data) + 1


@kernel
def after_last_record(data: Any, separator: Any) -> Any:
    """The position after the last whole record, 0 when there is none."""
    if count(data, QUOTE)[0] == 0:
        for i in range(len(data) - 1, -1, -1):
            if data[i] == NEWLINE:
                return i + 1
        return 0
    end = 0
    following = next_record(data, 0, separator)
    while following <= len(data):
        end = following
        following = next_record(data, end, separator)
    return end

"""CSV text, compiled: cells of numbers and of categories to rows of named features.

A column is of numbers or of categories: what its first cell that is not missing says. A number is
the feature ``column``; a category is the feature ``column=value`` with value 1. Cells of columns of any
other kind (texts, dates, identifiers) are handed on as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import helper, kernel
from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import inlined, leaf
from fenchel.streams.batch import KEPT_MISTAKES, UNKNOWN, Parsed
from fenchel.streams.blanks import stripped
from fenchel.streams.csv_cells import FINE, LONGEST_CELL, cell, is_missing, next_record
from fenchel.streams.decimal import NOT_A_NUMBER, NOT_FINITE, OK, POINT, number
from fenchel.streams.errors import Mistake
from fenchel.streams.intern_table import (
    EMPTY,
    SEED,
    find,
    grown,
    has_room,
    mix_all,
    new_table,
    put,
)
from fenchel.streams.lines import NEWLINE, RETURN, count, skip_blanks
from fenchel.streams.utf8 import valid

TRUE, FALSE = (116, 114, 117, 101), (102, 97, 108, 115, 101)  # their letters
NUMBER, CATEGORY, IGNORED, RAW = 1, 2, 3, 4  # kinds of columns, besides UNKNOWN

BAD_TEXT, FULL = -2, -3  # instead of a name's number
TABLE_FULL = -1  # instead of a mistake: the line is read again, with a larger table

NO_LABEL = int(Mistake.EMPTY_LABEL)
INFINITE = int(Mistake.NOT_FINITE)
NOT_UTF8 = int(Mistake.NOT_UTF8)
TOO_FEW = int(Mistake.TOO_FEW_CELLS)
TOO_MANY = int(Mistake.TOO_MANY_CELLS)
TEXT = int(Mistake.TEXT_IN_NUMBERS)
TOO_LONG = int(Mistake.NAME_TOO_LONG)
TEXT_LABEL = int(Mistake.TEXT_LABEL)
BAD_WEIGHT = int(Mistake.BAD_WEIGHT)


class Layout(NamedTuple):
    """The columns: ``heads`` holds ``name=`` of each, one after the other.

    ``label`` and ``weight`` are the columns of those, −1 for none; ``raw`` numbers the raw columns.
    """

    separator: int
    quote: int
    decimal: int
    heads: NDArray[np.uint8]
    head_ends: NDArray[np.int64]
    label: int
    weight: int
    raw: NDArray[np.int64]
    gaps: bool  # whether the label may be missing


class RawCells(NamedTuple):
    """The cells of raw columns, row by row: the text, where each ends, and whether it is there."""

    text: NDArray[np.uint8]
    ends: NDArray[np.int64]
    present: NDArray[np.bool_]


class Room(NamedTuple):
    """Arrays to work in: hard numbers, the names of columns of numbers, the entries."""

    hard: NDArray[np.float64]
    numeric: NDArray[np.int64]
    indices: NDArray[np.uint32]
    values: NDArray[np.float64]
    raw_columns: int
    raw: Any


@helper
def _copied(data: Any, room: Any) -> Any:
    """The bytes, with room after them."""
    longer = np.empty(len(data) + room, data.dtype)
    for k in range(len(data)):
        longer[k] = data[k]
    return longer


@leaf
def _intern(
    table: Any, head: Any, head_start: Any, head_stop: Any, text: Any, start: Any, stop: Any
) -> Any:
    """The number of the name head + text, or BAD_TEXT, or FULL."""
    state = mix_all(np.int64(SEED), head, head_start, head_stop)
    state = mix_all(state, text, start, stop)
    name = find(table, state, head, head_start, head_stop, text, start, stop)
    if name != EMPTY:
        return name
    if not valid(text, start, stop):
        return np.int64(BAD_TEXT)
    if not has_room(table, head_stop - head_start + stop - start):
        return np.int64(FULL)
    return put(table, state, head, head_start, head_stop, text, start, stop)


@leaf
def _spells(text: Any, start: Any, stop: Any, word: Any) -> Any:
    """Whether a cell is this word, in letters of either case."""
    if stop - start != len(word):
        return False
    same = True
    for k in range(len(word)):
        same = same and text[start + k] | 32 == word[k]
    return same


@leaf
def _truth(text: Any, start: Any, stop: Any) -> Any:
    """1 for true, 0 for false, −1 for anything else."""
    if _spells(text, start, stop, TRUE):
        return 1.0
    return 0.0 if _spells(text, start, stop, FALSE) else -1.0


@leaf
def _value(digits: Any, start: Any, stop: Any, kinds: Any, column: Any, hard: Any) -> Any:
    """The number in a cell, 1 for a category: mistake, value; the cell may settle its column."""
    if kinds[column] == CATEGORY:
        return FINE, 1.0
    value, end, status = number(digits, start, hard)
    if end != stop:
        status = NOT_A_NUMBER
    if kinds[column] == UNKNOWN:
        kinds[column] = CATEGORY if status == NOT_A_NUMBER else NUMBER
        if status == NOT_A_NUMBER:
            return FINE, 1.0
    if status == NOT_A_NUMBER:
        value = _truth(digits, start, stop)
        return (TEXT if value < 0.0 else FINE), value
    return (INFINITE if status == NOT_FINITE else FINE), value


@leaf
def _name(
    layout: Any, column: Any, kinds: Any, numeric: Any, names: Any, text: Any, start: Any, stop: Any
) -> Any:
    """The number of a cell's feature: ``column=cell``, or ``column`` for numbers."""
    head_start = layout.head_ends[column - 1] if column > 0 else 0
    head_stop = layout.head_ends[column]
    if kinds[column] == CATEGORY:
        return _intern(names, layout.heads, head_start, head_stop, text, start, stop)
    numeric[column] = _intern(names, layout.heads, head_start, head_stop - 1, text, 0, 0)
    return numeric[column]


@inlined
def _read_cell(
    text: Any, digits: Any, size: Any, i: Any, layout: Any, kinds: Any, column: Any, hard: Any
) -> Any:
    """The cell at ``i``: mistake, its position, start, stop, the byte after it, value (0: absent)."""
    if (
        column < len(kinds) and kinds[column] == NUMBER
    ):  # most cells: no need to find their end first
        value, end, status = number(digits, i, hard)
        if status == OK and (text[end] == layout.separator or text[end] == NEWLINE):
            return FINE, i, i, end, end, value
    mistake, at, start, stop, i = cell(
        text, size, i, layout.separator, layout.quote, column < len(kinds) and kinds[column] == RAW
    )
    value = 0.0
    if mistake == FINE and column == len(kinds):
        mistake = TOO_MANY
    elif mistake == FINE and kinds[column] != IGNORED and kinds[column] != RAW:
        if column != layout.label:
            start, stop = stripped(text, start, stop)
        if stop - start > LONGEST_CELL:
            mistake = TOO_LONG
        elif not is_missing(text, start, stop):
            mistake, value = _value(digits, start, stop, kinds, column, hard)
            mistake = TEXT_LABEL if mistake == TEXT and column == layout.label else mistake
        elif column == layout.label:
            mistake = NO_LABEL
        elif column == layout.weight:
            mistake = BAD_WEIGHT
    return mistake, at, start, stop, i, value


@leaf
def _keep_raw(raw: Any, k: Any, text: Any, start: Any, stop: Any) -> Any:
    """Copy a raw cell as the k-th; whether it is text at all."""
    if not valid(text, start, stop):
        return False
    at = raw.ends[k]
    for i in range(stop - start):
        raw.text[np.uint64(at + i)] = byte_at(text, start + i)
    raw.ends[k + 1] = at + stop - start
    start, stop = stripped(text, start, stop)
    raw.present[k] = not is_missing(text, start, stop)
    return True


@leaf
def _line(
    text: Any,
    digits: Any,
    size: Any,
    i: Any,
    k: Any,
    layout: Any,
    kinds: Any,
    room: Any,
    names: Any,
    classes: Any,
    row: Any,
) -> Any:
    """One record from ``i``: mistake, position, entries so far, label, importance."""
    column, label, weight = 0, 0.0, 1.0
    while True:
        mistake, at, start, stop, i, value = _read_cell(
            text, digits, size, i, layout, kinds, column, room.hard
        )
        name = np.int64(0)
        if mistake == FINE and column == layout.label:
            label = value
            if kinds[column] == CATEGORY:
                name = _intern(classes, layout.heads, 0, 0, text, start, stop)
                label = np.float64(name)
        elif mistake == FINE and column == layout.weight:
            weight = value
            mistake = FINE if value >= 0.0 and kinds[column] == NUMBER else BAD_WEIGHT
        elif mistake == FINE and column < len(kinds) and kinds[column] == RAW:
            place = row * room.raw_columns + layout.raw[column]
            if not _keep_raw(room.raw, place, text, start, stop):
                mistake = NOT_UTF8
        elif mistake == FINE and value != 0.0:
            name = room.numeric[column]
            if name < 0:  # a category, or the first number of its column
                name = _name(layout, column, kinds, room.numeric, names, text, start, stop)
            room.indices[k] = name & 0xFFFFFFFF
            room.values[k] = value
            k += 1
        elif mistake == NO_LABEL and layout.gaps:
            mistake, label = FINE, np.nan
        if name < 0:
            mistake = NOT_UTF8 if name == BAD_TEXT else TABLE_FULL
        column += 1
        if mistake != FINE:
            if mistake == TEXT and text[i] == NEWLINE and column < len(kinds):
                mistake, at = TOO_FEW, i - (text[i - 1] == RETURN)  # the last word of a short line
            return mistake, at, k, label, weight
        if text[i] == NEWLINE:
            if column < len(kinds):
                return TOO_FEW, i - (text[i - 1] == RETURN), k, label, weight
            return FINE, i, k, label, weight
        i += 1


@kernel
def parse(data: Any, numbers: Any, layout: Any, kinds: Any, stop: Any, hard: Any) -> Any:
    """Records to rows, the tables of their names and classes, raw cells; ``kinds`` is filled in.

    ``numbers`` is the text that numbers are read from, in which decimal commas are points.
    """
    cells, lines = count(data, layout.separator)
    raw_columns = np.sum(kinds == RAW)
    room = Room(
        hard,
        np.full(len(kinds), EMPTY, np.int64),
        np.empty(cells + lines, np.uint32),
        np.empty(cells + lines, np.float64),
        raw_columns,
        RawCells(
            np.empty(len(data) if raw_columns > 0 else 0, np.uint8),
            np.zeros(lines * raw_columns + 1, np.int64),
            np.zeros(lines * raw_columns, np.bool_),
        ),
    )
    indptr = np.zeros(lines + 1, np.int64)
    labels = np.empty(lines, np.float64)
    weights = np.empty(lines, np.float64)
    mistakes = np.empty((KEPT_MISTAKES, 2), np.int64)
    before = kinds.copy()
    names, classes = new_table(), new_table()
    text, size = _copied(data, len(data) + 1), len(data)
    # The same array twice where nothing was changed; a cell that is written out anew is no number.
    digits = text if layout.decimal == POINT else _copied(numbers, len(data) + 1)
    wrong = row = k = i = 0
    while i < size and not (stop and wrong > 0):
        start = i
        if text[skip_blanks(text, i)] == NEWLINE:  # a blank line
            i = skip_blanks(text, i) + 1
            continue
        mistake, i, k, label, weight = _line(
            text, digits, size, i, k, layout, kinds, room, names, classes, row
        )
        if mistake == FINE:
            for column in range(len(kinds)):
                before[column] = kinds[column]
            labels[row] = label
            weights[row] = weight
            row += 1
            indptr[row] = k
            i += 1
            continue
        k = indptr[row]
        for column in range(len(kinds)):  # a refused line settles nothing
            kinds[column] = before[column]
        if mistake == TABLE_FULL:
            names, classes = _grown_if_full(names), _grown_if_full(classes)
            i = start
            continue
        if wrong < KEPT_MISTAKES:
            mistakes[wrong, 0] = mistake
            mistakes[wrong, 1] = i
        wrong += 1
        i = next_record(data, start, layout.separator, layout.quote)
    parsed = Parsed(
        indptr[: row + 1],
        room.indices[:k],
        room.values[:k],
        labels[: row if layout.label >= 0 else 0],
        weights[: row if layout.weight >= 0 else 0],
        np.empty(0, np.int64),
        np.empty((0, 2), np.int64),
        mistakes[: min(wrong, KEPT_MISTAKES)],
        wrong,
        lines,
        0,
    )
    raw = RawCells(
        room.raw.text[: room.raw.ends[row * raw_columns]],
        room.raw.ends[: row * raw_columns + 1],
        room.raw.present[: row * raw_columns],
    )
    return parsed, names, classes, raw


@helper
def _grown_if_full(table: Any) -> Any:
    longest = 2 * LONGEST_CELL  # a column's name and a cell
    return table if has_room(table, longest) else grown(table, longest)

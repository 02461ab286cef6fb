"""CSV text, compiled: cells of numbers and of categories to rows of named features.

A column is of numbers or of categories: what its first cell that is not missing says. A number is
the feature ``column``; a category is the feature ``column=value`` with value 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._kernel import helper, kernel
from fenchel.streams.csv_cells import FINE, LONGEST_CELL, cell, is_missing, next_record
from fenchel.streams.decimal import NOT_A_NUMBER, NOT_FINITE, number
from fenchel.streams.errors import Mistake
from fenchel.streams.lines import NEWLINE, count, skip_blanks
from fenchel.streams.parsed import KEPT_MISTAKES, UNKNOWN, Parsed
from fenchel.streams.table import EMPTY, SEED, add, find, mix_all, new_table
from fenchel.streams.utf8 import valid

NUMBER, CATEGORY, IGNORED = 1, 2, 3  # kinds of columns, besides UNKNOWN

NO_LABEL = int(Mistake.EMPTY_LABEL)
INFINITE = int(Mistake.NOT_FINITE)
NOT_UTF8 = int(Mistake.NOT_UTF8)
TOO_FEW = int(Mistake.TOO_FEW_CELLS)
TOO_MANY = int(Mistake.TOO_MANY_CELLS)
TEXT = int(Mistake.TEXT_IN_NUMBERS)
TEXT_LABEL = int(Mistake.TEXT_LABEL)


class Layout(NamedTuple):
    """The columns: ``heads`` holds ``name=`` of each, one after the other; label −1 is none."""

    separator: int
    heads: NDArray[np.uint8]
    head_ends: NDArray[np.int64]
    label: int


class Room(NamedTuple):
    """Arrays to work in: an unquoted cell, the names of columns of numbers, the entries."""

    scratch: NDArray[np.uint8]
    numeric: NDArray[np.int64]
    indices: NDArray[np.uint32]
    values: NDArray[np.float64]


@helper
def _copy(source: Any, target: Any) -> None:
    for k in range(len(source)):
        target[k] = source[k]


@helper
def _intern(
    table: Any, head: Any, head_start: Any, head_stop: Any, text: Any, start: Any, stop: Any
) -> Any:
    """The table and the number of the name head + text; EMPTY if the text is not UTF-8."""
    state = mix_all(np.int64(SEED), head, head_start, head_stop)
    state = mix_all(state, text, start, stop)
    name = find(table, state, head, head_start, head_stop, text, start, stop)
    if name == EMPTY and valid(text, start, stop):
        name = table.used[0]
        table = add(table, state, head, head_start, head_stop, text, start, stop)
    return table, name


@helper
def _value(text: Any, start: Any, stop: Any, kinds: Any, column: Any) -> Any:
    """The number in a cell, 1 for a category: mistake, value; the cell may settle its column."""
    if kinds[column] == CATEGORY:
        return FINE, 1.0
    value, end, status = number(text, start)
    if end != stop:
        status = NOT_A_NUMBER
    if kinds[column] == UNKNOWN:
        kinds[column] = CATEGORY if status == NOT_A_NUMBER else NUMBER
        if status == NOT_A_NUMBER:
            return FINE, 1.0
    if status == NOT_A_NUMBER:
        return TEXT, value
    return (INFINITE if status == NOT_FINITE else FINE), value


@helper
def _name(
    layout: Layout,
    column: Any,
    kinds: Any,
    numeric: Any,
    names: Any,
    text: Any,
    start: Any,
    stop: Any,
) -> Any:
    """The table and the number of a cell's feature: ``column=cell``, or ``column`` for numbers."""
    head_start = layout.head_ends[column - 1] if column > 0 else 0
    head_stop = layout.head_ends[column]
    if kinds[column] == CATEGORY:
        return _intern(names, layout.heads, head_start, head_stop, text, start, stop)
    if numeric[column] == EMPTY:
        names, numeric[column] = _intern(
            names, layout.heads, head_start, head_stop - 1, layout.heads, 0, 0
        )
    return names, numeric[column]


@helper
def _line(
    data: Any, i: Any, k: Any, layout: Layout, kinds: Any, room: Room, names: Any, classes: Any
) -> Any:
    """One record from ``i``: mistake, position, entries so far, label, names, classes."""
    column, label = 0, 0.0
    while True:
        mistake, at, start, stop, i, quoted = cell(data, i, layout.separator, room.scratch)
        if mistake == FINE and column == len(kinds):
            mistake = TOO_MANY
        if mistake != FINE:
            return mistake, at, k, label, names, classes
        text = room.scratch if quoted else data
        value = 0.0
        if kinds[column] != IGNORED:
            if not is_missing(text, start, stop):
                mistake, value = _value(text, start, stop, kinds, column)
                mistake = TEXT_LABEL if mistake == TEXT and column == layout.label else mistake
            elif column == layout.label:
                mistake = NO_LABEL
        if mistake == FINE and column == layout.label:
            label = value
            if kinds[column] == CATEGORY:
                classes, name = _intern(classes, text, 0, 0, text, start, stop)
                mistake, label = (NOT_UTF8 if name == EMPTY else FINE), float(name)
        elif mistake == FINE and value != 0.0:
            names, name = _name(layout, column, kinds, room.numeric, names, text, start, stop)
            mistake = NOT_UTF8 if name == EMPTY else FINE
            room.indices[k], room.values[k] = name, value
            k += 1
        if mistake != FINE:
            return mistake, at, k, label, names, classes
        column += 1
        if data[i] == NEWLINE:
            mistake = TOO_FEW if column < len(kinds) else FINE
            return mistake, i, k, label, names, classes
        i += 1


@kernel
def parse(data: Any, layout: Layout, kinds: Any, stop: Any) -> Any:
    """Records to rows, and the tables of their names and classes; ``kinds`` is filled in."""
    cells, lines = count(data, layout.separator)
    room = Room(
        np.empty(LONGEST_CELL + 1, np.uint8),
        np.full(len(kinds), EMPTY, np.int64),
        np.empty(cells + lines, np.uint32),
        np.empty(cells + lines, np.float64),
    )
    indptr = np.zeros(lines + 1, np.int64)
    labels = np.empty(lines, np.float64)
    mistakes = np.empty((KEPT_MISTAKES, 2), np.int64)
    before = kinds.copy()
    names, classes = new_table(), new_table()
    wrong = row = k = i = 0
    while i < len(data) and not (stop and wrong > 0):
        start = i
        if data[skip_blanks(data, i)] == NEWLINE:  # a blank line
            i = skip_blanks(data, i) + 1
            continue
        mistake, i, k, label, names, classes = _line(
            data, i, k, layout, kinds, room, names, classes
        )
        if mistake != FINE:
            k = indptr[row]
            if wrong < KEPT_MISTAKES:
                mistakes[wrong, 0], mistakes[wrong, 1] = mistake, i
            wrong += 1
            i = next_record(data, start, layout.separator)
            _copy(before, kinds)  # a refused line settles nothing
        else:
            _copy(kinds, before)
            labels[row] = label
            row += 1
            indptr[row] = k
            i += 1
    parsed = Parsed(
        indptr[: row + 1],
        room.indices[:k],
        room.values[:k],
        labels[: row if layout.label >= 0 else 0],
        np.empty(0, np.float64),
        np.empty(0, np.int64),
        np.empty((0, 2), np.int64),
        mistakes[: min(wrong, KEPT_MISTAKES)],
        wrong,
        lines,
        0,
    )
    return parsed, names, classes

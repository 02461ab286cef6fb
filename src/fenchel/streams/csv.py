"""CSV text, compiled: cells of numbers and of categories to rows of named features.

A column is of numbers or of categories: what its first cell that is not missing says. A number is
the feature ``column``; a category is the feature ``column=value`` with value 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._kernel import helper, kernel
from fenchel.streams.csv_cells import FINE, LONGEST_CELL, cell, is_missing, next_record
from fenchel.streams.decimal import NOT_A_NUMBER, NOT_FINITE, number
from fenchel.streams.errors import Mistake
from fenchel.streams.lines import NEWLINE, count, skip_blanks
from fenchel.streams.parsed import KEPT_MISTAKES, Parsed
from fenchel.streams.table import EMPTY, SEED, add, find, mix_all, new_table
from fenchel.streams.utf8 import valid

UNKNOWN, NUMBER, CATEGORY, IGNORED = 0, 1, 2, 3

NO_LABEL = int(Mistake.EMPTY_LABEL)
INFINITE = int(Mistake.NOT_FINITE)
NOT_UTF8 = int(Mistake.NOT_UTF8)
TOO_FEW = int(Mistake.TOO_FEW_CELLS)
TOO_MANY = int(Mistake.TOO_MANY_CELLS)
TEXT = int(Mistake.TEXT_IN_NUMBERS)
TEXT_LABEL = int(Mistake.TEXT_LABEL)


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
def _line(
    data: Any,
    i: Any,
    k: Any,
    separator: Any,
    heads: Any,
    head_ends: Any,
    label_column: Any,
    kinds: Any,
    scratch: Any,
    numeric: Any,
    names: Any,
    classes: Any,
    indices: Any,
    values: Any,
) -> Any:
    """One record from ``i``: mistake, position, entries so far, label, names, classes."""
    column = 0
    columns = len(kinds)
    label = 0.0
    while True:
        mistake, at, start, stop, i, quoted = cell(data, i, separator, scratch)
        if mistake == FINE and column == columns:
            mistake = TOO_MANY
        if mistake != FINE:
            return mistake, at, k, label, names, classes
        text = scratch if quoted else data
        kind = kinds[column]
        if kind == IGNORED:
            pass
        elif is_missing(text, start, stop):
            mistake = NO_LABEL if column == label_column else FINE
        else:
            mistake, value = _value(text, start, stop, kinds, column)
            if mistake != FINE:
                if mistake == TEXT and column == label_column:
                    mistake = TEXT_LABEL
            elif column == label_column:
                label = value
                if kinds[column] == CATEGORY:
                    classes, name = _intern(classes, heads, 0, 0, text, start, stop)
                    mistake = NOT_UTF8 if name == EMPTY else FINE
                    label = np.float64(name)
            elif value != 0.0:
                head_start = head_ends[column - 1] if column > 0 else 0
                if kinds[column] == CATEGORY:
                    names, name = _intern(
                        names, heads, head_start, head_ends[column], text, start, stop
                    )
                    mistake = NOT_UTF8 if name == EMPTY else FINE
                else:
                    name = numeric[column]
                    if name == EMPTY:
                        names, name = _intern(
                            names, heads, head_start, head_ends[column] - 1, heads, 0, 0
                        )
                        numeric[column] = name
                indices[k] = name
                values[k] = value
                k += 1
        if mistake != FINE:
            return mistake, at, k, label, names, classes
        column += 1
        if data[i] == NEWLINE:
            mistake = TOO_FEW if column < columns else FINE
            return mistake, i, k, label, names, classes
        i += 1


@kernel
def parse(
    data: Any, separator: Any, heads: Any, head_ends: Any, label_column: Any, kinds: Any, stop: Any
) -> Any:
    """Records to rows, the tables of their names and classes, and the kinds of the columns.

    ``heads`` holds ``column=`` for each column, one after the other; ``kinds`` is filled in.
    """
    cells, lines = count(data, separator)
    indptr = np.zeros(lines + 1, np.int64)
    indices = np.empty(cells + lines, np.uint32)
    values = np.empty(cells + lines, np.float64)
    labels = np.empty(lines, np.float64)
    mistakes = np.empty((KEPT_MISTAKES, 2), np.int64)
    scratch = np.empty(LONGEST_CELL + 1, np.uint8)
    numeric = np.full(len(kinds), EMPTY, np.int64)
    before = kinds.copy()
    names, classes = new_table(), new_table()
    wrong = row = k = i = 0
    while i < len(data) and not (stop and wrong > 0):
        start = i
        if data[skip_blanks(data, i)] == NEWLINE:  # a blank line
            i = skip_blanks(data, i) + 1
            continue
        mistake, i, k, label, names, classes = _line(
            data, i, k, separator, heads, head_ends, label_column, kinds, scratch, numeric,
            names, classes, indices, values,
        )  # fmt: skip
        if mistake != FINE:
            k = indptr[row]
            if wrong < KEPT_MISTAKES:
                mistakes[wrong, 0] = mistake
                mistakes[wrong, 1] = i
            wrong += 1
            i = next_record(data, start, separator)
            for column in range(len(kinds)):  # a refused line settles nothing
                kinds[column] = before[column]
        else:
            for column in range(len(kinds)):
                before[column] = kinds[column]
            labels[row] = label
            row += 1
            indptr[row] = k
            i += 1
    parsed = Parsed(
        indptr[: row + 1],
        indices[:k],
        values[:k],
        labels[: row if label_column >= 0 else 0],
        np.empty(0, np.float64),
        np.empty(0, np.int64),
        np.empty((0, 2), np.int64),
        mistakes[: min(wrong, KEPT_MISTAKES)],
        wrong,
        lines,
        0,
    )
    return parsed, names, classes

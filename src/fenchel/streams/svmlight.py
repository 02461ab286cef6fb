"""svmlight text, compiled: ``label [qid:group] index:value index:value … [# comment]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import kernel
from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import leaf
from fenchel.streams.batch import KEPT_MISTAKES, Parsed
from fenchel.streams.decimal import MASK, NOT_FINITE, OK, is_digit, number
from fenchel.streams.errors import Mistake
from fenchel.streams.lines import (
    COLON,
    HASH,
    NEWLINE,
    count,
    is_end,
    next_line,
    skip_blanks,
)

LARGEST_INDEX = 2**32 - 2
NO_GROUP = -1
QID = (113, 105, 100, COLON)  # "qid:"
LONGEST_GROUP = 17  # digits

FINE = int(Mistake.NONE)
NO_LABEL = int(Mistake.NO_LABEL)
BAD_LABEL = int(Mistake.BAD_LABEL)
BAD_GROUP = int(Mistake.BAD_GROUP)
BAD_INDEX = int(Mistake.BAD_INDEX)
BELOW_BASE = int(Mistake.INDEX_BELOW_BASE)
TOO_LARGE = int(Mistake.INDEX_TOO_LARGE)
ORDER = int(Mistake.INDEX_ORDER)
NO_COLON = int(Mistake.NO_COLON)
TWO_COLONS = int(Mistake.TWO_COLONS)
BAD_VALUE = int(Mistake.BAD_VALUE)
INFINITE = int(Mistake.NOT_FINITE)


@leaf
def _label(data: Any, i: Any, labelled: Any, hard: Any) -> Any:
    """The label at ``i``: mistake, position after it, value; it may be absent if not labelled."""
    value, end, status = number(data, i, hard)
    if byte_at(data, end) == COLON or (status != OK and not labelled):  # an entry already
        return (NO_LABEL if labelled else FINE), i, 0.0
    if status == NOT_FINITE:
        return INFINITE, i, 0.0
    if status != OK or not is_end(byte_at(data, end)):
        return BAD_LABEL, i, 0.0
    return FINE, end, value


@leaf
def _whole(data: Any, i: Any) -> Any:
    """The digits at ``i`` as a whole number (exact up to 17 of them) and the position after."""
    whole = np.int64(0)
    while is_digit(byte_at(data, i)):
        whole = (whole * 10 + (np.int64(byte_at(data, i)) - 48)) & MASK
        i += 1
    return whole, i


@leaf
def _group(data: Any, i: Any) -> Any:
    """The ``qid:`` entry at ``i``, where there is one: mistake, position after it, group."""
    for k in range(4):
        if byte_at(data, i + k) != QID[k]:
            return FINE, i, NO_GROUP
    group, end = _whole(data, i + 4)
    if end == i + 4 or end - i - 4 > LONGEST_GROUP or not is_end(byte_at(data, end)):
        return BAD_GROUP, i, NO_GROUP
    return FINE, end, group


@leaf
def _index(data: Any, i: Any, base: Any, previous: Any) -> Any:
    """The index at ``i`` and its colon: mistake, position of the value, column."""
    whole, end = _whole(data, i)
    if byte_at(data, end) != COLON:
        return (NO_COLON if is_end(byte_at(data, end)) and end > i else BAD_INDEX), i, previous
    if end == i:
        return BAD_INDEX, i, previous
    if end - i > LONGEST_GROUP or whole > LARGEST_INDEX:
        return TOO_LARGE, i, previous
    if whole < base:
        return BELOW_BASE, i, previous
    if whole - base <= previous:
        return ORDER, i, previous
    return FINE, end + 1, whole - base


@leaf
def _value_mistake(data: Any, i: Any, end: Any, status: Any) -> Any:
    """Find what is wrong with the value at ``i`` that the number parser left at ``end``."""
    if byte_at(data, end) == COLON:
        return TWO_COLONS, end
    return (INFINITE if status == NOT_FINITE and is_end(byte_at(data, end)) else BAD_VALUE), i


@leaf
def _line(
    data: Any, i: Any, k: Any, base: Any, labelled: Any, hard: Any, indices: Any, values: Any
) -> Any:
    """One line from ``i``: mistake, position, entries so far, label, group, last column."""
    previous = np.int64(-1)
    mistake, i, label = _label(data, i, labelled, hard)
    if mistake != FINE:
        return mistake, i, k, label, NO_GROUP, previous
    i = skip_blanks(data, i)
    mistake, i, group = _group(data, i)
    if mistake != FINE:
        return mistake, i, k, label, group, previous
    i = skip_blanks(data, i)
    while byte_at(data, i) != NEWLINE and byte_at(data, i) != HASH:
        mistake, i, previous = _index(data, i, base, previous)
        if mistake != FINE:
            return mistake, i, k, label, group, previous
        value, end, status = number(data, i, hard)
        if status != OK or not is_end(byte_at(data, end)):
            mistake, i = _value_mistake(data, i, end, status)
            return mistake, i, k, label, group, previous
        if value != 0.0:
            indices[k] = previous
            values[k] = value
            k += 1
        i = skip_blanks(data, end)
    return FINE, i, k, label, group, previous


@kernel
def parse(data: Any, base: Any, labelled: Any, stop: Any, hard: Any) -> Any:
    """Lines of svmlight text to rows; bad lines are left out, or end the parse with ``stop``."""
    colons, lines = count(data, COLON)
    indptr = np.zeros(lines + 1, np.int64)
    indices = np.empty(colons, np.uint32)
    values = np.empty(colons, np.float64)
    labels = np.empty(lines, np.float64)
    groups = np.empty(lines, np.int64)
    mistakes = np.empty((KEPT_MISTAKES, 2), np.int64)
    wrong = row = k = i = 0
    columns = 0
    grouped = False
    while i < len(data) and not (stop and wrong > 0):
        i = skip_blanks(data, i)
        if byte_at(data, i) != NEWLINE and byte_at(data, i) != HASH:
            mistake, i, k, label, group, last = _line(
                data, i, k, base, labelled, hard, indices, values
            )
            if mistake != FINE:
                k = indptr[row]
                if wrong < KEPT_MISTAKES:
                    mistakes[wrong, 0] = mistake
                    mistakes[wrong, 1] = i
                wrong += 1
            else:
                labels[row] = label
                groups[row] = group
                grouped = grouped or group != NO_GROUP
                columns = max(columns, last + 1)
                row += 1
                indptr[row] = k
        i = next_line(data, i)
    return Parsed(
        indptr[: row + 1],
        indices[:k],
        values[:k],
        labels[: row if labelled else 0],
        np.empty(0, np.float64),
        groups[: row if grouped else 0],
        np.empty((0, 2), np.int64),
        mistakes[: min(wrong, KEPT_MISTAKES)],
        wrong,
        lines,
        columns,
    )

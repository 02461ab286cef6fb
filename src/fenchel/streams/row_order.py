"""The entries of rows in the order of their columns, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import kernel
from fenchel._numba.jit import leaf

SHORT = 32  # entries, up to which a row is sorted in place
DIGIT_BITS = 8
DIGITS = 1 << DIGIT_BITS


@kernel
def order_rows(indptr: Any, indices: Any, values: Any) -> Any:
    """Put each row's columns in order, in place, values of one column added up; entries left.

    The order of a row's features then depends on nothing but their columns: the same row gives the
    same sums, to the last bit, however it was written.
    """
    longest = 0
    for row in range(len(indptr) - 1):
        longest = max(longest, indptr[row + 1] - indptr[row])
    keys, other = np.empty(longest, np.int64), np.empty(longest, np.int64)
    numbers, places = np.empty(longest), np.empty(DIGITS, np.int64)
    kept = 0
    start = indptr[0]
    for row in range(len(indptr) - 1):
        stop = indptr[row + 1]
        ordered = _ascend(indices, start, stop)
        if ordered and kept == start:
            kept = stop
        else:
            if not ordered and stop - start <= SHORT:
                _insert(indices, values, start, stop)
            elif not ordered:
                _sort(indices, values, start, stop, keys, other, numbers, places)
            first = kept
            for k in range(start, stop):
                if kept > first and indices[kept - 1] == indices[k]:
                    values[kept - 1] += values[k]
                else:
                    indices[kept] = indices[k]
                    values[kept] = values[k]
                    kept += 1
        indptr[row + 1] = kept
        start = stop
    return kept


@leaf
def _ascend(indices: Any, start: Any, stop: Any) -> Any:
    falls = 0
    for k in range(start + 1, stop):
        falls += indices[k - 1] >= indices[k]
    return falls == 0


@leaf
def _insert(indices: Any, values: Any, start: Any, stop: Any) -> None:
    """Sort a short row by columns, equal ones in their order, each put in its place in turn."""
    for k in range(start + 1, stop):
        column, value = indices[k], values[k]
        at = k
        while at > start and indices[at - 1] > column:
            indices[at] = indices[at - 1]
            values[at] = values[at - 1]
            at -= 1
        indices[at] = column
        values[at] = value


@leaf
def _sort(
    indices: Any,
    values: Any,
    start: Any,
    stop: Any,
    keys: Any,
    other: Any,
    numbers: Any,
    places: Any,
) -> None:
    """Sort by columns, equal ones in their order: by the lowest digit first, then by the next.

    A key is a column with its place below: what is moved is one array.
    """
    count, largest = stop - start, np.int64(0)
    for k in range(count):
        largest |= np.int64(indices[start + k])
        keys[k] = np.int64(indices[start + k]) << 31 | k
        numbers[k] = values[start + k]
    shift = 31
    while largest > 0:
        _by_digit(keys, other, count, shift, places)
        keys, other = other, keys
        shift += DIGIT_BITS
        largest >>= DIGIT_BITS
    for k in range(count):
        indices[start + k] = keys[k] >> 31
        values[start + k] = numbers[keys[k] & 0x7FFFFFFF]


@leaf
def _by_digit(keys: Any, out: Any, count: Any, shift: Any, places: Any) -> None:
    """Put the keys in the order of one digit, those of equal digits as they came."""
    for digit in range(DIGITS):
        places[digit] = 0
    for k in range(count):
        places[keys[k] >> shift & DIGITS - 1] += 1
    before = 0
    for digit in range(DIGITS):
        here = places[digit]
        places[digit] = before
        before += here
    for k in range(count):
        digit = keys[k] >> shift & DIGITS - 1
        out[places[digit]] = keys[k]
        places[digit] += 1

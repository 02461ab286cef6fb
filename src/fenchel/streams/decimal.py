"""Decimal text to the nearest double, compiled: the same bits as Python's ``float``.

Three steps, each exact where it answers. Up to 2^53 with a power of ten up to 22, one rounded
operation is right. Then the product with a 128-bit power of five decides nearly all the rest (D.
Lemire, "Number parsing at a gigabyte per second"). What is left (subnormals, ties that only a
twentieth digit can tell) is hard: its place is noted for Python to read, and the chunk is parsed
again with the answers.

Text is read from an array of bytes that ends with a byte no number contains (a line end), so no
loop here looks for the end of the array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import in_kernels_for, inlined, leaf
from fenchel.streams.decimal_fallback import answer
from fenchel.streams.eisel_lemire import nearest_wide

OK, NOT_A_NUMBER, NOT_FINITE = 0, 1, 2

PLUS, MINUS, POINT, ZERO, NINE = 43, 45, 46, 48, 57
EXACT_POWERS = np.array([10.0**k for k in range(23)])
MASK = (1 << 59) - 1  # keeps the running sum below 2^63; 17 digits are below it
LARGEST_EXACT = 1 << 53
ONE, TEN = np.uint64(1), np.uint64(10)


@leaf
def is_digit(byte: Any) -> Any:
    """Whether a byte is one of 0 to 9."""
    return ZERO <= byte <= NINE


@inlined
def number(data: Any, start: Any, hard: Any) -> Any:
    """The number at ``start``: its value, the position after it, and a status.

    Nothing is said of what follows: the caller knows which bytes may end a number. ``hard`` holds
    the answers to hard numbers, and the questions.
    """
    i = start
    if byte_at(data, i) == MINUS or byte_at(data, i) == PLUS:
        i += 1
    first = i
    mantissa = np.int64(0)
    while is_digit(byte_at(data, i)):
        mantissa = (mantissa * 10 + (np.int64(byte_at(data, i)) - ZERO)) & MASK
        i += 1
    digits = i - first
    exponent = 0
    if byte_at(data, i) == POINT:
        i += 1
        point = i
        while is_digit(byte_at(data, i)):
            mantissa = (mantissa * 10 + (np.int64(byte_at(data, i)) - ZERO)) & MASK
            i += 1
        exponent = point - i
        digits += i - point
    if digits == 0:
        return _word(data, start, first)
    if byte_at(data, i) == 69 or byte_at(data, i) == 101:
        power, i = _power(data, i)
        exponent += power
    if digits > 17 or mantissa > LARGEST_EXACT or not -22 <= exponent <= 22:
        value = _any_length(data, first, hard)
    elif exponent < 0:
        value = mantissa / EXACT_POWERS[-exponent]
    else:
        value = mantissa * EXACT_POWERS[exponent]
    if value == np.inf:
        return 0.0, i, NOT_FINITE
    if byte_at(data, start) == MINUS:
        value = -value
    return value, i, OK


@leaf
def _power(data: Any, i: Any) -> Any:
    """The power of ten written at ``i`` and the position after it; none is a power of 0."""
    k = i + 1
    negative = byte_at(data, k) == MINUS
    if byte_at(data, k) == MINUS or byte_at(data, k) == PLUS:
        k += 1
    if not is_digit(byte_at(data, k)):
        return 0, i
    power: Any = 0
    while is_digit(byte_at(data, k)):
        power = min(power * 10 + (np.int64(byte_at(data, k)) - ZERO), 100_000)
        k += 1
    return (-power if negative else power), k


@leaf
def _same_word(data: Any, i: Any, word: Any) -> Any:
    for k in range(len(word)):  # noqa: SIM110 (Numba compiles loops, not generators)
        if byte_at(data, i + k) | 32 != word[k]:
            return False
    return True


@leaf
def _word(data: Any, start: Any, i: Any) -> Any:
    """Words that Python reads as numbers, and that no model can learn from."""
    if _same_word(data, i, (110, 97, 110)):  # nan
        return 0.0, i + 3, NOT_FINITE
    if _same_word(data, i, (105, 110, 102)):  # inf
        if _same_word(data, i + 3, (105, 110, 105, 116, 121)):
            return 0.0, i + 8, NOT_FINITE
        return 0.0, i + 3, NOT_FINITE
    return 0.0, start, NOT_A_NUMBER


def _any_length(data: Any, start: Any, hard: Any) -> Any:
    """Any number of digits: in Python as Python reads them."""
    return answer(hard, start)


@in_kernels_for(_any_length)
def _by_leading_digits(data: Any, start: Any, hard: Any) -> Any:
    """The first 19 decide, unless the rest could tip the rounding."""
    mantissa, exponent, cut = _leading_digits(data, start)
    low = high = nearest_wide(mantissa, exponent)
    if cut:
        high = nearest_wide(mantissa + ONE, exponent)
    return low if low == high and low >= 0.0 else answer(hard, start)


@leaf
def _leading_digits(data: Any, start: Any) -> Any:
    """The first 19 significant digits, their power of ten, and whether a digit was left out."""
    mantissa = np.uint64(0)
    exponent: Any = 0
    taken: Any = 0
    cut, fraction = False, False
    i = start
    while is_digit(byte_at(data, i)) or byte_at(data, i) == POINT:
        if byte_at(data, i) == POINT:
            fraction = True
        elif taken < 19:
            mantissa = mantissa * TEN + np.uint64(byte_at(data, i) - ZERO)
            taken += mantissa > 0
            exponent -= fraction
        else:
            cut = cut or byte_at(data, i) != ZERO
            exponent += not fraction
        i += 1
    if byte_at(data, i) == 69 or byte_at(data, i) == 101:
        exponent += _power(data, i)[0]
    return mantissa, exponent, cut

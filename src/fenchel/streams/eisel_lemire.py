"""Whole number times power of ten to the nearest double, by one 64 × 128-bit product."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba.jit import leaf

SMALLEST_POWER, LARGEST_POWER = -342, 308
UNDECIDED = -1.0


def _power_of_five(exponent: int) -> int:
    """The 128 leading bits of 5^exponent; rounded up where it is a fraction."""
    if exponent >= 0:
        power = int(5**exponent)
        return power << 128 >> power.bit_length()
    power = int(5**-exponent)
    return (1 << (127 + power.bit_length())) // power + 1


_POWERS = [_power_of_five(k) for k in range(SMALLEST_POWER, LARGEST_POWER + 1)]
HIGH = np.array([power >> 64 for power in _POWERS], dtype=np.uint64)
LOW = np.array([power & (2**64 - 1) for power in _POWERS], dtype=np.uint64)
SCALES = np.array([2.0**k for k in range(-1074, 972)])

ZERO, ONE, THREE = np.uint64(0), np.uint64(1), np.uint64(3)
WORD = np.uint64(32)
HALF = np.uint64(2**32 - 1)
ALL = np.uint64(2**64 - 1)
ROUNDING = np.uint64(0x1FF)


@leaf
def _product(a: Any, b: Any) -> Any:
    """The 128 bits of a·b as two words."""
    a_high, a_low = a >> WORD, a & HALF
    b_high, b_low = b >> WORD, b & HALF
    low = a_low * b_low
    middle = a_high * b_low + (low >> WORD)
    other = a_low * b_high + (middle & HALF)
    return a_high * b_high + (middle >> WORD) + (other >> WORD), (other << WORD) | (low & HALF)


@leaf
def _leading_zeros(word: Any) -> Any:
    count = 0
    for width in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(64 - width) == ZERO:
            word = word << np.uint64(width)
            count += width
    return count


@leaf
def nearest_wide(mantissa: Any, exponent: Any) -> Any:
    """The double nearest to mantissa · 10^exponent, or UNDECIDED (subnormal, a close tie)."""
    if mantissa == 0 or exponent < SMALLEST_POWER:
        return 0.0
    if exponent > LARGEST_POWER:
        return np.inf
    zeros = _leading_zeros(np.uint64(mantissa))
    word = np.uint64(mantissa) << np.uint64(zeros)
    upper, lower = _product(word, HIGH[exponent - SMALLEST_POWER])
    if upper & ROUNDING == ROUNDING:  # the lower half of the power may carry into the rounding
        carry, _ = _product(word, LOW[exponent - SMALLEST_POWER])
        lower = lower + carry
        if lower < carry:
            upper = upper + ONE
        if lower == ALL and not -27 <= exponent <= 55:
            return UNDECIDED
    top = upper >> np.uint64(63)
    shift = top + np.uint64(9)
    bits = upper >> shift  # 53 bits and one more to round by
    binary = ((217706 * exponent) >> 16) + 63 + np.int64(top) - zeros
    if binary < -1021:  # subnormals have fewer bits
        return UNDECIDED
    tie = lower <= ONE and -4 <= exponent <= 23 and bits & THREE == ONE
    if tie and bits << shift == upper:
        bits = bits - ONE  # an exact tie goes to the even neighbour
    bits = (bits + (bits & ONE)) >> ONE
    if binary > 1024:
        return np.inf
    return np.float64(bits) * _scale(binary)


@leaf
def _scale(binary: Any) -> Any:
    """2^(binary − 52); beyond the table the product is infinite."""
    return SCALES[binary - 52 + 1074] if binary <= 1023 else np.inf

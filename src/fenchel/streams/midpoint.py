"""The last resort of number parsing: compare the decimal text with the midpoint of two doubles.

Numbers are little-endian arrays of 32-bit limbs, held in ``int64``. No decimal text needs more than
some 770 digits to be told from a midpoint; those beyond count as one digit that is not zero.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fenchel._kernel import helper

LIMBS = 400
DIGITS = 800
BASE = 1 << 32
POWERS_OF_FIVE = np.array([5**k for k in range(14)])
LARGEST = np.finfo(np.float64).max
POINT, ZERO, NINE = 46, 48, 57


@helper
def _multiply(limbs: Any, used: Any, factor: Any, carry: Any) -> Any:
    """limbs := limbs · factor + carry, in place; how many limbs are used after it."""
    for k in range(used):
        total = limbs[k] * factor + carry
        limbs[k] = total & (BASE - 1)
        carry = total >> 32
    if carry > 0:
        limbs[used] = carry
        used += 1
    return used


@helper
def _scale(limbs: Any, used: Any, fives: Any, twos: Any) -> Any:
    """limbs := limbs · 5^fives · 2^twos, in place."""
    while fives > 0:
        step = min(fives, 13)
        used = _multiply(limbs, used, POWERS_OF_FIVE[step], 0)
        fives -= step
    while twos > 0:
        step = min(twos, 30)
        used = _multiply(limbs, used, 1 << step, 0)
        twos -= step
    return used


@helper
def _digits(data: Any, start: Any, stop: Any, limbs: Any) -> Any:
    """The text as a whole number times a power of ten: limbs used, power, digits, first 17."""
    used = 0
    lead = np.int64(0)
    exponent = 0
    taken = 0
    fraction = False
    sticky: Any = False
    i = start
    while i < stop and (ZERO <= data[i] <= NINE or data[i] == POINT):
        digit = np.int64(data[i]) - ZERO
        if data[i] == POINT:
            fraction = True
        elif taken < DIGITS:
            used = _multiply(limbs, used, 10, digit)
            if taken < 17:
                lead = lead * 10 + digit
            taken += used > 0
            exponent -= fraction
        else:
            sticky = sticky or digit > 0
            exponent += not fraction
        i += 1
    if sticky:
        used = _multiply(limbs, used, 10, 1)
        exponent -= 1
        taken += 1
    if i < stop:
        exponent += _written_power(data, i + 1, stop)
    return used, exponent, taken, lead


@helper
def _written_power(data: Any, i: Any, stop: Any) -> Any:
    negative = data[i] == 45
    if data[i] == 45 or data[i] == 43:
        i += 1
    power: Any = 0
    while i < stop:
        power = min(power * 10 + (np.int64(data[i]) - ZERO), 100_000)
        i += 1
    return -power if negative else power


@helper
def _whole_and_power(value: Any) -> Any:
    """A double as whole · 2^power; the whole number has 53 bits, fewer when subnormal."""
    if value < 2.2250738585072014e-308:
        return np.int64(value / 5e-324), -1074
    power = math.frexp(value)[1] - 53
    return np.int64(math.ldexp(value, -power)), power


@helper
def _against_midpoint(limbs: Any, used: Any, exponent: Any, below: Any) -> Any:
    """The sign of limbs · 10^exponent − midpoint of ``below`` and the next double."""
    whole, power = _whole_and_power(below)
    mine = np.zeros(LIMBS, np.int64)
    for k in range(used):
        mine[k] = limbs[k]
    other = np.zeros(LIMBS, np.int64)
    other[0] = (2 * whole + 1) & (BASE - 1)
    other[1] = (2 * whole + 1) >> 32
    shift = exponent - (power - 1)
    mine_used = _scale(mine, used, max(exponent, 0), max(shift, 0))
    other_used = _scale(other, 2, max(-exponent, 0), max(-shift, 0))
    for k in range(max(mine_used, other_used) - 1, -1, -1):
        if mine[k] != other[k]:
            return 1 if mine[k] > other[k] else -1
    return 0


@helper
def _is_odd(value: Any) -> Any:
    return _whole_and_power(value)[0] & 1 == 1


@helper
def _first_guess(lead: Any, exponent: Any) -> Any:
    """A double within a few steps of lead · 10^exponent."""
    # Half the power at a time: neither half leaves the range of doubles.
    half = exponent // 2
    return min(lead * 10.0**half * 10.0 ** (exponent - half), LARGEST)


@helper
def nearest(data: Any, start: Any, stop: Any) -> Any:
    """The double nearest to the unsigned decimal text data[start:stop]; ties go to even."""
    limbs = np.zeros(LIMBS, np.int64)
    used, exponent, taken, lead = _digits(data, start, stop, limbs)
    if used == 0 or exponent + taken < -324:
        return 0.0
    if exponent + taken > 310:
        return np.inf
    guess = _first_guess(lead, exponent + max(taken - 17, 0))
    while guess > 0.0:
        below = np.nextafter(guess, 0.0)
        side = _against_midpoint(limbs, used, exponent, below)
        if side > 0 or (side == 0 and _is_odd(below)):
            break
        guess = below
    while guess < np.inf:
        side = _against_midpoint(limbs, used, exponent, guess)
        if side < 0 or (side == 0 and not _is_odd(guess)):
            break
        guess = np.nextafter(guess, np.inf)
    return guess

"""Eight bytes of a text at once, as one number whose lowest byte is the first."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import way
from fenchel._numba.intrinsics import byte_at
from fenchel._numba.jit import inlined

# Of a number of eight bytes, the first 0, 1, …, 8.
FIRST = np.array([(1 << 8 * count) - 1 for count in range(8)] + [-1], np.int64)
# Bit 7 of every byte, and bit 0.
HIGH = np.int64(-0x7F7F7F7F7F7F7F80)
LOW = np.int64(0x0101010101010101)


@inlined
def eight_at(text: Any, i: Any) -> Any:
    """The eight bytes from ``i`` on, which must all be there; one load where the compiler knows how."""
    return (
        np.int64(byte_at(text, i))
        | np.int64(byte_at(text, i + 1)) << 8
        | np.int64(byte_at(text, i + 2)) << 16
        | np.int64(byte_at(text, i + 3)) << 24
        | np.int64(byte_at(text, i + 4)) << 32
        | np.int64(byte_at(text, i + 5)) << 40
        | np.int64(byte_at(text, i + 6)) << 48
        | np.int64(byte_at(text, i + 7)) << 56
    )


@inlined
def up_to_eight(text: Any, i: Any, stop: Any) -> Any:
    """The bytes from ``i`` to ``stop``, eight at most, with zeros behind; room for eight must be there."""
    return eight_at(text, i) & FIRST[min(stop - i, 8)]


def has_byte(part: Any, byte: Any) -> Any:
    """Whether one of eight bytes is this one, of ASCII."""
    return any(int(part) >> shift & 255 == byte for shift in range(0, 64, 8))


def _has_byte(part: Any, byte: Any) -> Any:
    """Compiled: a byte is 0 where both agree, and only below a 0 does subtracting 1 reach bit 7."""
    apart = part ^ LOW * byte
    return (apart - LOW) & ~apart & HIGH != 0


way.inside(has_byte, lambda *arguments: _has_byte, way.INLINED)


@inlined
def after_plain(text: Any, i: Any, stop: Any, first: Any, second: Any) -> Any:
    """Go on by eights of bytes, from ``i`` to ``stop`` at most, over those with neither byte and no zero."""
    while i + 8 <= stop:
        part = eight_at(text, i)
        if has_byte(part, first) or has_byte(part, second) or has_byte(part, 0):
            break
        i += 8
    return i

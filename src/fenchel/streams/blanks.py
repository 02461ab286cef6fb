"""Blanks at the edges of a cell, compiled: the characters that Python's ``str.strip`` takes away."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba.intrinsics import byte_at, seldom
from fenchel._numba.jit import inlined, leaf
from fenchel.streams.lines import SPACE

ASCII = 128


@inlined
def _may_be_blank(first: Any, last: Any) -> Any:
    """Whether one of two bytes may be of a blank: one of ASCII up to the space, or of a character beyond.

    One sum for both, since a branch for each would cost ordinary cells time.
    """
    first, last = np.int64(first), np.int64(last)
    return ((first - SPACE - 1) | (last - SPACE - 1) | ((first | last) & ASCII)) & ~127 != 0


@leaf
def _blank_of_two(first: Any, second: Any) -> Any:
    return first == 0xC2 and (second == 0x85 or second == 0xA0)


@leaf
def _blank_of_three(first: Any, second: Any, third: Any) -> Any:
    if first == 0xE2 and second == 0x80:  # spaces of all widths, ends of lines and paragraphs
        return 0x80 <= third <= 0x8A or third in (0xA8, 0xA9, 0xAF)
    if first == 0xE2:
        return second == 0x81 and third == 0x9F
    if first == 0xE1:
        return second == 0x9A and third == 0x80
    return first == 0xE3 and second == 0x80 and third == 0x80


@leaf
def _blank_at(text: Any, i: Any, stop: Any) -> Any:
    """The bytes of the blank at ``i``, 0 where there is none before ``stop``."""
    byte = byte_at(text, i)
    if byte < ASCII:
        return 1 if byte == SPACE or 9 <= byte <= 13 or 28 <= byte <= 31 else 0
    if i + 1 < stop and _blank_of_two(byte, byte_at(text, i + 1)):
        return 2
    if i + 2 < stop and _blank_of_three(byte, byte_at(text, i + 1), byte_at(text, i + 2)):
        return 3
    return 0


@leaf
def _blank_before(text: Any, start: Any, stop: Any) -> Any:
    """The bytes of the blank that ends at ``stop``, 0 where there is none after ``start``."""
    for size in range(1, 4):
        if stop - size >= start and _blank_at(text, stop - size, stop) == size:
            return size
    return 0


@leaf
def _without_blanks(text: Any, start: Any, stop: Any) -> Any:
    size = 1
    while start < stop and size > 0:
        size = _blank_at(text, start, stop)
        start += size
    size = 1
    while start < stop and size > 0:
        size = _blank_before(text, start, stop)
        stop -= size
    return start, stop


@inlined
def stripped(text: Any, start: Any, stop: Any) -> Any:
    """Where text[start:stop] begins and ends without blanks; most have none, which two bytes tell."""
    if stop > start and seldom(_may_be_blank(byte_at(text, start), byte_at(text, stop - 1))):
        start, stop = _without_blanks(text, start, stop)
    return start, stop

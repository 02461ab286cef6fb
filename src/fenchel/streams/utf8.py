"""Whether bytes are UTF-8."""

from __future__ import annotations

from typing import Any

from fenchel._numba.jit import leaf
from fenchel.streams.eight_bytes import HIGH, eight_at


@leaf
def _continues(data: Any, i: Any, stop: Any) -> Any:
    return i < stop and data[i] & 0xC0 == 0x80


@leaf
def _length(data: Any, i: Any, stop: Any) -> Any:
    """The bytes of the character at ``i``; 0 if it is none (too long a form, a surrogate)."""
    first = data[i]
    if first < 0x80:
        return 1
    if first < 0xC2 or first > 0xF4 or not _continues(data, i + 1, stop):
        return 0
    if first < 0xE0:
        return 2
    second = data[i + 1]
    if not _continues(data, i + 2, stop):
        return 0
    if first < 0xF0:
        bad = (first == 0xE0 and second < 0xA0) or (first == 0xED and second >= 0xA0)
        return 0 if bad else 3
    bad = (first == 0xF0 and second < 0x90) or (first == 0xF4 and second >= 0x90)
    return 0 if bad or not _continues(data, i + 3, stop) else 4


@leaf
def valid(data: Any, start: Any, stop: Any) -> Any:
    """Whether data[start:stop] is UTF-8."""
    i = start
    while i + 8 <= stop and eight_at(data, i) & HIGH == 0:  # ASCII
        i += 8
    while i < stop:
        length = _length(data, i, stop)
        if length == 0:
            return False
        i += length
    return True

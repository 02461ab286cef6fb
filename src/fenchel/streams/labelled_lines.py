"""Lines that plainly have a label, so that none of them needs a look of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import kernel
from fenchel.streams.lines import BAR, COLON, NEWLINE, SPACE

ZERO, NINE, MINUS = 48, 57, 45


def are_plain(data: bytes, format: str, count: int) -> bool:
    """Whether so many lines plainly have a label and no tag: a number first, and a space before bars.

    >>> are_plain(b"1 |f a\\n-1 |f b\\n", "vw", 2), are_plain(b"1 'a |f a\\n", "vw", 1)
    (True, False)
    >>> are_plain(b"1 3:1\\n", "svmlight", 1), are_plain(b"3:1 4:1\\n", "svmlight", 1)
    (True, False)
    """
    if not data or b"\r" in data or b"'" in data or b"#" in data:
        return False
    text = np.frombuffer(data, np.uint8)
    lines, bars, wrong = look(text)
    if lines != count:
        return False
    if format == "svmlight":
        return not have_colons_first(text)
    return bars >= count and not wrong


def count_labelled(data: bytes) -> int:
    """How many lines of Vowpal Wabbit text there are, 0 unless all plainly have a label.

    A number comes first then, and bars stand apart.

    >>> count_labelled(b"1 |f a\\n-1 'tag |f b\\n"), count_labelled(b"1|f a\\n")
    (2, 0)
    """
    if not data or b"\r" in data:
        return 0
    lines, _, wrong = look(np.frombuffer(data, np.uint8))
    return 0 if wrong else int(lines)


@kernel
def look(data: Any) -> Any:
    """Lines, bars, and the bytes that are wrong: bars without a space before, lines that begin otherwise.

    Every byte is counted, whatever comes before it: so compilers take many at a time.
    """
    lines, bars = np.int64(data[0] == NEWLINE), np.int64(data[0] == BAR)
    wrong = np.int64(not (ZERO <= data[0] <= NINE or data[0] == MINUS))
    for i in range(1, len(data)):
        byte, before = data[i], data[i - 1]
        number = (byte >= ZERO) & (byte <= NINE) | (byte == MINUS)
        lines += byte == NEWLINE
        bars += byte == BAR
        wrong += (byte == BAR) & (before != SPACE) | (before == NEWLINE) & (not number)
    return lines, bars, wrong


@kernel
def have_colons_first(data: Any) -> Any:
    """Whether the first word of any line has a colon, or begins with anything but a number."""
    i = 0
    while i < len(data):
        if not (ZERO <= data[i] <= NINE or data[i] == MINUS):
            return True
        while data[i] != SPACE and data[i] != NEWLINE:
            if data[i] == COLON:
                return True
            i += 1
        while data[i] != NEWLINE:
            i += 1
        i += 1
    return False

"""A source's bytes in chunks of whole lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fenchel.streams.errors import BadInput
from fenchel.streams.source import OpenedSource, Source

# Whether rows have labels: all, none, or some of them.
Labelled = bool | Literal["some"]
Bytes = NDArray[np.uint8]

CHUNK = 1 << 22  # a block costs some Python, whatever its size
CROSSED_CHUNK = 1 << 18  # of rows that are crossed, which take up to a hundred times their text
LONGEST_LINE = 1 << 26  # what one line may take of the memory, before it is parsed
NEWLINE = 10
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def after_last_line(data: Bytes) -> int:
    """The position after the last line end, 0 when there is none."""
    # From the end: only the last, unfinished line is looked at.
    stop = len(data)
    while stop > 0:
        start = max(stop - 4096, 0)
        found = np.flatnonzero(data[start:stop] == NEWLINE)
        if len(found):
            return start + int(found[-1]) + 1
        stop = start
    return 0


def chunks(
    source: Source, size: int = CHUNK, split: Callable[[Bytes], int] = after_last_line
) -> Iterator[Bytes]:
    """Chunks of about ``size`` bytes, each of whole records and ending with a line end.

    ``split`` returns where the last whole record of some bytes ends. A pipe is not waited for while
    whole records are at hand. The byte-order mark is left out.
    """
    reading = source.open()
    try:
        buffer, filled, first = np.empty(size + 1, np.uint8), 0, True
        while True:
            got, ended = _fill(reading, buffer, filled)
            filled += got
            if first and (filled >= 3 or ended):
                first = False
                filled = _drop_mark(buffer, filled, source.name)
            end = _finish(buffer, filled) if ended else split(buffer[:filled])
            if end > 0:
                rest = buffer[end:filled]
                following = np.empty(max(size, 2 * len(rest)) + 1, np.uint8)
                following[: len(rest)] = rest
                yield buffer[:end]
                buffer, filled = following, len(rest)
            elif filled + 1 == len(buffer):
                buffer = _grown(buffer, source.name)
            if ended:
                return
    finally:
        reading.close()


def _fill(reading: OpenedSource, buffer: Bytes, filled: int) -> tuple[int, bool]:
    """Read until the buffer is full, the input ends, or a pipe would keep us waiting."""
    got = 0
    room = memoryview(buffer.data)[filled:-1]
    while got < len(room):
        more = reading.read_into(room[got:])
        if more == 0:
            return got, True
        got += more
        if reading.would_wait():
            break
    return got, False


def _finish(buffer: Bytes, filled: int) -> int:
    """Give the last line its end; how many bytes are filled then."""
    if filled and buffer[filled - 1] != NEWLINE:
        buffer[filled] = NEWLINE
        filled += 1
    return filled


def _drop_mark(buffer: Bytes, filled: int, name: str) -> int:
    start = buffer[: min(filled, 3)].tobytes()
    if start.startswith(UTF16_MARKS):
        raise BadInput("the text is in UTF-16", "convert the file to UTF-8", file=name, line=1)
    if start == UTF8_MARK:
        buffer[: filled - 3] = buffer[3:filled].copy()
        return filled - 3
    return filled


def _grown(buffer: Bytes, name: str) -> Bytes:
    if len(buffer) > LONGEST_LINE:
        remedy = "check that the file is text in the format named, or split the line"
        raise BadInput(f"a line of more than {LONGEST_LINE} bytes", remedy, file=name)
    grown = np.empty(2 * len(buffer), np.uint8)
    grown[: len(buffer)] = buffer
    return grown

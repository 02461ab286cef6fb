"""Numbers that compiled code cannot round with certainty: noted, and answered by Python.

One array holds [answers, questions, position, value, position, value, …]: first the answered
positions in order, then those asked for. A chunk is parsed until nothing is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fenchel._numba.jit import leaf
from fenchel.streams.chunks import Bytes

R = TypeVar("R")
Hard = NDArray[np.float64]

ANSWERS, ASKED, FIRST = 0, 1, 2
ROOM = 64
NUMBER = re.compile(rb"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@leaf
def answer(hard: Any, position: Any) -> Any:
    """The value of the number at a position; 0, and a question, if it is not known yet."""
    low, high = 0, int(hard[ANSWERS])
    while low < high:
        middle = (low + high) // 2
        if hard[FIRST + 2 * middle] < position:
            low = middle + 1
        else:
            high = middle
    if low < hard[ANSWERS] and hard[FIRST + 2 * low] == position:
        return hard[FIRST + 2 * low + 1]
    last = FIRST + 2 * int(hard[ANSWERS] + hard[ASKED])
    if last < len(hard):
        hard[last] = position
    hard[ASKED] += 1.0
    return 0.0


def parse_exactly(data: Bytes, parse: Callable[[Hard], R]) -> R:
    """Parse the data once there is an answer to every question."""
    hard = np.zeros(FIRST + 2 * ROOM)
    result = parse(hard)
    while hard[ASKED]:
        hard = _answered(data, hard)
        result = parse(hard)
    return result


def _answered(data: Bytes, hard: Hard) -> Hard:
    """The answers known so far and those to the questions, with room for more questions."""
    count = int(hard[ANSWERS] + hard[ASKED])
    positions = np.unique(hard[FIRST : FIRST + 2 * count : 2])
    more = np.zeros(FIRST + 2 * (len(positions) + count + ROOM))
    more[ANSWERS] = len(positions)
    more[FIRST : FIRST + 2 * len(positions) : 2] = positions
    more[FIRST + 1 : FIRST + 1 + 2 * len(positions) : 2] = [_read(data, int(p)) for p in positions]
    return more


def _read(data: Bytes, position: int) -> float:
    """The unsigned number at a position, as Python reads it."""
    size = 64
    while True:  # rarely longer than the first look
        text = data[position : position + size].tobytes()
        match = NUMBER.match(text)
        if match is None:  # text that was written out of place, and is no number as a whole
            return 0.0
        if match.end() + len("e+") < len(text) or position + size >= len(data):
            return float(match.group())
        size *= 2

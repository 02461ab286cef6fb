"""Instructions that Python has no words for: a branch seldom taken, memory asked for ahead of its use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fenchel._numba import way


def seldom(condition: bool) -> bool:
    """The condition, which seldom holds.

    Without the hint the compiler may compute both branches and choose one: where the seldom one
    divides, that adds a quarter to the time of the other.
    """
    return condition


way.inside(seldom, lambda *arguments: way.expected, way.INLINED)


def fetch(data: Any, position: Any) -> None:
    """Have data[position] brought near the processor, without waiting for it; any position will do."""


way.inside(fetch, lambda *arguments: way.fetched, way.INLINED)


def side_by_side(part: Any) -> Any:
    """The part, its records where ``parts.state`` puts them: the compiler then knows how far apart."""
    return part


way.inside(side_by_side, lambda *arguments: way.side_by_side, way.INLINED)


HALF_ROOT = math.sqrt(0.5)

# ── four numbers at once, where the compiler has them (``way.fours``) ─────────────────────────────


def four_numbers(a: float, b: float, c: float, d: float) -> Any:
    """Four floats in one; arithmetic, ``min``, ``max`` and ``abs`` are those of each lane."""
    return np.array([a, b, c, d])


def four_values_at(values: Any, position: Any) -> Any:
    """values[position … position + 3] as floats."""
    return values[position : position + 4].astype(np.float64)


def four_slots_at(indices: Any, position: Any) -> Any:
    """indices[position … position + 3], each one more: slots of state arrays anywhere."""
    return indices[position : position + 4].astype(np.uint64) + np.uint64(1)


def four_slots_from(first: Any) -> Any:
    """Four slots in a row."""
    return first + np.arange(4, dtype=np.uint64)


def lanes(four: Any) -> Any:
    """The four floats, one by one."""
    return tuple(four)


def four_roots(four: Any) -> Any:
    """The square root of each."""
    return np.sqrt(four)


def none_above(a: Any, b: Any) -> bool:
    """Whether a > b in no lane."""
    return not np.any(a > b)


def all_above(a: Any, b: Any) -> bool:
    """Whether a > b in every lane."""
    return bool(np.all(a > b))


def where_above(a: Any, b: Any, number: Any) -> Any:
    """The number in lanes where a > b, 0 in the others."""
    return np.where(a > b, number, 0.0)


def split(x: Any) -> Any:
    """m and e with x = m·2^e and √½ ≤ m < √2, of a positive float of full precision; or of each of four."""
    m, e = math.frexp(x)
    return (2.0 * m, e - 1.0) if m < HALF_ROOT else (m, float(e))


if way.fours is None:
    way.inside(split, lambda *arguments: split, way.INLINED)
else:
    for _function in (
        four_numbers, four_values_at, four_slots_at, four_slots_from, lanes, four_roots, none_above,
        all_above, where_above, split,
    ):  # fmt: skip
        _own = getattr(way.fours, _function.__name__)
        way.inside(_function, lambda *arguments, _own=_own: _own, way.INLINED)


def byte_at(data: Any, position: Any) -> Any:
    """data[position], in kernels without the question whether the position counts from the end.

    A text parser asks for every byte several times.
    """
    return data[position]


way.inside(byte_at, lambda *arguments: way.byte_at, way.LEAN | way.INLINED)

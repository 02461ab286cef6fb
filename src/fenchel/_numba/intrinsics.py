"""Instructions that Python has no words for: a branch seldom taken, memory asked for ahead of its use."""

from __future__ import annotations

from math import sqrt
from typing import Any

from fenchel._numba import way
from fenchel._numba.choice import COMPILED


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


def four_quotients(
    a: float, b: float, c: float, d: float, p: float, q: float, r: float, s: float
) -> tuple[float, float, float, float]:
    """a/p, b/q, c/r, d/s: four divisions in the time of one, each rounded as by itself."""
    return a / p, b / q, c / r, d / s


def four_roots(a: float, b: float, c: float, d: float) -> tuple[float, float, float, float]:
    """√a, √b, √c, √d in the time of one."""
    return sqrt(a), sqrt(b), sqrt(c), sqrt(d)


way.inside(four_quotients, lambda *arguments: way.quotients, way.INLINED)
way.inside(four_roots, lambda *arguments: way.roots, way.INLINED)


def _byte(data: Any, position: Any) -> Any:
    return data[position]


# data[position] without the question whether the position counts from the end: a text parser asks
# for every byte several times.
byte_at: Any = way.byte_at if COMPILED else _byte

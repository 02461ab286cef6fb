"""Sums over the entries of a row, four at a time.

Four sums are kept and added in a fixed order: the additions of one sum would wait for each other. Where
terms are ``alike``, formulas without branches, the four are computed in vector registers: ``term`` is then
asked for four slots and four values at once (``four_slots``, ``four_values``). Each lane is rounded as it
would be alone, so that the sums have the same bits either way.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from fenchel._numba import way
from fenchel._numba.intrinsics import (
    four_numbers,
    four_slots_at,
    four_slots_from,
    four_values_at,
    lanes,
    seldom,
)
from fenchel._numba.jit import helper
from fenchel._numba.verbs import required_verb, verb
from fenchel.rows.types import FOUR, ONE, THREE, TWO, ZERO, DenseRow, SparseRow, entry, length, slot


@required_verb
def four_slots(row: Any, k: Any) -> Any:
    """The slots of the row's columns k … k + 3, to index state arrays with."""


@required_verb
def four_values(row: Any, k: Any) -> Any:
    """The values of the row's columns k … k + 3."""


@four_slots.of(SparseRow)
def _sparse_slots(row: Any, k: Any) -> Any:
    return four_slots_at(row.indices, row.start + k)


@four_values.of(SparseRow)
def _sparse_values(row: Any, k: Any) -> Any:
    return four_values_at(row.values, row.start + k)


@four_slots.of(DenseRow)
def _dense_slots(row: Any, k: Any) -> Any:
    return four_slots_from(k + ONE)


@four_values.of(DenseRow)
def _dense_values(row: Any, k: Any) -> Any:
    return four_values_at(row.values, k)


ALIKE: set[type] = set()
Part = TypeVar("Part")


def alike(part: type[Part]) -> type[Part]:
    """Class decorator: verbs of this part treat all entries alike, without branches.

    Where they branch, ``usual_terms`` or ``usual`` say when they need not.
    """
    ALIKE.add(part)
    return part


def by_fours(row: Any, *kinds: Any) -> bool:
    """Whether parts of these types, and those inside them, can be asked for four entries of a row at once."""
    return way.fours is not None and row.instance_class in (SparseRow, DenseRow) and _alike(kinds)


def _alike(kinds: Any) -> bool:
    parts = [kind for kind in kinds if hasattr(kind, "instance_class")]
    return all(part.instance_class in ALIKE and _alike(part.types) for part in parts)


# ── sums of terms ───────────────────────────────────────────────────────────────────────────────


@required_verb
def term(what: Any, f: Any, view: Any, slot: Any, x: Any) -> Any:
    """One entry's term in ``sum_over``; ``what`` is a NamedTuple that names the sum."""


@verb
def usual_terms(what: Any, f: Any, view: Any, slots: Any, x: Any) -> bool:
    """Whether ``usual_term`` is the term of these four entries, where ``term`` has branches."""
    return True


@verb
def usual_term(what: Any, f: Any, view: Any, slots: Any, x: Any) -> Any:
    """Four terms without branches."""
    return term(what, f, view, slots, x)


def sum_over(what: Any, f: Any, view: Any, row: Any) -> float:
    """Σ term(what, f, view, slot, x) over the row's entries, the intercept's last."""
    a = b = c = d = 0.0
    n = length(row)
    whole = n - n % FOUR
    k = ZERO
    while k < whole:
        a += term(what, f, view, slot(row, k), entry(row, k))
        b += term(what, f, view, slot(row, k + ONE), entry(row, k + ONE))
        c += term(what, f, view, slot(row, k + TWO), entry(row, k + TWO))
        d += term(what, f, view, slot(row, k + THREE), entry(row, k + THREE))
        k += FOUR
    while k < n:
        a += term(what, f, view, slot(row, k), entry(row, k))
        k += ONE
    return float((a + b) + (c + d) + term(what, f, view, ZERO, row.bias))


@helper
def _one_by_one(what: Any, f: Any, view: Any, row: Any, k: Any) -> Any:
    """The terms of entries k … k + 3, each with its branches."""
    return four_numbers(
        term(what, f, view, slot(row, k), entry(row, k)),
        term(what, f, view, slot(row, k + ONE), entry(row, k + ONE)),
        term(what, f, view, slot(row, k + TWO), entry(row, k + TWO)),
        term(what, f, view, slot(row, k + THREE), entry(row, k + THREE)),
    )


def _sum_of_alike(what: Any, f: Any, view: Any, row: Any) -> float:
    total = four_numbers(0.0, 0.0, 0.0, 0.0)
    n = length(row)
    whole = n - n % FOUR
    k = ZERO
    while k < whole:
        slots, x = four_slots(row, k), four_values(row, k)
        if seldom(not usual_terms(what, f, view, slots, x)):
            total = total + _one_by_one(what, f, view, row, k)
        else:
            total = total + usual_term(what, f, view, slots, x)
        k += FOUR
    a, b, c, d = lanes(total)
    while k < n:
        a += term(what, f, view, slot(row, k), entry(row, k))
        k += ONE
    return float((a + b) + (c + d) + term(what, f, view, ZERO, row.bias))


way.inside(
    sum_over,
    lambda what, f, view, row: _sum_of_alike if by_fours(row, what, f) else sum_over,
    way.INLINED,
)


# ── the sum of squares ───────────────────────────────────────────────────────────────────────────


@alike
class _Squares(NamedTuple):
    """The sum that is ‖x‖₂²."""


@term.of(_Squares)
def _square(what: Any, f: Any, view: Any, slot: Any, x: Any) -> Any:
    return x * x


@helper
def squared_norm(row: Any) -> float:
    """‖x‖₂², the intercept included."""
    return sum_over(_Squares(), 0.0, 0.0, row)

"""A full matrix that begins anew where mistakes become many: for streams that jump.

Since it began there were n rounds with k mistakes, p = (k + ½)/(n + 1) of them. Against the chance p of a
mistake stands √p, half the way to certainty, and what is summed is the logarithm of their likelihoods'
ratio, held above 0 (Page's test),

    g ← max(0, g + ½·ln 1/p) after a mistake,    g ← max(0, g − ln(1 + √p)) after none.

Beyond 2·ln n, which independent mistakes of one chance reach in round n with a chance of 1/n at most, all is
forgotten. On a stream that stays the same it is the matrix that never forgets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel._numba.libm import log, log1p
from fenchel.parts import state
from fenchel.parts.state import MATRIX, SCALAR, SLOTS, WAITING_ROWS, Array, part
from fenchel.regularizers.full_matrix import FullQuadratic
from fenchel.regularizers.protocol import (
    all_weights,
    commit,
    keeps_all,
    look,
    margin,
    rescued_margin,
    spread,
    weight,
)
from fenchel.regularizers.uniting import Shards, added, largest, rescale, unite

# Rounds before which nothing is tested: the first mistakes are those of learning.
SETTLING = 64.0


@part
class RenewedMatrix(NamedTuple):
    """``FullQuadratic`` with A and θ of the rounds since it last began, and what tells when to begin anew."""

    a: float = 1.0
    r: float = 1.0
    always: bool = False
    tentative: bool = True
    theta: Array = SLOTS
    rotated: Array = SLOTS
    factor: Array = MATRIX
    widest: Array = SCALAR
    waiting: Array = SCALAR
    rows: Array = WAITING_ROWS
    turns: Array = WAITING_ROWS
    watched: Array = SCALAR
    mistakes: Array = SCALAR
    evidence: Array = SCALAR
    begun: Array = SCALAR


@helper
def as_matrix(f: Any) -> Any:
    """The matrix, with the same arrays."""
    sums = f.theta, f.rotated, f.factor, f.widest, f.waiting, f.rows, f.turns
    return FullQuadratic(f.a, f.r, f.always, f.tentative, *sums)


@look.of(RenewedMatrix)
def _look(f: Any, row: Any) -> Any:
    return look(as_matrix(f), row)


@margin.of(RenewedMatrix)
def _margin(f: Any, view: Any, row: Any) -> float:
    return float(margin(as_matrix(f), view, row))


@rescued_margin.of(RenewedMatrix)
def _rescued(f: Any, view: Any, row: Any) -> float:
    return float(rescued_margin(as_matrix(f), view, row))


@weight.of(RenewedMatrix)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(weight(as_matrix(f), view, slot, x))


@all_weights.of(RenewedMatrix)
def _all_weights(f: Any, view: Any, out: Array) -> None:
    all_weights(as_matrix(f), view, out)


@spread.of(RenewedMatrix)
def _spread(f: Any, view: Any, row: Any) -> float:
    return float(spread(as_matrix(f), view, row))


@keeps_all.of(RenewedMatrix)
def _keeps_all(f: Any) -> bool:
    return bool(f.always)


@commit.of(RenewedMatrix)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """The step, or the beginning: the row that raised the alarm is not learned from."""
    if row.importance > 0.0 and _has_changed(f, coefficient * margin(f, view, row) < 0.0):
        _begin_anew(f)
    else:
        commit(as_matrix(f), view, row, coefficient)


@helper
def _has_changed(f: Any, wrong: bool) -> bool:
    """Whether mistakes have become many by now; counts the round in."""
    n = f.watched[0]
    p = (f.mistakes[0] + 0.5) / (n + 1.0)
    gain = -0.5 * log(p) if wrong else -log1p(np.sqrt(p))
    f.evidence[0] = max(0.0, f.evidence[0] + gain) if n >= SETTLING else 0.0
    f.watched[0] = n + 1.0
    f.mistakes[0] += 1.0 if wrong else 0.0
    return bool(f.evidence[0] > 2.0 * log(n + 1.0))


@helper
def _begin_anew(f: Any) -> None:
    f.watched[0] = f.mistakes[0] = f.evidence[0] = 0.0
    f.begun[0] += 1.0
    for sums in (f.theta, f.rotated, f.widest, f.waiting):
        sums[:] = 0.0
    for matrix in (f.factor, f.rows, f.turns):
        matrix[:, :] = 0.0


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(RenewedMatrix)
def _unite(f: Any, shards: Shards) -> None:
    """A and θ as of the matrix, from nothing where a shard began anew; the counts add."""
    start = shards.start
    if any(g.begun[0] > start.begun[0] for g in shards.parts):
        start = state.start(start, len(start.theta))
    known = shards._replace(start=start)
    parts = [as_matrix(g) for g in shards.parts]
    unite(as_matrix(f), Shards(parts, as_matrix(start), shards.shares))
    f.watched[:], f.mistakes[:] = added(known, "watched"), added(known, "mistakes")
    f.begun[:] = largest(shards, "begun")


@rescale.of(RenewedMatrix)
def _rescale(f: Any, factors: Array) -> None:
    rescale(as_matrix(f), factors)

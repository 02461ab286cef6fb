"""The average of all w_t, kept lazily: online-to-batch conversion without a sweep.

Between two visits of coordinate j its weight is h_j·pace_t, where only the scalar pace_t changes
with t. With P_t = Σ_{s≤t} pace_s the weights of the rounds in between add up to
h_j·(P_now − P_then), so that a coordinate is charged only when it is visited. Where a composite
term shrinks the weights between visits, their sum over the rounds has a closed form of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._numba import kernel, verb
from fenchel._numba.jit import suited
from fenchel.parts.state import SCALAR, SLOTS, Array, part
from fenchel.regularizers.protocol import (
    AVERAGING,
    bank_weights,
    charge_all,
    prepare,
    refuse_missing,
    reshapes,
    uncharged,
    unit,
    weight,
)
from fenchel.regularizers.uniting import Shards, added, unite
from fenchel.rows.types import saturated


class NoAverage(NamedTuple):
    """Nothing is averaged."""

    @property
    def kept(self) -> bool:
        """Whether predictions are read from averaged weights."""
        return False

    def read(self, regularizer: Any) -> Any:
        """Return what predictions are read from: the last weights."""
        return regularizer


@part
class Average(NamedTuple):
    """Σ_t w_t by coordinate, up to the P_t (``mark``) at which each was last charged."""

    total: Array = SLOTS
    mark: Array = SLOTS
    clock: Array = SCALAR
    unit: Array = SCALAR
    rounds: Array = SCALAR

    @property
    def kept(self) -> bool:
        """Whether predictions are read from averaged weights."""
        return True

    def read(self, regularizer: Any) -> Any:
        """Return what predictions are read from: the mean of all weights so far."""
        return Averaged(regularizer, self)


@verb
def begin_round(average: Any, f: Any, row: Any) -> None:
    """Called first in every round: put f in order for this row, and the average with it."""
    prepare(f, row)


@verb
def bank(average: Any, f: Any, view: Any, row: Any) -> None:
    """Called in every round between the margin and the commit: count w_t."""


@begin_round.of(Average)
def _begin_round(average: Any, f: Any, row: Any) -> None:
    # A change of unit or of shape touches every coordinate, so each is charged before it.
    if unit(f) != average.unit[0] or reshapes(f, row):
        charge_all(average, f)
    prepare(f, row)
    average.unit[0] = unit(f)


@bank.of(Average)
def _bank(average: Any, f: Any, view: Any, row: Any) -> None:
    bank_weights(f, average, view, row)
    average.rounds[0] += 1.0


class Averaged(NamedTuple):
    """A regularizer that reads as the average of its weights over all rounds."""

    regularizer: Any
    average: Any


@weight.of(Averaged)
def _averaged_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """(Σ_t w_{t,j})/T: what was charged, and what came since."""
    if f.average.rounds[0] == 0.0 or slot >= f.average.total.shape[0]:  # a column never seen
        return 0.0
    total = saturated(f.average.total[slot] + uncharged(f.average, f.regularizer, slot))
    return float(total / f.average.rounds[0])


def average_for(f: Any) -> Average:
    """Make the average of a regularizer's weights, if its verbs can keep one."""
    refuse_missing(f, AVERAGING, "averaged=True")
    if not getattr(f, "averageable", True):
        raise ValueError(
            f"averaged=True does not go with domain={type(f.domain).__name__} here: "
            "average over the whole space, a ball or the orthant"
        )
    return Average()


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@verb
def charge(average: Any, f: Any) -> None:
    """Count in what waits, so that the sums can be added; nothing where nothing is averaged."""


@kernel
def _charge_all(average: Any, f: Any) -> None:
    charge_all(average, f)


@charge.of(Average)
def _charge(average: Any, f: Any) -> None:
    suited(_charge_all, f)(average, f)


@unite.of(Average)
def _unite(average: Any, shards: Shards) -> None:
    """Σ w_t and the rounds add: the mean over the rounds of all shards. Nothing waits (``charge``)."""
    average.total[:] = added(shards, "total")
    average.rounds[:] = added(shards, "rounds")

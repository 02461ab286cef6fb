"""One known row through a whole mixture in one compiled step: all experts, and what is made of their margins.

The kernels are those that learn and read blocks, bound to arrays of one row. What a step was bound to is
kept beside it: where an expert has taken other arrays since, for more columns, the step is made anew.
"""

from __future__ import annotations

from operator import is_
from typing import Any

import numpy as np

from fenchel._numba.jit import in_one_step, lean
from fenchel._numba.undisturbed import undisturbed
from fenchel.learners import holdings
from fenchel.learners.engine import ONE
from fenchel.learners.views import CURVES, FEATURES, PAIRS, PRODUCTS, WAVES
from fenchel.loops.adahedge import move_by
from fenchel.loops.curves import KNOTS, bend_rows, has_knots, width_of_curves
from fenchel.loops.feature_pairs import most_entries, pair_ends, pairs_into
from fenchel.loops.feature_scaling import sparse_in_units
from fenchel.loops.frozen_losses import ATTEND, attend, hold_row
from fenchel.loops.online import count_round
from fenchel.loops.products import NUMBERS, centred_products, end_after, is_held, width_of
from fenchel.loops.waves import TURNS, wave_rows, width_of_waves
from fenchel.parts.state import Array
from fenchel.rows.types import SparseRows

# So many single rows come before a step is made of them: that takes some milliseconds.
PATIENCE = 32


class _Step:
    """A step, and what it was bound to."""

    def __init__(self, mixture: Any, view: SparseRows, calls: list[Any]) -> None:
        self._own = self._things_of(mixture, view)
        self._held, self._experts = holdings.current(), _held_by(mixture.experts)
        self._run = in_one_step(calls)

    def fits(self, mixture: Any, view: SparseRows) -> bool:
        """Whether all that it was bound to is still in use."""
        if not all(map(is_, self._things_of(mixture, view), self._own)):
            return False
        held = holdings.current()
        if held != self._held:  # some engine has taken other arrays: one of these?
            found = _held_by(mixture.experts)
            if len(found) != len(self._experts) or not all(map(is_, found, self._experts)):
                return False
            self._held = held
        return True

    @staticmethod
    def _things_of(mixture: Any, view: SparseRows) -> tuple[Any, ...]:
        seen = mixture.views
        return view, seen.units, seen.spreads, seen.origin, mixture.blend, mixture.counts


def _held_by(experts: list[Any]) -> list[Any]:
    """What the experts hold: calls are bound to it."""
    return [thing for expert in experts for thing in expert.bound_to()]


class _Seen:
    """The row as experts see it, in units, with products, as curves or waves; the calls that make it so."""

    def __init__(self, mixture: Any, view: SparseRows, learning: bool) -> None:
        self._roles, self._rows = mixture.roles, {FEATURES: view}
        self.calls: list[Any] = []
        spreads, units, kinds = mixture.views.spreads, mixture.views.units, mixture.kinds
        moves = learning and not is_held(spreads)
        if PRODUCTS in kinds:
            out, ends = np.empty((1, width_of(len(spreads) - 1))), np.empty(1, np.int64)
            row = _row_of(np.zeros(2, np.int64), NUMBERS[: out.shape[1]], out[0])
            self.calls.append((centred_products, (spreads, view, ONE, moves, out, ends)))
            self.calls.append((end_after, (ends, row.indptr)))
            self._rows[PRODUCTS] = row
        if CURVES in kinds:
            out, width = np.empty((1, KNOTS * (len(spreads) - 1))), width_of_curves(spreads)
            self._rows[CURVES] = _row_of(np.array([0, width]), NUMBERS[:width], out[0, :width])
            self.calls.append((bend_rows, (spreads, view, ONE, moves, out)))
        if WAVES in kinds:
            width = width_of_waves(spreads)
            out = np.empty((1, width))
            self._rows[WAVES] = _row_of(np.array([0, width]), NUMBERS[:width], out[0])
            self.calls.append((wave_rows, (spreads, TURNS, view, 0, out)))
        if units is not None:
            row = _row_of(view.indptr, view.indices, np.empty(len(view.values)))
            self.calls.append((lean(sparse_in_units), (units, view, 1, ONE, learning, row.values)))
            self._rows[FEATURES] = row
        if PAIRS in kinds:
            features, known = self._rows[FEATURES], np.uint64(mixture.columns)
            most = most_entries(min(len(view.indices), mixture.columns))
            row = _row_of(np.zeros(2, np.int64), np.empty(most, np.uint32), np.empty(most))
            self.calls.append((pair_ends, (features, known, row.indptr)))
            self.calls.append((pairs_into, (features, known, row.indptr, *row[1:3])))
            self._rows[PAIRS] = row

    def by(self, k: int) -> SparseRows:
        """As expert k sees it."""
        return self._rows[self._roles[k].sees]


class LearnStep(_Step):
    """Learns one row of importance 1 that brings nothing new."""

    def __init__(self, mixture: Any, view: SparseRows) -> None:
        blend, origin, frozen = mixture.blend, mixture.views.origin, mixture.frozen
        seen, room = _Seen(mixture, view, learning=True), len(view.indices)
        self._y, from_origin, margins = np.zeros(1), np.zeros(1), _margins_for(mixture)
        calls = [*seen.calls, (move_by, (self._y, origin, -1.0, False, from_origin))]
        for k in blend.active:
            own, y = margins[k, 0], from_origin if mixture.roles[k].relative else self._y
            calls += mixture.experts[k].learning_calls(seen.by(k), y, own)
            if mixture.roles[k].relative:
                calls.append((move_by, (own, origin, 1.0, False, own)))
        mixing, self._out = blend.learning_calls(margins, self._y)
        calls += [*mixing, (count_round, (mixture.counts,))]
        self._attend = np.zeros(ATTEND + 1, np.int64)
        if frozen is not None:
            tray = frozen.tray_for(room)
            self._attend = tray.counts
            calls.insert(0, (hold_row, (tray, view, self._y, mixture.counts)))
            calls.append((attend, (tray, room, mixture.counts)))
        super().__init__(mixture, view, calls)

    @staticmethod
    def _things_of(mixture: Any, view: SparseRows) -> tuple[Any, ...]:
        tray = None if mixture.frozen is None else mixture.frozen.tray
        return *_Step._things_of(mixture, view), tray

    def learn(self, mixture: Any, target: Array) -> Any:
        """Learn the row that is in the view; returns its margin from before, or one for each class."""
        self._y[0] = target[0]
        if self._attend[ATTEND]:
            with undisturbed:
                mixture.frozen.before_row(mixture.rounds)
                self._run()
                mixture.after_row()
                mixture.frozen.before_row(mixture.rounds)
        else:
            self._run()
        return self._out[0].copy()


class ReadStep(_Step):
    """Reads one row of columns that are known, as the next round would see it."""

    def __init__(self, mixture: Any, view: SparseRows) -> None:
        seen, margins = _Seen(mixture, view, learning=False), _margins_for(mixture)
        calls = seen.calls
        for k in mixture.blend.active:
            own = margins[k, 0]
            calls += mixture.experts[k].reading_calls(seen.by(k), own)
            if mixture.roles[k].relative:
                calls.append((move_by, (own, mixture.views.origin, 1.0, True, own)))
        mixing, self._out = mixture.blend.reading_calls(margins)
        super().__init__(mixture, view, calls + mixing)

    def read(self) -> Array:
        """Read the row that is in the view."""
        self._run()
        return np.array(self._out)


class Steps:
    """The steps of a mixture, made once some single rows have come in the same arrays."""

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}
        self._views: dict[Any, Any] = {}
        self._seen: dict[Any, int] = {LearnStep: 0, ReadStep: 0}

    def of(self, kind: Any, mixture: Any, view: Any) -> Any:
        """The step for a row in these arrays; None while few have come."""
        found = self._made.get(kind)
        if found is not None and found.fits(mixture, view):
            return found
        if found is not None or self._views.get(kind) is not view or self._seen[kind] == PATIENCE:
            self._made[kind], self._views[kind], self._seen[kind] = None, view, 0
        self._seen[kind] += 1
        if self._seen[kind] == PATIENCE and _suits(mixture, view):
            self._made[kind] = kind(mixture, view)
        return self._made.get(kind)


def _suits(mixture: Any, view: Any) -> bool:
    """Whether rows can be taken in one step: sparse ones, all is done by kernels, and knots are known."""
    if not isinstance(view, SparseRows) or view.indptr[0] != 0 or view.values.itemsize != 8:
        return False
    if CURVES in mixture.kinds and not has_knots(mixture.views.spreads):
        return False
    margins = _margins_for(mixture)
    return margins.size > 0 and all(
        mixture.experts[k].reading_calls(view, margins[k, 0]) is not None
        and len(mixture.experts[k].bound_to()) == margins.shape[2]
        for k in mixture.blend.active
    )


def _margins_for(mixture: Any) -> Array:
    """Room for the margins of one row by expert and class; those of retired experts stay 0."""
    classes = mixture.outputs if mixture.task == "multiclass" else 1
    return np.zeros((len(mixture.experts), 1, classes))


def _row_of(indptr: Any, indices: Any, values: Array) -> SparseRows:
    return SparseRows(indptr, indices, values, values.view(np.uint64))

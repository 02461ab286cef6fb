"""Rows as experts of a mixture see them: in units, with products, as curves or waves; targets from the first.

What an expert sees is part of its ``Role``. Experts that see the same share one ``Views``: it keeps the
units of features, the means, spreads and knots of columns and the first target, and forms each kind of
rows once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fenchel.learners.engine import ONE
from fenchel.learners.quadratic import (
    anchored,
    around_mean,
    bent,
    curve_slopes,
    laid_out,
    multiplied_out,
    singles,
    waving,
)
from fenchel.learners.still import as_columns
from fenchel.learners.wave_terms import wave_slopes
from fenchel.loops.curves import BEHIND, KNOTS, SAMPLE, curves_of, knots_of
from fenchel.loops.feature_pairs import pairs_of, plain_anchors
from fenchel.loops.feature_scaling import COUNT, UNIT, grown, new_units, scaled_rows
from fenchel.loops.products import held, is_held, new_spreads, products_of, widened, width_of
from fenchel.loops.waves import WAVES as SO_MANY
from fenchel.loops.waves import waves_of
from fenchel.parts.state import Array
from fenchel.rows import Rows
from fenchel.rows.types import LARGEST

# The kinds of rows: features as they are, or in units; their squares and products beside them, around their
# means; places of features between knots; waves over several features; products of what is not 0.
FEATURES, PRODUCTS, CURVES, WAVES, PAIRS = "features", "products", "curves", "waves", "pairs"

# Pairs of features are formed while a row has no more than so many entries other than 0, on average.
SHORT = 32

FURTHER = {CURVES: KNOTS, WAVES: SO_MANY}  # slots of a column behind its products

# Rows that means, spreads and knots are fixed by, where models are to be merged.
SETTLING = 2048

# A first target farther from 0 is no origin: the distance from it could overflow.
FARTHEST = 1e150


def together(seen: set[str]) -> frozenset[str]:
    """The kinds that can be formed of these: curves beside products alone, waves beside curves."""
    found = frozenset(seen)
    for kind, needs in ((CURVES, PRODUCTS), (WAVES, CURVES)):
        found -= {kind} if needs not in found else set()
    return found


def further_of(kinds: frozenset[str]) -> int:
    """The slots that a column has behind its products."""
    return sum(count for kind, count in FURTHER.items() if kind in kinds)


class Role(NamedTuple):
    """What an expert sees of rows and targets, and for how many columns and classes it is."""

    sees: str = FEATURES
    relative: bool = False  # targets as their distance from the first
    columns: int | None = None  # up to so many
    classes: int | None = None  # up to so many
    beyond: int = 0  # once there are more columns than so many
    later: int = 0  # the generation of model files that it joined in
    until: int | None = None  # the last generation that it was in, where another took its place
    forecasts: bool = False  # whether its margins are logits that can stand for themselves

    def was_in(self, generation: int) -> bool:
        """Whether model files of a generation have it."""
        return self.later <= generation and (self.until is None or generation <= self.until)

    @property
    def sees_more(self) -> bool:
        """Whether it sees more than features."""
        return self.sees != FEATURES

    @property
    def is_centred(self) -> bool:
        """Whether it sees products, curves or waves, formed by means, spreads and knots."""
        return self.sees in (PRODUCTS, CURVES, WAVES)

    @property
    def suffix(self) -> str:
        """The role in words, behind an expert's specification."""
        seen = f" on {self.sees}" if self.sees_more else ""
        return seen + (" from the first target" if self.relative else "")


class Views:
    """The units, means, spreads, knots and first target of a stream, and rows seen through them."""

    def __init__(self, roles: Sequence[Role], unitless: bool) -> None:
        self._has_curves = any(role.sees == CURVES for role in roles)
        self.most = max((role.columns or 0 for role in roles if role.sees == PRODUCTS), default=0)
        self._unitless = unitless
        self.units: Array | None = None
        self.restart(0, frozenset())

    def restart(self, columns: int, kinds: frozenset[str]) -> None:
        """Begin with so many columns, not seen yet."""
        self.origin = np.zeros(1)
        self.units = new_units(columns) if self._unitless else None
        self.spreads = self._new_spreads(columns if PRODUCTS in kinds else 0)

    def copy(self) -> Views:
        """Copy all of it."""
        twin: Views = object.__new__(Views)
        twin.__dict__.update(self.__dict__)
        twin.origin, twin.spreads = self.origin.copy(), self.spreads.copy()
        twin.units = None if self.units is None else self.units.copy()
        return twin

    def _new_spreads(self, columns: int) -> Array:
        return new_spreads(columns, SAMPLE if self._has_curves else 0)

    # ── room ────────────────────────────────────────────────────────────────────────────────────

    @staticmethod
    def width(sees: str, columns: int) -> int:
        """The number of columns that an expert sees of so many."""
        if sees in FURTHER:
            return FURTHER[sees] * columns
        return width_of(columns) if sees in (PRODUCTS, PAIRS) else columns

    def take_up(self, columns: int) -> tuple[Array | None, Array]:
        """Make room for the units of so many columns; returns what ``put_back`` needs."""
        before = self.units, self.spreads
        if self.units is not None and columns > len(self.units):
            self.units = grown(self.units, max(columns, 2 * len(self.units)))
        return before

    def widen(self, columns: int, kinds: frozenset[str]) -> None:
        """Make room for the spreads of so many columns, where products are seen."""
        if PRODUCTS not in kinds:
            self.spreads = self._new_spreads(0)
        elif columns > len(self.spreads) - 1:
            self.spreads = widened(self.spreads, columns)

    def put_back(self, before: tuple[Array | None, Array]) -> None:
        """Undo ``take_up`` and ``widen``."""
        self.units, self.spreads = before

    # ── rows and targets ────────────────────────────────────────────────────────────────────────

    def of(
        self, rows: Rows, importance: Array, kinds: frozenset[str], learning: bool, columns: int = 0
    ) -> dict[str, Rows]:
        """The rows of each kind; while learning, units, means, spreads and knots move on.

        Where they are only read, ``columns`` are known: room for others is made as the next round would.
        """
        found: dict[str, Rows] = {}
        spreads = self.spreads if learning else self._spreads_for(rows, kinds, columns)
        moves = learning and not is_held(spreads)
        if PRODUCTS in kinds:
            found[PRODUCTS] = products_of(spreads, rows, importance, moves)
        if CURVES in kinds:
            found[CURVES], before = curves_of(spreads, rows, importance, moves)
            if WAVES in kinds:
                found[WAVES] = waves_of(spreads, rows, before)
        units = self.units
        found[FEATURES] = rows if units is None else scaled_rows(units, rows, importance, learning)
        if PAIRS in kinds:
            found[PAIRS] = pairs_of(found[FEATURES], columns or rows.width)
        return found

    def _spreads_for(self, rows: Rows, kinds: frozenset[str], columns: int) -> Array:
        if PRODUCTS not in kinds:
            return self.spreads
        width = rows.used_columns if rows.width > columns else columns
        return widened(self.spreads, width) if columns < width <= self.most else self.spreads

    @property
    def seen(self) -> int:
        """The number of columns that rows have had, where they are counted: there may be room for more."""
        there = np.zeros(0) if self.units is None else np.flatnonzero(self.units[:, COUNT])
        return 1 + int(there[-1]) if len(there) else 0

    def mean_entries(self, rounds: int) -> float:
        """How many entries other than 0 a row has had on average, where they are counted."""
        return 0.0 if self.units is None else float(self.units[:, COUNT].sum()) / max(rounds, 1)

    def set_origin(self, targets: Array) -> None:
        """Take the first target there ever was as that from which relative experts count."""
        if len(targets) and not is_held(self.spreads):
            self.origin[0] = targets[0] if abs(targets[0]) < FARTHEST else 0.0

    def settle(self, rows: Rows, kinds: frozenset[str]) -> None:
        """Fix means, spreads and knots by the first rows, so that merged models agree on them."""
        sample = rows.part(0, min(len(rows), SETTLING))
        products_of(self.spreads, sample, ONE, learning=True)
        if CURVES in kinds:
            curves_of(self.spreads, sample, ONE, learning=True)
        self.spreads = held(self.spreads)

    # ── weights ─────────────────────────────────────────────────────────────────────────────────

    def anchors(self, kinds: frozenset[str]) -> Array | None:
        """The means, spreads and knots that all but features are formed by where they stand still."""
        if PAIRS in kinds:
            return plain_anchors(self.seen, BEHIND)
        if PRODUCTS not in kinds:
            return None
        found = np.zeros((len(self.spreads), BEHIND + further_of(kinds)))
        found[:, :BEHIND] = self.spreads[:, :BEHIND]
        if CURVES in kinds:
            found[1:, BEHIND : BEHIND + KNOTS] = knots_of(self.spreads)
        return found

    def as_given(self, weights: Array, sees: str, columns: int, kinds: frozenset[str]) -> Array:
        """An expert's weights for the features as the user knows them, slots × classes.

        Where some see products all have slots for them, of anchored features, and for knots and waves.
        """
        further = further_of(kinds)
        if sees == PRODUCTS:
            return anchored(as_columns(weights), self.spreads, further)
        if sees == CURVES:
            return bent(as_columns(weights), columns, further)
        if sees == WAVES:
            return waving(as_columns(weights), columns, further)
        with np.errstate(all="ignore"):  # a unit may be as small as floats are
            found = as_columns(np.nan_to_num(self.out_of_units(weights, columns, sees)))
        more = kinds & {PRODUCTS, PAIRS} and sees == FEATURES
        return laid_out(found, columns, further) if more else found

    def slopes(self, weights: Array, sees: str, columns: int, kinds: frozenset[str]) -> Array:
        """The weights of single features of an expert; of curves, waves and products at the mean.

        Of pairs, at 0.
        """
        if sees in FURTHER:
            anchors = self.anchors(kinds)
            assert anchors is not None
            slopes_of = curve_slopes if sees == CURVES else wave_slopes
            slopes = slopes_of(as_columns(weights), anchors)
            found = np.concatenate([as_columns(weights)[:1], slopes])
            return found[:, 0] if weights.ndim == 1 else found
        if sees == PRODUCTS:
            still = self.spreads[:, :BEHIND]
            found, _ = around_mean(anchored(as_columns(weights), still)[:, None], still)
            return found[:, 0, 0] if weights.ndim == 1 else found[:, 0]
        found = self.out_of_units(weights, columns, sees)
        return singles(found) if sees == PAIRS else found

    def out_of_units(self, weights: Array, columns: int, sees: str = FEATURES) -> Array:
        """The weights of the features as the user knows them, or of their pairs."""
        if self.units is None:
            return weights
        unit = self.units[:columns, UNIT]
        with np.errstate(over="ignore"):  # a unit may be a denormal number
            per_unit = np.minimum(1.0 / np.where(unit > 0.0, unit, 1.0), LARGEST)
            factors = multiplied_out(per_unit)[: len(weights) - 1] if sees == PAIRS else per_unit
            factors = np.concatenate([[1.0], np.minimum(factors, LARGEST)])
            return np.asarray(np.nan_to_num((weights[: len(factors)].T * factors).T))

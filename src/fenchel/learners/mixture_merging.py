"""Mixtures merged: experts put in common units, retired where they learned different things, and united."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fenchel.learners.quadratic import places as product_places
from fenchel.learners.renumbering import Longs, Places, shares_of
from fenchel.learners.views import PAIRS, PRODUCTS
from fenchel.loops.feature_scaling import new_units, united_units
from fenchel.loops.products import is_held
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards

if TYPE_CHECKING:  # which calls what is here
    from fenchel.learners.mixture import Mixture


def place_mixture(mixture: Mixture, places: Places) -> Mixture:
    """Copy a mixture, its columns and classes in these places; experts with a limit below retire."""
    twin = mixture.copy()
    assert isinstance(twin, type(mixture)), "a copy is of the same class"
    twin.columns, twin.outputs = places.width, places.total
    stays = np.array_equal(places.columns, np.arange(places.width))
    if not (stays and is_held(mixture.views.spreads)):  # means and spreads have no merge
        twin.do_without_centred()
    for k, role in enumerate(mixture.roles):
        if role.columns is not None and places.width > role.columns:
            twin.retire(k)
    if not mixture.rounds:  # those that wait for so many columns
        _, joining = mixture.changes(places.width)
        twin.blend.hedge.active[joining] = 1.0
    for k in twin.blend.active:
        twin.experts[k] = mixture.experts[k].placed(_places_of(mixture, k, places))
    if mixture.views.units is not None:
        twin.views.units = new_units(places.width)
        twin.views.units[places.columns] = mixture.views.units[: mixture.columns]
    return twin


def _places_of(mixture: Mixture, k: int, places: Places) -> Places:
    """Where the features of an expert go; centred products and curves stay where they are."""
    role = mixture.roles[k]
    if not role.sees_more:
        return places
    width = mixture.views.width(role.sees, places.width)
    if role.sees == PAIRS:
        return places._replace(columns=_of_pairs(places.columns), width=width)
    return places._replace(columns=np.arange(width), width=width)


def _of_pairs(columns: Longs) -> Longs:
    """Where columns and their pairs go, among pairs, when columns go to these places."""
    single, pair, first, second = product_places(len(columns))
    one, other = columns[first], columns[second]
    j = np.maximum(one, other)
    found = np.empty(len(single) + len(pair), np.int64)
    found[single] = columns * (columns + 3) // 2
    found[pair] = j * (j + 3) // 2 + 1 + np.minimum(one, other)
    return found


def unite_mixtures(mixture: Mixture, engines: Sequence[Mixture], start: Mixture) -> None:
    """Give a fresh mixture the experts of all, in common units, and how they are blended."""
    mixture.outputs = start.outputs
    origins = [engine.views.origin for engine in (start, *engines) if engine.rounds]
    mixture.blend.hedge.active[:] = _left(engines, start, origins)
    mixture.restart(start.columns)
    if PRODUCTS in mixture.kinds:
        mixture.views.spreads = start.views.spreads.copy()
    if origins:
        mixture.views.origin = origins[0].copy()
    if start.views.units is not None:
        others = [engine.views.units for engine in engines if engine.views.units is not None]
        mixture.views.units = united_units(start.views.units, others)
        for engine in (start, *engines):
            engine.put_in(mixture.views.units)
    for k in mixture.blend.active:
        mixture.experts[k].unite([engine.experts[k] for engine in engines], start.experts[k])
    shares = shares_of(engines, start)
    mixture.blend.unite(Shards([engine.blend for engine in engines], start.blend, shares))
    if mixture.frozen is not None and start.frozen is not None:
        present = mixture.weights_in_use()
        kept = [engine.frozen for engine in engines if engine.frozen is not None]
        mixture.frozen.unite(kept, start.frozen, present, mixture.blend, mixture.anchors())


def _left(engines: Sequence[Mixture], start: Mixture, origins: list[Array]) -> Array:
    """The experts that stay: retired in none, and of the same numbers and features in all."""
    found = [engine.blend.hedge.active for engine in (start, *engines)]
    origins_differ = any((origin != origins[0]).any() for origin in origins)
    spreads = start.views.spreads
    spreads_differ = any(not np.array_equal(engine.views.spreads, spreads) for engine in engines)
    for active in found:
        for k, role in enumerate(start.roles):
            if (role.relative and origins_differ) or (role.is_centred and spreads_differ):
                active[k] = 0.0
    return np.asarray(np.minimum.reduce(found))

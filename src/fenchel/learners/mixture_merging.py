"""Mixtures merged: experts put in common units, retired where they learned different things, and united."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fenchel.learners.quadratic import places as product_places
from fenchel.learners.renumbering import Longs, Places, shares_of
from fenchel.learners.views import PAIRS, PRODUCTS
from fenchel.loops.feature_scaling import new_units, united_units
from fenchel.loops.products import is_held, seen_columns
from fenchel.regularizers.uniting import Shards

if TYPE_CHECKING:  # which calls what is here
    from fenchel.learners.mixture import Mixture


def place_mixture(mixture: Mixture, places: Places) -> Mixture:
    """Copy a mixture, its columns and classes in these places; experts with a limit below retire."""
    twin = mixture.copy()
    assert isinstance(twin, type(mixture)), "a copy is of the same class"
    twin.columns, twin.outputs = places.width, places.total
    if _leading(places) < seen_columns(mixture.views.spreads):  # formed of columns in their order
        twin.do_without_centred()
    for k, role in enumerate(mixture.roles):
        if role.columns is not None and places.width > role.columns:
            twin.retire(k)
    if not mixture.rounds:  # those that wait for so many columns
        _, joining = mixture.changes(places.width)
        twin.blend.hedge.active[joining] = 1.0
    for k in twin.blend.active:
        twin.experts[k] = mixture.experts[k].placed(_places_of(mixture, k, places))
    twin.views.widen(places.width, twin.kinds)
    if mixture.views.units is not None:
        twin.views.units = new_units(places.width)
        twin.views.units[places.columns] = mixture.views.units[: mixture.columns]
    return twin


def _leading(places: Places) -> int:
    """How many of the first columns stay where they are."""
    moved = np.flatnonzero(places.columns != np.arange(len(places.columns)))
    return int(moved[0]) if len(moved) else len(places.columns)


def _places_of(mixture: Mixture, k: int, places: Places) -> Places:
    """Where the features of an expert go; centred products, curves and waves stay where they are."""
    role = mixture.roles[k]
    if not role.sees_more:
        return places
    width = mixture.views.width(role.sees, places.width)
    if role.sees == PAIRS:
        return places._replace(columns=_of_pairs(places.columns), width=width)
    stay = np.arange(mixture.views.width(role.sees, _leading(places)))
    return places._replace(columns=stay, width=width)


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
    """Give a fresh mixture the experts of all, in common units, and how they are blended.

    Experts on products, curves and waves that were formed by other means, and those that count from another
    first target, have learned different things: there it is those of one engine that stay, as they are.
    """
    told = [engine for engine in engines if engine.rounds > start.rounds] or list(engines)
    told += [start] if start.rounds else []
    chosen = max(told, key=lambda engine: (PRODUCTS in engine.kinds, engine.seniority))
    alone = _learned_apart(told)
    mixture.outputs = start.outputs
    active = np.minimum.reduce([engine.blend.hedge.active for engine in (start, *engines)])
    active[alone] = chosen.blend.hedge.active[alone]
    mixture.blend.hedge.active[:] = active
    mixture.restart(start.columns)
    if PRODUCTS in mixture.kinds:
        mixture.views.spreads = chosen.views.spreads.copy()
    mixture.views.origin = chosen.views.origin.copy()
    if start.views.units is not None:
        others = [engine.views.units for engine in engines if engine.views.units is not None]
        mixture.views.units = united_units(start.views.units, others)
        for engine in (start, *engines):
            engine.put_in(mixture.views.units)
    for k in mixture.blend.active:
        if k in alone:
            mixture.experts[k] = chosen.experts[k].copy()
        else:
            mixture.experts[k].unite([engine.experts[k] for engine in engines], start.experts[k])
    mixture.taken_over = [mixture.expert_names[k] for k in mixture.blend.active if k in alone]
    shares = shares_of(engines, start)
    mixture.blend.unite(Shards([engine.blend for engine in engines], start.blend, shares))
    mixture.blend.hedge.active[:] = active
    if mixture.frozen is not None and start.frozen is not None:
        present = mixture.weights_in_use()
        kept = [engine.frozen for engine in engines if engine.frozen is not None]
        mixture.frozen.unite(kept, start.frozen, present, mixture.blend, mixture.anchors())


def _learned_apart(engines: Sequence[Mixture]) -> list[int]:
    """The experts whose weights speak of different numbers or features in these engines."""
    first, *others = engines
    means, origin = first.views.spreads, first.views.origin
    one_mean = all(np.array_equal(engine.views.spreads, means) for engine in others)
    one_mean &= is_held(means) or not others
    one_origin = all(np.array_equal(engine.views.origin, origin) for engine in others)
    roles = enumerate(first.roles)
    return [
        k
        for k, role in roles
        if (role.relative and not one_origin) or (role.is_centred and not one_mean)
    ]

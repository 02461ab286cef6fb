"""Parts that were trained apart become one: how each kind of state adds.

From a common start S (nothing, or a model that all began with) shard k went on to S_k. A part says in its
own file, by ``@unite.of(Class)``, what one that has seen all rows keeps:

* sums of what rows add, S + Σ (S_k − S) (``added``): exact for Vovk-Azoury-Warmuth and for counts;
* maxima (``largest``);
* weighed means of what moved, S + Σ ω_k·(S_k − S), where sums would step K times too far: by the rounds
  of each shard (``averaged``), or by a mass of each coordinate, such as its squared gradients (``weighed``);
* with a mass of the start that counts once (``combined``): moves of weights that few rows have touched add
  up, those of weights that many have touched are averaged.

All of them are commutative, and associative up to rounding as the masses themselves add; only masses that
had to be ``held`` are not.
``rescale`` is the other question: the same predictions from features in other units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import knows, required_verb, verb
from fenchel.parts import state
from fenchel.parts.state import Array

PIECE = 1 << 16  # entries at once: states may be gigabytes


class Shards(NamedTuple):
    """Parts of one class that began as ``start``; ``shares`` are theirs of all rounds since then."""

    parts: Sequence[Any]
    start: Any
    shares: Sequence[float]

    def inside(self, name: str) -> Shards:
        """The parts that are a field of these."""
        parts = [getattr(part, name) for part in self.parts]
        return Shards(parts, getattr(self.start, name), self.shares)


@required_verb
def unite(f: Any, shards: Shards) -> Any:
    """Fill the state of f, all zero, with that of a part which has seen the rows of all shards."""


@required_verb
def rescale(f: Any, factors: Array) -> Any:
    """Keep every prediction for features that are so many times as large as before, slot by slot."""


@verb
def follow_theta(f: Any) -> None:
    """Put in order what f keeps beside θ and follows from it; nothing where it keeps nothing."""


def added(shards: Shards, name: str) -> Array:
    """S + Σ (S_k − S)."""
    start = getattr(shards.start, name)
    return np.asarray(start + sum(getattr(part, name) - start for part in shards.parts))


def averaged(shards: Shards, name: str) -> Array:
    """S + Σ ω_k·(S_k − S), ω_k the shares of rounds."""
    start = getattr(shards.start, name)
    both = zip(shards.shares, shards.parts, strict=True)
    return np.asarray(start + sum(share * (getattr(part, name) - start) for share, part in both))


def largest(shards: Shards, name: str) -> Array:
    """The larger of S and all S_k."""
    found = [getattr(part, name) for part in (shards.start, *shards.parts)]
    return np.asarray(np.maximum.reduce(found))


def weighed(start: Array, values: Sequence[Array], masses: Sequence[Array]) -> Array:
    """S + Σ m_k·(S_k − S)/Σ m_k, entry by entry; S where nothing moved."""
    total = sum(masses)
    moved = sum(mass * (value - start) for mass, value in zip(masses, values, strict=True))
    mean = np.divide(moved, total, out=np.zeros(np.shape(moved)), where=total > 0.0)
    return np.asarray(start + mean)


def combined(start: Array, values: Sequence[Array], masses: Sequence[Array], total: Any) -> Array:
    """S + Σ m_k·(S_k − S)/m: m_k and m are c + what was seen, of shard k and of all: c counts once."""
    moved = sum(mass * (value - start) for mass, value in zip(masses, values, strict=True))
    mean = np.divide(moved, total, out=np.zeros(np.shape(moved)), where=total > 0.0)
    return np.asarray(start + mean)


def held(masses: Sequence[Array], shares: Sequence[float]) -> list[Array]:
    """The masses, none more than twice what three quarters of the shards have of that entry for their rounds.

    A few enormous values give their shard a mass beyond that of all others together; on one machine
    they would be a few rows among many. Shards that never saw an entry are not asked, nor are fewer than 4.
    """
    each = np.asarray(shares, np.float64)[:, None]
    found = [np.empty_like(mass) for mass in masses]
    for begin in range(0, len(masses[0]), PIECE):
        piece = slice(begin, begin + PIECE)
        whole = np.stack([mass[piece] for mass in masses])
        rates = np.divide(whole, each, out=np.zeros(whole.shape), where=each > 0.0)
        bound = 2.0 * _lower_quarter(rates)
        for out, mass, share in zip(found, whole, shares, strict=True):
            out[piece] = np.minimum(mass, bound * share if share > 0.0 else np.inf)
    return found


def _lower_quarter(rates: Array) -> Array:
    """What three quarters of the positive entries of each column reach; infinite where these are few."""
    ordered = np.sort(np.where(rates > 0.0, rates, np.inf), axis=0)
    count = (rates > 0.0).sum(axis=0)
    found = np.take_along_axis(ordered, count[None] // 4 % len(rates), axis=0)[0]
    return np.asarray(np.where(count >= 4, found, np.inf))


def shrunk(theta: Array, threshold: Any, curvature: Any) -> Array:
    """w = soft(θ, threshold)/curvature; 0 where nothing was seen."""
    soft = np.sign(theta) * np.maximum(np.abs(theta) - threshold, 0.0)
    whole = np.broadcast_to(curvature, soft.shape)
    w = np.divide(soft, whole, out=np.zeros(soft.shape), where=whole > 0.0)
    return np.asarray(w)


def lengthened(w: Array, threshold: Any, curvature: Any, theta: Array) -> Array:
    """The θ whose w it is; where w = 0 the given θ, held inside the threshold."""
    held = np.clip(theta, -threshold, threshold)
    return np.asarray(np.where(w != 0.0, w * curvature + np.sign(w) * threshold, held))


def gains(shards: Shards, name: str) -> list[Array]:
    """S_k − S of a sum that only grows."""
    start = getattr(shards.start, name)
    return [np.maximum(getattr(part, name) - start, 0.0) for part in shards.parts]


def unite_parts(f: Any, shards: Shards) -> None:
    """Unite a part, or those inside one that keeps nothing itself; one without a rule is refused by name."""
    if _has_state(f):
        _refuse_ruleless(f, unite)
        unite(f, shards)
        return
    for name, value in state.fields(f).items():
        if state.is_part(value):
            unite_parts(value, shards.inside(name))


def rescale_parts(f: Any, factors: Array) -> None:
    """Rescale a regularizer; one without a rule is refused by its name."""
    _refuse_ruleless(f, rescale)
    rescale(f, factors)


def _has_state(f: Any) -> bool:
    """Whether a part itself keeps more than the number of coordinates, which the learner tells it."""
    markers = [state.marker_of(f, name) for name in f._fields]
    kept = [m for m in markers if state.shape_of(m, 0) is not None]
    return any(marker is not state.DIMENSION for marker in kept)


def _refuse_ruleless(f: Any, rule: Any) -> None:
    if not knows(rule, type(f)):
        name, cls = rule.table.name, type(f).__name__
        raise ValueError(
            f"{cls} has no rule for merging: train it on one machine, or write @{name}.of({cls})"
        )

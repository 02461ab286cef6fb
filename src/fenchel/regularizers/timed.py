"""f_t = √t·g and f_t = t·F for any g or F that stays the same: Corollary 1's families beyond ‖·‖₂².

g = ½‖·‖_q² and the entropy, for instance. f_t*(θ) = s·g*(θ/s) with s = t^power, so w_t = ∇g*(θ_t/s): of a
2-homogeneous g that is ∇g*(θ_t)/s, of the entropy every share anew, the number of coordinates a round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import verb
from fenchel.parts.state import SCALAR, Array, part
from fenchel.regularizers.entropic import Entropic, Level, level_at, weight_from
from fenchel.regularizers.p_norm import PNorm
from fenchel.regularizers.protocol import commit, look, weight
from fenchel.regularizers.uniting import (
    Shards,
    added,
    follow_theta,
    gains,
    rescale,
    rescale_parts,
    unite,
    weighed,
)
from fenchel.rows.types import saturated


@part
class Timed(NamedTuple):
    """f_t(w) = t^power·g(w), g the ``inner`` regularizer, which never changes.

    ``power`` = ½ is √t·g (eq. (tuned-bound)); 1 is t·F (eq. (log-bound), η = 1). t^power·β-strongly
    convex in the norm of g. In compiled loops g is 2-homogeneous on the whole space, or the entropy.

    >>> f = Timed(PNorm(p=4.0), power=1.0).begin(2)
    >>> f = f.observe(np.zeros(2)).observe(np.zeros(2))                  # t = 2
    >>> bool(np.allclose(f.gradient(np.ones(2)), PNorm(p=4.0).gradient(np.ones(2)) / 2.0))
    True
    """

    inner: Any = PNorm()
    power: float = 0.5
    rounds: Array = SCALAR

    @property
    def scale(self) -> float:
        """s = t^power."""
        return float(max(self.rounds[0], 1.0) ** self.power)

    @property
    def theta(self) -> Array:
        """θ, kept by g."""
        return np.asarray(self.inner.theta)

    @property
    def family(self) -> str:
        """√t·g, or t·F."""
        return {0.5: "√t·g + η·t·F", 1.0: "t·F"}.get(self.power, "")

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return bool(self.inner.homogeneous)

    @property
    def nondecreasing(self) -> bool:
        """Whether g_t grows: t^power·g where g ≥ 0, which Corollary 1 measures; 0 for t·F."""
        return True

    @property
    def fixed_domain(self) -> bool:
        """Whether S stays the same as columns are added."""
        return bool(getattr(self.inner, "fixed_domain", True))

    @property
    def eta(self) -> float:
        """η of η·t·F."""
        return 1.0

    @property
    def base_convexity(self) -> float:
        """β of g, or of F."""
        return float(self.inner.strong_convexity)

    def base(self, u: Array) -> float:
        """g(u), or F(u)."""
        return float(self.inner.value(u))

    def widen(self, dimension: int) -> Timed:
        """The same f over so many coordinates, on a stream that keeps bringing columns."""
        own = getattr(self.inner, "widen", None)
        return self if own is None else self._replace(inner=own(dimension))

    def nearest(self, u: Array) -> Array:
        """The point of S next to u."""
        own = getattr(self.inner, "nearest", None)
        return np.asarray(u if own is None else own(u))

    def composite_term(self, u: Array) -> float:
        """F(u) of t·F, 0 otherwise."""
        return self.base(u) if self.power == 1.0 else 0.0

    def growing_part(self, u: Array) -> float:
        """g_T(u) = f_T(u) − η·T·F(u)."""
        return 0.0 if self.power == 1.0 else self.value(u)

    @property
    def sees_rows(self) -> bool:
        """Whether f_t depends on x_t: it only counts the rounds."""
        return False

    def observe(self, x: Array) -> Timed:
        """f_t from f_{t−1}: t grows by one."""
        return self._replace(rounds=self.rounds + 1.0)

    def value(self, u: Array) -> float:
        """f_t(u) = s·g(u)."""
        return self.scale * self.base(u)

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = s·g*(θ/s)."""
        return self.scale * float(self.inner.conjugate(theta / self.scale))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ) = ∇g*(θ/s)."""
        return np.asarray(self.inner.gradient(theta / self.scale))

    @property
    def strong_convexity(self) -> float:
        """β_t = s·β."""
        return self.scale * self.base_convexity

    def norm(self, u: Array) -> float:
        """The norm of g."""
        return float(self.inner.norm(u))

    def dual_norm(self, z: Array) -> float:
        """The dual norm of g."""
        return float(self.inner.dual_norm(z))


class _View(NamedTuple):
    scale: float
    inner: Any


@verb
def look_at(g: Any, row: Any, scale: float) -> Any:
    """The numbers that ∇g*(θ/s) needs beside θ_j."""
    return look(g, row)


@verb
def weight_at(g: Any, view: Any, slot: Any, x: float, scale: float) -> float:
    """(∇g*(θ/s))_j: of a 2-homogeneous g, (∇g*(θ))_j/s."""
    return saturated(weight(g, view, slot, x) / scale)


@look_at.of(Entropic)
def _entropic_look(g: Any, row: Any, scale: float) -> Level:
    return level_at(g, scale)


@weight_at.of(Entropic)
def _entropic_weight(g: Any, view: Any, slot: Any, x: float, scale: float) -> float:
    return weight_from(g, view, slot, scale)


@look.of(Timed)
def _look(f: Any, row: Any) -> _View:
    scale = (f.rounds[0] + 1.0) ** f.power
    return _View(scale, look_at(f.inner, row, scale))


@weight.of(Timed)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = (∇g*(θ/s))_j."""
    return float(weight_at(f.inner, view.inner, slot, x, view.scale))


@commit.of(Timed)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    f.rounds[0] += 1.0
    if coefficient != 0.0:
        commit(f.inner, look(f.inner, row), row, coefficient)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(Timed)
def _unite(f: Any, shards: Shards) -> None:
    """Rounds add; θ/t^power, which makes the weights, is averaged by rounds."""
    f.rounds[:] = added(shards, "rounds")
    start, *found = (g.inner.theta / g.scale for g in (shards.start, *shards.parts))
    f.inner.theta[:] = weighed(start, found, gains(shards, "rounds")) * f.scale
    follow_theta(f.inner)


@rescale.of(Timed)
def _rescale(f: Any, factors: Array) -> None:
    rescale_parts(f.inner, factors)

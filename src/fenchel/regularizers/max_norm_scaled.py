"""f_t = X_t²·f with X_t = max_{s≤t} ‖x_s‖_*: adaptive filtering without knowing the input's level."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper
from fenchel.parts.state import SCALAR, Array, part
from fenchel.regularizers.p_norm import PNorm
from fenchel.regularizers.protocol import (
    Standing,
    climb,
    commit,
    curvature,
    dual_norm_of,
    dual_square,
    held_conjugate,
    look,
    moved,
    pace,
    product,
    settled,
    size,
    standing,
    unit,
    unit_scale,
    weight,
)
from fenchel.regularizers.uniting import Shards, largest, rescale, rescale_parts, unite, unite_parts
from fenchel.rows.types import LARGEST, saturated


@part
class MaxNormScaled(NamedTuple):
    """f_t(w) = X_t²·f(w) for a 2-homogeneous f, X_t the running maximum of ‖x‖_*, x_t's included.

    f_t is X_t²·β-strongly convex where f is β-strongly convex; ∇f_t*(θ) = ∇f*(θ)/X_t². Before the
    first non-zero row X_t = 0 and w_t = 0.

    >>> f = MaxNormScaled(PNorm(p=2.0)).begin(2).observe(np.array([0.0, 2.0]))
    >>> f.gradient(np.array([4.0, 8.0]))
    array([1., 2.])
    """

    inner: Any = PNorm()
    level: Array = SCALAR

    @property
    def family(self) -> str:
        """The f_t of adaptive filtering, Section 4."""
        return "X_t²·f"

    @property
    def nondecreasing(self) -> bool:
        """Whether f_t grows: X_t does, and f ≥ 0."""
        return True

    @property
    def theta(self) -> Array:
        """θ, kept by f."""
        return np.asarray(self.inner.theta)

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    def observe(self, x: Array) -> MaxNormScaled:
        """f_t, with X_t the larger of X_{t−1} and ‖x_t‖_*."""
        return self._replace(level=self.level.clip(min=self.inner.dual_norm(x)))

    def value(self, u: Array) -> float:
        """f_t(u) = X_t²·f(u)."""
        return float(self.level[0] ** 2 * self.inner.value(u))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = f*(θ)/X_t², f being 2-homogeneous."""
        if self.level[0] == 0.0:
            return 0.0
        return float(self.inner.conjugate(theta / self.level[0]))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ) = ∇f*(θ)/X_t²."""
        if self.level[0] == 0.0:
            return theta * 0.0
        return self.inner.gradient(theta / self.level[0]) / self.level[0]  # type: ignore[no-any-return]

    @property
    def strong_convexity(self) -> float:
        """β_t = X_t²·β."""
        return float(self.level[0] ** 2 * self.inner.strong_convexity)

    def norm(self, u: Array) -> float:
        """The norm of f."""
        return float(self.inner.norm(u))

    def dual_norm(self, z: Array) -> float:
        """The dual norm of f."""
        return float(self.inner.dual_norm(z))


class _View(NamedTuple):
    level: float
    inner: Any


@look.of(MaxNormScaled)
def _look(f: Any, row: Any) -> _View:
    level = min(max(f.level[0], dual_norm_of(f.inner, row)), LARGEST)
    return _View(level, look(f.inner, row))


@weight.of(MaxNormScaled)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = (∇f*(θ))_j/X_t², divided twice: the square of a small level would underflow."""
    if view.level == 0.0:
        return 0.0
    return saturated(weight(f.inner, view.inner, slot, x) / view.level / view.level)


@product.of(MaxNormScaled)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    if view.level == 0.0:
        return 0.0
    return float(saturated(weight(f.inner, view.inner, slot, x) / view.level) * (x / view.level))


@commit.of(MaxNormScaled)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    f.level[0] = view.level
    commit(f.inner, view.inner, row, coefficient)


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(MaxNormScaled)
def _pace(f: Any, view: Any) -> float:
    return pace(f.inner, view.inner) / view.level / view.level if view.level > 0.0 else 0.0


@settled.of(MaxNormScaled)
def _settled(f: Any, slot: Any) -> float:
    return float(settled(f.inner, slot))


@unit.of(MaxNormScaled)
def _unit(f: Any) -> float:
    return float(unit(f.inner))


@unit_scale.of(MaxNormScaled)
def _unit_scale(f: Any, before: float) -> float:
    return float(unit_scale(f.inner, before))


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@size.of(MaxNormScaled)
def _size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f.inner, row))


@dual_square.of(MaxNormScaled)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    share = size / view.level if view.level > 0.0 else 0.0
    return float(share * share / curvature(f.inner))


@climb.of(MaxNormScaled)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    """0: the standing has it."""
    return 0.0


@helper
def _standing(f: Any, view: Any) -> Standing:
    """f*(θ)/X_t²."""
    if view.level == 0.0:
        return Standing(0.0, 0.0)
    return Standing(float(held_conjugate(f.inner) / view.level / view.level), 0.0)


@standing.of(MaxNormScaled)
def _before(f: Any, view: Any) -> Standing:
    return _standing(f, view)


@moved.of(MaxNormScaled)
def _after(f: Any, view: Any) -> Standing:
    return _standing(f, view)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(MaxNormScaled)
def _unite(f: Any, shards: Shards) -> None:
    """X_t is the largest of all; weights go by θ/X_t², so that f's rule is given θ in one unit."""
    f.level[:] = largest(shards, "level")
    for g in (shards.start, *shards.parts):
        level = g.level[0]
        g.inner.theta[:] *= (f.level[0] / level) ** 2 if level > 0.0 else 0.0
    unite_parts(f.inner, shards.inside("inner"))


@rescale.of(MaxNormScaled)
def _rescale(f: Any, factors: Array) -> None:
    rescale_parts(f.inner, factors)

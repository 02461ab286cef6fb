"""Squared q-norms, plain and weighted (Lemma 2). q is the primal exponent, p = q/(q − 1) the dual.

A user's parameter is always p ≥ 2, with 2 the Euclidean case.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import kernel
from fenchel.parts.state import SCALAR, SLOTS, Array, part
from fenchel.regularizers.power_sum import (
    change,
    gradient_factor,
    half_square,
    power_scale,
    ratio,
    rebuild,
    total_of,
)
from fenchel.regularizers.protocol import (
    absorb,
    climb,
    curvature,
    dual_norm_of,
    dual_square,
    held_conjugate,
    look,
    pace,
    settled,
    size,
    unit,
    unit_scale,
    weight,
)
from fenchel.regularizers.uniting import Shards, averaged, follow_theta, rescale, unite
from fenchel.rows.types import dual_p_norm, entries, saturated, slot_of, value_of


def norm(values: Array, p: float) -> float:
    """‖values‖_p with the maximum factored out, so that no power overflows.

    >>> norm(np.array([3e200, -4e200, 0.0]), 2.0) < 6e200
    True
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return 0.0
    return float(largest * np.sum((np.abs(values) / largest) ** p) ** (1.0 / p))


def norm_gradient(theta: Array, p: float) -> Array:
    """∇ ½‖θ‖_p² = ‖θ‖_p^{2−p}·|θ_j|^{p−1}·sign(θ_j), 0 at θ = 0."""
    size = norm(theta, p)
    if size == 0.0:
        return np.zeros_like(theta)
    return np.asarray(size * np.sign(theta) * (np.abs(theta) / size) ** (p - 1.0))


@part
class PNorm(NamedTuple):
    """f(w) = c/2·‖w‖_q², so that f*(θ) = ‖θ‖_p²/(2c). β = c·(q − 1) for ‖·‖_q, whose dual is ‖·‖_p.

    >>> f = PNorm(p=4.0)
    >>> theta = np.array([1.0, -2.0, 0.0])
    >>> w = f.gradient(theta)
    >>> bool(np.isclose(f.value(w) + f.conjugate(theta), w @ theta))     # eq. (useful)
    True
    """

    p: float = 2.0
    c: float = 1.0
    theta: Array = SLOTS
    powers: Array = SLOTS
    pivot: Array = SCALAR
    total: Array = SCALAR
    error: Array = SCALAR
    peak: Array = SCALAR

    @property
    def constant(self) -> bool:
        """Whether f_t never changes."""
        return True

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def q(self) -> float:
        """The primal exponent p/(p − 1)."""
        return self.p / (self.p - 1.0)

    def value(self, u: Array) -> float:
        """f(u) = c/2·‖u‖_q²."""
        return 0.5 * self.c * norm(u, self.q) ** 2

    def conjugate(self, theta: Array) -> float:
        """f*(θ) = ‖θ‖_p²/(2c)."""
        return 0.5 * norm(theta, self.p) ** 2 / self.c

    def gradient(self, theta: Array) -> Array:
        """∇f*(θ) = ‖θ‖_p^{2−p}·|θ_j|^{p−1}·sign(θ_j)/c."""
        return np.asarray(norm_gradient(theta, self.p) / self.c)

    @property
    def strong_convexity(self) -> float:
        """β = c·(q − 1)."""
        return self.c * (self.q - 1.0)

    def norm(self, u: Array) -> float:
        """‖u‖_q."""
        return norm(u, self.q)

    def dual_norm(self, z: Array) -> float:
        """‖z‖_p."""
        return norm(z, self.p)


@ratio.of(PNorm)
def _ratio(f: Any, slot: Any) -> float:
    return float(abs(f.theta[slot]))


@look.of(PNorm)
def _look(f: Any, row: Any) -> float:
    return saturated(gradient_factor(f, total_of(f), f.p) / f.c)


@weight.of(PNorm)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = ‖θ‖_p^{2−p}·|θ_j|^{p−1}·sign(θ_j)/c."""
    return float(view * f.powers[slot])


@absorb.of(PNorm)
def _absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    before = abs(f.theta[slot])
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)
    change(f, slot, f.p, before, abs(f.theta[slot]))


@part
class WeightedPNorm(NamedTuple):
    """f(w) = 1/(2(q−1))·(Σ |w_i|^q·a_i)^{2/q}, the weighted q-norm of Lemma 2.

    f*(θ) = 1/(2(p−1))·(Σ |θ_i|^p·a_i^{1−p})^{2/p}; f is 1-strongly convex for (Σ |u_i|^q·a_i)^{1/q},
    whose dual norm is (Σ |z_i|^p·a_i^{1−p})^{1/p}. ``a`` has one positive number a coordinate.

    >>> f = WeightedPNorm(a=np.array([1.0, 4.0]), p=3.0)
    >>> theta = np.array([1.0, 2.0])
    >>> w = f.gradient(theta)
    >>> bool(np.isclose(f.value(w) + f.conjugate(theta), w @ theta))     # eq. (useful)
    True
    """

    a: Array
    p: float = 2.0
    theta: Array = SLOTS
    powers: Array = SLOTS
    pivot: Array = SCALAR
    total: Array = SCALAR
    error: Array = SCALAR
    peak: Array = SCALAR

    @property
    def constant(self) -> bool:
        """Whether f_t never changes."""
        return True

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def q(self) -> float:
        """The primal exponent p/(p − 1)."""
        return self.p / (self.p - 1.0)

    @property
    def scale(self) -> Array:
        """s_i = a_i^{1/q}: the norm is ‖u·s‖_q and its dual ‖z/s‖_p."""
        return np.asarray(self.a ** (1.0 / self.q))

    def value(self, u: Array) -> float:
        """f(u)."""
        return 0.5 * (self.p - 1.0) * norm(u * self.scale, self.q) ** 2

    def conjugate(self, theta: Array) -> float:
        """f*(θ)."""
        return 0.5 * norm(theta / self.scale, self.p) ** 2 / (self.p - 1.0)

    def gradient(self, theta: Array) -> Array:
        """∇f*(θ)."""
        return np.asarray(norm_gradient(theta / self.scale, self.p) / (self.scale * (self.p - 1.0)))

    @property
    def strong_convexity(self) -> float:
        """β = 1."""
        return 1.0

    def norm(self, u: Array) -> float:
        """(Σ |u_i|^q·a_i)^{1/q}."""
        return norm(u * self.scale, self.q)

    def dual_norm(self, z: Array) -> float:
        """(Σ |z_i|^p·a_i^{1−p})^{1/p}."""
        return norm(z / self.scale, self.p)


@ratio.of(WeightedPNorm)
def _weighted_ratio(f: Any, slot: Any) -> float:
    return saturated(abs(f.theta[slot]) * f.a[slot] ** (1.0 / f.p - 1.0))


@look.of(WeightedPNorm)
def _weighted_look(f: Any, row: Any) -> float:
    return float(gradient_factor(f, total_of(f), f.p) / (f.p - 1.0))


@weight.of(WeightedPNorm)
def _weighted_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = 1/(p−1)·(Σ |θ_i|^p·a_i^{1−p})^{2/p−1}·|θ_j|^{p−1}·a_j^{1−p}·sign(θ_j)."""
    if f.powers[slot] == 0.0:  # a_j of a column that is not known is none
        return 0.0
    return saturated(view * f.powers[slot] * f.a[slot] ** (1.0 / f.p - 1.0))


@absorb.of(WeightedPNorm)
def _weighted_absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    before = ratio(f, slot)
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)
    change(f, slot, f.p, before, ratio(f, slot))


@dual_norm_of.of(PNorm)
def _dual_norm(f: Any, row: Any) -> float:
    return dual_p_norm(row, f.p)


@dual_norm_of.of(WeightedPNorm)
def _weighted_dual_norm(f: Any, row: Any) -> float:
    """(Σ |x_i|^p·a_i^{1−p})^{1/p}, the largest term factored out."""
    largest = 0.0
    for k in range(entries(row)):
        scaled = saturated(abs(value_of(row, k)) * f.a[slot_of(row, k)] ** (1.0 / f.p - 1.0))
        largest = max(largest, scaled)
    if largest == 0.0:
        return 0.0
    total = 0.0
    for k in range(entries(row)):
        scaled = saturated(abs(value_of(row, k)) * f.a[slot_of(row, k)] ** (1.0 / f.p - 1.0))
        total += (scaled / largest) ** f.p
    return float(largest * total ** (1.0 / f.p))


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(PNorm)
def _pace(f: Any, view: Any) -> float:
    return float(view)


@settled.of(PNorm)
def _settled(f: Any, slot: Any) -> float:
    return float(weight(f, 1.0, slot, 0.0))


@unit.of(PNorm)
def _unit(f: Any) -> float:
    return float(f.pivot[0])


@unit_scale.of(PNorm)
def _unit_scale(f: Any, before: float) -> float:
    return power_scale(f.pivot[0], before, f.p)


@pace.of(WeightedPNorm)
def _weighted_pace(f: Any, view: Any) -> float:
    return float(view)


@settled.of(WeightedPNorm)
def _weighted_settled(f: Any, slot: Any) -> float:
    return float(weight(f, 1.0, slot, 0.0))


@unit.of(WeightedPNorm)
def _weighted_unit(f: Any) -> float:
    return float(f.pivot[0])


@unit_scale.of(WeightedPNorm)
def _weighted_unit_scale(f: Any, before: float) -> float:
    return power_scale(f.pivot[0], before, f.p)


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@size.of(PNorm)
def _size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f, row))


@size.of(WeightedPNorm)
def _weighted_size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f, row))


@curvature.of(PNorm)
def _curvature(f: Any) -> float:
    """β = c·(q − 1) = c/(p − 1)."""
    return float(f.c / (f.p - 1.0))


@curvature.of(WeightedPNorm)
def _weighted_curvature(f: Any) -> float:
    return 1.0


@dual_square.of(PNorm)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / curvature(f))


@dual_square.of(WeightedPNorm)
def _weighted_dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return size * size


@climb.of(PNorm)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return 0.0


@climb.of(WeightedPNorm)
def _weighted_climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return 0.0


@held_conjugate.of(PNorm)
def _held(f: Any) -> float:
    return float(half_square(total_of(f), f.pivot[0], f.p) / f.c)


@held_conjugate.of(WeightedPNorm)
def _weighted_held(f: Any) -> float:
    return float(half_square(total_of(f), f.pivot[0], f.p) / (f.p - 1.0))


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@kernel
def _rebuild(f: Any, p: float) -> None:
    rebuild(f, p, 0.0)


@unite.of(PNorm)
def _unite(f: Any, shards: Shards) -> None:
    """f never changes, so that sums of θ would step K times too far: the mean of θ."""
    f.theta[:] = averaged(shards, "theta")
    follow_theta(f)


@rescale.of(PNorm)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] /= factors
    follow_theta(f)


@follow_theta.of(PNorm)
def _follow_theta(f: Any) -> None:
    _rebuild(f, f.p)

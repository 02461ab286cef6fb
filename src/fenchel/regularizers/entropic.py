"""Entropic regularizers on the scaled simplex: exponentiated gradient and Winnow.

f(w) = Σ v_i·ln v_i + ln d with w = total·v, v in the simplex (the constant makes f ≥ 0), so that
w_j = total·exp(s_j)/Σ exp(s_i) at s = total·θ. The signed version splits w = total·(v⁺ − v⁻) over 2d
coordinates. The adaptive one (Steinhardt & Liang, 2014) subtracts a correction from the exponent,
s_j = total·θ_j − Σ (total·z_j)²: a regularizer that changes over time by a linear term.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.libm import exp, expm1, log, log1p
from fenchel.parts.state import DIMENSION, SCALAR, SLOTS, Array, part
from fenchel.regularizers.domains import Simplex
from fenchel.regularizers.protocol import (
    Standing,
    climb,
    commit,
    curvature,
    dual_square,
    look,
    moved,
    pace,
    settled,
    size,
    standing,
    unit,
    unit_scale,
    weight,
)
from fenchel.regularizers.uniting import Shards, averaged, follow_theta, unite
from fenchel.rows.types import entries, largest_of, saturated, slot_of, value_of

# The sum of exponentials is taken anew when it fell this far below its peak.
WORN = 1e-6
# exp of more than this would come near the largest float.
HIGH = 600.0
# Where the pivot lies further below the exponent of the start than this, only the start counts.
HIGHEST = 700.0
# A step of the exponent beyond this is taken in logarithms.
STEEP = 100.0
# So is one that takes half of all mass away, where 1 + rise would be what rounding leaves of it.
FALLEN = -0.5
# Below this 1 − Σ v_j is taken from the other coordinates.
CANCELLED = 1e-6


@part
class Entropic(NamedTuple):
    """f_t on the simplex {w ≥ 0, Σ w = total}, or its signed version {‖w‖₁ ≤ total}.

    1/total²-strongly convex for ‖·‖₁, whose dual is ‖·‖_∞ (Pinsker). w_1 is uniform, or 0 when
    signed. ``dimension`` is d, kept by the learner.

    >>> f = Entropic(total=1.0)
    >>> f.gradient(np.log(np.array([1.0, 3.0])))
    array([0.25, 0.75])
    """

    total: float = 1.0
    signed: bool = False
    adaptive: bool = False
    theta: Array = SLOTS
    squares: Array = SLOTS
    dimension: Array = DIMENSION
    pivot: Array = SCALAR
    touched: Array = SCALAR
    mass: Array = SCALAR
    error: Array = SCALAR
    peak: Array = SCALAR

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "adaptive entropy" if self.adaptive else "entropy"

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return False

    @property
    def nondecreasing(self) -> bool:
        """Whether f_t grows: constant, or by corrections that only add up."""
        return True

    @property
    def fixed_domain(self) -> bool:
        """Whether S stays the same as columns are added: ln d and the simplex change."""
        return False

    def nearest(self, u: Array) -> Array:
        """u projected into the simplex; scaled into the ball of ‖·‖₁ when signed."""
        if not self.signed:
            return Simplex(total=self.total).project(u)
        size = float(np.abs(u).sum())
        return u * (self.total / size) if size > self.total else u

    def widen(self, dimension: int) -> Entropic:
        """The same f over so many coordinates, on a stream that keeps bringing columns."""
        return self._replace(dimension=np.array([float(dimension)]))

    def known(self, values: Array) -> Array:
        """Those of the coordinates that the simplex has so far."""
        d = int(self.dimension[0]) if len(self.dimension) else 0
        return values[:d] if d else values

    def commit(self, current: Entropic, z: Array) -> Entropic:
        """Add (total·z_j)² to the corrections of the adaptive form."""
        if not self.adaptive:
            return self
        return self._replace(squares=self.squares + (self.total * z) ** 2)

    def exponents(self, theta: Array) -> Array:
        """s_j for the positive and, when signed, the negative coordinates."""
        s = self.total * self.known(theta)
        both = np.concatenate([s, -s]) if self.signed else s
        if self.adaptive and len(self.squares):
            drop = self.known(self.squares)
            both = both - (np.tile(drop, 2) if self.signed else drop)
        return np.asarray(both)

    def gradient(self, theta: Array) -> Array:
        """w_j = total·exp(s_j)/Σ exp(s_i), minus the negative half when signed."""
        s, inside, w = self.exponents(theta), self.known(theta), np.zeros(len(theta))
        v = np.exp(s - s.max())
        v *= self.total / v.sum()
        if self.signed:
            larger = np.maximum(v[: len(inside)], v[len(inside) :])
            # e^s − e^{−s} as e^s·(1 − e^{−2s}): no cancellation where s is small.
            size = larger * -np.expm1(-2.0 * self.total * np.abs(inside))
            v = np.copysign(size, inside)
        w[: len(v)] = v
        return w

    def conjugate(self, theta: Array) -> float:
        """f*(θ) = ln Σ exp(s_i) − ln d (2d when signed)."""
        s = self.exponents(theta)
        return float(s.max() + np.log(np.exp(s - s.max()).sum()) - np.log(len(s)))

    def value(self, u: Array) -> float:
        """f(u) = Σ v_i·ln v_i + ln d for unsigned u; the least over v⁺ − v⁻ = u/total when signed."""
        v = self.known(u) / self.total
        if np.any(u[len(v) :]):
            return float("inf")
        extra = np.zeros_like(v)
        if self.adaptive and len(self.squares):
            extra = self.known(self.squares)
        if self.signed:
            v, extra = _cheapest_split(v, extra), np.tile(extra, 2)
        inside = v > 0.0
        entropy = float(np.sum(v[inside] * np.log(v[inside])))
        return max(entropy + float(np.log(len(v))), 0.0) + float(v @ extra)  # 0 at the uniform v

    @property
    def strong_convexity(self) -> float:
        """β = 1/total²."""
        return 1.0 / self.total**2

    def norm(self, u: Array) -> float:
        """‖u‖₁."""
        return float(np.abs(u).sum())

    def dual_norm(self, z: Array) -> float:
        """‖z‖_∞."""
        return float(np.max(np.abs(z), initial=0.0))


def _cheapest_split(v: Array, extra: Array) -> Array:
    """(v⁺, v⁻) with v⁺ − v⁻ = v and Σ = 1 of least Σ v ln v + ⟨v⁺ + v⁻, extra⟩.

    Stationarity makes v⁺_i·v⁻_i = κ·exp(−2·extra_i) for one number κ; Σ (v⁺ + v⁻) = 1 fixes it.
    """
    share = 4.0 * np.exp(2.0 * (extra.min() - extra))
    low, high = 0.0, 1.0
    for _ in range(200):
        kappa = 0.5 * (low + high)
        if np.sqrt(v * v + kappa * share).sum() > 1.0:
            high = kappa
        else:
            low = kappa
    width = np.sqrt(v * v + low * share)
    return np.asarray(np.concatenate([0.5 * (width + v), 0.5 * (width - v)]))


@helper
def _touched(f: Any, slot: Any) -> float:
    """1 for a coordinate that has left the start, where its exponent is 0."""
    return 1.0 if f.theta[slot] != 0.0 or f.squares[slot] != 0.0 else 0.0


@helper
def _share(f: Any, slot: Any) -> float:
    """A touched coordinate's share of Σ exp(s_i − pivot); the others are counted, not summed."""
    if _touched(f, slot) == 0.0:
        return 0.0
    s = f.total * f.theta[slot]
    # In this order the largest exponent is exactly the pivot, however large both are.
    drop = f.squares[slot] if f.adaptive else 0.0
    share = exp((s - drop) - f.pivot[0])
    return float(share + exp((-s - drop) - f.pivot[0])) if f.signed else float(share)


@helper
def _sum(f: Any) -> float:
    """Σ exp(s_i − pivot), a sum of positive terms: a difference would lose the small ones."""
    resting = (f.dimension[0] - f.touched[0]) * (2.0 if f.signed else 1.0)
    return float(f.mass[0] + f.error[0] + resting * exp(min(-f.pivot[0], HIGHEST)))


@helper
def _add(f: Any, term: float) -> None:
    """mass ← mass + term, the rounding error kept in ``error``: what came goes without a trace."""
    before = f.mass[0]
    f.mass[0] = before + term
    if abs(before) >= abs(term):
        f.error[0] += (before - f.mass[0]) + term
    else:
        f.error[0] += (term - f.mass[0]) + before


@helper
def _rebuild(f: Any) -> None:
    """The sum anew, around the largest exponent; coordinates never touched have exponent 0."""
    largest = -np.inf
    f.touched[0] = 0.0
    for j in range(f.theta.shape[0]):
        if _touched(f, j) != 0.0:
            f.touched[0] += 1.0
            s = f.total * (abs(f.theta[j]) if f.signed else f.theta[j])
            largest = max(largest, s - f.squares[j] if f.adaptive else s)
    if f.touched[0] < f.dimension[0]:
        largest = max(largest, 0.0)
    f.pivot[0] = largest
    f.mass[0] = 0.0
    f.error[0] = 0.0
    for j in range(f.theta.shape[0]):
        _add(f, _share(f, j))
    f.peak[0] = _sum(f)


@look.of(Entropic)
def _look(f: Any, row: Any) -> float:
    """total/Σ exp(s_i − pivot)."""
    return float(f.total / max(_sum(f), np.finfo(np.float64).tiny))


@weight.of(Entropic)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = total·exp(s_j)/Σ exp(s_i)."""
    s = f.total * f.theta[slot]
    drop = f.squares[slot] if f.adaptive else 0.0
    if not f.signed:
        return float(view * exp(min((s - drop) - f.pivot[0], HIGHEST)))
    # e^s − e^{−s} as e^s·(1 − e^{−2s}): no cancellation where s is small.
    size = exp(min((abs(s) - drop) - f.pivot[0], HIGHEST)) * -expm1(-2.0 * abs(s))
    return float(view * np.copysign(size, s))


@commit.of(Entropic)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient == 0.0:
        return
    highest = -np.inf
    for k in range(entries(row)):
        j = slot_of(row, k)
        x = value_of(row, k)
        if x == 0.0:
            continue
        before = _share(f, j)
        f.touched[0] -= _touched(f, j)
        z = saturated(coefficient * x)
        f.theta[j] = min(max(f.theta[j] + z, -1e300 / f.total), 1e300 / f.total)
        if f.adaptive:
            f.squares[j] = min(f.squares[j] + (f.total * z) * (f.total * z), 1e300)
        f.touched[0] += _touched(f, j)
        s = f.total * (abs(f.theta[j]) if f.signed else f.theta[j])
        highest = max(highest, s - f.squares[j] if f.adaptive else s)
        if highest - f.pivot[0] < HIGH:
            _add(f, -before)
            _add(f, _share(f, j))
    f.peak[0] = max(f.peak[0], _sum(f))
    if highest - f.pivot[0] >= HIGH or not _sum(f) > WORN * f.peak[0]:
        _rebuild(f)


class Level(NamedTuple):
    """The largest exponent, and total/Σ exp(s_i − pivot)."""

    pivot: float
    factor: float


@helper
def level_at(f: Any, scale: float) -> Level:
    """Those of θ/scale, by one sweep over the coordinates: every share changes with the scale."""
    pivot = 0.0 if f.touched[0] < f.dimension[0] or f.signed else -np.inf
    for j in range(f.theta.shape[0]):
        if _touched(f, j) != 0.0:
            pivot = max(pivot, f.total * (abs(f.theta[j]) if f.signed else f.theta[j]) / scale)
    signs = 2.0 if f.signed else 1.0
    resting = (f.dimension[0] - f.touched[0]) * signs
    mass = resting * exp(-pivot) if resting > 0.0 else 0.0  # where none rests exp may overflow
    for j in range(f.theta.shape[0]):
        if _touched(f, j) != 0.0:
            s = f.total * f.theta[j] / scale
            mass += exp(s - pivot) + (exp(-s - pivot) if f.signed else 0.0)
    return Level(pivot, f.total / mass)


@helper
def weight_from(f: Any, level: Any, slot: Any, scale: float) -> float:
    """w_j of θ/scale."""
    s = f.total * f.theta[slot] / scale
    if not f.signed:
        return float(level.factor * exp(min(s - level.pivot, HIGHEST)))
    size = exp(abs(s) - level.pivot) * -expm1(-2.0 * abs(s))
    return float(level.factor * np.copysign(size, s))


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(Entropic)
def _pace(f: Any, view: Any) -> float:
    return float(view)


@settled.of(Entropic)
def _settled(f: Any, slot: Any) -> float:
    return float(weight(f, 1.0, slot, 0.0))


@unit.of(Entropic)
def _unit(f: Any) -> float:
    return float(f.pivot[0])


@unit_scale.of(Entropic)
def _unit_scale(f: Any, before: float) -> float:
    return float(exp(min(f.pivot[0] - before, 700.0)))


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@size.of(Entropic)
def _size(f: Any, row: Any) -> float:
    return largest_of(row)


@curvature.of(Entropic)
def _curvature(f: Any) -> float:
    return float(1.0 / (f.total * f.total))


@dual_square.of(Entropic)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / curvature(f))


@climb.of(Entropic)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    """ln(1 + Σ v_j·(exp(total·z_j) − 1)), v_j the shares of the round; 0 where the standing has it."""
    if not f.adaptive:
        return 0.0
    rise = 0.0
    highest = 0.0
    for k in range(entries(row)):
        j = slot_of(row, k)
        s = f.total * f.theta[j]
        level = -f.pivot[0] - f.squares[j]
        z = f.total * c * value_of(row, k)
        rise += view / f.total * exp(level + s) * expm1(z)
        highest = max(highest, abs(z))
        if f.signed:
            rise += view / f.total * exp(level - s) * expm1(-z)
    steep = highest >= STEEP or rise < FALLEN
    return _steep_climb(f, view, row, c) if steep else float(log1p(rise))


@helper
def _height(f: Any) -> Standing:
    """ln Σ exp(s_i), f*(θ) up to the ln d that stays the same within a round."""
    if f.adaptive:  # the correction of the round is in the sum by the time θ has moved
        return Standing(0.0, 0.0)
    return Standing(float(f.pivot[0] + log(_sum(f))), 0.0)


@standing.of(Entropic)
def _before(f: Any, view: Any) -> Standing:
    return _height(f)


@moved.of(Entropic)
def _after(f: Any, view: Any) -> Standing:
    return _height(f)


@helper
def _in_row(row: Any, slot: Any) -> bool:
    """Whether a slot has a value in the row; one of 0, such as an intercept that is none, moves nothing."""
    found = False
    for k in range(entries(row)):
        found |= slot_of(row, k) == slot and value_of(row, k) != 0.0
    return found


@helper
def _beside(f: Any, view: Any, row: Any) -> float:
    """Σ v_j of the coordinates that are not in the row: 1 − Σ v_j of the row's, without cancellation."""
    idle = f.dimension[0] - f.touched[0]
    total = 0.0
    for k in range(entries(row)):
        if value_of(row, k) != 0.0:
            idle -= 1.0 - _touched(f, slot_of(row, k))
    for j in range(f.theta.shape[0]):
        if _touched(f, j) != 0.0 and not _in_row(row, np.uint64(j)):
            total += _share(f, j)
    total += idle * (2.0 if f.signed else 1.0) * exp(min(-f.pivot[0], HIGHEST))
    return float(view / f.total * total)


@helper
def _steep_climb(f: Any, view: Any, row: Any, c: float) -> float:
    """The same where exp(z_j) may overflow: ln(1 − Σ v_j + Σ exp(ln v_j + z_j)), the largest first."""
    signs = 2 if f.signed else 1
    largest, rest = -np.inf, 1.0
    for k in range(entries(row)):
        for sign in range(signs if value_of(row, k) != 0.0 else 0):
            share, z = _log_share(f, view, row, k, c, sign)
            largest = max(largest, share + z)
            rest -= exp(share)
    if rest < CANCELLED:
        rest = _beside(f, view, row)
    if rest > 0.0:
        largest = max(largest, log(rest))
    total = rest * exp(-largest)
    for k in range(entries(row)):
        for sign in range(signs if value_of(row, k) != 0.0 else 0):
            share, z = _log_share(f, view, row, k, c, sign)
            total += exp(share + z - largest)
    return float(largest + log(total))


@helper
def _log_share(f: Any, view: Any, row: Any, k: Any, c: float, sign: int) -> tuple[float, float]:
    """ln v_j and z_j of entry k; of its negative half where sign is 1."""
    j = slot_of(row, k)
    s = f.total * f.theta[j]
    z = saturated(f.total * saturated(c * value_of(row, k)))
    drop = f.squares[j] if f.adaptive else 0.0
    log_view = log(view / f.total)
    if sign == 1:
        return float(log_view - f.pivot[0] - drop - s), -z
    return float(log_view - f.pivot[0] - drop + s), z


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@kernel
def _rebuild_all(f: Any) -> None:
    _rebuild(f)


@unite.of(Entropic)
def _unite(f: Any, shards: Shards) -> None:
    """The mean of the exponents, the geometric mean of the weights; the corrections are part of them."""
    f.theta[:] = averaged(shards, "theta")
    f.squares[:] = averaged(shards, "squares")
    follow_theta(f)


@follow_theta.of(Entropic)
def _follow_theta(f: Any) -> None:
    _rebuild_all(f)

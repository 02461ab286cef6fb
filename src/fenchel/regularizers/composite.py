"""f_t = √t·g + η·t·F and f_t = t·F, the regularizers of Corollary 1.

F = l1·‖·‖₁ + l2/2·‖·‖₂² is the composite term, g = ½‖·‖₂². Between two visits of a coordinate only
t changes, so that w_j is read by one soft threshold: no sweep over the weights, ever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import SCALAR, SLOTS, Array, part
from fenchel.regularizers.adopting import Penalty, adopt, penalty
from fenchel.regularizers.domains import Whole, confine, follow, settle
from fenchel.regularizers.domains.protocol import (
    climb_apart,
    follow_all,
    followed,
    inverse_curvature,
    no_pressure,
    soft_threshold,
    threshold_of,
)
from fenchel.regularizers.protocol import (
    Products,
    absorb,
    absorb_row,
    charge_terms,
    climb,
    commit,
    dual_square,
    idle_sum,
    look,
    margin,
    pace,
    settled,
    size,
    waiting_terms,
    weight,
)
from fenchel.regularizers.series import (
    charge_root_row,
    charge_row,
    idle_terms,
    soft_sum,
    sums_roots,
    term_sum,
    waiting_sum,
)
from fenchel.regularizers.uniting import (
    Shards,
    added,
    follow_theta,
    gains,
    lengthened,
    rescale,
    shrunk,
    unite,
    weighed,
)
from fenchel.rows.sums import alike, squared_norm, sum_over, term
from fenchel.rows.types import saturated


class _View(NamedTuple):
    threshold: float
    curvature: float
    inverse: float
    pressure: Any


@part
@alike
class Composite(NamedTuple):
    """f_t(w) = root·√t/2·‖w‖₂² + η·t·(l1·‖w‖₁ + l2/2·‖w‖₂²).

    ``root`` = 1 is √t·g + η·t·F; ``root`` = 0 (with l2 > 0, η = 1) is t·F. ``lag`` = 1 gives Xiao's
    indexing β_{t−1}·g + (t−1)·F of regularized dual averaging, with β_0 := β_1; ``lag`` = 0 is the
    Corollary's. f_t is (root·√t + η·t·l2)-strongly convex for ‖·‖₂.

    >>> f = Composite(eta=1.0, l1=0.5).begin(2).observe(np.zeros(2))   # t = 1
    >>> f.gradient(np.array([2.0, 0.25]))
    array([1.5, 0. ])
    """

    eta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    root: float = 1.0
    lag: float = 0.0
    domain: Any = Whole()
    theta: Array = SLOTS
    rounds: Array = SCALAR

    @property
    def curvature(self) -> float:
        """root·√t + η·t·l2 (with t − lag for t)."""
        t = self.rounds[0] - self.lag
        return float(self.root * np.sqrt(max(t, 1.0)) + self.eta * t * self.l2)

    @property
    def threshold(self) -> float:
        """η·t·l1 (with t − lag for t)."""
        return float(self.eta * (self.rounds[0] - self.lag) * self.l1)

    @property
    def quadratic(self) -> bool:
        """Whether f_t(w) = ½·wᵀA_t·w on the whole space."""
        return self.l1 == 0.0 and bool(self.domain.unbounded)

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return self.l1 == 0.0

    @property
    def nondecreasing(self) -> bool:
        """Whether g_t = root·√t/2·‖·‖² grows."""
        return True

    @property
    def family(self) -> str:
        """√t·g + η·t·F, or t·F, in the Corollary's indexing."""
        if self.lag != 0.0:
            return "regularized dual averaging"
        return {1.0: "√t·g + η·t·F", 0.0: "t·F"}.get(self.root, "")

    @property
    def averageable(self) -> bool:
        """Whether the sum of an untouched weight over rounds is known."""
        return bool(self.domain.steady)

    @property
    def base_convexity(self) -> float:
        """β of g = ½‖·‖₂², or of F where f_t = t·F."""
        return self.l2 if self.root == 0.0 else 1.0

    def base(self, u: Array) -> float:
        """g(u) = ½‖u‖₂²."""
        return 0.5 * float(np.vdot(u, u))

    def drops(self, intercept: bool) -> _Drops | None:
        """A counter that sums f_{t−1}(w_t) − f_t(w_t) without the weights, where that is possible."""
        known = self.l1 == 0.0 and self.domain.unbounded
        return _Drops(self, intercept) if known else None

    def growing_part(self, u: Array) -> float:
        """g_T(u) = f_T(u) − η·T·F(u)."""
        return self.value(u) - self.eta * float(self.rounds[0] - self.lag) * self.composite_term(u)

    def composite_term(self, u: Array) -> float:
        """F(u) = l1·‖u‖₁ + l2/2·‖u‖₂²."""
        return float(self.l1 * np.abs(u).sum() + 0.5 * self.l2 * np.vdot(u, u))

    @property
    def sees_rows(self) -> bool:
        """Whether f_t depends on x_t: it only counts the rounds."""
        return False

    def observe(self, x: Array) -> Composite:
        """f_t from f_{t−1}: t grows by one."""
        return self._replace(rounds=self.rounds + 1.0)

    def value(self, u: Array) -> float:
        """f_t(u)."""
        t = self.rounds[0] - self.lag
        g = 0.5 * float(np.vdot(u, u))
        return float(self.root * np.sqrt(max(t, 1.0)) * g + self.eta * t * self.composite_term(u))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ): the soft threshold of θ over the curvature, confined to S."""
        soft = np.sign(theta) * np.maximum(np.abs(theta) - self.threshold, 0.0)
        if self.curvature == 0.0:  # t·F in Xiao's first round: θ = 0, w = argmin F
            return np.asarray(self.domain.project(np.zeros_like(theta)))
        return np.asarray(self.domain.project(soft / self.curvature))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ⟨w, θ⟩ − f_t(w) at w = ∇f_t*(θ), eq. (useful)."""
        w = self.gradient(theta)
        return float(np.vdot(w, theta)) - self.value(w)

    @property
    def strong_convexity(self) -> float:
        """β_t = root·√t + η·t·l2."""
        return self.curvature

    def norm(self, u: Array) -> float:
        """‖u‖₂."""
        return float(np.linalg.norm(u))

    def dual_norm(self, z: Array) -> float:
        """‖z‖₂."""
        return float(np.linalg.norm(z))


@look.of(Composite)
def _look(f: Any, row: Any) -> _View:
    t = f.rounds[0] + 1.0 - f.lag
    curvature = f.root * np.sqrt(max(t, 1.0)) + f.eta * t * f.l2
    if curvature == 0.0:
        curvature = 1.0
    pressure = settle(f.domain, f.theta, curvature, row)
    return _View(f.eta * t * f.l1, curvature, saturated(1.0 / curvature), pressure)


@weight.of(Composite)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = soft(θ_j, η·t·l1) / (root·√t + η·t·l2)."""
    w = saturated(soft_threshold(f.theta[slot], view.threshold) * view.inverse)
    return float(confine(f.domain, view.pressure, w))


@alike
class _Held(NamedTuple):
    """The margin where no weight can overflow, since 1/curvature ≤ 1."""


@term.of(_Held)
def _held(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    w = soft_threshold(f.theta[slot], view.threshold) * view.inverse
    return float(confine(f.domain, view.pressure, w) * x)


@alike
class _Untouched(NamedTuple):
    """The margin where no threshold shortens the weights either."""


@term.of(_Untouched)
def _untouched(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(confine(f.domain, view.pressure, f.theta[slot] * view.inverse) * x)


@margin.of(Composite)
def _margin(f: Any, view: Any, row: Any) -> float:
    if view.inverse > 1.0:
        return sum_over(Products(), f, view, row)
    if view.threshold > 0.0:
        return sum_over(_Held(), f, view, row)
    return sum_over(_Untouched(), f, view, row)


@absorb.of(Composite)
def _absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    before = f.theta[slot]
    f.theta[slot] = saturated(before + coefficient * x)
    follow(f.domain, f.theta, before, f.theta[slot])


@commit.of(Composite)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    f.rounds[0] += 1.0
    if coefficient != 0.0:
        absorb_row(f, view, row, coefficient)


# ── averaging ───────────────────────────────────────────────────────────────────────────────────


@pace.of(Composite)
def _pace(f: Any, view: Any) -> float:
    """1/curvature, or 1 for each round where l1 makes weights shrink by themselves."""
    if f.l1 > 0.0:
        return 1.0
    return float((view.pressure if view.pressure != 0.0 else 1.0) / view.curvature)


@settled.of(Composite)
def _settled(f: Any, slot: Any) -> float:
    return float(confine(f.domain, no_pressure(f.domain), f.theta[slot]))


@idle_sum.of(Composite)
def _idle_sum(f: Any, slot: Any, since: float, until: float) -> float:
    if f.l1 == 0.0:
        return float(settled(f, slot) * (until - since))
    theta = f.theta[slot]
    size = soft_sum(
        since - f.lag, until - f.lag, abs(theta), f.eta * f.l1, f.root, 0.0, f.eta * f.l2
    )
    return float(confine(f.domain, no_pressure(f.domain), np.copysign(size, theta)))


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────


@size.of(Composite)
def _size(f: Any, row: Any) -> float:
    return float(np.sqrt(squared_norm(row)))


@dual_square.of(Composite)
def _dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / view.curvature)


@inverse_curvature.of(Composite)
def _inverse_curvature(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(view.inverse)


@threshold_of.of(Composite)
def _threshold(f: Any, view: Any) -> float:
    return float(view.threshold)


@climb.of(Composite)
def _climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    return climb_apart(f, view, row, square, margin, c)


@idle_terms.of(Composite)
def _idle_terms(f: Any, slot: Any, since: float, until: float) -> float:
    if f.l1 == 0.0 and f.l2 == 0.0:
        return 0.0
    if not followed(f.domain):
        return float(np.nan)
    size = abs(confine(f.domain, no_pressure(f.domain), f.theta[slot]))
    if size == 0.0:
        return 0.0
    return term_sum(since - f.lag, until - f.lag, size, f.eta, f.l1, f.l2, f.root, 0.0)


@charge_terms.of(Composite)
def _charge_terms(f: Any, view: Any, row: Any, ledger: Any) -> None:
    if sums_roots(f):
        charge_root_row(f, row, ledger)
    elif f.l1 > 0.0 or f.l2 > 0.0:
        charge_row(f, row, ledger)


@waiting_terms.of(Composite)
def _waiting_terms(f: Any, mark: Array) -> float:
    return waiting_sum(f, mark)


class _Drops:
    """Σ f_{t−1}(w_t) − f_t(w_t) of a/2·‖·‖²: (a_{t−1} − a_t)/2·‖θ_t‖²/a_t², ⟨θ_t, x_t⟩ = a_t·⟨w_t, x_t⟩.

    A round of importance 0 is none: a_{t−1} is that of the last that counts.
    """

    def __init__(self, f: Composite, intercept: bool) -> None:
        self.f, self.intercept = f, intercept
        self._total = 0.0
        self._rounds = 0.0
        self._square = 0.0  # ‖θ_t‖²
        self._before = 0.0  # a_{t−1}

    def add(self, importance: Array, squares: Array, margins: Array, c: Array) -> None:
        """Add some rounds; ``squares`` are ‖x_t‖² without the intercept."""
        a = self._curvatures(self._rounds + np.arange(1.0, len(c) + 1.0))
        growth = c * (2.0 * a * margins + c * (squares + self.intercept))
        lengths = self._square + np.concatenate([[0.0], np.cumsum(growth)])
        counts = importance > 0.0
        self._charge(a[counts], lengths[:-1][counts])
        self._rounds += len(c)
        self._square = float(lengths[-1])

    def total(self) -> float:
        """The sum over the run, up to the f_T that rounds of importance 0 at its end have left."""
        self._charge(self._curvatures(np.array([self._rounds])), np.array([self._square]))
        return self._total

    def _curvatures(self, rounds: Array) -> Array:
        t = rounds - self.f.lag
        return np.asarray(self.f.root * np.sqrt(np.maximum(t, 1.0)) + self.f.eta * t * self.f.l2)

    def _charge(self, a: Array, squares: Array) -> None:
        before = np.concatenate([[self._before], a])
        # a = 0 in Xiao's first round alone, where θ = 0.
        norms = squares / np.where(a > 0.0, a, 1.0) ** 2
        self._total += 0.5 * float((before[:-1] - a) @ norms)
        self._before = float(before[-1])


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(Composite)
def _unite(f: Any, shards: Shards) -> None:
    """Rounds add; weights are averaged by rounds, those of t·F as its θ would add."""
    f.rounds[:] = added(shards, "rounds")
    start, *found = (
        shrunk(g.theta, max(g.threshold, 0.0), g.curvature) for g in (shards.start, *shards.parts)
    )
    w, sums = weighed(start, found, gains(shards, "rounds")), added(shards, "theta")
    f.theta[:] = lengthened(w, max(f.threshold, 0.0), f.curvature, sums)
    follow_theta(f)


@rescale.of(Composite)
def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] /= factors
    follow_theta(f)


@follow_theta.of(Composite)
def _follow_theta(f: Any) -> None:
    follow_all(f.domain, f.theta)


# ── weights from elsewhere ──────────────────────────────────────────────────────────────────────


@penalty.of(Composite)
def _penalty(f: Any) -> Penalty:
    return Penalty(f.l1, f.l2)


@adopt.of(Composite)
def _adopt(f: Any, w: Array) -> None:
    """θ = w·curvature + sign(w)·threshold, both of the next round."""
    coming = f.observe(w)
    f.theta[:] = lengthened(w, max(coming.threshold, 0.0), coming.curvature or 1.0, 0.0 * w)
    follow_theta(f)

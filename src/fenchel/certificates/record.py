"""A run as the inequalities see it: the regularizer it ended with, and its sums."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from fenchel._numba.jit import suited
from fenchel.certificates.certificate import Assumption
from fenchel.loops.ledger import all_terms
from fenchel.parts import state
from fenchel.parts.state import MATRIX, WAITING_ROWS, Array
from fenchel.regularizers import Whole
from fenchel.regularizers.protocol import fact

UNKNOWN = math.nan


@dataclass
class Sums:
    """The sums of a run (see ``Ledger``), and below those that depend on u; NaN is unknown."""

    rounds: float = 0.0
    loss: float = 0.0
    steps: float = 0.0
    residue: float = 0.0
    pairs: float = 0.0
    squares: float = 0.0
    terms: float = 0.0
    mistakes: float = 0.0
    errors: float = 0.0
    etas: float = 0.0
    error_etas: float = 0.0
    excess: float = 0.0
    size: float = 0.0
    target: float = 0.0
    slope: float = 0.0
    gradient: float = 0.0
    inverse: float = 0.0
    gained: float = 0.0
    uneven: float = 0.0
    heaviest: float = 0.0
    shortfall: float = 0.0
    # Σ ‖z_t‖²_{t,*}/(2β_t) + f_t*(θ_t) − f_{t−1}*(θ_t), steps and residue together
    progress: float = UNKNOWN
    tallest: float = 0.0  # the largest g_t(w_t) then
    falls: float = 0.0  # the largest g_{t−1}(w_t) − g_t(w_t), where g_t was not proved to grow
    drops: float = UNKNOWN  # Σ f_{t−1}(w_t) − f_t(w_t), where it is known
    grown: float = 0.0  # by how many columns the rows widened over the run
    # of u
    loss_u: float = 0.0  # Σ h·ℓ_t(u)
    eta_loss_u: float = 0.0  # L_η = Σ η_t·ℓ_t(u) over updates
    pairs_u: float = 0.0  # Σ ⟨z_t, u⟩
    squares_u: float = 0.0  # Σ h·⟨u, x_t⟩²
    update_squares_u: float = 0.0  # Σ ⟨u, x_t⟩² over updates
    apart_u: float = 0.0  # Σ h·(⟨w_t, x_t⟩ − ⟨u, x_t⟩)²
    step_squares_u: float = 0.0  # Σ ⟨z_t, w_t − u⟩²
    loss_after: float = 0.0  # Σ h·ℓ_t(w_t + z_t), of implicit updates
    reach: float = 0.0  # max |⟨w_t, x_t⟩|
    reach_u: float = 0.0  # max |⟨u, x_t⟩|
    firsts: Array = field(default_factory=lambda: np.zeros(0))  # |x_{t,i}| where it is first not 0


@dataclass(frozen=True)
class RunRecord:
    """Parts after T rounds in NumPy's form, the sums, and a comparator u with its name."""

    loss: Any
    f: Any
    rule: Any
    sums: Sums
    u: Array
    comparator: str = "u"

    @property
    def domain(self) -> Any:
        """S."""
        return getattr(self.f, "domain", Whole())

    @property
    def whole(self) -> Assumption:
        """Whether S is the whole space."""
        inside = bool(self.domain.unbounded)
        return Assumption("S is the whole space", float(inside), inside)

    @property
    def in_domain(self) -> Assumption:
        """Whether u ∈ S, by the distance to its projection."""
        far = float(np.abs(into_domain(self.f, self.u) - self.u).max(initial=0.0))
        unit = 1.0 + float(np.abs(self.u).max(initial=0.0))
        return Assumption("u lies in S", far, far <= 1e-9 * unit)

    @property
    def cone(self) -> Assumption:
        """Whether u and its multiples lie in S, which f_T(λu) = λ²·f_T(u) presumes."""
        inside = bool(self.domain.cone) and self.in_domain.holds
        return Assumption("λ·u lies in S for all λ > 0", float(inside), inside)

    @property
    def fixed_domain(self) -> Assumption:
        """Whether S stayed the same: where 0 ∉ S it changes with each new coordinate."""
        free = bool(getattr(self.f, "fixed_domain", True)) and bool(self.domain.fixed)
        return Assumption(
            "S stays the same as columns are added", self.sums.grown, free or self.sums.grown == 0.0
        )

    @property
    def grows(self) -> bool:
        """Whether g_{t−1}(w_t) ≤ g_t(w_t) all along: proved of the regularizer, or measured."""
        return bool(fact(self.f, "nondecreasing")) or self.sums.falls <= 1e-9 * self.sums.tallest

    @property
    def even(self) -> Assumption:
        """Whether every example has importance 1."""
        return Assumption(
            "importance 1: max |h_t − 1|", self.sums.uneven, self.sums.uneven <= 1e-12
        )


def into_domain(f: Any, u: Array) -> Array:
    """The point of S next to u."""
    nearest = getattr(f, "nearest", None)
    return np.asarray(getattr(f, "domain", Whole()).project(u) if nearest is None else nearest(u))


def textbook(part: Any, columns: int, intercept: bool) -> Any:
    """A part of the compiled loop in NumPy's form: its arrays cut to the coordinates there are."""
    kept = slice(0 if intercept else 1, columns + 1)
    changes: dict[str, Any] = {}
    for name, value in state.fields(part).items():
        marker = state.marker_of(part, name)
        if state.is_by_slot(marker) or (marker is None and isinstance(value, np.ndarray)):
            changes[name] = value[kept]
        elif marker is MATRIX:
            changes[name] = value[kept, kept]
        elif marker is WAITING_ROWS:
            changes[name] = value[:, kept]
        elif state.is_part(value):
            changes[name] = textbook(value, columns, intercept)
    plain = state.replaced(part, changes)
    convert = getattr(plain, "textbook", None)
    return plain if convert is None else convert()


def ledger_sums(part: Any, plain: Any, ledger: Any) -> Sums:
    """The sums of u's first half, from the ledger of a compiled run.

    ``part`` is the regularizer of the loop, ``plain`` its NumPy form.
    """
    sums = Sums(steps=UNKNOWN, residue=UNKNOWN, terms=UNKNOWN)
    known = {name for name in ledger._fields if name in {f.name for f in fields(Sums)}}
    for name in known:
        setattr(sums, name, float(getattr(ledger, name)[0]))
    if not hasattr(ledger, "climb"):  # a ledger of losses alone
        return sums
    sums.terms = float(suited(all_terms, part)(part, ledger))
    sums.residue = _residue(plain, float(ledger.climb[0]))
    sums.progress = progress(plain, plain.theta, sums)
    if fact(plain, "constant"):
        sums.drops = sums.residue  # −f_1(w_1)
    return sums


def growing_part(f: Any, w: Array) -> float:
    """g_t(w) = f_t(w) − η·t·F(w)."""
    own = getattr(f, "growing_part", f.value)
    return float(own(w))


def progress(f: Any, theta: Array, sums: Sums) -> float:
    """Steps and residue together. ``f`` and ``theta`` are f_T and θ_{T+1}.

    For a quadratic f_t the two telescope: f_T*(θ_{T+1}) − Σ⟨z_t, w_t⟩, however large each is (AdaGrad
    begins with curvature δ: steps of 1e12 that the residue takes back).
    """
    if fact(f, "quadratic"):
        return float(f.conjugate(theta)) - sums.pairs
    return sums.steps + sums.residue


def _residue(f: Any, climb: float) -> float:
    """Σ (f_t*(θ_t) − f_{t−1}*(θ_t)) = f_T*(θ_{T+1}) − climb; f_1*(0) where f never changes."""
    if fact(f, "constant"):
        return float(f.conjugate(np.zeros_like(f.theta)))
    if math.isnan(climb):
        return UNKNOWN
    return float(f.conjugate(f.theta)) - climb

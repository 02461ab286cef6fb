"""Everything that a domain S can be asked.

f_t is +∞ outside, so that w_t = argmax over S of ⟨v, θ_t⟩ − f_t(v) ∈ S.

In compiled code a domain answers ``settle`` once a round (what the whole of θ asks for) and
``confine`` for each coordinate read. Both are exact for f_t = c/2·‖·‖² on every domain, and for any
separable f_t on the separable domains (whole space, box, orthant).

In NumPy it has ``project(w)``, the nearest point, and these facts:

* ``separable``: S is a product of intervals, the same for every coordinate;
* ``unbounded``: S is the whole space;
* ``cone``: with u also λ·u lies in S, λ > 0;
* ``fixed``: S stays the same as coordinates are added, which needs 0 ∈ S;
* ``steady``: a weight that no row touches moves by a common factor alone, so that its sum over
  rounds is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._numba import helper, required_verb, verb
from fenchel.parts.state import Array
from fenchel.rows.sums import alike, sum_over, term


@verb
def settle(domain: Any, theta: Array, curvature: float, row: Any) -> Any:
    """Summarise the whole of the unconstrained w = θ/curvature, for ``confine``."""
    return 0.0


@required_verb
def confine(domain: Any, pressure: Any, w: float) -> Any:
    """The coordinate of the constrained maximiser, from that of the unconstrained one."""


@verb
def no_pressure(domain: Any) -> Any:
    """The pressure of a θ that needs none."""
    return 1.0


@verb
def follow(domain: Any, theta: Array, before: float, after: float) -> None:
    """Called after each change of a θ_j, once θ holds it."""


@verb
def follow_all(domain: Any, theta: Array) -> None:
    """Put in order what a domain keeps of θ, once all of θ is new."""


# ── for the ledger: f_t of coordinates apart, Σ threshold·|w_j| + curvature_j/2·w_j² on S ──────────


@verb
def unbounded(domain: Any) -> bool:
    """Whether S is the whole space."""
    return False


@verb
def followed(domain: Any) -> bool:
    """Whether the weights between two visits are known on this domain, so that Σ F(w_t) is."""
    return False


@helper
def soft_threshold(value: float, threshold: float) -> float:
    """sign(v)·[|v| − threshold]₊, an exact zero inside the threshold.

    Without branches, since no processor can guess the sign of the next weight.
    """
    return value - min(max(value, -threshold), threshold)


@helper
def _piece(domain: Any, theta: float, inverse: float, threshold: float) -> float:
    """max over w ∈ S of w·θ − threshold·|w| − curvature/2·w², one coordinate of f_t*."""
    w = confine(domain, no_pressure(domain), soft_threshold(theta, threshold) * inverse)
    return float(w * theta - threshold * abs(w) - 0.5 * w * (w / inverse))


@verb
def rise(domain: Any, before: float, after: float, inverse: float, threshold: float) -> float:
    """One coordinate's share of f_t*(θ_{t+1}) − f_t*(θ_t)."""
    rise = _piece(domain, after, inverse, threshold) - _piece(domain, before, inverse, threshold)
    return float(rise)


@required_verb
def inverse_curvature(f: Any, view: Any, slot: Any, x: float) -> Any:
    """1/curvature_j of a regularizer of coordinates apart, in a round where x_j = x."""


@verb
def threshold_of(f: Any, view: Any) -> float:
    """The cost of |w_j| in a regularizer that treats coordinates apart."""
    return 0.0


@alike
class _Climb(NamedTuple):
    """The sum of what the row's coordinates climb."""

    c: float


@term.of(_Climb)
def _climb_of(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    theta, inverse = f.theta[slot], inverse_curvature(f, view, slot, x)
    return float(rise(f.domain, theta, theta + what.c * x, inverse, threshold_of(f, view)))


@verb
def climb_on(domain: Any, f: Any, view: Any, row: Any, c: float) -> float:
    """f_t*(θ_t + c·x_t) − f_t*(θ_t) on domains that confine each coordinate by itself."""
    return float(sum_over(_Climb(c), f, view, row))


@helper
def climb_apart(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> float:
    """The climb of a regularizer of coordinates apart; of a plain quadratic without a second look."""
    if unbounded(f.domain) and threshold_of(f, view) == 0.0:
        return c * (margin + 0.5 * c * square)
    return float(climb_on(f.domain, f, view, row, c))

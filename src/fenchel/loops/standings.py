"""Where a p-norm's run stands: f_t*(θ) and its steps, read off sums that the regularizer keeps anyway.

No look at the row is needed: the standing before a round and after it are two readings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._kernel import helper, verb
from fenchel.regularizers.leveled import Leveled
from fenchel.regularizers.power_sum import total_of
from fenchel.regularizers.scale_invariant import ScaleInvariantPNorm


@helper
def _half_square(total: float, pivot: float, p: float) -> float:
    """½‖·‖_p² of ratios whose p-th powers in units of the pivot add up to ``total``."""
    return float(0.5 * pivot * pivot * max(total, 0.0) ** (2.0 / p))


class Standing(NamedTuple):
    """What is read off the sums: f_t*(θ), and Σ_{s≤t} ‖z_s‖²_{s,*} times factors known later."""

    height: float = 0.0
    steps: float = 0.0


@verb
def standing(f: Any, view: Any) -> Standing:
    """The standing before θ_t moves, f_t already that of the round."""
    return Standing(0.0, 0.0)


@verb
def moved(f: Any, view: Any) -> Standing:
    """The standing after θ_t has moved, f_t still that of the round."""
    return Standing(0.0, 0.0)


@helper
def _leveled_standing(f: Any, view: Any) -> Standing:
    """‖θ‖_p²/(2·c·X_t²)."""
    if view.level == 0.0:
        return Standing(0.0, 0.0)
    half = _half_square(total_of(f.inner), f.inner.pivot[0], f.inner.p)
    return Standing(float(half / f.inner.c / view.level / view.level), 0.0)


@standing.of(Leveled)
def _leveled_before(f: Any, view: Any) -> Standing:
    return _leveled_standing(f, view)


@moved.of(Leveled)
def _leveled_after(f: Any, view: Any) -> Standing:
    return _leveled_standing(f, view)


@helper
def _invariant_standing(f: Any, view: Any, total: float) -> Standing:
    """‖θ/b_t‖²/(2β_t) in the norm of p_t, and ½η²·Σ (p_s − 1)·‖ℓ′_s/b_s‖² over β_t."""
    height = _half_square(total, f.pivot[0], view.p) / view.beta
    return Standing(float(height), float(0.5 * f.eta * f.eta * f.slopes[0] / view.beta))


@standing.of(ScaleInvariantPNorm)
def _invariant_before(f: Any, view: Any) -> Standing:
    return _invariant_standing(f, view, view.total)


@moved.of(ScaleInvariantPNorm)
def _invariant_after(f: Any, view: Any) -> Standing:
    return _invariant_standing(f, view, total_of(f))

"""How weights move between two visits of their coordinate: what a lazy average needs to know.

For most regularizers w_{t,j} = settled_j·pace_t, where settled_j is fixed between visits. Some keep
settled_j in a unit that may change (the pivot of a power sum or of exponentials); ``unit_scale``
converts. The default is a weight that stands still.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._kernel import helper, verb
from fenchel._kernel.rows import nonzeros
from fenchel.regularizers.adagrad import AdaGrad
from fenchel.regularizers.composite import Composite
from fenchel.regularizers.domains import confine
from fenchel.regularizers.entropic import Entropic
from fenchel.regularizers.euclidean import Euclidean
from fenchel.regularizers.leveled import Leveled
from fenchel.regularizers.p_norm import PNorm, WeightedPNorm
from fenchel.regularizers.quotients import over
from fenchel.regularizers.scale_invariant import (
    ScaleInvariantAdaGrad,
    ScaleInvariantPNorm,
    dual_exponent,
)
from fenchel.regularizers.verbs import weight

# Sums over fewer rounds than this are taken term by term.
FEW = 128.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


@verb
def pace(f: Any, view: Any) -> float:
    """pace_t of this round."""
    return 1.0


@verb
def settled(f: Any, slot: Any) -> float:
    """settled_j."""
    return float(weight(f, 1.0, slot, 0.0))


@verb
def idle_sum(f: Any, slot: Any, since: float, until: float) -> float:
    """Σ w_{s,j} over the rounds between two values of Σ pace."""
    return float(settled(f, slot) * (until - since))


@verb
def unit(f: Any) -> float:
    """The unit in which settled_j is kept."""
    return 0.0


@verb
def unit_scale(f: Any, before: float) -> float:
    """settled_j in the unit ``before``, over settled_j in today's."""
    return 1.0


@verb
def reshapes(f: Any, row: Any) -> bool:
    """Whether this row changes every settled_j, touched or not."""
    return False


@pace.of(Euclidean)
def _euclidean_pace(f: Any, view: Any) -> float:
    """The factor of a ball; 1 elsewhere."""
    return view if view != 0.0 else 1.0


# ── composite terms: the weights shrink between visits ──────────────────────────────────────────


@helper
def _shrinking(
    s: float, size: float, slope: float, root: float, constant: float, linear: float
) -> float:
    return float(max(size - slope * s, 0.0) / (root * np.sqrt(s) + constant + linear * s))


@helper
def _change(
    s: float, size: float, slope: float, root: float, constant: float, linear: float
) -> float:
    """The derivative of ``_shrinking`` in s."""
    below = root * np.sqrt(s) + constant + linear * s
    growth = 0.5 * root / np.sqrt(s) + linear
    return float(-(slope * below + (size - slope * s) * growth) / (below * below))


@helper
def soft_sum(
    a: float, b: float, size: float, slope: float, root: float, constant: float, linear: float
) -> float:
    """Σ_{s=a+1}^{b} [size − slope·s]₊/(root·√s + constant + linear·s).

    The first terms one by one, the rest by Euler and Maclaurin's midpoint formula on panels that
    double: Σ = ∫ − (φ′(end) − φ′(begin))/24 + …, to a relative 1e−11.
    """
    if slope > 0.0:
        b = min(b, np.ceil(size / slope) - 1.0)
    total = 0.0
    s = a + 1.0
    while s <= b and (s <= FEW or b - s < FEW):
        total += _shrinking(s, size, slope, root, constant, linear)
        s += 1.0
    if s > b:
        return total
    low, end = s - 0.5, b + 0.5
    total -= (
        _change(end, size, slope, root, constant, linear)
        - _change(low, size, slope, root, constant, linear)
    ) / 24.0
    while low < end:
        high = min(2.0 * low, end)
        half, middle = 0.5 * (high - low), 0.5 * (high + low)
        for i in range(NODES.shape[0]):
            at = middle + half * NODES[i]
            total += half * WEIGHTS[i] * _shrinking(at, size, slope, root, constant, linear)
        low = high
    return total


@pace.of(Composite)
def _composite_pace(f: Any, view: Any) -> float:
    """1/curvature, or 1 for each round where l1 makes weights shrink by themselves."""
    if f.l1 > 0.0:
        return 1.0
    return float((view.pressure if view.pressure != 0.0 else 1.0) / view.curvature)


@settled.of(Composite)
def _composite_settled(f: Any, slot: Any) -> float:
    return float(confine(f.domain, 1.0, f.theta[slot]))


@idle_sum.of(Composite)
def _composite_idle(f: Any, slot: Any, since: float, until: float) -> float:
    if f.l1 == 0.0:
        return float(settled(f, slot) * (until - since))
    theta = f.theta[slot]
    size = soft_sum(
        since - f.lag, until - f.lag, abs(theta), f.eta * f.l1, f.root, 0.0, f.eta * f.l2
    )
    return float(confine(f.domain, 1.0, np.copysign(size, theta)))


@pace.of(AdaGrad)
def _adagrad_pace(f: Any, view: Any) -> float:
    return 1.0


@idle_sum.of(AdaGrad)
def _adagrad_idle(f: Any, slot: Any, since: float, until: float) -> float:
    theta = f.theta[slot]
    curvature = f.delta + np.sqrt(f.squares[slot])
    if f.l1 == 0.0 and f.l2 == 0.0:
        return float(confine(f.domain, 0.0, theta / curvature) * (until - since))
    size = soft_sum(since, until, abs(theta), f.eta * f.l1, 0.0, curvature, f.eta * f.l2)
    return float(confine(f.domain, 0.0, np.copysign(size, theta)))


# ── norms and entropies: one factor for all weights ─────────────────────────────────────────────


@pace.of(ScaleInvariantAdaGrad)
def _invariant_pace(f: Any, view: Any) -> float:
    return float(view)


@pace.of(PNorm)
def _p_norm_pace(f: Any, view: Any) -> float:
    return float(view)


@pace.of(WeightedPNorm)
def _weighted_pace(f: Any, view: Any) -> float:
    return float(view)


@unit.of(PNorm)
def _p_norm_unit(f: Any) -> float:
    return float(f.pivot[0])


@unit.of(WeightedPNorm)
def _weighted_unit(f: Any) -> float:
    return float(f.pivot[0])


@helper
def _power_scale(now: float, before: float, p: float) -> float:
    """(now/before)^{p−1}; the powers kept in a unit of 0 are all 0."""
    return (now / before) ** (p - 1.0) if before > 0.0 else 0.0


@unit_scale.of(PNorm)
def _p_norm_scale(f: Any, before: float) -> float:
    return _power_scale(f.pivot[0], before, f.p)


@unit_scale.of(WeightedPNorm)
def _weighted_scale(f: Any, before: float) -> float:
    return _power_scale(f.pivot[0], before, f.p)


@pace.of(ScaleInvariantPNorm)
def _invariant_p_norm_pace(f: Any, view: Any) -> float:
    return float(view.factor)


@settled.of(ScaleInvariantPNorm)
def _invariant_p_norm_settled(f: Any, slot: Any) -> float:
    return over(f.powers[slot], f.largest[slot])


@unit.of(ScaleInvariantPNorm)
def _invariant_p_norm_unit(f: Any) -> float:
    return float(f.pivot[0])


@unit_scale.of(ScaleInvariantPNorm)
def _invariant_p_norm_scale(f: Any, before: float) -> float:
    return _power_scale(f.pivot[0], before, dual_exponent(f.longest[0]))


@reshapes.of(ScaleInvariantPNorm)
def _invariant_p_norm_reshapes(f: Any, row: Any) -> bool:
    """A longer row than all before changes p_t, and with it every power."""
    longest = max(f.longest[0], float(nonzeros(row)))
    return dual_exponent(longest) != dual_exponent(f.longest[0])


@pace.of(Leveled)
def _leveled_pace(f: Any, view: Any) -> float:
    return pace(f.inner, view.inner) / view.level / view.level if view.level > 0.0 else 0.0


@settled.of(Leveled)
def _leveled_settled(f: Any, slot: Any) -> float:
    return float(settled(f.inner, slot))


@unit.of(Leveled)
def _leveled_unit(f: Any) -> float:
    return float(unit(f.inner))


@unit_scale.of(Leveled)
def _leveled_scale(f: Any, before: float) -> float:
    return float(unit_scale(f.inner, before))


@pace.of(Entropic)
def _entropic_pace(f: Any, view: Any) -> float:
    return float(view)


@unit.of(Entropic)
def _entropic_unit(f: Any) -> float:
    return float(f.pivot[0])


@unit_scale.of(Entropic)
def _entropic_scale(f: Any, before: float) -> float:
    return float(np.exp(min(f.pivot[0] - before, 700.0)))

"""FTRL-Proximal (McMahan, 2011): dual averaging with regularizers centred at the past weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.parts.state import SLOTS, Array, part
from fenchel.regularizers.adopting import Penalty, adopt, penalty
from fenchel.regularizers.domains.protocol import soft_threshold
from fenchel.regularizers.protocol import commit, stands_still, weight
from fenchel.regularizers.safe_division import over
from fenchel.regularizers.uniting import Shards, added, gains, lengthened, rescale, unite, weighed
from fenchel.rows.types import entries, saturated, slot_of, value_of


@stands_still
@part
class ProximalCentres(NamedTuple):
    """f_t(w) = Σ_{s<t} σ_s/2·‖w − w_s‖² + β/(2α)·‖w‖² + l1·‖w‖₁ + l2/2·‖w‖², a coordinate each.

    σ_s = (√(n_s) − √(n_{s−1}))/α with n_s = Σ ℓ′². Mirror descent with this f_t and z_t = −ℓ′_t; the
    linear part of the centres is kept inside θ, so that w_j = soft(θ_j, l1)/((β + √n_j)/α + l2).
    """

    alpha: float = 0.1
    beta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    theta: Array = SLOTS
    squares: Array = SLOTS

    def gradient(self, theta: Array) -> Array:
        """w, from the θ that holds the centres."""
        soft = np.sign(theta) * np.maximum(np.abs(theta) - self.l1, 0.0)
        curvature = (self.beta + np.sqrt(self.squares)) / self.alpha + self.l2
        w = np.divide(soft, curvature, out=np.zeros_like(soft), where=curvature > 0.0)
        return np.asarray(w)


@weight.of(ProximalCentres)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = soft(θ_j, l1)/((β + √n_j)/α + l2)."""
    curvature = (f.beta + np.sqrt(f.squares[slot])) / f.alpha + f.l2
    return over(soft_threshold(f.theta[slot], f.l1), curvature)


@commit.of(ProximalCentres)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """θ_j ← θ_j − ℓ′_j + σ_j·w_j, n_j ← n_j + ℓ′_j²."""
    if coefficient == 0.0:
        return
    for k in range(entries(row)):
        j = slot_of(row, k)
        step = saturated(coefficient * value_of(row, k))
        after = saturated(f.squares[j] + step * step)
        sigma = (np.sqrt(after) - np.sqrt(f.squares[j])) / f.alpha
        f.theta[j] = saturated(f.theta[j] + step + sigma * weight(f, view, j, 0.0))
        f.squares[j] = after


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


@unite.of(ProximalCentres)
def _unite(f: Any, shards: Shards) -> None:
    """Squares add; weights are averaged by what each shard added to the squares."""
    f.squares[:] = added(shards, "squares")
    start, *found = (g.gradient(g.theta) for g in (shards.start, *shards.parts))
    w, sums = weighed(start, found, gains(shards, "squares")), added(shards, "theta")
    curvature = (f.beta + np.sqrt(f.squares)) / f.alpha + f.l2
    f.theta[:] = lengthened(w, f.l1, curvature, sums)


@rescale.of(ProximalCentres)
def _rescale(f: Any, factors: Array) -> None:
    f.squares[:] *= factors**2


# ── weights from elsewhere ──────────────────────────────────────────────────────────────────────


@penalty.of(ProximalCentres)
def _penalty(f: Any) -> Penalty:
    """l1 and l2 count once, whatever the rounds."""
    return Penalty(f.l1, f.l2, each_round=False)


@adopt.of(ProximalCentres)
def _adopt(f: Any, w: Array) -> None:
    curvature = (f.beta + np.sqrt(f.squares)) / f.alpha + f.l2
    f.theta[:] = lengthened(w, f.l1, curvature, 0.0 * w)

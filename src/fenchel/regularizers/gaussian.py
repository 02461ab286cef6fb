"""A Gaussian over weight vectors with a diagonal covariance: the original AROW, SCW, logistic regression.

All keep a mean μ, which predicts, and precisions 1/Σ_jj = ``ground`` + s_j, and move the mean through the
covariance *before* the round: μ ← μ + c·Σ·x. With the whole matrix the original AROW and logistic regression
are mirror descent (``FullQuadratic``, ``LogisticMatrix``); with a diagonal one they are not, since θ would
not be a plain sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, verb
from fenchel.parts.state import RECORD, Array, part
from fenchel.regularizers.protocol import (
    absorb,
    absorb_divided,
    absorb_quotients,
    commit,
    divided,
    keep_quotient,
    spread,
    stands_still,
    weight,
)
from fenchel.regularizers.uniting import Shards, added, combined, gains, held, rescale, unite
from fenchel.rows.sums import alike, sum_over, term
from fenchel.rows.types import LARGEST, saturated

INTERCEPT = 0.1  # of the prior precision of weights is that of the intercept


@stands_still
@part
@alike
class Gaussian(NamedTuple):
    """Mean ``theta`` and precisions 1 + ``squares``; on an update 1/Σ_jj grows by x_j²/r."""

    r: float = 1.0
    theta: Array = RECORD
    squares: Array = RECORD


@stands_still
@part
@alike
class ConfidentGaussian(NamedTuple):
    """``Gaussian`` for soft confidence-weighted learning: 1/Σ_jj grows by α·φ/√u·x_j²."""

    phi: float = 1.0
    theta: Array = RECORD
    squares: Array = RECORD


@stands_still
@part
@alike
class LogisticGaussian(NamedTuple):
    """``Gaussian`` for logistic regression: 1/Σ_jj begins at ``prior``, and grows by p·(1 − p)·x_j².

    p is the chance of the label after the step; the step itself says it: |c| = importance·(1 − p). The
    intercept begins at a tenth of ``prior``: nothing speaks for classes that are equally frequent.
    """

    prior: float = 1.0
    theta: Array = RECORD
    squares: Array = RECORD

    def opened(self) -> None:
        """The state before the first row."""
        self.squares[:1] = (INTERCEPT - 1.0) * self.prior


@verb
def ground(f: Any) -> float:
    """The precision before the first row."""
    return 1.0


@ground.of(LogisticGaussian)
def _prior(f: Any) -> float:
    return float(f.prior)


@alike
class _Variance(NamedTuple):
    """The sum that is x·Σ·x."""


@term.of(_Variance)
def _variance_of(what: Any, f: Any, view: Any, slot: Any, x: Any) -> Any:
    return x / (ground(f) + f.squares[slot]) * x


@helper
def variance(f: Any, row: Any) -> float:
    """υ = x·Σ·x."""
    return saturated(sum_over(_Variance(), f, 0.0, row))


def _divided(f: Any, growth: Any, slot: Any, x: float, coefficient: float) -> tuple[float, float]:
    return x, ground(f) + f.squares[slot]


def _keep_quotient(
    f: Any, growth: Any, slot: Any, x: float, coefficient: float, quotient: float
) -> None:
    """μ ← μ + coefficient·Σ·x, then 1/Σ_jj ← 1/Σ_jj + growth·x_j²."""
    f.theta[slot] = saturated(f.theta[slot] + coefficient * quotient)
    f.squares[slot] = min(f.squares[slot] + x * growth * x, LARGEST)


def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """μ_j."""
    return float(f.theta[slot])


@commit.of(Gaussian)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient != 0.0:
        absorb_quotients(f, saturated(row.importance / f.r), row, coefficient)


@commit.of(ConfidentGaussian)
def _confident_commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """√u = ½·(−α·υ·φ + √(α²υ²φ² + 4υ)); 1/Σ grows by α·φ/√u·x²."""
    if coefficient == 0.0:
        return
    alpha = abs(coefficient)
    upsilon = variance(f, row)
    product = alpha * upsilon * f.phi
    # The stable form of the difference above: 2υ over the sum.
    root = 2.0 * upsilon / (product + np.sqrt(product * product + 4.0 * upsilon))
    growth = saturated(alpha * f.phi / root) if root > 0.0 else 0.0
    absorb_quotients(f, growth, row, coefficient)


@helper
def bend(coefficient: float, importance: float) -> float:
    """ℓ″ of the logistic loss where ℓ′ = −coefficient: importance·p·(1 − p)."""
    return abs(coefficient) * max(1.0 - abs(coefficient) / importance, 0.0)


@commit.of(LogisticGaussian)
def _logistic_commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    if coefficient != 0.0:
        absorb_quotients(f, saturated(bend(coefficient, row.importance)), row, coefficient)


def _spread(f: Any, view: Any, row: Any) -> float:
    return variance(f, row)


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


def _unite(f: Any, shards: Shards) -> None:
    """Precisions add; means move from the start by the mean of the moves, weighed:

        μ = μ_0 + Σ (c + g_k)·(μ_k − μ_0)/(c + Σ g_k),  c = √P_0,

    with P_0 the precision of the start and g_k what shard k gained, held near what others gained. From
    nothing (P_0 = 1) this is the product of Gaussians, the prior counted once. From a model that product
    would have c = P_0, and add up corrections of the same mistakes, which all shards make: some sets
    diverged. With c = 1 later rounds move little.
    """
    f.squares[:] = added(shards, "squares")
    c, gained = (
        np.sqrt(ground(f) + shards.start.squares),
        held(gains(shards, "squares"), shards.shares),
    )
    masses = [c + gain for gain in gained]
    means = [part.theta for part in shards.parts]
    f.theta[:] = combined(shards.start.theta, means, masses, c + sum(gained))


def _rescale(f: Any, factors: Array) -> None:
    f.theta[:] /= factors
    f.squares[:] *= factors**2


for _class in (Gaussian, ConfidentGaussian, LogisticGaussian):
    weight.of(_class)(_weight)
    spread.of(_class)(_spread)
    divided.of(_class)(_divided)
    keep_quotient.of(_class)(_keep_quotient)
    absorb.of(_class)(absorb_divided)
    unite.of(_class)(_unite)
    rescale.of(_class)(_rescale)

"""Logistic regression by a Gaussian over weights, one row after another."""

from __future__ import annotations

from typing import Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, learner, positive, yes_or_no
from fenchel.losses import Logistic
from fenchel.regularizers import LogisticGaussian, LogisticMatrix
from fenchel.rules import LogisticMode


@learner(
    tasks=("binary",),
    parts="logistic × Gaussian over weights × to the mode",
    equation="Laplace's approximation, row by row",
    theorem="none here",
    cost="non-zeros (diagonal), d² (full)",
)
def bayesian_logistic(
    prior: float = 1.0, diagonal: bool = True, **options: Unpack[Options]
) -> Parts:
    """Bayesian logistic regression, by a Gaussian over weights that is fitted anew after each row.

    Problem: two classes and their probabilities, with rare classes or many features of which each is
    seen seldom: how far a weight moves depends on how much is known of it.

    Update: with mean μ and covariance Σ, m = ⟨μ, x⟩ and χ = x·Σ·x, the mode of the Gaussian times the
    likelihood of the label is μ + c·Σ·x with c = y/(1 + exp(y·p)), p = m + c·χ the margin after the step;
    there the loss bends by d = |c|·(1 − |c|), and 1/Σ_jj ← 1/Σ_jj + d·x_j² (Σ⁻¹ ← Σ⁻¹ + d·x·xᵀ with the
    full matrix, where it is mirror descent with z = (c + d·p)·x). The first Σ is I/prior; a diagonal one
    has 10/prior for the intercept, since classes may be rare.

    Guarantee: none here. Margins are logits, near what the whole past would give at once.

    Cost: the non-zeros of a row (diagonal), d² (full); some three exponentials.

    Parameters: ``prior`` > 0, the precision of weights before the first row: larger is more careful;
    ``diagonal``. Importance multiplies the loss.

    References: Spiegelhalter & Lauritzen (1990); MacKay (1992); Chapelle & Li (2011), Algorithm 3.

    >>> from fenchel import learners
    >>> learner = learners.bayesian_logistic(intercept=False)
    >>> learner.learn_many([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]], [1, -1, -1]).round(6)
    array([ 0.      ,  0.401058, -0.346969])
    """
    positive(prior=prior)
    yes_or_no(diagonal=diagonal)
    f = LogisticGaussian(prior=float(prior)) if diagonal else LogisticMatrix(a=float(prior))
    return Parts(Logistic(), f, LogisticMode())

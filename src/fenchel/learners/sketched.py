"""Second order where d² does not fit: the matrix is kept by a sketch of a few directions."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, learner, positive
from fenchel.losses import named
from fenchel.regularizers import SketchedNewton
from fenchel.rules import Subgradient


@learner(
    tasks=("binary", "regression"),
    parts="any loss × AdaGrad's units, and a matrix of rank m by Oja's rule × subgradient",
    equation="after Luo, Agarwal, Cesa-Bianchi & Langford (2016), Algorithm 3",
    theorem="none here",
    cost="m·non-zeros",
)
def sketched_newton(
    eta: float = 0.3,
    *,
    rank: float = 10,
    a: float = 1.0,
    loss: Any = "logistic",
    **options: Unpack[Options],
) -> Parts:
    """Newton steps by a sketch: AdaGrad, corrected along the m directions that matter most.

    Problem: correlated features, and too many of them for a matrix.

    Update: gradients in AdaGrad's units, s_j = g_j/√R_j with R_j = √(Σ g²_{s,j}); Oja's rule keeps m
    orthonormal directions V of the largest moments of s, and M, the moments along them:
    w ← w − η·D⁻¹·(I + VᵀMV/a_t)⁻¹·D⁻¹·g, D_j = √R_j, with a_t = a and 1/m of the squares that the sketch
    left over. Off the sketch that is AdaGrad's step, along it that of the online Newton step. Not
    mirror descent with a plain sum: the steps are taken from where w is.

    Guarantee: none here. The published regret bounds are of frequent directions, which take d
    operations a round and not those of the non-zeros; Oja's rule has none.

    Cost: the non-zeros of a row, times m; m numbers a column. Putting the directions in order takes m²
    operations a column, once m non-zeros for each column have paid for it.

    Parameters: ``eta`` > 0, AdaGrad's step; ``rank`` = m, a whole number from 1 to 100; ``a`` > 0, how
    large moments must be, in AdaGrad's units, to count at first; ``loss``. Importance multiplies the loss.

    References: Luo, Agarwal, Cesa-Bianchi & Langford (2016); Duchi, Hazan & Singer (2011).

    >>> from fenchel import learners
    >>> learner = learners.sketched_newton(1.0, rank=1, a=1.0, loss="squared", intercept=False)
    >>> learner.learn_many([[1.0], [1.0]], [1.0, 1.0])
    array([0. , 0.5])
    """
    positive(eta=eta, a=a)
    f = SketchedNewton(eta=float(eta), rank=rank, a=float(a))
    return Parts(named(loss), f, Subgradient())

"""Learners without a learning rate, beside coin betting: ScInOL and FreeGrad."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, learner, lipschitz_of, positive
from fenchel.losses import named
from fenchel.regularizers import ExponentialScInOL, FreeGrad, ScInOL
from fenchel.rules import Subgradient

ANY = ("binary", "regression")


@learner(
    tasks=ANY,
    parts="Lipschitz loss × a scale-invariant bettor a coordinate × subgradient",
    equation="Kempka, Kotłowski & Warmuth (2019), Algorithms 1 and 2",
    theorem="none here",
    cost="non-zeros, a root each",
)
def scinol(
    form: int = 2, wealth: float = 1.0, *, loss: Any = "hinge", **options: Unpack[Options]
) -> Parts:
    """ScInOL: scale-invariant online learning, nothing to tune.

    Problem: any Lipschitz loss, features in any units, no learning rate.

    Update: with b_j = max |x_j| so far, g = −ℓ′/L·x_j/b_j, G_j = Σ g and D_j = √(1 + Σ g²), each coordinate
    bets clip(G_j/D_j, ±1)·W_j/(2·D_j) of its wealth W_j = wealth + Σ g·bet (form 2), or
    β_j·sgn G_j·(exp(|G_j|/(2·D_j)) − 1)/(2·D_j) with a factor β_j that falls where large values come late
    (form 1); w_j = bet_j/(L·b_j).

    Guarantee: none here. The published bounds, O(Σ |u_j|·b_j·√T·ln T) whatever the units, are not measured.

    Cost: the non-zeros of a row, a root each.

    Parameters: ``form`` 1 or 2 (form 1 can only learn slowly from features that come late); ``wealth`` > 0,
    ε of the paper; ``loss``, one with a Lipschitz constant. Importance multiplies the loss, but a gradient
    is never more than the steepest.

    References: Kempka, Kotłowski & Warmuth (2019).

    >>> from fenchel import learners
    >>> a = learners.scinol(intercept=False).learn_many([[5.0], [5.0], [5.0]], [1, 1, 1])
    >>> b = learners.scinol(intercept=False).learn_many([[5e9], [5e9], [5e9]], [1, 1, 1])
    >>> a.round(6), bool((a == b).all())
    (array([0.      , 0.25    , 0.360844]), True)
    """
    positive(wealth=wealth)
    if form not in (1, 2):
        raise ValueError(f"form={form!r}: choose 1 or 2")
    loss = named(loss)
    kind = ScInOL if form == 2 else ExponentialScInOL
    f = kind(lipschitz=lipschitz_of("scinol", loss), wealth=float(wealth))
    return Parts(loss, f, Subgradient())


@learner(
    tasks=ANY,
    parts="Lipschitz loss × FreeGrad's potential a coordinate × subgradient",
    equation="Mhammedi & Koolen (2020), Section 3",
    theorem="none here",
    cost="non-zeros, an exponential and a root each",
)
def freegrad(wealth: float = 1.0, *, loss: Any = "hinge", **options: Unpack[Options]) -> Parts:
    """FreeGrad: neither the size of the weights nor that of the gradients known ahead.

    Problem: any Lipschitz loss, features in any units, no learning rate.

    Update: with a_j the first |x_j|, b_j the largest so far, g = −ℓ′/L·x_j/b_j, G_j = Σ g,
    V_j = (a_j/b_j)² + Σ g² and A_j = V_j + |G_j|, each coordinate bets
    wealth·a_j/b_j·G_j·(V_j + A_j)/(2·A_j²·√V_j)·exp(G_j²/(2·A_j)), and w_j = bet_j/(L·b_j); it begins anew
    where b_j outgrows a_j by more than 2 + Σ |g|.

    Guarantee: none here. The published bound adapts to Σ g² and to ‖u‖; it is not measured.

    Cost: the non-zeros of a row, an exponential and a root each.

    Parameters: ``wealth`` > 0, ε of the paper, in units of 1/a_j; ``loss``, one with a Lipschitz constant.
    Importance multiplies the loss, but a gradient is never more than the steepest.

    References: Mhammedi & Koolen (2020).

    >>> from fenchel import learners
    >>> learner = learners.freegrad(intercept=False)
    >>> learner.learn_many([[5.0], [5.0], [5.0]], [1, 1, 1]).round(6)
    array([0.      , 0.232041, 0.275618])
    """
    positive(wealth=wealth)
    loss = named(loss)
    f = FreeGrad(lipschitz=lipschitz_of("freegrad", loss), wealth=float(wealth))
    return Parts(loss, f, Subgradient())

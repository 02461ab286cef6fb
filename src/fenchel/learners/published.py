"""Relatives that the paper cites, as published: for comparison, and as experts of a mixture."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import (
    Options,
    domain_of,
    learner,
    lipschitz_of,
    not_negative,
    positive,
)
from fenchel.losses import named
from fenchel.regularizers import (
    AdaGrad,
    CoinBetting,
    NewtonStep,
    NormalizedAdaptive,
    ProximalCentres,
)
from fenchel.rules import Subgradient

ANY = ("binary", "regression")


@learner(
    tasks=ANY,
    parts="any loss × ½·Σ(δ+√Σℓ′²)·w² + η·t·F × subgradient",
    equation="Duchi, Hazan & Singer (2011), primal-dual form",
    theorem="Corollary 1, eq. (composite_bound)",
)
def adagrad(
    eta: float = 0.1,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    delta: float = 1e-8,
    loss: Any = "hinge",
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """AdaGrad with a diagonal matrix, in its dual averaging form.

    Problem: any convex loss, a learning rate for each feature.

    Update: z_t = −η·ℓ′_t; w_{t,j} = soft(θ_j, η·t·l1)/(δ + √(Σ_{s<t} ℓ′²_{s,j}) + η·t·l2). Mirror
    descent with f_t = g_t + η·t·F, g_t(w) = ½·Σ (δ + √(Σ_{s<t} ℓ′²_{s,j}))·w_j².

    Guarantee: Corollary 1, eq. (composite_bound).

    Cost: the non-zeros of a row.

    Parameters: ``eta`` > 0; ``l1``, ``l2`` ≥ 0, the composite term; ``delta`` > 0; ``loss``;
    ``domain`` (whole, box, orthant). Importance multiplies the loss.

    References: Duchi, Hazan & Singer (2011).

    >>> from fenchel import learners
    >>> learner = learners.adagrad(1.0, intercept=False)
    >>> learner.learn_many([[2.0], [2.0]], [1, 1]).round(6)
    array([0., 2.])
    """
    positive(eta=eta, delta=delta)
    not_negative(l1=l1, l2=l2)
    f = AdaGrad(
        eta=float(eta),
        delta=float(delta),
        l1=float(l1),
        l2=float(l2),
        domain=domain_of(domain, separable=True),
    )
    return Parts(named(loss), f, Subgradient(eta=float(eta)))


@learner(
    tasks=ANY,
    parts="any loss × rescaled weights × η·√(t/N)·ℓ′/(s·√G)",
    equation="Ross, Mineiro & Langford (2013), Algorithm 2",
    theorem="eq. (lang), of a projected variant: measured, not promised",
)
def normalized_adaptive_gradient(
    eta: float = 0.5, *, loss: Any = "hinge", **options: Unpack[Options]
) -> Parts:
    """Normalized adaptive gradient: the kind of step that Vowpal Wabbit takes by default.

    Problem: any convex loss, features in any units.

    Update: with s_j the largest |x_j| so far (when it grows, w_j ← w_j·s_j/|x_j|), N = Σ (x_j/s_j)²
    over all rounds and G_j = Σ ℓ′_j²: w_j ← w_j − η·√(t/N)·ℓ′_j/(s_j·√G_j). Adaptive by its learning
    rate, not by its regularizer: not mirror descent with a plain sum.

    Guarantee: none for this form. Eq. (lang) of the paper is of a variant whose weights are projected
    and whose steps lack √(t/N): with ``certify`` both its sides are measured, not promised.

    Cost: the non-zeros of a row.

    Parameters: ``eta`` > 0; ``loss``. Importance multiplies the loss.

    References: Ross, Mineiro & Langford (2013).

    >>> from fenchel import learners
    >>> learner = learners.normalized_adaptive_gradient(intercept=False)
    >>> learner.learn_many([[1e6], [1e6]], [1, 1]).round(6)
    array([0. , 0.5])
    """
    positive(eta=eta)
    return Parts(named(loss), NormalizedAdaptive(eta=float(eta)), Subgradient(eta=float(eta)))


@learner(
    tasks=ANY,
    parts="any loss × quadratics centred at past weights + l1 × subgradient",
    equation="McMahan (2011)",
    theorem="none here",
)
def ftrl_proximal(
    alpha: float = 0.1,
    beta: float = 1.0,
    l1: float = 0.0,
    l2: float = 0.0,
    *,
    loss: Any = "logistic",
    **options: Unpack[Options],
) -> Parts:
    """FTRL-Proximal.

    Problem: any convex loss with sparse weights; the classic of click prediction.

    Update: g = ℓ′·x, σ_j = (√(n_j + g_j²) − √n_j)/α, θ_j ← θ_j − g_j + σ_j·w_j, n_j ← n_j + g_j²;
    w_j = soft(θ_j, l1)/((β + √n_j)/α + l2), an exact zero inside the threshold. Mirror descent with
    f_t(w) = Σ_{s<t} σ_s/2·‖w − w_s‖² + β/(2α)·‖w‖² + l1·‖w‖₁ + l2/2·‖w‖², z_t = −ℓ′_t.

    Guarantee: none here.

    Cost: the non-zeros of a row.

    Parameters: ``alpha`` > 0 and ``beta`` ≥ 0, the rate; ``l1``, ``l2`` ≥ 0; ``loss``. Importance
    multiplies the loss.

    References: McMahan (2011); McMahan et al. (2013).

    >>> from fenchel import learners
    >>> learner = learners.ftrl_proximal(l1=10.0)
    >>> _ = learner.learn_many([[1.0], [1.0]], [1, 1])
    >>> learner.nonzeros
    0
    """
    positive(alpha=alpha)
    not_negative(beta=beta, l1=l1, l2=l2)
    f = ProximalCentres(alpha=float(alpha), beta=float(beta), l1=float(l1), l2=float(l2))
    return Parts(named(loss), f, Subgradient())


@learner(
    tasks=ANY,
    parts="exp-concave loss × ½·wᵀA_{t−1}·w × (⟨g, w⟩ − η)·g",
    equation="Hazan, Agarwal & Kale (2007)",
    theorem="none here",
    cost="d²",
)
def online_newton_step(
    eta: float = 1.0, *, a: float = 1.0, loss: Any = "logistic", **options: Unpack[Options]
) -> Parts:
    """Online Newton step, without projection.

    Problem: losses with curvature (exp-concave): logistic, squared.

    Update: A_t = A_{t−1} + g_t·g_tᵀ, A_0 = a·I, w_{t+1} = w_t − η·A_t⁻¹·g_t. Mirror descent with
    f_t = ½·wᵀA_{t−1}·w and z_t = (⟨g_t, w_t⟩ − η)·g_t.

    Guarantee: none here (Hazan's needs a bounded domain).

    Cost: d² a round.

    Parameters: ``eta`` > 0, the step (1/γ in the original); ``a`` > 0; ``loss``. Importance
    multiplies the loss.

    References: Hazan, Agarwal & Kale (2007).

    >>> from fenchel import learners
    >>> learner = learners.online_newton_step(loss="squared", intercept=False)
    >>> learner.learn_many([[1.0], [1.0]], [1.0, 1.0])
    array([0. , 0.5])
    """
    positive(eta=eta, a=a)
    return Parts(named(loss), NewtonStep(eta=float(eta), a=float(a)), Subgradient())


@learner(
    tasks=ANY,
    parts="Lipschitz loss × a Krichevsky-Trofimov bettor a coordinate × coins",
    equation="Orabona & Pál (2016)",
    theorem="none here",
)
def coin_betting(*, wealth: float = 1.0, loss: Any = "hinge", **options: Unpack[Options]) -> Parts:
    """Coin betting: no learning rate at all.

    Problem: any Lipschitz loss, unconstrained weights, nothing to tune.

    Update: each coordinate bets the share C_j/(S_j + 1) of its wealth on the coins
    c_t = −ℓ′_t·x_{t,j}/(L·b_{t,j}), C_j their sum and S_j their absolute sum. The coordinate-wise
    form; not mirror descent with a plain sum, since the wealth depends on the order of the coins.

    Guarantee: none here.

    Cost: the non-zeros of a row.

    Parameters: ``wealth`` > 0, what each coordinate starts with; ``loss``, one with a Lipschitz
    constant. Importance multiplies the loss, but a coin is never worth more than 1.

    References: Orabona & Pál (2016); Orabona & Tommasi (2017).

    >>> from fenchel import learners
    >>> learner = learners.coin_betting(intercept=False)
    >>> learner.learn_many([[5.0], [5.0], [5.0]], [1, 1, 1])
    array([0. , 0.5, 1. ])
    """
    positive(wealth=wealth)
    loss = named(loss)
    lipschitz = lipschitz_of("coin_betting", loss)
    return Parts(loss, CoinBetting(lipschitz=lipschitz, wealth=float(wealth)), Subgradient())

"""First-order learners of two classes (Section 6.1): the Perceptron family."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, domain_of, dual_exponent, learner, positive
from fenchel.losses import Hinge, named
from fenchel.regularizers import Entropic, Euclidean, PNorm
from fenchel.rules import Conservative, PassiveAggressive, TunedAggressive


@learner(
    tasks=("binary",),
    parts="hinge × ½‖·‖² × conservative",
    equation="Sec. 6.1, z_t = y_t·x_t on mistakes",
    theorem="Corollary 2 with U = ∅ (Perceptron bound)",
)
def perceptron(*, domain: Any = None, **options: Unpack[Options]) -> Parts:
    """The Perceptron.

    Problem: two classes, online, with few mistakes.

    Update: w_t = θ_t; on a mistake (y_t·⟨w_t, x_t⟩ ≤ 0) θ_{t+1} = θ_t + y_t·x_t. Mirror descent
    with f = ½‖·‖₂², conservative (Section 6.1).

    Guarantee: M ≤ L(u) + (‖u‖·X_T)² + ‖u‖·X_T·√L(u) for every u, L(u) its total hinge loss.

    Cost: the non-zeros of a row.

    Parameters: none beside a ``domain``. An example of importance 2 takes a step twice as long.

    References: Rosenblatt (1958); Novikoff (1962).

    >>> from fenchel import learners
    >>> learner = learners.perceptron()
    >>> learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1, -1, 1])
    array([0., 1., 0.])
    >>> learner.weights()
    array([2., 0.])
    """
    return Parts(Hinge(), Euclidean(domain_of(domain)), Conservative())


@learner(
    tasks=("binary",),
    parts="hinge × ½‖·‖_q² × conservative",
    equation="Sec. 6.1",
    theorem="Corollary 2 with U = ∅ (Gentile's bound)",
)
def p_norm_perceptron(p: float = 4.0, **options: Unpack[Options]) -> Parts:
    """The p-norm Perceptron.

    Problem: two classes, when a few of many features matter.

    Update: w_t = ∇½‖θ_t‖_p², on a mistake θ_{t+1} = θ_t + y_t·x_t. Mirror descent with
    f = ½‖·‖_q², q = p/(p − 1), conservative (Section 6.1).

    Guarantee: M ≤ L(u) + k² + k·√L(u) with k = ‖u‖_q·X_T·√(p − 1), X_T = max ‖x_t‖_p.

    Cost: the non-zeros of a row, with a power each on mistakes; the norm is kept up to date.

    Parameters: ``p`` ≥ 2, the dual exponent; 2 is the Perceptron, 2·ln d suits sparse u. An example
    of importance 2 takes a step twice as long.

    References: Gentile (2003).

    >>> from fenchel import learners
    >>> learner = learners.p_norm_perceptron(p=3.0)
    >>> learner.learn_many([[2.0, 1.0], [1.0, 2.0]], [1, -1]).round(6)
    array([0.      , 3.249112])
    """
    return Parts(Hinge(), PNorm(p=dual_exponent(p)), Conservative())


@learner(
    tasks=("binary", "regression"),
    parts="hinge (or ε-insensitive) × ½‖·‖² × PA-I",
    equation="Sec. 6.1, η_t = min(C, ℓ_t/‖x_t‖²)",
    theorem="hinge lemma; Corollary 2 where ‖x_t‖ ≤ 1",
)
def passive_aggressive(
    C: float = 1.0, *, loss: Any = "hinge", domain: Any = None, **options: Unpack[Options]
) -> Parts:
    """Passive-Aggressive, type I.

    Problem: two classes (hinge) or regression (``loss="epsilon_insensitive"``): change the weights
    as little as makes the example right, but by no more than C.

    Update: θ_{t+1} = θ_t − η_t·ℓ′_t with η_t = min(C, ℓ_t/‖x_t‖²); ‖x_t‖ counts the intercept, so
    that after an unclipped step the margin is exactly 1.

    Guarantee: the hinge lemma for any η_t ≥ 0. Corollary 2 needs η_t = 1 on mistakes, which PA-I
    has where ‖x_t‖ ≤ 1 and C ≥ 1.

    Cost: the non-zeros of a row.

    Parameters: ``C`` > 0, the longest step. Importance 2 doubles C.

    References: Crammer et al. (2006).

    >>> from fenchel import learners
    >>> learner = learners.passive_aggressive()
    >>> learner.learn_one({"a": 3.0}, True)
    >>> round(learner.decision_one({"a": 3.0}), 12)
    1.0
    """
    positive(C=C)
    return Parts(named(loss), Euclidean(domain_of(domain)), PassiveAggressive(C=float(C)))


@learner(
    tasks=("binary",),
    parts="hinge × ½‖·‖_q² × tuned η_t",
    equation="Sec. 6.1, η_t = clip((X_t² − β·y_t·m_t)/‖x_t‖_*², 0, 1)",
    theorem="Corollary 2, corrected: bound (gen_aggr_bound2)",
)
def tuned_aggressive(p: float = 2.0, **options: Unpack[Options]) -> Parts:
    """The paper's aggressive Perceptron, whose η_t minimises the term D of its bound.

    Problem: two classes; learn from margin errors too, with a bound that is better than the
    Perceptron's as soon as D < 0.

    Update: θ_{t+1} = θ_t + η_t·y_t·x_t where the hinge loss is positive, with
    η_t = max(0, min(1, (X_t² − β·y_t·⟨w_t, x_t⟩)/‖x_t‖_*²)), f = ½‖·‖_q², β = q − 1, and X_t the
    largest ‖x‖_* so far. On mistakes η_t = 1.

    Guarantee: M ≤ L(u) + k²/2 + k·√(k²/4 + L(u) + D′) − Σ_U η_t, k = X_T·√(2f(u)/β) (the
    Corollary's closing form is false as printed: see the errata).

    Cost: the non-zeros of a row.

    Parameters: ``p`` ≥ 2, the dual exponent; on rows of norm 1 with p = 2 this is PA-I. An example
    of importance 2 takes a step twice as long.

    References: Orabona, Crammer & Cesa-Bianchi (2015), Corollary 2.

    >>> from fenchel import learners
    >>> learner = learners.tuned_aggressive(intercept=False)
    >>> learner.learn_many([[0.5], [0.5], [0.5]], [1, 1, 1])
    array([0.  , 0.25, 0.25])
    """
    p = dual_exponent(p)
    f = PNorm(p=p)
    return Parts(Hinge(), f, TunedAggressive(beta=f.strong_convexity))


@learner(
    tasks=("binary",),
    parts="hinge × signed entropy × conservative",
    equation="Sec. 1, multiplicative updates",
    theorem="Lemma 1",
    cost="non-zeros, an exponential each",
)
def winnow(eta: float = 0.5, total: float = 10.0, **options: Unpack[Options]) -> Parts:
    """Winnow, balanced and normalised: multiplicative updates on mistakes.

    Problem: two classes, when very few of very many features matter.

    Update: w = total·(v⁺ − v⁻), v a probability vector over 2d coordinates with
    v^±_j ∝ exp(±total·θ_j); on a mistake θ_{t+1} = θ_t + η·y_t·x_t/total. Mirror descent with the
    signed entropic regularizer (plus ln 2d, so that it is not negative), conservative.

    Guarantee: Lemma 1, with f(u) ≤ ln 2d for ‖u‖₁ ≤ total.

    Cost: the non-zeros of a row; the normaliser is kept up to date.

    Parameters: ``eta`` > 0, the exponent of one update; ``total``, the ℓ₁-norm of the weights. An
    example of importance 2 takes a step twice as long.

    References: Littlestone (1988); Kivinen & Warmuth (1997).

    >>> from fenchel import learners
    >>> learner = learners.winnow(intercept=False)
    >>> learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [1, -1, 1]).round(6)
    array([0.      , 0.      , 2.310586])
    """
    positive(eta=eta, total=total)
    rule = Conservative(eta=float(eta / total))
    return Parts(Hinge(), Entropic(total=float(total), signed=True), rule)

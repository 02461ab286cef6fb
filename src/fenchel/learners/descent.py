"""Learners for any convex loss (Section 3): gradient descent, dual averaging, multiplicative updates."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel._numba import knows
from fenchel.learners.composed import Parts
from fenchel.learners.registry import (
    Options,
    domain_of,
    fading_rate,
    learner,
    not_negative,
    positive,
)
from fenchel.losses import named
from fenchel.losses.protocol import flow
from fenchel.regularizers import Composite, Entropic, Euclidean, FadingSteps
from fenchel.rules import Invariant, Subgradient

ANY = ("binary", "regression")


@learner(
    tasks=ANY,
    parts="any loss × √t/2·‖·‖² × subgradient",
    equation="Sec. 3, f_t = √t·g, z_t = −η·ℓ′_t",
    theorem="Corollary 1, eq. (tuned-bound) with F = 0",
)
def gradient_descent(
    eta: float = 1.0,
    schedule: str = "sqrt",
    *,
    half_life: float | None = None,
    rule: str = "subgradient",
    loss: Any = "hinge",
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """Online subgradient descent, in its lazy (dual averaging) form.

    Problem: any convex loss of a linear predictor.

    Update: θ_{t+1} = θ_t − η·ℓ′_t and w_t = θ_t/√t (``schedule="sqrt"``: f_t = √t/2·‖·‖²) or
    w_t = θ_t (``"constant"``: f = ½‖·‖²), projected on the domain S.

    Guarantee: R_T(u) ≤ √T·(‖u‖²/(2η) + η·max‖ℓ′_t‖²) with the √t schedule (Corollary 1);
    ‖u‖²/(2η) + η/2·Σ‖ℓ′_t‖² with the constant one (Lemma 1).

    Cost: the non-zeros of a row; on the simplex the number of coordinates.

    Parameters: ``eta`` > 0; ``schedule``; ``loss``; ``domain``; ``half_life`` in rounds, after which a
    step counts half, and a round in √t. Importance multiplies the loss; with ``rule="invariant"`` (and the
    constant schedule) an example of importance w is learned as if it had come w times, and no step
    overshoots, however large ``eta`` is.

    References: Zinkevich (2003); Section 3; Karampatziakis & Langford (2011) for the invariant rule.

    >>> from fenchel import learners
    >>> learner = learners.gradient_descent(loss="squared", schedule="constant", eta=0.5)
    >>> learner.learn_many([[1.0], [1.0], [1.0]], [2.0, 2.0, 2.0])
    array([0., 2., 2.])
    """
    positive(eta=eta)
    if schedule not in ("sqrt", "constant"):
        raise ValueError(f"schedule={schedule!r}: choose 'sqrt' or 'constant'")
    rate = fading_rate(half_life, domain)
    inside, root = domain_of(domain), float(schedule == "sqrt")
    if rate is not None:
        f: Any = FadingSteps(still=1.0 - root, root=root, rate=rate)
    else:
        f = Composite(domain=inside) if schedule == "sqrt" else Euclidean(domain=inside)
    if rule == "subgradient":
        return Parts(named(loss), f, Subgradient(eta=float(eta)))
    _refuse_variant(rule, loss, schedule == "constant" and half_life is None and domain is None)
    return Parts(named(loss), f, Invariant(eta=float(eta)))


def _refuse_variant(rule: str, loss: Any, plain: bool) -> None:
    """Refuse a rule that is not known, and what the invariant one has no closed form for."""
    if rule != "invariant":
        raise ValueError(f"rule={rule!r}: choose 'subgradient' or 'invariant'")
    if not plain:
        raise ValueError(
            "rule='invariant' goes with schedule='constant', without half_life and domain"
        )
    if not knows(flow, type(named(loss))):
        raise ValueError(
            f"loss={loss!r} has no closed form for rule='invariant': use 'subgradient'"
        )


@learner(
    tasks=ANY,
    parts="any loss × √t·½‖·‖² + η·t·F × subgradient",
    equation="Sec. 3, f_t = √t·g + η·t·F",
    theorem="Corollary 1, eqs. (composite_bound), (tuned-bound)",
)
def dual_averaging(
    eta: float = 1.0,
    l1: float = 1e-4,
    l2: float = 0.0,
    *,
    indexing: str = "corollary",
    half_life: float | None = None,
    loss: Any = "hinge",
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """Composite mirror descent: a loss plus F = l1·‖·‖₁ + l2/2·‖·‖₂², with exact zeros.

    Problem: minimise Σ ℓ_t(w) + F(w) over sparse w.

    Update: θ_{t+1} = θ_t − η·ℓ′_t; w_t = soft(θ_t, η·t·l1)/(√t + η·t·l2). The threshold is applied
    when a weight is read: no sweep, and zeros are exact.

    Guarantee: Σ (ℓ_t + F)(w_t) − Σ (ℓ_t + F)(u) ≤ √T·(‖u‖²/(2η) + η·max‖ℓ′_t‖²) (Corollary 1).
    Xiao's regularized dual averaging (``indexing="xiao"``: β_{t−1}·g + (t−1)·F) is the same up to its
    index; its first round is not charged with F.

    Cost: the non-zeros of a row.

    Parameters: ``eta`` > 0; ``l1``, ``l2`` ≥ 0; ``indexing``; ``loss``; ``domain`` (whole, box or
    orthant, since f_t is separable); ``half_life`` in rounds, after which a step and a round count
    half. Importance multiplies the loss.

    References: Xiao (2010); Section 3.

    >>> from fenchel import learners
    >>> learner = learners.dual_averaging(l1=0.5, intercept=False)
    >>> _ = learner.learn_many([[4.0, 0.5]], [1])
    >>> learner.weights()     # at t = 2: soft((4, 0.5), 1)/√2
    array([2.12132034, 0.        ])
    """
    positive(eta=eta)
    not_negative(l1=l1, l2=l2)
    if indexing not in ("corollary", "xiao"):
        raise ValueError(f"indexing={indexing!r}: choose 'corollary' or 'xiao'")
    rate = fading_rate(half_life, domain)
    if rate is not None:
        faded = FadingSteps(0.0, 1.0, float(eta), float(l1), float(l2), rate=rate)
        return Parts(named(loss), faded, Subgradient(eta=float(eta)))
    f = Composite(
        eta=float(eta),
        l1=float(l1),
        l2=float(l2),
        lag=1.0 if indexing == "xiao" else 0.0,
        domain=domain_of(domain, separable=True),
    )
    return Parts(named(loss), f, Subgradient(eta=float(eta)))


@learner(
    tasks=ANY,
    parts="any loss × t·F × subgradient",
    equation="Sec. 3, f_t = t·F, η = 1",
    theorem="Corollary 1, eq. (log-bound)",
)
def strongly_convex(
    l2: float = 0.01,
    l1: float = 0.0,
    *,
    loss: Any = "hinge",
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """Mirror descent for strongly convex composite losses: regret that grows like ln T.

    Problem: minimise Σ ℓ_t(w) + F(w) with F = l2/2·‖·‖₂² + l1·‖·‖₁, l2 > 0 (Pegasos' problem for
    the hinge loss).

    Update: θ_{t+1} = θ_t − ℓ′_t; w_t = soft(θ_t, t·l1)/(t·l2). η = 1: with any other the bound fails.

    Guarantee: Σ (ℓ_t + F)(w_t) − Σ (ℓ_t + F)(u) ≤ max‖ℓ′_t‖²·(1 + ln T)/(2·l2) (Corollary 1).

    Cost: the non-zeros of a row.

    Parameters: ``l2`` > 0; ``l1`` ≥ 0; ``loss``; ``domain`` (whole, box or orthant; any for l1 = 0).
    Importance multiplies the loss.

    References: Shalev-Shwartz et al. (2011); Section 3.

    >>> from fenchel import learners
    >>> learner = learners.strongly_convex(l2=0.5, intercept=False)
    >>> learner.learn_many([[1.0], [1.0]], [1, 1])
    array([0., 1.])
    """
    positive(l2=l2)
    not_negative(l1=l1)
    f = Composite(
        l1=float(l1),
        l2=float(l2),
        root=0.0,
        domain=domain_of(domain, separable=l1 > 0.0),
    )
    return Parts(named(loss), f, Subgradient())


@learner(
    tasks=ANY,
    parts="any loss × entropy × subgradient",
    equation="Sec. 1 and conclusions (time-varying entropy)",
    theorem="Lemma 1 with entropy + ln d; adaptive: Steinhardt & Liang",
    cost="non-zeros, an exponential each",
)
def exponentiated_gradient(
    eta: float = 0.1,
    signed: bool = True,
    *,
    total: float = 1.0,
    adaptive: bool = False,
    loss: Any = "hinge",
    **options: Unpack[Options],
) -> Parts:
    """Exponentiated gradient, plain or with Steinhardt and Liang's adaptive regularizer.

    Problem: any convex loss over the simplex {w ≥ 0, Σ w = total}, or {‖w‖₁ ≤ total} when
    ``signed``: good where few of many features matter.

    Update: θ_{t+1} = θ_t − η·ℓ′_t; w_j = total·exp(s_j)/Σ exp(s_i) with s = total·θ. With
    ``adaptive`` s_j = total·θ_j − Σ (total·η·ℓ′_{t,j})², a regularizer that varies with time (the
    direction the paper's conclusions point to). Signed: over 2d coordinates, w = total·(v⁺ − v⁻).

    Guarantee: Lemma 1 with f = Σ v·ln v + ln d ≥ 0: R_T(u) ≤ ln d/η + η·total²/2·Σ‖ℓ′_t‖_∞². With
    ``adaptive`` R_T(total·e_i) ≤ ln d/η + η·total²·Σ ℓ′²_{t,i} while η·total·|ℓ′_{t,i}| ≤ ½ all along: only
    the coordinates that u uses are charged.

    Cost: the non-zeros of a row, an exponential each; the normaliser is kept up to date.

    Parameters: ``eta`` > 0; ``signed``; ``total``, the size of the simplex; ``adaptive``; ``loss``.
    Importance multiplies the loss.

    References: Kivinen & Warmuth (1997); Steinhardt & Liang (2014).

    >>> from fenchel import learners
    >>> learner = learners.exponentiated_gradient(1.0, signed=False, loss="squared", intercept=False)
    >>> learner.learn_many([[1.0, 0.0], [1.0, 0.0]], [1.0, 1.0]).round(6)
    array([0.5     , 0.622459])
    """
    positive(eta=eta, total=total)
    f = Entropic(total=float(total), signed=bool(signed), adaptive=bool(adaptive))
    return Parts(named(loss), f, Subgradient(eta=float(eta)))

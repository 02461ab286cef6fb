"""The paper's two new algorithms (Section 5): predictions that no rescaling of features changes."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, learner, lipschitz_of, positive
from fenchel.losses import named
from fenchel.regularizers import ScaleInvariantAdaGrad, ScaleInvariantPNorm
from fenchel.rules import Subgradient

ANY = ("binary", "regression")


@learner(
    tasks=ANY,
    parts="Lipschitz loss × β_t/2·‖u·b_t‖²_{q_t} × subgradient",
    equation="Sec. 5, eqs. (f1) and (update1), corrected",
    theorem="Theorem 1, first bound",
    cost="non-zeros, a power each",
)
def scale_invariant_p_norm(
    eta: float = 1.0, *, loss: Any = "hinge", **options: Unpack[Options]
) -> Parts:
    """The paper's first scale-invariant algorithm: an adaptive weighted p-norm.

    Problem: any Lipschitz loss, features in any units, few of which matter.

    Update: z_t = −η·ℓ′_t and w_t = ∇f_t*(θ_t) for f_t(u) = β_t/2·(Σ (|u_i|·b_{t,i})^{q_t})^{2/q_t},
    b_{t,i} = max_{s≤t} |x_{s,i}|, p_t = max(2, 2·ln m_t), m_t the most non-zeros of a row so far
    (eqs. (f1), (update1) without its spurious factor).

    Guarantee: R_T(u) ≤ L·√(e·(T+1)·(p_T − 1))·((Σ |u_i|·b_{T,i})²/(2η) + η) (Theorem 1).

    Cost: the non-zeros of a row, a power for each on updates; all powers anew when m_t grows.

    Parameters: ``eta`` > 0; ``loss``, one with a Lipschitz constant. Importance multiplies the
    loss.

    References: Orabona, Crammer & Cesa-Bianchi (2015), Theorem 1.

    >>> from fenchel import learners
    >>> a = learners.scale_invariant_p_norm().learn_many([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    >>> b = learners.scale_invariant_p_norm().learn_many([[1e9, 2e-9], [2e9, 1e-9]], [1, -1])
    >>> a.round(6), b.round(6)
    (array([0.      , 0.706522]), array([0.      , 0.706522]))
    """
    positive(eta=eta)
    loss = named(loss)
    lipschitz = lipschitz_of("scale_invariant_p_norm", loss)
    f = ScaleInvariantPNorm(eta=float(eta), lipschitz=lipschitz)
    return Parts(loss, f, Subgradient(eta=float(eta)))


@learner(
    tasks=ANY,
    parts="Lipschitz loss × √d/2·Σ(u_i·b_i)²·√(L²+Σ(ℓ′/b)²) × subgradient",
    equation="Sec. 5, eqs. (f2) and (update2)",
    theorem="Theorem 1, second bound",
)
def scale_invariant_adagrad(
    eta: float = 1.0, sqrt_d: bool = True, *, loss: Any = "hinge", **options: Unpack[Options]
) -> Parts:
    """The paper's second scale-invariant algorithm: AdaGrad without units.

    Problem: any Lipschitz loss, features in any units, a learning rate for each.

    Update: z_t = −η·ℓ′_t; w_{t,j} = θ_{t,j}/(b_{t,j}²·√d·√(L² + Σ_{s<t} (ℓ′_{s,j}/b_{s,j})²)),
    b_{t,j} = max_{s≤t} |x_{s,j}| (eqs. (f2), (update2)). A feature not seen yet has weight 0.

    Guarantee: R_T(u) ≤ L·√(d(T+1))·(Σ (u_i·b_{T,i})²/(2η) + η) (Theorem 1).

    Cost: the non-zeros of a row.

    Parameters: ``eta`` > 0; ``sqrt_d`` = False drops the factor √d, which η absorbs (with √d the
    right η grows like √d); ``loss``, one with a Lipschitz constant. d counts the columns of an
    array, or the features seen so far on an open stream. Importance multiplies the loss.

    References: Orabona, Crammer & Cesa-Bianchi (2015), Theorem 1.

    >>> from fenchel import learners
    >>> learner = learners.scale_invariant_adagrad(sqrt_d=False)
    >>> learner.learn_many([[1e9, 0.0], [1e9, 1e-9]], [1, -1]).round(6)
    array([0.      , 1.414214])
    """
    positive(eta=eta)
    loss = named(loss)
    lipschitz = lipschitz_of("scale_invariant_adagrad", loss)
    f = ScaleInvariantAdaGrad(eta=float(eta), lipschitz=lipschitz, sqrt_d=bool(sqrt_d))
    return Parts(loss, f, Subgradient(eta=float(eta)))

"""Second-order learners of two classes (Sections 6.2 and 6.3): full and diagonal matrices."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, domain_of, fading_rate, learner, positive, yes_or_no
from fenchel.losses import Hinge
from fenchel.regularizers import (
    ConfidentGaussian,
    DiagonalQuadratic,
    FadingDiagonal,
    FadingGaussian,
    FadingMatrix,
    FullQuadratic,
    Gaussian,
    RenewedMatrix,
)
from fenchel.rules import Aggressive, Conservative, OriginalArow, SoftConfidence


def _quadratic(r: float, diagonal: bool, domain: Any, rate: float | None) -> Any:
    positive(r=r)
    if diagonal and rate is not None:
        return FadingDiagonal(r=float(r), rate=rate)
    if diagonal:
        return DiagonalQuadratic(r=float(r), domain=domain_of(domain, separable=True))
    if domain is not None:
        raise ValueError("domain needs diagonal=True: the full matrix knows only the whole space")
    return FullQuadratic(r=float(r))


def _faded(quadratic: FullQuadratic, rate: float | None) -> Any:
    """The full matrix, fading where a rate is given."""
    return quadratic if rate is None else FadingMatrix(quadratic, rate=rate)


def _renewed(quadratic: Any) -> RenewedMatrix:
    return RenewedMatrix(quadratic.a, quadratic.r, quadratic.always, quadratic.tentative)


@learner(
    tasks=("binary",),
    parts="hinge × ½·wᵀA_t·w × conservative",
    equation="Sec. 6.2 (full), Sec. 6.3 (diagonal)",
    theorem="second-order bound with U = ∅; eq. (diag-bound)",
    cost="non-zeros (diagonal), d² (full)",
)
def second_order_perceptron(
    r: float = 1.0,
    diagonal: bool = True,
    *,
    half_life: float | None = None,
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """The second-order Perceptron.

    Problem: two classes, with features that are correlated or of very different frequency.

    Update: w_t = A_t⁻¹·θ_t with the tentative A_t = A_{t−1} + x_t·x_tᵀ/r, A_0 = I; on a mistake A_t
    is kept and θ_{t+1} = θ_t + y_t·x_t. Mirror descent with f_t = ½·wᵀA_t·w, conservative;
    ``diagonal`` keeps diag(A_t) alone.

    Guarantee: M ≤ L(u) + √(r‖u‖² + Σ_M ⟨u, x_t⟩²)·√(ln|A_T| + …) (Section 6.2); with the diagonal
    eq. (diag-bound), mistakes counted with the tentative D_t.

    Cost: the non-zeros of a row (diagonal), d² (full).

    Parameters: ``r`` > 0; ``diagonal``; ``half_life`` in rounds, after which a row counts half in
    A_t and θ_t (nothing fades without it): with the full matrix the ridge A_0 = I fades with the
    sums, with ``diagonal`` it stays. Importance 2 doubles x·xᵀ/r and the step.

    References: Cesa-Bianchi, Conconi & Gentile (2005).

    >>> from fenchel import learners
    >>> learner = learners.second_order_perceptron(diagonal=False, intercept=False)
    >>> learner.learn_many([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]], [1, -1, -1]).round(6)
    array([ 0.  ,  0.2 , -0.25])
    """
    rate = fading_rate(half_life, domain)
    quadratic = _quadratic(r, diagonal, domain, rate)
    return Parts(Hinge(), quadratic if diagonal else _faded(quadratic, rate), Conservative())


@learner(
    tasks=("binary",),
    parts="hinge × ½·wᵀA_t·w × aggressive",
    equation="Sec. 6.2 (full), Sec. 6.3 (diagonal)",
    theorem="second-order bound; eq. (diag-bound)",
    cost="non-zeros (diagonal), d² (full)",
)
def arow(
    r: float = 1.0,
    diagonal: bool = True,
    form: str = "mirror",
    *,
    half_life: float | None = None,
    renew: bool = False,
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """AROW, in the paper's form and in the original one.

    Problem: two classes; confident features move little, rare ones far.

    Update, ``form="mirror"``: w_t = A_t⁻¹·θ_t with the tentative A_t = A_{t−1} + x_t·x_tᵀ/r; where
    the hinge loss is positive A_t is kept and θ_{t+1} = θ_t + y_t·x_t. ``form="original"``:
    predict with μ and Σ_{t−1}, then μ ← μ + α·y·Σ·x, α = [1 − y·m]₊/(x·Σ·x + r), and
    1/Σ_jj ← 1/Σ_jj + x_j²/r (Σ⁻¹ ← Σ⁻¹ + x·xᵀ/r with the full matrix, where it is mirror descent
    with η = 1/r that predicts with A_{t−1}).

    Guarantee: M + U ≤ L(u) + √(r‖u‖² + Σ ⟨u, x_t⟩²)·√(ln|A_T| + Σ m_t(2r·y_t − m_t)/(r(r + χ_t)))
    for the mirror form with the full matrix; eq. (diag-bound) with the diagonal one. The original form
    has M + U ≤ L(u) + √(r‖u‖² + Σ ⟨u, x_t⟩²)·√(ln|A_T| + U) with the full matrix, sums over updates; none
    is proved with a diagonal.

    Cost: the non-zeros of a row (diagonal), d² (full).

    Parameters: ``r`` > 0, the noise: larger is more careful; ``diagonal``; ``form``; ``half_life`` in
    rounds, after which a row counts half (in the original form with a diagonal: in Σ alone): with the full
    matrix the ridge A_0 = I fades with the sums, with ``diagonal`` it stays. With the full matrix ``renew``
    begins anew where mistakes become many (Page's test): for streams that jump; the guarantee then holds
    from one beginning to the next. Importance 2 halves r and, in the mirror form, doubles the step.

    References: Crammer, Kulesza & Dredze (2009); Section 6.2.

    >>> from fenchel import learners
    >>> learner = learners.arow(r=0.5)
    >>> learner.learn_one({"free": 1.0}, True)
    >>> learner.predict_one({"free": 1.0}), round(learner.confidence_one({"free": 1.0}), 6)
    (True, 0.4)
    """
    if form not in ("mirror", "original"):
        raise ValueError(f"form={form!r}: choose 'mirror' or 'original'")
    yes_or_no(renew=renew)
    if renew and (diagonal or half_life is not None):
        raise ValueError("renew=True goes with diagonal=False and without half_life")
    rate = fading_rate(half_life, domain)
    quadratic = _quadratic(r, diagonal, domain, rate)
    f: Any
    if form == "mirror":
        f = quadratic if diagonal else _faded(quadratic, rate)
        return Parts(Hinge(), _renewed(quadratic) if renew else f, Aggressive())
    if domain is not None:
        raise ValueError("domain needs form='mirror': the original AROW is not confined")
    if diagonal:
        f = Gaussian(r=float(r)) if rate is None else FadingGaussian(r=float(r), rate=rate)
        return Parts(Hinge(), f, OriginalArow(r=float(r)))
    past = quadratic._replace(tentative=False)
    f = _renewed(past) if renew else _faded(past, rate)
    return Parts(Hinge(), f, Aggressive(eta=1.0 / float(r)))


@learner(
    tasks=("binary",),
    parts="probit margin × Gaussian weights × SCW-I",
    equation="Wang, Zhao & Hoi (2012), Prop. 1",
    theorem="none (not mirror descent)",
)
def soft_confidence_weighted(eta: float = 0.9, C: float = 1.0, **options: Unpack[Options]) -> Parts:
    """Soft confidence-weighted learning, type I, with a diagonal covariance.

    Problem: two classes; keep every example right with probability η under a Gaussian over weight
    vectors, softly. The robust form of confidence-weighted learning.

    Update: with m = y·⟨μ, x⟩, υ = x·Σ·x, φ = Φ⁻¹(η), where φ√υ > m: μ ← μ + α·y·Σ·x and
    1/Σ_jj ← 1/Σ_jj + α·φ/√u·x_j², α and u in closed form. Not mirror descent: the mean moves
    through the covariance before the round.

    Guarantee: none here.

    Cost: the non-zeros of a row.

    Parameters: ``eta`` in (½, 1), the confidence; ``C``, the longest step. Importance 2 doubles C.

    References: Wang, Zhao & Hoi (2012); Dredze, Crammer & Pereira (2008).

    >>> from fenchel import learners
    >>> learner = learners.soft_confidence_weighted()
    >>> learner.learn_many([[1.0, 0.0], [1.0, 1.0]], [1, -1]).round(6)
    array([0.      , 1.114946])
    """
    positive(C=C)
    if not 0.5 < eta < 1.0:
        raise ValueError(f"eta={eta!r} must lie between 0.5 and 1")
    phi = NormalDist().inv_cdf(eta)
    return Parts(Hinge(), ConfidentGaussian(phi=phi), SoftConfidence(phi=phi, C=float(C)))

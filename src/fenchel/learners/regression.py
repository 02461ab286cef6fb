"""Learners of regression and adaptive filtering with the square loss (Section 4)."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import (
    Options,
    domain_of,
    dual_exponent,
    fading_rate,
    learner,
    positive,
)
from fenchel.losses import Squared
from fenchel.regularizers import (
    DiagonalQuadratic,
    Euclidean,
    FadingDiagonal,
    FadingMatrix,
    FadingSteps,
    FullQuadratic,
    MaxNormScaled,
    PNorm,
)
from fenchel.rules import NormalizedResidual, Residual, Target


@learner(
    tasks=("regression",),
    parts="squared × ½·wᵀA_t·w × y·x",
    equation="Sec. 4, w_t = A_t⁻¹·θ_t, z_t = y_t·x_t",
    theorem="Vovk-Azoury-Warmuth bound, a/2·‖u‖² + Y²/2·Σ x_tᵀA_t⁻¹x_t",
    cost="d² (full), non-zeros (diagonal)",
)
def vovk_azoury_warmuth(
    a: float = 1.0,
    diagonal: bool = False,
    *,
    half_life: float | None = None,
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """The Vovk-Azoury-Warmuth forecaster.

    Problem: regression with the square loss ½(y − m)², no tuning, regret of order d·ln T.

    Update: w_t = A_t⁻¹·Σ_{s<t} y_s·x_s with A_t = a·I + Σ_{s≤t} x_s·x_sᵀ: x_t counts before its
    label is known. Mirror descent with f_t = ½·wᵀA_t·w and z_t = y_t·x_t.

    Guarantee: R_T(u) ≤ a/2·‖u‖² + Y²/2·Σ x_tᵀA_t⁻¹x_t ≤ a/2·‖u‖² + Y²/2·ln|A_T/a|, Y = max |y_t|.

    Cost: d² a round with the full matrix, kept as a factor by orthogonal turns alone (stable
    however long the stream); the non-zeros of a row with ``diagonal``.

    Parameters: ``a`` > 0; ``diagonal``; ``domain`` (box or orthant, diagonal only); ``half_life`` in
    rounds, after which a row counts half in both sums: the discounted forecaster. With the full matrix
    the ridge a·I fades with the sums, with ``diagonal`` it stays. Importance 2 is the example seen
    twice.

    References: Vovk (2001); Azoury & Warmuth (2001); Section 4; Jacobsen & Cutkosky (2024).

    >>> from fenchel import learners
    >>> learner = learners.vovk_azoury_warmuth(intercept=False)
    >>> learner.learn_many([[1.0], [1.0], [1.0]], [2.0, 2.0, 2.0]).round(6)
    array([0.      , 0.666667, 1.      ])
    """
    positive(a=a)
    rate = fading_rate(half_life, domain)
    if diagonal and rate is not None:
        f: Any = FadingDiagonal(a=float(a), always=True, rate=rate)
    elif diagonal:
        inside = domain_of(domain, separable=True)
        f = DiagonalQuadratic(a=float(a), always=True, domain=inside)
    elif domain is not None:
        raise ValueError("domain needs diagonal=True: the full matrix knows only the whole space")
    else:
        f = FullQuadratic(a=float(a), always=True)
        f = f if rate is None else FadingMatrix(f, rate=rate)
    return Parts(Squared(), f, Target())


@learner(
    tasks=("regression",),
    parts="squared × ½·wᵀA_{t−1}·w, fading × y·x",
    equation="w_t = A_{t−1}⁻¹·θ_t, A_t = λ·A_{t−1} + x_t·x_tᵀ, θ_{t+1} = λ·θ_t + y_t·x_t",
    theorem="none (x_t is not counted ahead)",
    cost="d²",
)
def recursive_least_squares(
    a: float = 0.01, half_life: float | None = None, **options: Unpack[Options]
) -> Parts:
    """Recursive least squares, with forgetting.

    Problem: filtering and regression with the square loss, least squares at every moment.

    Update: w_t = A_{t−1}⁻¹·θ_t with A_t = λ·A_{t−1} + x_t·x_tᵀ, A_0 = a·I and
    θ_{t+1} = λ·θ_t + y_t·x_t, λ = 2^(−1/half_life). ``vovk_azoury_warmuth`` counts x_t ahead: it is
    more careful with rows unlike those before, and has a bound.

    Guarantee: none here.

    Cost: d² a round, by orthogonal turns alone.

    Parameters: ``a`` > 0, the ridge; ``half_life`` in rounds, after which a row counts half. An example
    of importance 2 counts as two.

    References: Plackett (1950); Haykin, Adaptive Filter Theory (2002).

    >>> from fenchel import learners
    >>> learner = learners.recursive_least_squares(a=1.0, intercept=False)
    >>> learner.learn_many([[1.0], [1.0], [1.0]], [2.0, 2.0, 2.0]).round(6)
    array([0.      , 1.      , 1.333333])
    """
    positive(a=a)
    rate = fading_rate(half_life)
    f: Any = FullQuadratic(a=float(a), always=True, tentative=False)
    return Parts(Squared(), f if rate is None else FadingMatrix(f, rate=rate), Target())


@learner(
    tasks=("regression",),
    parts="squared × X_t²·1/(2(q−1))·‖·‖_q² × residual·x",
    equation="Sec. 4, f_t = X_t²·f, z_t = (y_t − ⟨w_t, x_t⟩)·x_t",
    theorem="filtering bound, 2·X_T²·f(u) + Σ (y_t − ⟨u, x_t⟩)²",
)
def p_norm_lms(
    p: float = 2.0, *, half_life: float | None = None, **options: Unpack[Options]
) -> Parts:
    """p-norm LMS that learns the level of its input.

    Problem: adaptive filtering: recover ⟨u, x_t⟩ from y_t = ⟨u, x_t⟩ + noise, whatever the noise.

    Update: z_t = (y_t − ⟨w_t, x_t⟩)·x_t and w_t = ∇f*(θ_t)/X_t², f = 1/(2(q−1))·‖·‖_q², X_t the
    largest ‖x‖_p so far, x_t's included. Multiply the input by 1000 and nothing has to be retuned.

    Guarantee: Σ (⟨w_t, x_t⟩ − ⟨u, x_t⟩)² ≤ 2·X_T²·f(u) + Σ (y_t − ⟨u, x_t⟩)².

    Cost: the non-zeros of a row.

    Parameters: ``p`` ≥ 2, the dual exponent; 2 is LMS with the step 1/X_t²; ``half_life`` in rounds,
    after which a step counts half (p = 2 alone). An example of importance 2 takes a step twice as
    long.

    References: Kivinen, Warmuth & Hassibi (2006); Section 4.

    >>> from fenchel import learners
    >>> learner = learners.p_norm_lms(intercept=False)
    >>> learner.learn_many([[1000.0], [1000.0]], [3.0, 3.0])
    array([0., 3.])
    """
    p = dual_exponent(p)
    rate = fading_rate(half_life)
    if rate is not None and p != 2.0:
        raise ValueError(f"half_life goes with p=2, the Euclidean case: p={p!r}")
    if rate is not None:
        return Parts(Squared(), FadingSteps(leveled=True, rate=rate), Residual())
    return Parts(Squared(), MaxNormScaled(PNorm(p=p, c=p - 1.0)), Residual())


@learner(
    tasks=("regression",),
    parts="squared × ½‖·‖² × η·residual·x",
    equation="Sec. 4 (Widrow-Hoff)",
    theorem="filtering bound where η·X_T² ≤ 1",
)
def lms(
    eta: float = 0.01,
    *,
    half_life: float | None = None,
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """Least mean squares, the Widrow-Hoff rule.

    Problem: regression and filtering with an input of known level.

    Update: w_{t+1} = w_t + η·(y_t − ⟨w_t, x_t⟩)·x_t. Mirror descent with f = ½‖·‖².

    Guarantee: the filtering bound with 1/η for X_T² where η·X_T² ≤ 1; it diverges where η is too
    large for the input. ``p_norm_lms`` and ``normalized_lms`` do not.

    Cost: the non-zeros of a row.

    Parameters: ``eta`` > 0, the step; ``half_life`` in rounds, after which a step counts half (leaky
    LMS). An example of importance 2 takes a step twice as long.

    References: Widrow & Hoff (1960).

    >>> from fenchel import learners
    >>> learners.lms(eta=0.5, intercept=False).learn_many([[1.0], [1.0]], [4.0, 4.0])
    array([0., 2.])
    """
    positive(eta=eta)
    return Parts(Squared(), _euclidean(half_life, domain), Residual(eta=float(eta)))


@learner(
    tasks=("regression",),
    parts="squared × ½‖·‖² × η·residual·x/‖x‖²",
    equation="Sec. 4 (normalised step)",
    theorem="Lemma 1",
)
def normalized_lms(
    eta: float = 0.5,
    *,
    half_life: float | None = None,
    domain: Any = None,
    **options: Unpack[Options],
) -> Parts:
    """Normalised least mean squares.

    Problem: filtering with an input whose level changes.

    Update: w_{t+1} = w_t + η·(y_t − ⟨w_t, x_t⟩)·x_t/‖x_t‖². Mirror descent with f = ½‖·‖².

    Guarantee: Lemma 1 with z_t as above.

    Cost: the non-zeros of a row.

    Parameters: ``eta`` in (0, 2), the share of the residual that a step removes; ``half_life`` in
    rounds, after which a step counts half. An example of importance 2 takes a step twice as long.

    References: Nagumo & Noda (1967).

    >>> from fenchel import learners
    >>> learners.normalized_lms(eta=1.0, intercept=False).learn_many([[10.0], [10.0]], [4.0, 4.0])
    array([0., 4.])
    """
    if not 0.0 < eta < 2.0:
        raise ValueError(f"eta={eta!r} must lie between 0 and 2")
    return Parts(Squared(), _euclidean(half_life, domain), NormalizedResidual(eta=float(eta)))


def _euclidean(half_life: float | None, domain: Any) -> Any:
    """½‖·‖², over steps that fade where a half-life is given."""
    rate = fading_rate(half_life, domain)
    return Euclidean(domain_of(domain)) if rate is None else FadingSteps(rate=rate)

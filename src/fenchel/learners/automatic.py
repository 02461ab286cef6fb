"""No choice wanted: ``hedge`` mixes learners you name, ``auto`` those that suit the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fenchel.learners.budget import within_budget
from fenchel.learners.catalogue import CATALOGUE, NESTED, Entry, from_parameters
from fenchel.learners.learner import Learner
from fenchel.learners.mixture import Mixture
from fenchel.learners.multi.factories import one_against_rest
from fenchel.learners.registry import certified, from_specification, learner_of, yes_or_no
from fenchel.learners.views import CURVES, PAIRS, PRODUCTS, WAVES, Role
from fenchel.loops.waves import MOST as WITH_WAVES
from fenchel.losses import Squared, named
from fenchel.losses.protocol import counts_of
from fenchel.schema import Schema

# Up to this many columns the full matrix may pay for its d² a round; the mixture retires it where the first
# rows show that it does not (see ``Mixture``). Errors of 10,000 rows with at most 100 columns, and with 300:
# gas_drift 0.0139, 0.0099; usps 0.1724, 0.1415; mushrooms 0.0030, 0.0018. On a9a, rows of a ninth of
# the columns, it took three times the time for 0.1565 instead of 0.1569: matrices retire there.
FULL = 300

# The lists were chosen on every other data set of each task, in the order of their names, by the
# progressive error of the whole mixture relative to the better of Vowpal Wabbit's defaults: of some
# 60 learners and parameters, experts were dropped as long as that got no worse, and among lists as
# good the cheaper was taken. benchmarks/QUALITY.md reports both halves.
BINARY = (
    "passive_aggressive",
    "arow:r=1,form=original",
    "normalized_adaptive_gradient:eta=0.25,loss=squared_hinge",
    "coin_betting:loss=logistic",
)
MULTICLASS = (*BINARY, "arow:r=1", "arow:r=10", "soft_confidence_weighted")
# Those with a half-life follow streams that move; on steady ones the shares leave them. The first begins anew
# where a stream jumps, and is the plain one while it does not.
CLASSES_FULL = (
    "arow:r=0.1,diagonal=no,form=original,renew=yes",
    "arow:r=10,diagonal=no",
    "arow:r=0.1,diagonal=no,form=original,half_life=1000",
    "arow:r=10,diagonal=no,half_life=100",
)
REGRESSION = (
    "vovk_azoury_warmuth:diagonal=yes",
    "normalized_adaptive_gradient:eta=0.125,loss=squared",
    "normalized_adaptive_gradient:eta=0.5,loss=squared",
    "normalized_adaptive_gradient:eta=2,loss=squared",
    "normalized_lms:eta=0.1",
    "normalized_lms:eta=1",
    "p_norm_lms",
    "coin_betting:loss=absolute",
)
REGRESSION_FULL = (
    "vovk_azoury_warmuth",
    "vovk_azoury_warmuth:a=0.01",
    "vovk_azoury_warmuth:a=0.01,half_life=100",
    "vovk_azoury_warmuth:a=0.01,half_life=3000",
)

# These learn how far a number is from the first one: targets far from 0 cost them no first rounds. On the
# half of the sets that chose, the mixture's squared error fell by 16 % (ccpp), 7 % (wine_red, energy) and
# rose nowhere by more than 0.2 %.
RELATIVE = ("vovk_azoury_warmuth:diagonal=yes",)
RELATIVE_FULL = ("vovk_azoury_warmuth:a=0.01",)

# These see squares and products of two features as well, each around its mean and in units of its spread:
# quadratic boundaries. Chosen as the others were; the half that chose fell from 0.213 to 0.147 (magic04),
# 0.339 to 0.146 (letter), 0.171 to 0.098 (splice), 0.386 to 0.281 (concrete), and rose nowhere. So many
# columns have some 1,900 products; a full matrix of those of the second number has rows of some 250.
WITH_PRODUCTS, WITH_PRODUCTS_FULL = 60, 21
# Each class has weights of its own: beyond so many, products cost more than they are worth.
CLASSES_OF_PRODUCTS, CLASSES_OF_FULL = 100, 30
ON_PRODUCTS = {
    "binary": (
        ("arow:r=1,form=original", "coin_betting:loss=logistic"),
        ("arow:r=1,diagonal=no,form=original", "arow:r=10,diagonal=no"),
    ),
    "regression": (
        ("normalized_adaptive_gradient:eta=0.5,loss=squared",),
        (
            "vovk_azoury_warmuth",
            "vovk_azoury_warmuth:half_life=1000",
            "vovk_azoury_warmuth:a=0.001",
        ),
    ),
}
ON_PRODUCTS["multiclass"] = ON_PRODUCTS["binary"]

# These see each feature's place between eight knots: any curve of a single feature. Chosen as the others
# were; the half that chose fell from 0.098 to 0.069 (splice), 0.281 to 0.235 (concrete), 0.041 to 0.033
# (svmguide1), and rose nowhere. So many columns have some 480 knots, 250 where a full matrix is learned.
WITH_CURVES, WITH_CURVES_FULL = 60, 31
ON_CURVES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "binary": (("arow:r=1,form=original",), ("arow:r=1,diagonal=no,form=original",)),
    "regression": ((), ("vovk_azoury_warmuth",)),
}
ON_CURVES["multiclass"] = ON_CURVES["binary"]

# These see waves over several features: any surface over up to ten columns. Chosen as the others were; the
# half that chose fell from 0.1377 to 0.1323 (magic04) and 0.272 to 0.245 (cal_housing), and rose by 0.5 % at
# most (energy_heating, of 768 rows).
ON_WAVES: dict[str, tuple[str, ...]] = {
    "binary": ("arow:r=1,diagonal=no,form=original",),
    "regression": ("vovk_azoury_warmuth",),
}
ON_WAVES["multiclass"] = ON_WAVES["binary"]

# Beyond so many columns, where rows are short: these see products of two features that are both there.
# Chosen as the others were; the half that chose fell from 0.0574 to 0.0497 (phishing) and 0.0164 to 0.0156
# (w8a), and rose nowhere.
ON_PAIRS: dict[str, tuple[str, ...]] = {
    "binary": ("arow:r=1,form=original", "coin_betting:loss=logistic"),
    "multiclass": ("arow:r=1,form=original", "coin_betting:loss=logistic"),
    "regression": (),
}

# What a few rows say of a word counts at once. On the half that chose the log loss fell on 11 of 14 sets
# (sentence_polarity 0.522 to 0.516, uci_imdb 0.487 to 0.479) and rose by 0.4 % at most (svmguide1); no error
# rose by more than 0.0015. Of several classes it took half of newsgroups20's time again, for 0.121 instead of
# 0.126 there and 0.295 instead of 0.294 on covtype: left out.
COUNTING: dict[str, tuple[str, ...]] = {
    "binary": ("naive_bayes",),
    "multiclass": (),
    "regression": (),
}

# A Gaussian over weights: probabilities and ranks, also of rare classes.
BAYESIAN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "binary": (("bayesian_logistic:prior=3",), ("bayesian_logistic:prior=10,diagonal=no",)),
    "multiclass": ((), ()),
    "regression": ((), ()),
}

# Of a quantile, the absolute or Huber's loss: learners of that loss, which know nothing of the target's
# unit, and two of the squared loss, whose mean is often near.
OTHER_LOSS = (
    "coin_betting",
    "normalized_adaptive_gradient:eta=0.125",
    "normalized_adaptive_gradient:eta=2",
    "normalized_adaptive_gradient:eta=32",
    "normalized_adaptive_gradient:eta=512",
)
MEANS = ("vovk_azoury_warmuth:diagonal=yes", "normalized_adaptive_gradient:eta=0.5,loss=squared")
MEANS_FULL = ("vovk_azoury_warmuth:a=0.01",)

# Of counts: steps that follow the slope as it falls and cannot overshoot, and adaptive ones.
COUNTS = (
    "normalized_adaptive_gradient:eta=0.125,loss=poisson",
    "normalized_adaptive_gradient:eta=0.5,loss=poisson",
    "normalized_adaptive_gradient:eta=2,loss=poisson",
    "normalized_adaptive_gradient:eta=8,loss=poisson",
    "gradient_descent:eta=0.01,schedule=constant,rule=invariant,loss=poisson",
    "gradient_descent:eta=0.001,schedule=constant,rule=invariant,loss=poisson",
    "gradient_descent:eta=0.00001,schedule=constant,rule=invariant,loss=poisson",
)

EXPERTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "binary": (BINARY, CLASSES_FULL),
    "multiclass": (MULTICLASS, CLASSES_FULL),
    "regression": (REGRESSION, REGRESSION_FULL),
}


def hedge(
    experts: Sequence[Learner | str],
    combined: bool = False,
    classes: Sequence[Any] | None = None,
    certify: bool = False,
    schema: Schema | None = None,
    max_features: int | None = None,
    switching: bool = False,
) -> Learner:
    """Any learners of one task as one, weighed by AdaHedge.

    Problem: not knowing which learner, or which parameter, suits the stream.

    Update: the experts learn by themselves; their shares are those of entropic mirror descent over
    their losses, v_k ∝ exp(−η_t·L_k), with the step η_t = ln K/Δ_{t−1} of AdaHedge.

    Guarantee: the mixture's expected loss exceeds that of its best expert by at most 2·Δ_T, which
    is measured along the run; with ``combined`` by 2·Δ_T + 2·Δ′_T, Δ′ that of the choice. Here no
    expert ever retires; in ``auto`` 1 + ln K/ln K′ stands for the first 2 once K′ of K are left.

    Cost: that of the experts, in parallel on the cores, and one reading of the data.

    Parameters: ``experts``, learners of one task, which are copied, or their specifications.
    ``combined`` lets a linear combination of the experts compete with their vote (classes: coin
    betting on their standardised margins under the logistic loss; regression: Vovk-Azoury-Warmuth
    on what the mixture leaves over), AdaHedge choosing between the two: it can be better than every
    expert, and gives probabilities. ``switching`` follows the best sequence of experts: after round t one
    share in t + 1 of the weight is given back to all, and the regret to the best sequence with 0, 1, 2, 4
    or 8 changes is bounded and measured. ``classes``, ``schema`` and ``max_features`` as elsewhere.
    AdaHedge's bound is always measured; with ``certify`` so are the experts' own, and what they
    say of the mixture against any fixed u.

    References: de Rooij, van Erven, Grünwald & Koolen (2014); Orabona & Pál (2016); Herbster
    & Warmuth (1998).

    >>> from fenchel import learners
    >>> mixture = learners.hedge([learners.perceptron(), learners.arow()])
    >>> mixture
    <hedge:experts=perceptron+arow, 0 rounds, 0 features>
    """
    yes_or_no(combined=combined, certify=certify, switching=switching)
    if isinstance(experts, (Learner, str)):
        raise ValueError(f"experts={experts!r} is one learner: give several in a list")
    given = [learner_of(expert) for expert in experts]
    told = {"combined": combined, "certify": certify, "switching": switching}
    parameters = {"experts": given, **{key: True for key, on in told.items() if on}}
    chosen = [certified(expert) for expert in given] if certify else given
    engines = [expert.engine for expert in chosen]
    of_counts = [e.loss for e in engines if e.predicts_counts and hasattr(e, "loss")]
    mixture = Mixture(
        engines,
        name="hedge",
        parameters=parameters,
        combined=combined,
        loss=of_counts[0] if of_counts else Squared(),
        switching=switching,
    )
    return _limited(mixture, classes, schema, max_features)


def auto(
    task: str = "binary",
    classes: Sequence[Any] | None = None,
    certify: bool = False,
    schema: Schema | None = None,
    max_features: int | None = None,
    loss: Any = None,
    budget: float | None = None,
) -> Learner:
    """The mixture that suits a task: no scaling, no learning rate, no shuffling.

    Problem: a stream, and no wish to choose. ``task`` is binary, multiclass or regression. Numbers are
    predicted in the mean, or by another ``loss``: ``Quantile(tau=0.9)``, ``"absolute"``, a Huber loss.
    Counts, ``loss="poisson"``, are predicted in the mean, 0 or more; margins are its logarithm.

    Update: ``hedge`` over the experts of the task, ``combined``, among them full-matrix ones while
    the stream has at most 100 columns (300 where rows are dense and classes few). They see every feature
    in units of its own mean size; of numbers, some learn the distance from the first one. While there are
    at most 60 columns some see squares and products of two features as well, around their means and in
    units of their spreads (up to 21 columns with full matrices), and some see where each feature lies
    between eight knots, quantiles of its first 64 values (up to 31 with full matrices): curves of single
    features. While there are at most ten, one sees waves over several columns, which are drawn by their
    order: the same columns in another order make another model, as good. Beyond 60 columns, up to 300,
    two see the products of any two features that are not 0, while rows have at most 32 of these on average.
    What is no line in the features may be one in these.

    Guarantee: that of ``hedge``, 2·Δ_T + 2·Δ′_T beyond the best of its K experts, with or without
    products, while the stream has at most 21 columns; once some have retired, (1 + ln K/ln K′)·Δ_T + 2·Δ′_T
    beyond the best of the K′ that are left. Multiply any feature by any constant: every prediction
    stays the same up to rounding; by a power of two, bit for bit. (On 47 public sets factors between
    10⁻⁶ and 10⁶ moved no prediction by more than 2·10⁻¹⁴ of the largest, and no label.)

    Cost: that of the experts, in parallel on the cores.

    Parameters: ``task``, ``loss``; ``classes``, ``certify``, ``schema``, ``max_features`` as of ``hedge``.
    ``budget`` leaves out experts, the costliest first, where a row would take more than so many times what
    the plain ones and their blending take (``learners.budget``): 1 leaves the plain ones alone. Without it
    a row of twenty columns takes some twelve times as long.

    >>> from fenchel import learners
    >>> learner = learners.auto()
    >>> learner.learn_one({"free": 1.0}, "spam")
    >>> learner.learn_one({"hello": 1.0}, "ham")
    >>> learner.predict_one({"free": 1.0})
    'spam'
    """
    yes_or_no(certify=certify)
    if task not in EXPERTS:
        raise ValueError(f"task={task!r}: choose one of {', '.join(EXPERTS)}")
    mean = loss is None or type(named(loss)) is Squared
    if not (mean or task == "regression"):
        raise ValueError(f"loss={loss!r}: a loss is for task='regression'; {task} has its own")
    counts = not mean and counts_of(named(loss))
    members = _of_means(task) if mean else _of_counts() if counts else _of_loss()
    experts: list[Learner] = [from_specification(text) for text, _ in members]
    if not (mean or counts):
        _refuse_unbounded(loss)
        for k in range(len(OTHER_LOSS)):
            given = {**experts[k].parameters, "loss": named(loss)}
            experts[k] = from_parameters(experts[k].name, given)
    if certify:
        experts = [certified(expert) for expert in experts]
    if task == "multiclass":
        experts = [one_against_rest(expert) for expert in experts]
    engines, roles = [expert.engine for expert in experts], [role for _, role in members]
    if budget is not None:
        roles = within_budget(engines, roles, _at_least_one(budget))
    parameters: dict[str, Any] = {} if task == "binary" else {"task": task}
    if certify:
        parameters["certify"] = True
    if not mean:
        parameters["loss"] = loss
    if budget is not None:
        parameters["budget"] = budget
    mixture = Mixture(
        engines,
        name="auto",
        parameters=parameters,
        roles=roles,
        combined=mean,  # what is left over of a mean can be predicted, of a quantile it cannot
        refined=mean,
        unitless=True,
        foresight=True,
        loss=Squared() if mean else named(loss),
    )
    return _limited(mixture, classes, schema, max_features)


Members = list[tuple[str, Role]]


def _of_means(task: str) -> Members:
    """The experts of a task, or of the mean of numbers, with what each sees."""
    numbers = task == "regression"
    anywhere, full = EXPERTS[task]
    found = _with(Role(), anywhere) + _with(Role(later=1), COUNTING[task])
    bayesian, bayesian_full = BAYESIAN[task]
    if bayesian:
        found += _with(Role(later=2, until=3, forecasts=True), ("bayesian_logistic",))
    found += _with(Role(later=4, forecasts=True), bayesian)
    few = Role(PAIRS, False, FULL, CLASSES_OF_PRODUCTS, beyond=WITH_PRODUCTS, later=4)
    found += _with(few, ON_PAIRS[task])
    found += _with(Role(columns=FULL), full)
    found += _with(Role(columns=FULL, later=2, forecasts=True), bayesian_full)
    if numbers:
        found += _with(Role(relative=True), RELATIVE)
        found += _with(Role(relative=True, columns=FULL), RELATIVE_FULL)
    diagonal, full = ON_PRODUCTS[task]
    found += _with(Role(PRODUCTS, False, WITH_PRODUCTS, CLASSES_OF_PRODUCTS), diagonal)
    found += _with(Role(PRODUCTS, numbers, WITH_PRODUCTS_FULL, CLASSES_OF_FULL), full)
    diagonal, full = ON_CURVES[task]
    found += _with(Role(CURVES, numbers, WITH_CURVES, CLASSES_OF_PRODUCTS), diagonal)
    found += _with(Role(CURVES, numbers, WITH_CURVES_FULL, CLASSES_OF_FULL), full)
    return found + _with(Role(WAVES, numbers, WITH_WAVES, CLASSES_OF_FULL, later=3), ON_WAVES[task])


def _of_loss() -> Members:
    """The experts of another loss of numbers."""
    return _with(Role(), (*OTHER_LOSS, *MEANS)) + _with(Role(columns=FULL), MEANS_FULL)


def _of_counts() -> Members:
    return _with(Role(), COUNTS)


def _with(role: Role, names: Sequence[str]) -> Members:
    return [(name, role) for name in names]


def _at_least_one(budget: Any) -> float:
    if isinstance(budget, bool) or not isinstance(budget, (int, float)) or not budget >= 1.0:
        raise ValueError(f"budget={budget!r:.60} must be a number of at least 1")
    return float(budget)


def _refuse_unbounded(loss: Any) -> None:
    """Refuse a loss that is not of numbers, or whose slope has no bound: coin betting needs one."""
    part = named(loss)
    if part.task != "regression" or part.lipschitz is None:
        raise ValueError(
            f"loss={loss!r}: choose a quantile, 'absolute', 'huber', 'poisson' or 'squared'"
        )


def _limited(
    mixture: Mixture, classes: Any, schema: Schema | None, max_features: int | None
) -> Learner:
    if max_features is not None:
        mixture.parameters = {"max_features": max_features, **mixture.parameters}
    return Learner(mixture, classes, schema, max_features)


_ALL = ("binary", "multiclass", "regression")
_MIXED = "experts × entropy × AdaHedge"
_BOUND = "AdaHedge: Σ h_t − min_k L_k ≤ 2·Δ_T"
_BOUND_LEFT = "AdaHedge: Σ h_t − min_k L_k ≤ (1 + ln K/ln K′)·Δ_T + 2·Δ′_T, K′ of K experts left"
CATALOGUE["hedge"] = Entry(
    hedge, _ALL, _MIXED, "Sec. 1 (entropic mirror descent)", _BOUND, "experts"
)
CATALOGUE["auto"] = Entry(
    auto, _ALL, _MIXED, "Sec. 1 (entropic mirror descent)", _BOUND_LEFT, "experts"
)
NESTED["hedge"] = "experts"

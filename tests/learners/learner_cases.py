"""Every learner of the catalogue with its forms, random parameters for each, and its textbook."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import learner_parameters as drawing
import numba
import numpy as np
import textbook as first_order
import textbook_matrices as matrices
import textbook_parameter_free as parameter_free
import textbook_relatives as relatives
from learner_streams import stream
from textbook_basics import Textbook

from fenchel import learners
from fenchel.losses import named
from fenchel.regularizers import Ball, Box, Orthant, Simplex

# Plain Python runs any composition at once; compiled code keeps to one signature a learner.
PLAIN = bool(numba.config.DISABLE_JIT)

# A sketch's weights move with its directions, the others' with sums of their own: their mean is not kept.
WITHOUT_AVERAGE = ("sketched_newton", "naive_bayes", "scinol", "freegrad")

CONVEX = ("hinge", "squared_hinge", "logistic", "squared", "absolute", "quantile", "huber")
LIPSCHITZ = ("hinge", "logistic", "absolute", "epsilon_insensitive", "quantile", "huber")
SEPARABLE = (Box(-0.5, 0.3), Orthant())
EVERY = (*SEPARABLE, Ball(0.7), Simplex(2.0))

Drawn = Callable[[np.random.Generator, float], dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """One learner in one form."""

    id: str
    book: type[Textbook]
    drawn: Drawn
    fixed: dict[str, Any] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    domains: tuple[Any, ...] = ()
    full: bool = False
    rounding: float = 0.0  # how much of the largest margin so far rounding may carry along

    @property
    def name(self) -> str:
        return self.id.partition("-")[0]

    @property
    def tasks(self) -> tuple[str, ...]:
        return learners.CATALOGUE[self.name].tasks

    def parameters(self, rng, scale, widely=PLAIN):
        """Random parameters; ``scale`` is the size of the features, ``widely`` draws the parts too."""
        chosen = {**self.fixed, **self.drawn(rng, scale)}
        if self.losses:
            chosen["loss"] = str(rng.choice(self.losses)) if widely else self.losses[0]
        if self.domains and widely and rng.random() < 0.4:
            chosen["domain"] = self.domains[rng.integers(len(self.domains))]
        return chosen

    def learner(self, parameters, **options):
        return learners.from_parameters(self.name, {**parameters, **options})

    def task(self, parameters):
        return named(parameters["loss"]).task if "loss" in parameters else self.tasks[0]


ORIGINAL = {"form": "original"}
DIAGONAL, FULL = {"diagonal": True}, {"diagonal": False}

# A power of 1e-300 and less is 0: nothing beside the others.
POWERS = 1e-30

CASES = [
    Case("perceptron", first_order.Perceptron, drawing.nothing, domains=EVERY),
    Case("p_norm_perceptron", first_order.PNormPerceptron, drawing.exponent, rounding=POWERS),
    Case(
        "passive_aggressive",
        first_order.PassiveAggressive,
        lambda rng, scale: {"C": drawing.log_uniform(rng, 0.01, 10.0)},
        losses=("hinge", "epsilon_insensitive"),
        domains=EVERY,
    ),
    Case("tuned_aggressive", first_order.TunedAggressive, drawing.exponent, rounding=1e-15),
    Case("winnow", first_order.Winnow, drawing.winnowing),
    Case(
        "gradient_descent", first_order.GradientDescent, drawing.rate, losses=CONVEX, domains=EVERY
    ),
    Case(
        "gradient_descent-constant",
        first_order.GradientDescent,
        drawing.rate,
        {"schedule": "constant"},
        losses=CONVEX,
        domains=EVERY,
    ),
    Case(
        "dual_averaging",
        first_order.GradientDescent,
        drawing.averaging,
        losses=CONVEX,
        domains=SEPARABLE,
    ),
    Case(
        "strongly_convex",
        first_order.StronglyConvex,
        drawing.strong,
        losses=CONVEX,
        domains=SEPARABLE,
    ),
    Case(
        "exponentiated_gradient", first_order.ExponentiatedGradient, drawing.entropic, losses=CONVEX
    ),
    Case(
        "vovk_azoury_warmuth-full",
        matrices.VovkAzouryWarmuth,
        lambda rng, scale: {"a": drawing.log_uniform(rng, 0.01, 100.0)},
        FULL,
        full=True,
        rounding=1e-15,
    ),
    Case(
        "vovk_azoury_warmuth-diagonal",
        matrices.VovkAzouryWarmuth,
        lambda rng, scale: {"a": drawing.log_uniform(rng, 0.01, 100.0)},
        DIAGONAL,
        domains=SEPARABLE,
    ),
    Case(
        "recursive_least_squares",
        matrices.RecursiveLeastSquares,
        lambda rng, scale: {"a": drawing.log_uniform(rng, 0.01, 100.0)},
        full=True,
        rounding=1e-15,
    ),
    Case("p_norm_lms", first_order.PNormLms, drawing.exponent, rounding=POWERS),
    Case("lms", first_order.Lms, drawing.rate, domains=EVERY),
    Case(
        "normalized_lms",
        first_order.NormalizedLms,
        lambda rng, scale: {"eta": rng.uniform(0.05, 1.95)},
        domains=EVERY,
    ),
    Case("scale_invariant_p_norm", relatives.ScaleInvariantPNorm, drawing.rate, losses=LIPSCHITZ),
    Case(
        "scale_invariant_adagrad",
        relatives.ScaleInvariantAdaGrad,
        drawing.invariant,
        losses=LIPSCHITZ,
    ),
    Case(
        "second_order_perceptron-diagonal",
        matrices.SecondOrderPerceptron,
        drawing.noise,
        DIAGONAL,
        domains=SEPARABLE,
    ),
    Case(
        "second_order_perceptron-full",
        matrices.SecondOrderPerceptron,
        drawing.noise,
        FULL,
        full=True,
        rounding=1e-15,
    ),
    Case("arow-diagonal", matrices.Arow, drawing.noise, DIAGONAL, domains=SEPARABLE),
    Case("arow-full", matrices.Arow, drawing.noise, FULL, full=True, rounding=1e-15),
    Case(
        "arow-original-diagonal",
        matrices.OriginalArow,
        drawing.noise,
        ORIGINAL | DIAGONAL,
        rounding=1e-15,
    ),
    Case(
        "arow-original-full",
        matrices.OriginalArowRidge,
        drawing.noise,
        ORIGINAL | FULL,
        full=True,
        rounding=1e-15,
    ),
    Case(
        "bayesian_logistic-diagonal",
        matrices.BayesianLogistic,
        lambda rng, scale: {"prior": drawing.log_uniform(rng, 0.1, 10.0)},
        DIAGONAL,
        rounding=1e-14,
    ),
    Case(
        "bayesian_logistic-full",
        matrices.BayesianLogistic,
        lambda rng, scale: {"prior": drawing.log_uniform(rng, 0.1, 10.0)},
        FULL,
        full=True,
        rounding=1e-11,
    ),
    Case(
        "soft_confidence_weighted",
        matrices.SoftConfidenceWeighted,
        drawing.confidence,
        rounding=1e-15,
    ),
    Case("adagrad", relatives.AdaGrad, drawing.adaptive, losses=CONVEX, domains=SEPARABLE),
    Case(
        "normalized_adaptive_gradient",
        relatives.NormalizedAdaptiveGradient,
        drawing.rate,
        losses=CONVEX,
    ),
    Case(
        "ftrl_proximal",
        relatives.FtrlProximal,
        drawing.proximal,
        losses=("logistic", *CONVEX),
        rounding=1e-15,
    ),
    Case(
        "online_newton_step",
        matrices.OnlineNewtonStep,
        drawing.newton,
        losses=("logistic", "squared", "squared_hinge"),
        full=True,
        rounding=1e-11,
    ),
    Case(
        "sketched_newton",
        relatives.SketchedNewton,
        drawing.sketched,
        losses=("logistic", *CONVEX),
        rounding=1e-9,
    ),
    Case(
        "coin_betting",
        relatives.CoinBetting,
        lambda rng, scale: {"wealth": drawing.log_uniform(rng, 0.1, 10.0)},
        losses=LIPSCHITZ,
    ),
    Case(
        "naive_bayes",
        parameter_free.NaiveBayes,
        lambda rng, scale: {"prior": drawing.log_uniform(rng, 0.1, 10.0)},
    ),
    Case(
        "scinol",
        parameter_free.ScInOL,
        lambda rng, scale: {"wealth": drawing.log_uniform(rng, 0.1, 10.0)},
        losses=LIPSCHITZ,
    ),
    Case(
        "scinol-first",
        parameter_free.ScInOL,
        lambda rng, scale: {"wealth": drawing.log_uniform(rng, 0.1, 10.0)},
        fixed={"form": 1},
        losses=LIPSCHITZ,
    ),
    Case(
        "freegrad",
        parameter_free.FreeGrad,
        lambda rng, scale: {"wealth": drawing.log_uniform(rng, 0.1, 10.0)},
        losses=LIPSCHITZ,
    ),
]
BY_ID = {case.id: case for case in CASES}


def compiled_for(*ids):
    """All learners in plain Python; compiled, those that stand for the others.

    Dense rows, single precision and averages are signatures of their own, seconds each to compile.
    """
    return CASES if PLAIN else [BY_ID[name] for name in ids]


def drawn(case, kind, seed):
    """A random stream of this kind and random parameters for a learner of it."""
    rng = np.random.default_rng([seed, *map(ord, case.id + kind)])
    task = str(rng.choice(case.tasks)) if PLAIN else case.task(case.parameters(rng, 1.0))
    given = stream(rng, task, kind)
    parameters = case.parameters(rng, given.scale)
    while case.task(parameters) != task:
        parameters = case.parameters(rng, given.scale)
    if rng.random() < 0.5:
        given = given._replace(importance=np.ones(len(given.y)))
    return given, parameters, bool(rng.random() < 0.6)

"""Learners for streams: the paper's algorithms by name, as compositions of three parts."""

from fenchel.learners.automatic import auto, hedge
from fenchel.learners.bayesian import bayesian_logistic
from fenchel.learners.catalogue import CATALOGUE, NESTED, from_parameters
from fenchel.learners.classification import (
    p_norm_perceptron,
    passive_aggressive,
    perceptron,
    tuned_aggressive,
    winnow,
)
from fenchel.learners.composed import Composed, Parts
from fenchel.learners.descent import (
    dual_averaging,
    exponentiated_gradient,
    gradient_descent,
    strongly_convex,
)
from fenchel.learners.interval import Interval, interval
from fenchel.learners.learner import Learner
from fenchel.learners.max_margin import MaxMargin
from fenchel.learners.mixture import Mixture
from fenchel.learners.multi.factories import (
    max_margin,
    multi_label,
    multi_output,
    one_against_rest,
    ranking,
)
from fenchel.learners.multi.one_vs_rest import OneAgainstRest
from fenchel.learners.multi.outputs import MultiLabel, MultiOutput
from fenchel.learners.multitask import MultiTask, multi_task
from fenchel.learners.naive_bayes import naive_bayes
from fenchel.learners.parameter_free import freegrad, scinol
from fenchel.learners.published import (
    adagrad,
    coin_betting,
    ftrl_proximal,
    normalized_adaptive_gradient,
    online_newton_step,
)
from fenchel.learners.ranking import Ranking
from fenchel.learners.registry import from_specification
from fenchel.learners.regression import (
    lms,
    normalized_lms,
    p_norm_lms,
    recursive_least_squares,
    vovk_azoury_warmuth,
)
from fenchel.learners.scale_free import scale_invariant_adagrad, scale_invariant_p_norm
from fenchel.learners.second_order import (
    arow,
    second_order_perceptron,
    soft_confidence_weighted,
)
from fenchel.learners.sketched import sketched_newton

__all__ = [
    "CATALOGUE",
    "NESTED",
    "Composed",
    "Interval",
    "Learner",
    "MaxMargin",
    "Mixture",
    "MultiLabel",
    "MultiOutput",
    "MultiTask",
    "OneAgainstRest",
    "Parts",
    "Ranking",
    "adagrad",
    "arow",
    "auto",
    "bayesian_logistic",
    "coin_betting",
    "dual_averaging",
    "exponentiated_gradient",
    "freegrad",
    "from_parameters",
    "from_specification",
    "ftrl_proximal",
    "gradient_descent",
    "hedge",
    "interval",
    "lms",
    "max_margin",
    "multi_label",
    "multi_output",
    "multi_task",
    "naive_bayes",
    "normalized_adaptive_gradient",
    "normalized_lms",
    "one_against_rest",
    "online_newton_step",
    "p_norm_lms",
    "p_norm_perceptron",
    "passive_aggressive",
    "perceptron",
    "ranking",
    "recursive_least_squares",
    "scale_invariant_adagrad",
    "scale_invariant_p_norm",
    "scinol",
    "second_order_perceptron",
    "sketched_newton",
    "soft_confidence_weighted",
    "strongly_convex",
    "tuned_aggressive",
    "vovk_azoury_warmuth",
    "winnow",
]

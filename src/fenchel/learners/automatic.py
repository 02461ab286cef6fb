"""No choice wanted: ``hedge`` mixes learners you name, ``auto`` those that suit the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fenchel.learners.classes import OneAgainstRest
from fenchel.learners.learner import Learner
from fenchel.learners.mixture import Mixture
from fenchel.learners.registry import CATALOGUE, Entry, from_specification

# Up to this many columns the full matrix pays for its d² a round.
FULL = 100

BINARY = (
    "passive_aggressive",
    "arow:r=0.1,form=original",
    "arow:r=1,form=original",
    "arow:r=10,form=original",
    "arow:r=1",
    "arow:r=10",
    "scale_invariant_adagrad:eta=0.1,sqrt_d=no",
    "scale_invariant_adagrad:eta=0.3,sqrt_d=no",
    "scale_invariant_adagrad:eta=1,sqrt_d=no",
    "normalized_adaptive_gradient:eta=0.5",
    "normalized_adaptive_gradient:eta=1",
)
BINARY_FULL = ("vovk_azoury_warmuth:task=binary",)
MULTICLASS = (
    "passive_aggressive",
    "arow:r=0.1,form=original",
    "arow:r=1,form=original",
    "arow:r=10,form=original",
    "scale_invariant_adagrad:eta=0.3,sqrt_d=no",
    "normalized_adaptive_gradient:eta=0.5",
)
REGRESSION = (
    "vovk_azoury_warmuth:diagonal=yes",
    "normalized_adaptive_gradient:eta=0.5,loss=squared",
    "normalized_lms",
    "p_norm_lms",
)
REGRESSION_FULL = ("vovk_azoury_warmuth",)

EXPERTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "binary": (BINARY, BINARY_FULL),
    "multiclass": (MULTICLASS, BINARY_FULL),
    "regression": (REGRESSION, REGRESSION_FULL),
}


def hedge(experts: Sequence[Learner], classes: Sequence[Any] | None = None) -> Mixture:
    """Any learners of one task as one, weighed by AdaHedge.

    Problem: not knowing which learner, or which parameter, suits the stream.

    Update: the experts learn by themselves; their shares are those of entropic mirror descent over
    their losses, v_k ∝ exp(−η_t·L_k), with the step η_t = ln K/Δ_{t−1} of AdaHedge.

    Guarantee: the mixture's expected loss exceeds that of its best expert by at most 2·Δ_T, which
    is measured along the run.

    Cost: that of the experts, in parallel on the cores, and one reading of the data.

    Parameters: ``experts``, learners of one task; they are copied. ``classes`` as elsewhere.

    References: de Rooij, van Erven, Grünwald & Koolen (2014).

    >>> from fenchel import learners
    >>> mixture = learners.hedge([learners.perceptron(), learners.arow()])
    >>> mixture
    <hedge:experts=perceptron+arow, 0 rounds, 0 features>
    """
    return Mixture(experts, classes=classes)


def one_against_rest(learner: Learner, classes: Sequence[Any] | None = None) -> OneAgainstRest:
    """Several classes by one learner of two for each.

    >>> from fenchel import learners
    >>> learners.one_against_rest(learners.arow(r=0.1))
    <one_against_rest:learner=arow:r=0.1, 0 rounds, 0 features>
    """
    return OneAgainstRest(learner, classes=classes)


def auto(task: str = "binary", classes: Sequence[Any] | None = None) -> Mixture:
    """The mixture that suits a task: no scaling, no learning rate, no shuffling.

    Problem: a stream, and no wish to choose. ``task`` is binary, multiclass or regression.

    Update: ``hedge`` over the experts of the task, among them full-matrix ones while the stream
    has at most 100 columns.

    Guarantee: that of ``hedge``: nearly as good as the best of its experts.

    Cost: that of the experts, in parallel on the cores.

    >>> from fenchel import learners
    >>> learner = learners.auto()
    >>> learner.learn_one({"free": 1.0}, "spam")
    >>> learner.learn_one({"hello": 1.0}, "ham")
    >>> learner.predict_one({"free": 1.0})
    'spam'
    """
    if task not in EXPERTS:
        raise ValueError(f"task={task!r}: choose one of {', '.join(EXPERTS)}")
    anywhere, small = EXPERTS[task]
    experts: list[Learner] = [from_specification(text) for text in (*anywhere, *small)]
    if task == "multiclass":
        experts = [OneAgainstRest(expert) for expert in experts]
    limits = [None] * len(anywhere) + [FULL] * len(small)
    parameters = {} if task == "binary" else {"task": task}
    return Mixture(experts, name="auto", parameters=parameters, limits=limits, classes=classes)


_ALL = ("binary", "multiclass", "regression")
_MIXED = "experts × entropy × AdaHedge"
_BOUND = "AdaHedge: Σ h_t − min_k L_k ≤ 2·Δ_T"
CATALOGUE["hedge"] = Entry(
    hedge, _ALL, _MIXED, "Sec. 1 (entropic mirror descent)", _BOUND, "experts"
)
CATALOGUE["auto"] = Entry(auto, _ALL, _MIXED, "Sec. 1 (entropic mirror descent)", _BOUND, "experts")
CATALOGUE["one_against_rest"] = Entry(
    one_against_rest,
    ("multiclass",),
    "a learner of two classes for each",
    "Sec. 2",
    "its members'",
    "members",
)

"""What is given as a learner or as a part: a specification is taken, anything else is told."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from fenchel import Learner, MirrorDescent, learners, losses, regularizers, rules
from fenchel.estimators import AdaptiveFilter, OnlineClassifier, OnlineRanker
from fenchel.estimators.river import RiverClassifier
from fenchel.learners.catalogue import CATALOGUE

X, Y = np.eye(4), np.array([1, -1, 1, -1])
WRAPPERS = ("one_against_rest", "max_margin", "multi_label", "ranking")


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_specification_stands_for_a_learner(wrapper) -> None:
    wrap = getattr(learners, wrapper)
    assert wrap("arow:r=0.5").specification == wrap(learners.arow(r=0.5)).specification


def test_a_specification_among_experts() -> None:
    mixture = learners.hedge(["perceptron", learners.arow(r=0.5)])
    assert mixture.specification == "hedge:experts=perceptron+arow:r=0.5"
    assert learners.multi_output("lms").specification == "multi_output:learner=lms"
    assert RiverClassifier("perceptron").learner.specification == "perceptron"
    assert AdaptiveFilter("hedge:experts=lms+p_norm_lms", taps=2).run(Y, Y)[0].shape == (4,)


@pytest.mark.parametrize(
    "door",
    [
        learners.from_specification,
        learners.one_against_rest,
        lambda given: learners.hedge([given]),
        lambda given: OnlineClassifier(given).fit(X, Y),
        lambda given: AdaptiveFilter(given, taps=2).run(Y, Y),
        RiverClassifier,
    ],
    ids=["specification", "wrapper", "experts", "estimator", "filter", "river"],
)
@pytest.mark.parametrize(
    ("given", "match"),
    [
        (None, "the learner is None: give learners.arow"),
        (3.5, "the learner is 3.5: give"),
        (learners.arow, "the learner is arow not called: give"),
        ("arrow", "did you mean arow"),
        ("AROW", "did you mean arow"),
        ("NLMS", "did you mean normalized_lms"),
        ("arow:", "'arow:' lacks a parameter: write name, or name:key=value"),
        ("arow:r=", "'r=' in 'arow:r=' has no value: write key=value"),
    ],
    ids=["none", "number", "not called", "typo", "capitals", "elsewhere", "colon", "no value"],
)
def test_what_is_no_learner(door, given, match) -> None:
    with pytest.raises(ValueError, match=match):
        door(given)


def test_one_expert_is_no_mixture() -> None:
    for given in (learners.arow(), "arow"):
        with pytest.raises(ValueError, match="is one learner: give several in a list"):
            learners.hedge(given)


def test_parts_by_name_and_parts_that_are_none() -> None:
    made = Learner.of("hinge", regularizers.Euclidean(), rules.Subgradient())
    assert isinstance(made.loss, losses.Hinge)
    with pytest.raises(ValueError, match="neither a name nor a loss"):
        Learner.of(losses.Hinge, regularizers.Euclidean(), rules.Subgradient())
    with pytest.raises(ValueError, match=r"regularizer=.*Euclidean.* is no part: give one made"):
        Learner.of("hinge", regularizers.Euclidean, rules.Subgradient())
    with pytest.raises(ValueError, match="rule='subgradient' is no part"):
        Learner.of("hinge", regularizers.Euclidean(), "subgradient")


@pytest.mark.parametrize("given", ["euclidean", regularizers.Euclidean, None], ids=str)
def test_what_is_no_regularizer(given) -> None:
    with pytest.raises(ValueError, match=r"has no gradient\(theta\): give an object that has"):
        MirrorDescent(given, shape=2)


def test_measurements_as_labels_point_to_regression() -> None:
    with pytest.raises(ValueError, match=r"y\[2\] is 2.5, a third class .* auto\(task='regression"):
        learners.arow().learn_many(X, [0.5, 1.5, 2.5, 0.5])
    with pytest.raises(ValueError, match=r"y\[2\] is 3, .* one_against_rest"):
        learners.arow().learn_many(X, [1, 2, 3, 1])


def test_a_query_that_comes_back_is_refused() -> None:
    with pytest.raises(ValueError, match=r"qid\[2\] is 7, .*: sort the rows by qid"):
        OnlineRanker("perceptron").fit(X, [1, 0, 1, 0], qid=[7, 3, 7, 3])


def test_every_door_opens_after_a_plain_import() -> None:
    doors = ("certificates", "estimators", "evaluate", "learners", "models", "streams")
    opened = "; ".join(f"fenchel.{door}" for door in doors)
    code = f"import fenchel, sys; assert 'numpy' not in sys.modules; {opened}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", CATALOGUE)
def test_help_shows_annotations_as_they_are_written(name) -> None:
    signature = inspect.signature(getattr(learners, name))
    assert "ForwardRef" not in str(signature)
    if "device" in signature.parameters:
        assert "intercept: bool = True, averaged: bool = False" in str(signature)
        assert "schema: Schema | None = None" in str(signature)
        assert str(signature).endswith(" -> Learner")

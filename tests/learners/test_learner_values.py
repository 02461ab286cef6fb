"""Values that are none, and numbers at the edges: refused, or a right answer."""

from datetime import timedelta

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners


@pytest.mark.parametrize(
    "value", [1j, np.complex64(1), np.timedelta64(5, "s"), timedelta(seconds=5)]
)
def test_values_that_are_not_real(value):
    learner = learners.perceptron()
    with pytest.raises(ValueError, match="is not a real number"):
        learner.learn_one({"a": value}, 1)
    learner.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match="is not a real number"):
        learner.predict_one({"a": value})


def test_labels_of_mixed_kinds_stay_what_they_are():
    one, many = learners.perceptron(), learners.perceptron()
    many.learn_many([[1.0], [2.0]], [1, "a"])
    for x, y in (([1.0], 1), ([2.0], "a")):
        one.learn_one(x, y)
    assert one.classes == many.classes == ["a", 1]
    assert set(many.predict_many([[1.0], [-1.0]]).tolist()) == {"a", 1}


def test_labels_that_are_complex():
    with pytest.raises(ValueError, match="y"):
        learners.perceptron().learn_many([[1.0], [2.0]], [1j, 2])


@pytest.mark.parametrize(("rows", "data"), [([0, 1], [1.0]), (["x"], [1.0]), (None, [1.0])])
def test_malformed_lists(rows, data):
    X = sp.lil_matrix((2, 2))
    X.rows[1], X.data[1] = rows, data
    with pytest.raises(ValueError, match="malformed lil"):
        learners.perceptron().learn_many(X, [1, -1])


def test_an_average_of_the_largest_floats_is_finite():
    learner = learners.perceptron(averaged=True)
    learner.learn_many([[1.7e308], [-1.7e308], [1.7e308], [1.0]], [1, -1, 1, -1])
    assert np.isfinite(learner.weights()).all()
    assert all(np.isfinite(array).all() for array in learner.state_arrays().values())


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_weights_of_denormal_features_are_finite(task):
    learner = learners.auto(task=task)
    learner.learn_many([[5e-324], [1e-310], [-5e-324]], [1.0, -1.0, 1.0])
    assert np.isfinite(learner.weights()).all()


@pytest.mark.parametrize("make", [learners.one_against_rest, learners.max_margin])
def test_predictions_before_any_class_is_known(make):
    assert make("perceptron").predict_many(np.ones((2, 3))).tolist() == [None, None]


def test_reading_unknown_columns_changes_nothing():
    for learner in (learners.auto(), learners.auto(task="regression"), learners.max_margin("arow")):
        learner.learn_many(np.eye(5), [1, 2, 1, 2, 1])
        before = {name: array.tobytes() for name, array in learner.state_arrays().items()}
        wide = sp.csr_matrix(([1.0], ([0], [29_999])), shape=(1, 30_000))
        learner.predict_many(wide)
        assert learner.columns == 5
        assert {n: a.tobytes() for n, a in learner.state_arrays().items()} == before


def test_more_columns_than_allowed_are_refused():
    for learner in (learners.perceptron(max_features=2), learners.auto(max_features=2)):
        learner.learn_many([[1.0, 2.0]], [1])
        with pytest.raises(ValueError, match="max_features is 2"):
            learner.learn_many([[1.0, 2.0, 3.0]], [1])
        assert learner.columns == 2
        assert "max_features=2" in learner.specification
    named = learners.one_against_rest(learners.arow(max_features=1))
    named.learn_one({"a": 1.0}, "x")
    with pytest.raises(ValueError, match="max_features is 1"):
        named.learn_one({"b": 1.0}, "y")
    assert named.classes == ["x"]


SPECIFICATIONS = {
    "perceptron:averaged=maybe": "averaged='maybe' must be yes or no",
    "arow:r=yes": "r=True must be a positive number",
    "arow:diagonal=2": "diagonal=2 must be yes or no",
    "auto:certify=perhaps": "certify='perhaps' must be yes or no",
    "perceptron:domain=sphere": "domain='sphere' is no domain",
    "multi_task:p=yes": "p=True",
    "perceptron:max_features=0": "max_features=0",
}


@pytest.mark.parametrize("text", SPECIFICATIONS)
def test_parameters_of_another_kind(text):
    with pytest.raises(ValueError, match=SPECIFICATIONS[text]):
        learners.from_specification(text)


def test_a_domain_has_a_name():
    learner = learners.from_specification("gradient_descent:domain=orthant")
    learner.learn_many([[1.0], [1.0]], [-1, -1])
    assert learner.weights() == [0.0]

"""Extreme but finite input: the largest and the smallest floats never make a NaN."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from learner_cases import CASES, PLAIN

from fenchel import Learner, losses, regularizers, rules

ENTRIES = [1e300, -1e300, 1e-300, -1e-300, 5e-324, -0.0, 0.0, 1.0, -1.0]
TARGETS = [1e300, -1e300, 1e-300, 0.0, 1.0, -1.0]
MOST = 7  # rows


@st.composite
def extreme_streams(draw):
    columns = draw(st.integers(1, 4))
    row = st.lists(st.sampled_from(ENTRIES), min_size=columns, max_size=columns)
    X = np.array(draw(st.lists(row, min_size=1, max_size=MOST)))
    signs = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=MOST, max_size=MOST))
    targets = draw(st.lists(st.sampled_from(TARGETS), min_size=MOST, max_size=MOST))
    return X, np.array(signs[: len(X)]), np.array(targets[: len(X)]), draw(st.booleans())


def every_entry(X):
    """Rows that name every column, zeros too."""
    rows, columns = X.shape
    return sp.csr_array(
        (X.ravel(), np.tile(np.arange(columns), rows), np.arange(rows + 1) * columns), shape=X.shape
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_no_nan_from_extreme_rows(case):
    tasks = case.tasks if PLAIN else case.tasks[:1]

    @settings(max_examples=40 if PLAIN else 30, deadline=None, derandomize=True, database=None)
    @example((np.array([[1e300], [-1e300], [5e-324]]), np.ones(3), np.full(3, 1e300), True))
    @given(extreme_streams())
    def check(drawn):
        X, signs, targets, intercept = drawn
        for task in tasks:
            parameters = dict(case.fixed)
            if case.losses and PLAIN:
                parameters["loss"] = {"binary": "hinge", "regression": "huber"}[task]
                if case.name == "passive_aggressive" and task == "regression":
                    parameters["loss"] = "epsilon_insensitive"
            learner = case.learner(parameters, intercept=intercept)
            y = signs if learner.task == "binary" else targets
            with np.errstate(all="ignore"):
                margins = learner.learn_many(every_entry(X), y)
                assert np.isfinite(margins).all()
                assert np.isfinite(learner.decision_many(every_entry(X))).all()
                assert not np.isnan(learner.weights()).any()
                assert not np.isnan(learner.bias)

    check()


@pytest.mark.skipif(not PLAIN, reason="compiled code does not ask whether an index is in an array")
def test_the_weights_of_a_norm_end_with_the_columns():
    norm = regularizers.WeightedPNorm(a=np.ones(5), p=2.0)
    learner = Learner.of(losses.Hinge(), norm, rules.Aggressive())
    learner.learn_many(np.ones((1, 3)), [1.0])
    learner.learn_many(np.full((1, 4), 1e80), [-1.0])  # room for more columns than there are
    assert learner.regularizer.theta.shape[0] > 5
    learner.learn_many(np.full((1, 4), 1e160), [-1.0])
    assert np.all(np.isfinite(learner.weights()))

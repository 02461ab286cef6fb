"""Labels of wide full matrices are read off the weights, without a look at the matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners
from fenchel._numba import blas
from fenchel.learners.by_blocks import LEAST_COLUMNS

pytestmark = pytest.mark.skipif(
    not blas.are_available(), reason="BLAS is called in the fast way alone"
)


def stream(classes=2, rows=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, LEAST_COLUMNS))
    return X, (X @ rng.normal(size=(LEAST_COLUMNS, classes))).argmax(axis=1)


def test_two_classes_have_the_labels_of_their_margins():
    X, y = stream()
    learner = learners.arow(diagonal=False)
    for part in (slice(0, 60), slice(60, 120)):  # weights are not those of an earlier round
        learner.learn_many(X[part], y[part])
        expected = learner.decode_many(learner.decision_many(X))
        assert learner.predict_many(X).tolist() == expected.tolist()
        assert [learner.predict_one(x) for x in X[:20]] == expected[:20].tolist()
        assert learner.predict_many(sp.csr_array(X)).tolist() == expected.tolist()


def test_classes_that_share_a_matrix_have_the_labels_of_their_margins():
    X, y = stream(4)
    learner = learners.one_against_rest(learners.arow(diagonal=False), shared=True)
    learner.learn_many(X, y)
    expected = learner.decode_many(learner.decision_many(X))
    assert learner.predict_many(X).tolist() == expected.tolist()

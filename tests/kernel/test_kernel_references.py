"""Compiled loops let go of the state as often as they take hold of it."""

import sys

import numpy as np
import pytest

from fenchel import learners


@pytest.mark.parametrize("text", ["arow:form=original", "arow:diagonal=no,form=original"])
def test_learning_keeps_the_references_of_every_array(text):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 2)), rng.choice([-1, 1], 20)
    learner = learners.from_specification(text)
    learner.learn_many(X, y)
    arrays = [array for array in learner.regularizer if isinstance(array, np.ndarray)]
    before = [sys.getrefcount(array) for array in arrays]
    for _ in range(5):
        learner.learn_many(X, y)
    assert arrays
    assert [sys.getrefcount(array) for array in arrays] == before

"""Matrices of many columns in ``auto``: kept where rows are dense, retired where they do not pay."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners

ROUNDS = 100


def stream(columns, density, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((ROUNDS, columns)) * (rng.random((ROUNDS, columns)) < density)
    return sp.csr_array(X), np.arange(ROUNDS) % classes


def matrices(learner):
    """How many experts with full matrices are still on."""
    names, on = learner.engine.expert_names, learner.engine.blend.active
    return sum("diagonal=no" in names[k] for k in on)


@pytest.mark.parametrize(
    ("columns", "density", "classes", "kept"),
    [
        (150, 1.0, 2, 5),
        (300, 0.5, 2, 5),
        (301, 1.0, 2, 0),
        (150, 0.05, 2, 0),
        (90, 0.05, 2, 5),
        (120, 1.0, 40, 4),
        (200, 1.0, 40, 0),
    ],
)
def test_matrices_are_kept_where_they_may_pay(columns, density, classes, kept):
    learner = learners.auto("binary" if classes == 2 else "multiclass")
    learner.learn_many(*stream(columns, density, classes))
    assert matrices(learner) == kept


@pytest.mark.parametrize("density", [0.05, 1.0])
def test_blocks_make_no_difference(density):
    X, y = stream(130, density)
    whole, cut = learners.auto(), learners.auto()
    whole.learn_many(X, y)
    for t in range(0, ROUNDS, 7):
        cut.learn_many(X[t : t + 7], y[t : t + 7])
    for name, array in whole.state_arrays().items():
        assert array.tobytes() == cut.state_arrays()[name].tobytes(), name


def test_columns_and_classes_that_come_later_in_a_block_do_not_count_yet():
    X, y = stream(130, 1.0, 40)
    X = X.tolil()
    X[:70, 90:] = 0.0
    y[:70] %= 3
    whole, cut = learners.auto("multiclass"), learners.auto("multiclass")
    whole.learn_many(X.tocsr(), y)
    for t in range(0, ROUNDS, 7):
        cut.learn_many(X.tocsr()[t : t + 7], y[t : t + 7])
    assert matrices(whole) == matrices(cut) == 4
    assert np.array_equal(whole.decision_many(X.tocsr()), cut.decision_many(X.tocsr()))

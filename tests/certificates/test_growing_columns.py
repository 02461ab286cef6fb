"""Columns that appear later: what the theorems say of them holds."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners
from fenchel.certificates import agrees


def _run(blocks, **parameters):
    learner = learners.scale_invariant_adagrad(certify=True, intercept=False, **parameters)
    for X, y in blocks:
        learner.learn_many(X, y)
    return learner


def test_one_column_then_one_row_of_ten_thousand():
    signs = np.where(np.arange(400) % 2, 1, -1)
    wide = np.zeros((1, 10_000))
    wide[0] = 1.0
    learner = _run([(np.ones((400, 1)), signs), (sp.csr_array(wide), [1])])
    found = {
        c.equation: c for c in learner.certificates(np.zeros(10_000)) if c.theorem == "Theorem 1"
    }
    assert set(found) == {"eq. (tocompare)", "second bound", "tuned to a box"}
    assert all(c.applies and c.holds for c in found.values())


@pytest.mark.parametrize("seed", range(20))
def test_random_growth(seed):
    rng = np.random.default_rng(seed)
    widths = np.sort(rng.integers(1, 40, 6))
    blocks = []
    for width in widths:
        X = rng.normal(size=(30, width)) * (rng.random((30, width)) < 0.5)
        blocks.append((sp.csr_array(X), np.sign(rng.normal(size=30))))
    learner = _run(blocks, eta=float(10.0 ** rng.uniform(-1, 1)), sqrt_d=bool(seed % 3))
    for u in (np.zeros(widths[-1]), rng.normal(size=widths[-1])):
        for c in learner.certificates(u):
            assert c.holds or not c.applies or c.kind == "printed", c
            again = learner.verify(c)
            assert again.bound == pytest.approx(c.bound, rel=1e-6)


def test_the_step_of_a_feature_is_that_of_the_round_it_appeared_in():
    learner = learners.scale_invariant_adagrad(intercept=False)
    learner.learn_one({"a": 1.0}, 1)
    learner.learn_one({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, -1)
    assert learner.regularizer.rates[1:5].tolist() == [1.0, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("options", [{}, {"signed": False}, {"adaptive": True}])
def test_a_simplex_that_grows_is_replayed_as_it_grew(options):
    rng = np.random.default_rng(0)
    learner = learners.exponentiated_gradient(certify=True, intercept=False, **options)
    for width in (2, 3, 5):
        learner.learn_many(rng.normal(size=(10, width)), np.sign(rng.normal(size=10)))
    for c in learner.certificates(np.full(5, 0.2)):
        assert agrees(c, learner.verify(c), 1e-9), str(c)

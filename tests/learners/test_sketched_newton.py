"""A sketch of every direction is the whole matrix; one of few keeps its digits, and costs its non-zeros."""

import numpy as np
import pytest
import scipy.sparse as sp
from textbook_basics import progressive
from textbook_relatives import SketchedNewton

from fenchel import learners, merge
from fenchel.learners import Learner

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3000, 30)) * (RNG.random((3000, 30)) < 0.3)
Y = np.sign(X @ RNG.normal(size=30) + RNG.normal(size=3000))


def sketched(rank):
    return learners.sketched_newton(0.3, rank=rank, a=3.0, intercept=False)


def whole_matrix(X, y, eta, a):
    """w ← w − η·D⁻¹·(I + S/a)⁻¹·D⁻¹·g with S = Σ s·sᵀ whole."""
    w, squares, S = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros((X.shape[1],) * 2)
    margins = []
    for x, label in zip(X, y, strict=True):
        margins.append(w @ x)
        g = -label / (1.0 + np.exp(label * margins[-1])) * x
        squares += g * g
        unit = np.maximum(squares, 1e-300) ** 0.25
        S += np.outer(g / unit, g / unit)
        w = w - eta * np.linalg.solve(np.eye(len(w)) + S / a, g / unit) / unit
    return np.array(margins)


def test_a_sketch_of_every_direction_is_the_whole_matrix():
    margins = sketched(5).learn_many(X[:800, :5], Y[:800])
    np.testing.assert_allclose(margins, whole_matrix(X[:800, :5], Y[:800], 0.3, 3.0), atol=1e-10)


def test_thousands_of_rounds_keep_their_digits():
    book = SketchedNewton(30, eta=0.3, rank=5, a=3.0, loss="logistic")
    margins = sketched(5).learn_many(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(margins, progressive(book, X, Y).margins, atol=1e-9)


def test_the_directions_stay_orthonormal():
    learner = sketched(5)
    learner.learn_many(sp.csr_matrix(X), Y)
    f = learner.engine.regularizer
    V = f.mixing @ f.basis.T
    np.testing.assert_allclose(V @ V.T, np.eye(5), atol=1e-9)


def test_a_saved_sketch_goes_on_bit_for_bit(tmp_path):
    whole, half = sketched(4), sketched(4)
    half.learn_many(X[:501], Y[:501])
    half.save(tmp_path / "m.fenchel")
    again = Learner.load(tmp_path / "m.fenchel")
    again.learn_many(X[501:], Y[501:])
    whole.learn_many(X, Y)
    assert again.weights().tobytes() == whole.weights().tobytes()


def test_a_wide_row_takes_the_memory_of_its_rank():
    learner = sketched(3)
    learner.learn_many(sp.csr_matrix((np.ones(2), [7, 10**6], [0, 2]), (1, 10**6 + 1)), [1.0])
    assert learner.engine.regularizer.basis.shape[1] == 3
    assert np.count_nonzero(learner.weights()) == 2


def test_a_factor_that_all_features_share_is_learned_away_faster_than_by_adagrad():
    shared, own = 5.0 * RNG.normal(size=(2000, 1)), RNG.normal(size=(2000, 20))
    y = np.sign(own @ RNG.normal(size=20))
    adagrad = learners.adagrad(0.3, loss="logistic", intercept=False).learn_many(own + shared, y)
    ours = learners.sketched_newton(0.3, intercept=False).learn_many(own + shared, y)
    assert np.mean(ours * y <= 0) < 0.8 * np.mean(adagrad * y <= 0)


@pytest.mark.parametrize("rank", [0, 2.5, 101, "many"])
def test_a_rank_that_is_none_is_refused(rank):
    with pytest.raises(ValueError, match="rank"):
        learners.sketched_newton(rank=rank)


def test_what_it_has_no_rule_for_is_refused_by_name():
    with pytest.raises(ValueError, match=r"SketchedNewton\.pace"):
        learners.sketched_newton(averaged=True)
    with pytest.raises(ValueError, match="SketchedNewton has no rule for merging"):
        merge([sketched(2), sketched(2)])

"""Ranking is a learner of two classes on differences, query by query."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from fenchel import learners
from fenchel.learners.ranking import ndcg

RNG = np.random.default_rng(2)
X = RNG.normal(size=(120, 5))
QUERIES = np.sort(RNG.integers(0, 20, size=120))
RELEVANCE = np.clip(np.round(X @ [1.0, -1.0, 0.5, 0.0, 0.0]), 0, 3)
Y = np.column_stack([RELEVANCE, QUERIES])


def by_hand(learner, X, y, qid):
    """Every difference of every query in turn; the scores and the pairs' order before."""
    right = pairs = 0
    scores = np.zeros(len(y))
    for q in dict.fromkeys(qid.tolist()):
        rows = np.flatnonzero(qid == q)
        w = learner.weights() if learner.rounds else np.zeros(X.shape[1])
        scores[rows] = X[rows] @ w
        for i in rows:
            for j in rows:
                if y[i] > y[j]:
                    pairs += 1
                    right += 0.5 + 0.5 * np.sign(scores[i] - scores[j])
        for i in rows:
            for j in rows:
                if y[i] > y[j]:
                    learner.learn_many([X[i] - X[j]], [1])
    return scores, right / pairs


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scores_weights_and_auc_are_those_of_the_differences(form):
    ranker = learners.ranking(learners.arow())
    alone = learners.arow(intercept=False, classes=(-1, 1))
    scores, auc = by_hand(alone, X, RELEVANCE, QUERIES)
    np.testing.assert_allclose(ranker.learn_many(form(X), Y), scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ranker.weights(), alone.weights(), rtol=1e-9)
    assert ranker.auc == pytest.approx(auc)
    assert ranker.auc > 0.8


def test_pieces_between_queries_and_files_change_nothing(tmp_path):
    whole = learners.ranking(learners.perceptron(), pairs=4, seed=3)
    scores = whole.learn_many(X, Y)
    pieces = learners.ranking(learners.perceptron(), pairs=4, seed=3)
    for cut in np.split(np.arange(120), [np.searchsorted(QUERIES, q) for q in (4, 9)]):
        np.testing.assert_array_equal(pieces.learn_many(X[cut], Y[cut]), scores[cut])
        pieces.save(tmp_path / "model")
        pieces = learners.Learner.load(tmp_path / "model").copy()
    np.testing.assert_array_equal(pieces.decision_many(X), whole.decision_many(X))
    assert (pieces.auc, pieces.ndcg) == (whole.auc, whole.ndcg)
    assert whole.engine._tally[2] <= 4 * 20


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), min_size=2, max_size=12))
def test_ndcg_is_the_usual_one(rows):
    relevance, scores = np.array(rows, float).T
    expected = ndcg_score([relevance], [scores]) if relevance.any() else 1.0
    assert ndcg(relevance, scores) == pytest.approx(expected)


def test_bad_input_is_refused_whole():
    learner = learners.ranking(learners.arow())
    learner.learn_many(X, Y)
    before = learner.decision_many(X)
    bad = X.copy()
    bad[100, 2] = np.inf
    with pytest.raises(ValueError, match=r"X\[100, 2\]"):
        learner.learn_many(bad, Y)
    with pytest.raises(ValueError, match="rows × outputs"):
        learner.learn_many(X, RELEVANCE)
    with pytest.raises(ValueError, match="pairs=0"):
        learners.ranking(learners.arow(), pairs=0)
    with pytest.raises(ValueError, match="two classes"):
        learners.ranking(learners.auto())
    np.testing.assert_array_equal(learner.decision_many(X), before)


def test_the_largest_floats_stay_finite():
    learner = learners.ranking(learners.perceptron())
    learner.learn_many([[1.7e308], [-1.7e308]], [(1, 0), (0, 0)])
    assert np.isfinite(learner.decision_many([[1.7e308], [1.0]])).all()

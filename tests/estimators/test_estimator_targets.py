"""Several outputs, labels, classes in one matrix, and queries behind scikit-learn's interface."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, load_linnerud, make_multilabel_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.preprocessing import StandardScaler

from fenchel import learners
from fenchel.estimators import OnlineClassifier, OnlineRanker, OnlineRegressor

X, LABELS = make_multilabel_classification(n_samples=150, n_features=6, random_state=0)
X = StandardScaler().fit_transform(X)
EXERCISES, BODY = load_linnerud(return_X_y=True)


@pytest.mark.parametrize("learner", ["normalized_lms", "auto"])
def test_outputs_are_those_of_separate_regressors(learner):
    together = OnlineRegressor(learner)
    separate = MultiOutputRegressor(OnlineRegressor(learner))
    for model in (together, separate):
        model.partial_fit(EXERCISES[:12], BODY[:12])
        model.partial_fit(EXERCISES[12:], BODY[12:])
    np.testing.assert_allclose(together.predict(EXERCISES), separate.predict(EXERCISES))
    assert np.isfinite(together.score(EXERCISES, BODY))


def test_outputs_have_the_shapes_of_scikit_learn():
    model = OnlineRegressor("vovk_azoury_warmuth").fit(EXERCISES, BODY)
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 3), (3,))
    with pytest.raises(ValueError, match="rows × 3"):
        model.partial_fit(EXERCISES, BODY[:, :2])
    model = OnlineRegressor("normalized_lms").fit(EXERCISES, BODY)
    np.testing.assert_allclose(
        model.predict(EXERCISES), EXERCISES @ model.coef_.T + model.intercept_
    )
    assert OnlineRegressor("lms:eta=1e-5").fit(EXERCISES, BODY[:, :1]).coef_.shape == (1, 3)


@pytest.mark.parametrize("learner", ["arow", "gradient_descent:loss=logistic", "auto"])
def test_labels_have_the_shapes_of_scikit_learn(learner):
    model = OnlineClassifier(learner).fit(X, LABELS)
    theirs = RidgeClassifier().fit(X, LABELS)
    assert model.predict(X).shape == theirs.predict(X).shape
    assert model.decision_function(X).shape == theirs.decision_function(X).shape
    assert set(np.unique(model.predict(X))) <= {0, 1}
    assert np.mean(model.predict(X) == LABELS) > 0.7
    if learner != "auto":
        assert model.coef_.shape == theirs.coef_.shape
    if learner != "arow":
        assert model.predict_proba(X).shape == LABELS.shape
    sparse = OnlineClassifier(learner).fit(sp.csr_array(X), sp.csr_array(LABELS))
    np.testing.assert_allclose(sparse.decision_function(X), model.decision_function(X), rtol=1e-6)


def test_labels_in_pieces():
    model = OnlineClassifier("perceptron")
    model.partial_fit(X[:50], LABELS[:50]).partial_fit(X[50:], LABELS[50:])
    assert model.score(X, LABELS) > 0.1
    with pytest.raises(ValueError, match="give one column a label"):
        model.partial_fit(X, LABELS[:, :3])


@pytest.mark.parametrize("learner", [learners.arow(), learners.passive_aggressive()])
def test_classes_in_one_matrix(learner):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))  # they come sorted by class
    X, y = StandardScaler().fit_transform(X)[order], y[order]
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = OnlineClassifier(learners.max_margin(learner), passes=5).fit(X, names)
    assert model.score(X, names) > 0.85
    assert model.coef_.shape == (3, 4)
    text = f"max_margin:learner={learner.specification}"
    again = OnlineClassifier(text, passes=5).fit(X, names)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert clone(model).learner.specification == text


def queries(rng, rows=200):
    X = rng.normal(size=(rows, 4))
    relevance = np.clip(np.round(X @ [2.0, -1.0, 0.0, 0.0] + 0.3 * rng.normal(size=rows)), 0, 3)
    return X, relevance, np.sort(rng.integers(0, 25, size=rows))


def test_the_ranker_orders_queries():
    X, y, qid = queries(np.random.default_rng(0))
    ranker = OnlineRanker().fit(X, y, qid)
    held, held_y, held_qid = queries(np.random.default_rng(1))
    assert ranker.score(held, held_y, held_qid) > 0.95
    assert 0.8 < ranker.auc_ <= 1.0
    assert 0.8 < ranker.ndcg_ <= 1.0
    np.testing.assert_allclose(ranker.predict(X), X @ ranker.coef_)
    pieces = OnlineRanker()
    cut = int(np.searchsorted(qid, 9))
    pieces.partial_fit(X[:cut], y[:cut], qid[:cut]).partial_fit(X[cut:], y[cut:], qid[cut:])
    np.testing.assert_array_equal(pieces.coef_, ranker.coef_)
    assert clone(OnlineRanker("perceptron", pairs=3)).pairs == 3


def test_the_ranker_says_what_is_wrong():
    X, y, qid = queries(np.random.default_rng(0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        OnlineRanker().fit(X, y, qid[:-1])
    with pytest.raises(NotFittedError):
        OnlineRanker().predict(X)
    with pytest.raises(ValueError, match="two classes"):
        OnlineRanker("lms").fit(X, y, qid)

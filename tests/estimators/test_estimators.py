import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fenchel import Learner, learners
from fenchel.estimators import OnlineClassifier, OnlineRegressor
from fenchel.models import ModelRefused

X, Y = load_breast_cancer(return_X_y=True)


def test_estimator_learner_and_saved_file_predict_the_same_numbers(tmp_path):
    model = OnlineClassifier(learners.arow(r=0.5)).fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), model.learner_.decision_many(X))
    model.save(tmp_path / "m.fenchel")
    loaded = Learner.load(tmp_path / "m.fenchel")
    np.testing.assert_array_equal(loaded.decision_many(X), model.decision_function(X))


def test_decision_function_is_linear_where_the_weights_predict():
    model = OnlineClassifier("perceptron").fit(X, Y)
    np.testing.assert_allclose(
        model.decision_function(X), X @ model.coef_[0] + model.intercept_[0], rtol=1e-9
    )


def test_the_learner_is_a_parameter_with_parameters():
    search = GridSearchCV(OnlineClassifier(learners.arow()), {"learner__r": [0.1, 10.0]}, cv=3)
    search.fit(X, Y)
    assert search.best_params_["learner__r"] in (0.1, 10.0)
    assert search.best_estimator_.learner_.regularizer.r == search.best_params_["learner__r"]


def test_pipeline_cross_validation_and_calibration():
    pipeline = make_pipeline(StandardScaler(), OnlineClassifier("perceptron"))
    assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.9
    calibrated = CalibratedClassifierCV(OnlineClassifier("arow"), cv=3).fit(X, Y)
    assert calibrated.predict_proba(X).shape == (len(Y), 2)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(frame):
    names = [f"f{i}" for i in range(X.shape[1])]
    data = frame(dict(zip(names, X.T, strict=True)))
    model = OnlineClassifier("arow").fit(data, Y)
    assert list(model.feature_names_in_) == names
    np.testing.assert_array_equal(
        model.predict(data), OnlineClassifier("arow").fit(X, Y).predict(X)
    )


def test_sparse_equals_dense():
    dense = OnlineClassifier("arow").fit(X, Y)
    sparse = OnlineClassifier("arow").fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9)


def test_fit_learns_in_the_order_given():
    fitted = OnlineClassifier("arow").fit(X, Y)
    learner = learners.arow()
    learner.learn_many(X, Y)
    np.testing.assert_array_equal(fitted.coef_[0], learner.weights())
    words = np.where(Y == 1, "spam", "ham")
    fitted = OnlineClassifier("arow").fit(X, words)
    learner = learners.arow()
    for x, word in zip(X, words, strict=True):
        learner.learn_one(x, str(word))
    assert (
        fitted.learner_.classes
        == learner.classes
        == ["ham", "spam"][:: 1 if words[0] == "ham" else -1]
    )
    np.testing.assert_array_equal(fitted.learner_.weights(), learner.weights())
    assert fitted.predict(X).tolist() == learner.predict_many(X).tolist()


def test_new_classes_and_columns_need_permission():
    model = OnlineClassifier("arow").partial_fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="label 7, not among the classes"):
        model.partial_fit(X[:2], [7, 0])
    with pytest.raises(ValueError, match="31 features"):
        model.partial_fit(np.hstack([X[:2], X[:2, :1]]), Y[:2])


def test_growing_takes_up_both():
    model = OnlineClassifier("arow", grow=True).partial_fit(X[:50, :20], Y[:50])
    model.partial_fit(X[50:90], np.where(Y[50:90] == 1, 2, 0))
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.coef_.shape == (3, 30)
    assert set(model.predict(X[:, :25])) <= {0, 1, 2}


def test_several_classes_and_auto():
    digits, labels = load_digits(return_X_y=True)
    model = OnlineClassifier().fit(digits[:800], labels[:800])
    assert model.score(digits[800:], labels[800:]) > 0.85
    shares = model.predict_proba(digits[800:])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    with pytest.raises(AttributeError, match="single learner"):
        _ = model.coef_


def test_regression_with_auto_beats_the_mean():
    data, target = load_diabetes(return_X_y=True)
    model = OnlineRegressor().fit(data, target)
    assert model.score(data, target) > 0.3


def test_wrong_task_is_refused_by_name():
    with pytest.raises(ValueError, match="use OnlineRegressor"):
        OnlineClassifier("lms").fit(X, Y)
    with pytest.raises(ValueError, match="use OnlineClassifier"):
        OnlineRegressor("perceptron").fit(X, Y.astype(float))
    with pytest.raises(ValueError, match="passes=0"):
        OnlineClassifier("perceptron", passes=0).fit(X, Y)


@pytest.mark.parametrize("name", ["gradient_descent:loss=logistic", "perceptron"])
def test_probabilities_agree_with_predictions_and_rise_with_the_margin(name):
    model = OnlineClassifier(name).fit(X, Y)
    chances = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    order = np.argsort(model.decision_function(X), kind="stable")
    assert (np.diff(chances[order, 1]) >= 0.0).all()


def test_balanced_classes_weigh_by_the_counts_so_far(tmp_path):
    parts = OnlineClassifier("perceptron", class_weight="balanced")
    for begin, stop in ((0, 100), (100, len(Y))):
        parts.partial_fit(X[begin:stop], Y[begin:stop], classes=np.unique(Y))
    weights = len(Y) / 2.0 / np.bincount(Y)
    np.testing.assert_allclose(parts.balance_.factors([0, 1]), weights)
    chances = parts.learner_.predict_proba_many(X)[
        :, [parts.learner_.classes.index(c) for c in (0, 1)]
    ]
    np.testing.assert_array_equal(parts.predict(X), np.argmax(chances * weights, axis=1))
    parts.save(tmp_path / "m.fenchel")
    loaded = OnlineClassifier.load(tmp_path / "m.fenchel")
    np.testing.assert_array_equal(loaded.predict(X), parts.predict(X))
    with pytest.raises(ValueError, match="give 'balanced' or a dict"):
        OnlineClassifier(class_weight="even").fit(X, Y)


def test_a_regressor_has_intervals():
    model = OnlineRegressor("normalized_lms", interval=0.8).fit(X, Y.astype(float))
    low, high = model.predict_interval(X).T
    assert (low <= high).all()
    assert model.learner_.covered()["coverage"] == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize("grow", [False, True])
def test_a_saved_classifier_goes_on_as_if_never_stopped(tmp_path, grow):
    names = [f"f{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    whole = OnlineClassifier("arow", grow=grow).fit(frame[:300], Y[:300])
    whole.save(tmp_path / "m")
    loaded = OnlineClassifier.load(tmp_path / "m")
    assert (loaded.grow, loaded.passes) == (grow, 1)
    assert list(loaded.feature_names_in_) == names
    for model in (whole, loaded):
        model.partial_fit(frame[300:], Y[300:])
    assert loaded.coef_.tobytes() == whole.coef_.tobytes()
    np.testing.assert_array_equal(loaded.predict(frame), whole.predict(frame))


def test_a_file_of_another_kind_is_refused(tmp_path):
    OnlineRegressor("lms").fit(X, X[:, 0]).save(tmp_path / "r")
    assert OnlineRegressor.load(tmp_path / "r").n_features_in_ == X.shape[1]
    with pytest.raises(ModelRefused, match="an OnlineRegressor, not an OnlineClassifier"):
        OnlineClassifier.load(tmp_path / "r")
    learners.arow().save(tmp_path / "l")
    with pytest.raises(ModelRefused, match="it holds a learner"):
        OnlineClassifier.load(tmp_path / "l")


# ── what stings a new user ────────────────────────────────────────────────────────────────────


def test_parameters_of_a_learner_given_as_text_are_searched():
    search = GridSearchCV(OnlineClassifier("arow"), {"learner__r": [1e-3, 1.0]}, cv=2)
    search.fit(*load_breast_cancer(return_X_y=True))
    assert search.best_estimator_.learner == f"arow:r={search.best_params_['learner__r']:g}"
    assert OnlineClassifier("auto").set_params(learner="perceptron").learner == "perceptron"
    with pytest.raises(ValueError, match="arow has no parameter 'rr'"):
        OnlineClassifier("arow").set_params(learner__rr=1.0)


def test_a_learner_of_any_loss_learns_numbers_by_its_name():
    X, y = load_diabetes(return_X_y=True)
    model = OnlineRegressor("passive_aggressive").fit(X, y)
    assert model.learner_.specification == "passive_aggressive:loss=epsilon_insensitive"
    with pytest.raises(ValueError, match="make it with loss='epsilon_insensitive'"):
        OnlineRegressor(learners.passive_aggressive()).fit(X, y)
    with pytest.raises(ValueError, match="such as vovk_azoury_warmuth"):
        OnlineRegressor("arow").fit(X, y)


def test_weights_are_of_the_type_of_the_input():
    X, y = load_diabetes(return_X_y=True)
    model = OnlineRegressor("vovk_azoury_warmuth").fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.intercept_.shape == (1,)
    assert OnlineRegressor("vovk_azoury_warmuth").fit(X, y).coef_.dtype == np.float64


def test_logarithms_of_probabilities():
    X, y = load_breast_cancer(return_X_y=True)
    model = OnlineClassifier("perceptron").fit(X, y)
    assert np.array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(OSError, match="no such file"):
        list(learners.perceptron().open(tmp_path / "none.csv"))
    with pytest.raises(OSError, match="No such file"):
        learners.Learner.load(tmp_path / "none.fenchel")

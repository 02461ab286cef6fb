"""Models and metrics in a local store of MLflow."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from fenchel import Learner, learners, tracking
from fenchel.estimators import OnlineClassifier
from fenchel.evaluate import progressive
from fenchel.streams import from_arrays

X, Y = load_breast_cancer(return_X_y=True)
pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow warns of itself


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed (the extra `mlflow`)")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield mlflow
    tracking.autolog(disable=True)
    while mlflow.active_run():
        mlflow.end_run()


def history(mlflow, run, name):
    return {m.step: m.value for m in mlflow.MlflowClient().get_metric_history(run, name)}


def test_a_learner_comes_back_to_the_bit_and_learns_on(mlflow):
    learner = learners.arow()
    learner.learn_many(X[:300], Y[:300])
    with mlflow.start_run():
        found = tracking.load_model(tracking.log_model(learner, name="cells").model_uri)
    assert isinstance(found, Learner)
    np.testing.assert_array_equal(
        found.learn_many(X[300:], Y[300:]), learner.learn_many(X[300:], Y[300:])
    )


def test_an_estimator_is_one_again(mlflow, tmp_path):
    model = OnlineClassifier("perceptron").fit(X, Y)
    tracking.save_model(model, tmp_path / "m")
    found = tracking.load_model(tmp_path / "m")
    assert isinstance(found, OnlineClassifier)
    assert found.predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(FileExistsError, match="give another path"):
        tracking.save_model(model, tmp_path / "m")


@pytest.mark.parametrize("answer", ["predict", "predict_proba", "decision"])
def test_the_generic_function_predicts_raw_rows(mlflow, tmp_path, answer):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"size": [1.0, 5.0, None, 6.0], "color": ["red", "blue", "red", "blue"]}
    )
    learner = learners.perceptron()
    learner.learn_many(frame, ["a", "b", "a", "b"])
    tracking.save_model(learner, tmp_path / "m", input_example=frame[:2], pyfunc_predict_fn=answer)
    told = mlflow.pyfunc.load_model(str(tmp_path / "m")).predict(frame)
    wanted = {"predict": learner.predict_many, "predict_proba": learner.predict_proba_many,
              "decision": learner.decision_many}[answer](frame)  # fmt: skip
    assert np.array_equal(told, wanted)
    if answer == "predict_proba":
        assert list(told) == ["a", "b"]


def test_losses_are_logged_along_the_run(mlflow):
    tracking.autolog()
    learner, run = learners.perceptron(), mlflow.start_run().info.run_id
    score = progressive(learner, from_arrays(X, Y))
    told = history(mlflow, run, "loss")
    assert max(told) <= len(Y) < 1.2 * max(told)
    margins = learners.perceptron().learn_many(X, Y)
    mistakes = np.cumsum((2 * Y - 1) * margins <= 0.0)
    assert told == {n: pytest.approx(mistakes[n - 1] / n) for n in told}
    assert mlflow.get_run(run).data.params["learner"] == "perceptron"
    assert score.rounds == len(Y)


def test_blocks_and_one_pass_log_the_same(mlflow):
    tracking.autolog()
    found = []
    for sizes in ([569], [100, 469], [1] * 9 + [560]):
        learner = learners.arow()
        with mlflow.start_run() as run:
            for part in np.split(np.arange(569), np.cumsum(sizes)[:-1]):
                learner.learn_many(X[part], Y[part])
        found.append(history(mlflow, run.info.run_id, "recent_loss"))
    assert found[0] == found[1] == found[2]


def test_a_second_learner_of_a_run_has_its_name_before_it(mlflow):
    tracking.autolog()
    with mlflow.start_run() as run:
        OnlineClassifier("perceptron").fit(X, Y)
        OnlineClassifier("arow").fit(X, Y)
    told = mlflow.get_run(run.info.run_id).data
    assert {"loss", "arow_2.loss"} <= set(told.metrics)
    assert told.params["arow_2.learner"] == "arow"


def test_it_ends(mlflow):
    tracking.autolog()
    tracking.autolog(disable=True)
    learners.perceptron().learn_many(X, Y)
    assert mlflow.active_run() is None


def test_what_cannot_be_logged_is_a_warning(mlflow, monkeypatch):
    tracking.autolog()
    monkeypatch.setattr(mlflow, "log_params", lambda told: 1 / 0)
    with pytest.warns(UserWarning, match="not logged to MLflow: division"):
        learners.perceptron().learn_many(X[:5], Y[:5])


def test_what_is_no_model_is_refused(mlflow, tmp_path):
    with pytest.raises(ValueError, match="give a learner, or an estimator that is fitted"):
        tracking.save_model(OnlineClassifier(), tmp_path / "m")
    with pytest.raises(ValueError, match="one of predict, predict_proba, decision"):
        tracking.save_model(learners.arow(), tmp_path / "m", pyfunc_predict_fn="guess")

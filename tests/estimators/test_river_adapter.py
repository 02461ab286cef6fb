"""The adapters for River: their methods always, inside River's own machinery where it is there."""

import copy

import numpy as np
import pytest
from river_checks import failures, wrapped
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from fenchel import learners
from fenchel.estimators.river import RiverClassifier, RiverRegressor


def rows_of(load, count=150):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))[:count]
    for x, label in zip(X[order], y[order], strict=True):
        yield {f"f{j}": float(value) for j, value in enumerate(x)}, label.item()


TWO = [(x, bool(y)) for x, y in rows_of(load_breast_cancer)]
THREE = [(x, f"kind {y}") for x, y in rows_of(load_iris)]
NUMBERS = list(rows_of(load_diabetes, 442))
LOGISTIC = learners.adagrad(loss="logistic")


@pytest.mark.parametrize(
    ("learner", "rows", "labels"),
    [
        (LOGISTIC, TWO, {False, True}),
        (learners.hedge([LOGISTIC, learners.perceptron()], combined=True), TWO, {False, True}),
        (learners.one_against_rest(LOGISTIC), THREE, {"kind 0", "kind 1", "kind 2"}),
    ],
    ids=["logistic", "hedge", "one_against_rest"],
)
def test_probabilities_have_the_shape_of_river(learner, rows, labels):
    model = RiverClassifier(learner)
    assert sum(model.predict_proba_one(rows[0][0]).values()) in (0, pytest.approx(1.0))
    for x, y in rows:
        model.learn_one(x, y)
        chances = model.predict_proba_one(x)
        assert sum(chances.values()) == pytest.approx(1.0)
        assert all(type(chance) is float for chance in chances.values())
    assert set(chances) == labels
    assert max(chances, key=chances.get) == model.predict_one(x)
    assert learner.rounds == 0  # the one that was given is a template


def test_one_label_seen_of_two():
    model = RiverClassifier(LOGISTIC)
    model.learn_one({"a": 1.0}, "ham")
    assert model.predict_proba_one({"a": 1.0}) == {"ham": pytest.approx(1.0)}


def test_importance_and_names_of_any_kind():
    model, twin = RiverRegressor(learners.lms()), learners.lms()
    model.learn_one({0: 1.0, ("b", 1): 2.0}, 3.0, w=0.5)
    twin.learn_one({"0": 1.0, "('b', 1)": 2.0}, 3.0, 0.5)
    assert model.learner_.weights() == twin.weights()
    assert model.predict_one({0: 1.0}) == twin.predict_one({"0": 1.0})


def test_the_wrong_task_is_refused():
    with pytest.raises(ValueError, match="RiverRegressor takes one for regression"):
        RiverRegressor(learners.arow())


def test_copies_go_their_own_way():
    model = RiverClassifier(learners.arow())
    model.learn_one(*TWO[0])
    twin = copy.deepcopy(model)
    twin.learn_one(*TWO[1])
    assert (model.learner_.rounds, twin.learner_.rounds) == (1, 2)


# ── with River ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def river():
    pytest.importorskip("river", reason="river is not installed (make bench installs it)")
    import river.evaluate
    import river.metrics
    import river.preprocessing

    return river


def test_in_pipelines_and_progressive_validation(river):
    for model, rows, metric, good in (
        (RiverClassifier(LOGISTIC), TWO, river.metrics.ROCAUC(), lambda value: value > 0.9),
        (RiverClassifier(learners.arow()), TWO, river.metrics.Accuracy(), lambda v: v > 0.85),
        (
            RiverClassifier(learners.one_against_rest(learners.arow())),
            THREE,
            river.metrics.MacroF1(),
            lambda value: value > 0.7,
        ),
        (
            RiverRegressor(learners.vovk_azoury_warmuth()),
            NUMBERS,
            river.metrics.MAE(),
            lambda value: value < 60.0,  # the mean target is off by 66
        ),
    ):
        pipeline = river.preprocessing.StandardScaler() | model
        result = river.evaluate.progressive_val_score(rows, pipeline, metric)
        assert good(result.get()), (model, result)
        fresh = pipeline.clone()
        assert fresh[type(model).__name__].learner_.rounds == 0


def test_kinds_are_known_to_river(river):
    assert isinstance(RiverClassifier(LOGISTIC), river.base.Classifier)
    assert isinstance(RiverRegressor(learners.lms()), river.base.Regressor)
    assert RiverClassifier(learners.one_against_rest(learners.arow()))._multiclass
    assert not RiverClassifier(learners.arow())._multiclass


@pytest.mark.parametrize(
    "name", ["binary perceptron", "multiclass arow", "regression passive_aggressive", "binary auto"]
)
def test_rivers_own_checks_pass(river, name):
    """``python -m tests.estimators.river_checks`` runs them for every learner."""
    assert list(failures(wrapped()[name], memory=False)) == []


def test_ensembles_of_river_take_learners(river):
    import river.ensemble as ensembles
    import river.multiclass

    one, other = RiverClassifier("perceptron"), RiverClassifier("arow")
    for model, rows, least in (
        (ensembles.BaggingClassifier(one, n_models=3, seed=1), TWO, 0.8),
        (ensembles.AdaBoostClassifier(one, n_models=3, seed=1), TWO, 0.8),
        (ensembles.VotingClassifier([one, other]), TWO, 0.8),
        (river.multiclass.OneVsRestClassifier(other), THREE, 0.6),
        (river.multiclass.OneVsOneClassifier(other), THREE, 0.6),
    ):
        scaled = river.preprocessing.StandardScaler() | model
        found = river.evaluate.progressive_val_score(rows, scaled, river.metrics.Accuracy())
        assert found.get() > least, model
    bag = ensembles.BaggingRegressor(RiverRegressor("vovk_azoury_warmuth"), n_models=3, seed=1)
    error = river.evaluate.progressive_val_score(NUMBERS, bag, river.metrics.MAE())
    assert error.get() < 70.0

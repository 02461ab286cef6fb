"""Metrics against scikit-learn's, in blocks as in one piece; ranking by them."""

import numpy as np
import pytest
from sklearn import metrics as oracle

from fenchel import learners
from fenchel.evaluate import compare, progressive
from fenchel.evaluate.metrics import Area, CalibrationError, Metrics, Seen, metric, metrics_of
from fenchel.streams import from_arrays

RNG = np.random.default_rng(3)
ROWS = 400


def two_classes():
    y = RNG.integers(0, 2, ROWS)
    p = np.round(1.0 / (1.0 + np.exp(-2.0 * (2 * y - 1) - 2.0 * RNG.normal(size=ROWS))), 3)
    p = np.clip(p, 0.001, 0.999)
    return y, p, Seen(y, (p > 0.5) * 1, np.stack([1.0 - p, p], 1), RNG.uniform(0.5, 2.0, ROWS))


def in_blocks(seen):
    for begin in range(0, ROWS, 70):
        rows = slice(begin, begin + 70)
        chances = None if seen.chances is None else seen.chances[rows]
        yield Seen(seen.targets[rows], seen.predicted[rows], chances, seen.weights[rows])


def test_two_classes_are_those_of_scikit_learn():
    y, p, seen = two_classes()
    found = Metrics(metrics_of("binary"), "binary")
    for block in in_blocks(seen):
        found.see(block)
    weights = {"sample_weight": seen.weights}
    expected = {
        "error": 1.0 - oracle.accuracy_score(y, p > 0.5, **weights),
        "log_loss": oracle.log_loss(y, p, **weights),
        "brier": oracle.brier_score_loss(y, p, **weights),
        "f1": oracle.f1_score(y, p > 0.5, **weights),
        "precision": oracle.precision_score(y, p > 0.5, **weights),
        "recall": oracle.recall_score(y, p > 0.5, **weights),
    }
    got = found.values()
    assert {k: got[k] for k in expected} == pytest.approx(expected, abs=1e-9)
    area = oracle.roc_auc_score(y, p, **weights)
    assert abs(got["auc"] - area) <= found.each["auc"].error < 1e-3


def test_the_area_is_off_by_no_more_than_it_says():
    y = RNG.integers(0, 2, 50_000)
    p = 0.5 + 1e-3 * (RNG.normal(size=50_000) + y)  # all within a few bins
    area = Area()
    area.see(Seen(y, y, np.stack([1.0 - p, p], 1), np.ones(50_000)))
    assert 0.0 < abs(area.value - oracle.roc_auc_score(y, p)) <= area.error


def test_the_calibration_error_is_the_sum_over_its_bins():
    y, p, seen = two_classes()
    found = CalibrationError()
    found.see(seen)
    bins = np.minimum((p * 15).astype(int), 14)
    apart = [abs((seen.weights * (p - y))[bins == b].sum()) for b in range(15)]
    assert found.value == pytest.approx(sum(apart) / seen.weights.sum())


def test_several_classes_are_those_of_scikit_learn():
    y, chances = RNG.integers(0, 3, ROWS), RNG.dirichlet(np.ones(3), ROWS)
    seen = Seen(y, np.argmax(chances, axis=1), chances, np.ones(ROWS))
    names = ["error", "log_loss", "f1", "precision", "recall", "brier"]
    found = Metrics(names, "multiclass")
    for block in in_blocks(seen):
        found.see(block)
    macro = [oracle.f1_score, oracle.precision_score, oracle.recall_score]
    expected = [np.mean(seen.predicted != y), oracle.log_loss(y, chances)]
    expected += [score(y, seen.predicted, average="macro") for score in macro]
    expected.append(np.square(chances - np.eye(3)[y]).sum(axis=1).mean())
    assert list(found.values().values()) == pytest.approx(expected)


def test_numbers_are_those_of_scikit_learn():
    y = RNG.normal(size=ROWS)
    p = y + RNG.normal(size=ROWS)
    found = Metrics(["squared", "absolute", "r2", "quantile:0.9"], "regression")
    for block in in_blocks(Seen(y, p, None, np.ones(ROWS))):
        found.see(block)
    expected = [
        oracle.mean_squared_error(y, p),
        oracle.mean_absolute_error(y, p),
        oracle.r2_score(y, p),
        oracle.mean_pinball_loss(y, p, alpha=0.9),
    ]
    assert list(found.values().values()) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "task", "told"),
    [
        ("accuracy", "binary", "unknown: choose of error"),
        ("auc", "multiclass", "is for binary"),
        ("r2", "binary", "is for regression"),
        ("quantile:2", "regression", "between 0 and 1"),
    ],
)
def test_a_metric_that_does_not_suit_is_refused_with_those_that_do(name, task, told):
    with pytest.raises(ValueError, match=told):
        metric(name, task)


def test_a_contest_is_ranked_by_the_metric_asked_for_or_by_log_loss_where_a_class_is_rare():
    X = RNG.normal(size=(2000, 3))
    y = np.where(X @ [1.0, 1.0, 0.0] + RNG.normal(size=2000) > 3.2, 1, -1)  # 3 % positive
    given = {name: name for name in ("perceptron", "coin_betting:loss=logistic", "arow")}
    result = compare(given, from_arrays(X, y))
    losses = [entrant.score.metrics["log_loss"] for entrant in result.entrants]
    assert result.ranked_by == "log_loss"
    assert losses == sorted(losses)
    by_area = compare(given, from_arrays(X, y), metrics=["auc", "error"])
    areas = [entrant.score.metrics["auc"] for entrant in by_area.entrants]
    assert by_area.ranked_by == "auc"
    assert areas == sorted(areas, reverse=True)


def test_progressive_probabilities_are_those_of_asking_before_each_label():
    X, y = RNG.normal(size=(60, 3)), RNG.choice([-1, 1], 60)
    learner, lost = learners.arow(), []
    for x, label in zip(X, y, strict=True):
        lost.append(-np.log(learner.predict_proba_many([x])[0, (label > 0) * 1]))
        learner.learn_many([x], [label])
    score = progressive(learners.arow(), from_arrays(X, y), metrics=["log_loss"])
    assert score.metrics["log_loss"] == pytest.approx(np.mean(lost))

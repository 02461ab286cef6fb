"""Probabilities of every classifier: the textbook's, in pieces and after files, certified."""

import pickle

import numpy as np
import pytest
import textbook_probabilities as textbook

from fenchel import Learner, learners, models
from fenchel.learners.calibration import Calibration
from fenchel.loops.calibration import calibrate_several, calibrate_two, new_calibration
from fenchel.loops.newton_mixture import LOST

RNG = np.random.default_rng(4)
ROWS = 120


def rows(count=ROWS):
    X = RNG.normal(size=(count, 3))
    return X, np.where(X @ [1.0, -1.0, 0.5] + RNG.normal(size=count) > 0.0, 1, -1)


ALL = np.ones(ROWS)
SELDOM = RNG.choice([0.0, 1.0, 4.0], ROWS)


@pytest.mark.parametrize("stands", [ALL, SELDOM], ids=["all", "seldom"])
def test_two_classes_are_the_textbook(stands):
    z, y = 3.0 * RNG.normal(size=ROWS), RNG.integers(0, 2, ROWS)
    out = np.empty(ROWS)
    calibrate_two(new_calibration(), z, y, np.ones(1), stands, True, out)
    np.testing.assert_allclose(out, textbook.calibrated_two(z, y, stands), atol=1e-9)


@pytest.mark.parametrize("stands", [ALL, SELDOM], ids=["all", "seldom"])
def test_several_classes_are_the_textbook(stands):
    chances, y = RNG.dirichlet(np.ones(3), ROWS), RNG.integers(0, 3, ROWS)
    out = np.empty_like(chances)
    calibrate_several(new_calibration(), chances, y, np.ones(1), stands, True, out)
    np.testing.assert_allclose(out, textbook.calibrated_several(chances, y, stands), atol=1e-9)


@pytest.mark.parametrize("name", ["perceptron", "arow", "gradient_descent:loss=logistic"])
def test_every_classifier_has_probabilities_that_are_certified(name):
    X, y = rows()
    learner = learners.from_specification(name)
    learner.learn_many(X, y)
    chances = learner.predict_proba_many(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert learner.calibration_certificates()[0].holds
    assert np.mean((chances[:, 1] > 0.5) == (y > 0)) > 0.6


def test_the_best_forecaster_is_never_lost_by_more_than_is_promised():
    calibration = Calibration(several=False)
    calibration.learn(
        RNG.normal(size=300), RNG.choice([-1.0, 1.0], 300), RNG.uniform(0.1, 5.0, 300)
    )
    assert calibration.certificate().holds
    calibration._refinement.totals[LOST] += 2.0 * calibration.certificate().bound
    assert calibration.certificate().violated


def test_single_examples_calibrate_as_blocks_do():
    X, y = rows()
    block, single = learners.arow(), learners.arow()
    named = [{f"x{j}": v for j, v in enumerate(row)} for row in X.tolist()]
    block.learn_many(named, y)
    for x, label in zip(named, y.tolist(), strict=True):
        single.learn_one(x, label)
    expected, got = block.calibration.arrays(), single.calibration.arrays()
    assert all(np.array_equal(expected[name], got[name]) for name in expected)


def test_calibration_is_kept_by_files_copies_and_pickles(tmp_path):
    X, y = rows()
    learner = learners.one_against_rest(learners.perceptron())
    learner.learn_many(X, y)
    learner.save(tmp_path / "m.fenchel")
    expected = learner.predict_proba_many(X)
    for twin in (
        Learner.load(tmp_path / "m.fenchel"),
        learner.copy(),
        pickle.loads(pickle.dumps(learner)),
    ):
        np.testing.assert_array_equal(twin.predict_proba_many(X), expected)


def test_a_file_without_calibration_loads(tmp_path):
    X, y = rows()
    learner = learners.perceptron()
    learner.learn_many(X, y)
    learner.save(tmp_path / "new.fenchel")
    arrays, metadata = models.read(tmp_path / "new.fenchel")
    old = {name: a for name, a in arrays.items() if not name.startswith("calibration.")}
    models.write(tmp_path / "old.fenchel", old, metadata)
    loaded = Learner.load(tmp_path / "old.fenchel")
    np.testing.assert_array_equal(loaded.decision_many(X), learner.decision_many(X))


def test_a_mixture_neither_ties_nor_contradicts_its_decision():
    X, y = rows(200)
    learner = learners.hedge([learners.perceptron(), learners.arow()], combined=True)
    margins = learner.learn_many(X, y)
    assert np.unique(margins, return_counts=True)[1].max() <= 2
    assert all(c.holds for c in learner.calibration_certificates())
    chances = learner.predict_proba_many(X)
    np.testing.assert_array_equal(learner.predict_many(X), np.where(chances[:, 1] > 0.5, 1, -1))


@pytest.mark.parametrize("given", [None, lambda margins: margins])
def test_learning_leaves_what_following_does(given):
    rng = np.random.default_rng(0)
    margins, labels = rng.standard_normal(6000) * 9, rng.choice([-1.0, 1.0], 6000)
    importance = rng.choice([0.0, 1.0, 2.0], 6000)
    one, other = Calibration(several=False), Calibration(several=False)
    one.learn(margins, labels, importance, given)
    other.follow(margins, labels, importance, given)
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], name)

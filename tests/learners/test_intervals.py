"""Intervals: the radius is the textbook's, its coverage is certified, and mutants are found out."""

import numpy as np
import pytest
import textbook_coverage as textbook

from fenchel import Learner, learners
from fenchel.certificates.coverage import coverage_bounds
from fenchel.loops.coverage import cover, new_coverage

RNG = np.random.default_rng(8)


def covered(scores, units, alpha):
    side, radii = new_coverage(), np.empty(len(scores))
    cover(side, scores, units, np.ones(1), alpha, radii)
    return side, radii


def test_the_radius_and_the_ledger_are_the_textbooks():
    scores, units = RNG.normal(size=150) * np.linspace(0.1, 5.0, 150), RNG.uniform(0.0, 2.0, 150)
    expected, ledger = textbook.run(scores, units, 0.1)
    side, radii = covered(scores, units, 0.1)
    np.testing.assert_allclose(radii, expected, rtol=1e-7, atol=1e-9)
    kept = [0, 3, 4, 5, 6, 7, 8]
    np.testing.assert_allclose(side.sums[kept], ledger[kept], rtol=1e-7, atol=1e-9)


STREAMS = {
    "steady": RNG.normal(size=400),
    "growing": RNG.normal(size=400) * np.linspace(1.0, 50.0, 400),
    "jumping": np.where(np.arange(400) % 100 < 50, 0.1, 10.0) * RNG.normal(size=400),
    "heavy": RNG.standard_t(1.5, size=400),
    "one size": np.ones(400),
    "below zero": RNG.normal(size=400) - 5.0,
}


@pytest.mark.parametrize("name", STREAMS)
def test_coverage_is_within_its_certificates_whatever_the_scores(name):
    side, _ = covered(STREAMS[name], np.zeros(400), 0.1)
    barrier, conjugate = coverage_bounds(side, 0.1, name)
    assert barrier.applies
    assert barrier.holds
    assert conjugate.holds
    assert barrier.bound < 0.02


@pytest.mark.parametrize("mutant", ["no push", "wrong way", "wrong level"])
def test_mutants_of_the_update_are_found_out(mutant):
    scores = RNG.normal(size=400) * np.where(np.arange(400) < 200, 1.0, 20.0)
    _, ledger = textbook.run(scores, np.zeros(400), 0.1, mutant)
    side = new_coverage()._replace(sums=ledger)
    found = coverage_bounds(side, 0.1, mutant)
    assert any(c.violated or not c.applies for c in found)


def numbers(rows=300):
    X = RNG.normal(size=(rows, 3))
    return X, X @ [1.0, -1.0, 0.5] + (0.2 + np.abs(X[:, 0])) * RNG.normal(size=rows)


def test_intervals_are_the_same_in_pieces_and_after_a_file(tmp_path):
    X, y = numbers()
    whole = learners.interval(learners.lms(), coverage=0.8)
    pieces = whole.copy()
    whole.learn_many(X, y)
    for begin, end in ((0, 1), (1, 120), (120, 300)):
        pieces.learn_many(X[begin:end], y[begin:end])
        pieces.save(tmp_path / "m.fenchel")
        pieces = Learner.load(tmp_path / "m.fenchel")
    expected, got = whole.state_arrays(), pieces.state_arrays()
    assert all(np.array_equal(expected[name], got[name]) for name in expected)
    whole.freeze()  # as what was loaded is
    np.testing.assert_array_equal(whole.predict_interval_many(X), pieces.predict_interval_many(X))


def share_inside(learner, X, y):
    low, high = learner.predict_interval_many(X).T
    return np.mean((low <= y) & (y <= high))


def test_the_mean_radius_is_the_textbooks():
    scores, weights = RNG.normal(size=150) * np.linspace(0.1, 5.0, 150), np.arange(1.0, 151.0)
    side, radii = covered(scores, np.ones(150), 0.1)
    np.testing.assert_allclose(side.still.sum(), weights @ radii / weights.sum(), rtol=1e-9)
    assert (side.still != 0.0).all()


def test_a_frozen_model_covers_rows_that_it_has_not_learned():
    found = []
    for _ in range(6):
        X, y = numbers(3000)
        learner = learners.interval(learners.vovk_azoury_warmuth(), coverage=0.9)
        learner.learn_many(X[:1000], y[:1000])
        found.append(share_inside(learner.freeze(), X[1000:], y[1000:]))
    assert np.mean(found) == pytest.approx(0.9, abs=0.015)
    assert np.std(found) < 0.02


def test_a_frozen_model_covers_where_it_cannot_follow():
    """Levels that jump every 50 rounds: the last target tells the next, and a frozen model has none."""
    y = np.repeat(10.0 * RNG.normal(size=100), 50) + RNG.normal(size=5000)
    X = RNG.normal(size=(5000, 1))
    learner = learners.interval(learners.auto("regression"), coverage=0.9)
    learner.learn_many(X, y)
    width = learner.covered()["width"]
    low, high = learner.freeze().predict_interval_many(X).T
    assert np.mean(high - low) > 2.0 * width
    assert np.mean((low <= y) & (y <= high)) > 0.85


def test_a_frozen_model_with_intervals_predicts_as_without():
    X, y = numbers(400)
    plain, around = learners.auto("regression"), learners.interval(learners.auto("regression"))
    for learner in (plain, around):
        learner.learn_many(X, y)
        learner.freeze()
    np.testing.assert_array_equal(around.predict_many(X), plain.predict_many(X))
    low, high = around.predict_interval_many(X).T
    assert ((low <= plain.predict_many(X)) & (plain.predict_many(X) <= high)).all()


def test_a_state_without_mean_radii_reads_as_it_did():
    X, y = numbers()
    learner = learners.interval(learners.lms())
    learner.learn_many(X, y)
    arrays = {k: v for k, v in learner.engine.state_arrays().items() if not k.endswith(".still")}
    earlier = learner.copy()
    earlier.engine.restart(3)
    earlier.engine.lay_in(arrays, 3)
    expected = learner.predict_interval_many(X)
    np.testing.assert_array_equal(earlier.freeze().predict_interval_many(X), expected)


def test_a_first_unit_next_to_nothing_leaves_no_trace():
    scores, units = np.abs(RNG.normal(size=400)), np.ones(400)
    _, usual = covered(scores, units, 0.1)
    units[1] = 1e-16
    _, radii = covered(scores, units, 0.1)
    assert radii.max() < 3.0 * usual.max()
    np.testing.assert_allclose(radii[100:], usual[100:], rtol=0.2)


def test_widths_are_of_the_size_of_errors_from_the_first_rounds_on():
    X = RNG.normal(size=(300, 3))
    y = 1e5 * (2.0 + X @ [0.5, 0.2, -0.1]) + 1e3 * RNG.normal(size=300)
    learner = learners.interval(learners.auto("regression"))
    learner.learn_many(X[:100], y[:100])
    assert learner.covered()["width"] < 2.0 * np.ptp(y)


def test_intervals_hold_about_as_many_targets_as_asked_for():
    X, y = numbers(600)
    learner = learners.interval(learners.normalized_lms(), coverage=0.9)
    learner.learn_many(X, y)
    assert learner.covered()["coverage"] == pytest.approx(0.9, abs=0.02)
    assert [c.holds for c in learner.certificates()] == [True] * 4
    low, high = learner.predict_interval_many(X).T
    assert (low <= high).all()


def test_sets_of_classes_hold_the_label_as_often_as_asked_for():
    X, _ = numbers(600)
    y = np.array(["a", "b", "c"])[np.argmax(X + RNG.normal(size=X.shape), axis=1)]
    learner = learners.interval(learners.one_against_rest(learners.perceptron()), coverage=0.9)
    learner.learn_many(X, y)
    assert learner.covered()["coverage"] == pytest.approx(0.9, abs=0.02)
    assert learner.predict_interval_one(X[0]) <= {"a", "b", "c"}


def test_what_has_no_interval_says_how_to_get_one():
    with pytest.raises(ValueError, match=r"make it with learners\.interval"):
        learners.lms().predict_interval_one([1.0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        learners.interval(learners.lms(), coverage=90)
    with pytest.raises(ValueError, match="is for ranking"):
        learners.interval(learners.ranking(learners.arow()))

"""``auto`` frozen: what it chooses, and that nothing depends on blocks, files or copies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel import Learner, learners
from fenchel.learners import frozen
from fenchel.learners.frozen import next_round
from fenchel.learners.still import margins_of, tempered
from fenchel.loops.frozen_losses import LOSS, charge_candidates
from fenchel.losses import Squared
from fenchel.rows import validate


def follower(rows=3000, seed=0):
    """Labels that repeat: following them wins the next round, one column has what lasts."""
    rng = np.random.default_rng(seed)
    x = np.repeat(rng.standard_normal(rows // 30), 30)
    y = np.where(x + 0.7 * rng.standard_normal(rows) > 0.0, 1.0, -1.0)
    return np.column_stack([x, rng.standard_normal(rows)]), y


def test_the_rounds_of_the_windows():
    assert next_round(63) == 64
    assert next_round(64) == 125
    assert next_round(947) == 1184


def test_weights_that_are_too_many_to_keep_are_not_read(monkeypatch):
    X, y = follower(90)
    learner = learners.auto()
    monkeypatch.setattr(frozen, "MOST", 47)  # of two columns, twelve experts and their means
    monkeypatch.setattr(learner.engine, "weights_in_use", lambda: pytest.fail("read in vain"))
    learner.learn_many(X, y)
    assert learner.engine.frozen_shares() is None


@pytest.mark.parametrize("task", [0, 1, 2])
def test_candidates_are_charged_as_in_numpy(task):
    rng = np.random.default_rng(task)
    X, weights = rng.standard_normal((50, 3)), rng.standard_normal((4, 5, 3 if task == 2 else 1))
    y = rng.integers(0, 3, 50) * 1.0 if task == 2 else rng.choice([-1.0, 1.0], 50)
    margins = np.einsum("tj,jkc->tkc", np.column_stack([np.ones(50), X]), weights)
    read = margins_of(weights, validate.as_rows(X))
    np.testing.assert_allclose(read, margins.transpose(1, 0, 2))
    wrong = (
        margins.argmax(2) != y[:, None] if task == 2 else (margins[..., 0] > 0) != (y > 0)[:, None]
    )
    known = 0.5 * (np.clip(margins[..., 0], -1, 1) - y[:, None]) ** 2 if task == 0 else wrong
    sums = np.zeros((4, 5))
    charge_candidates(
        read, y, np.ones(1), task, Squared(), np.array([-1.0, 1.0]), np.inf, sums, np.zeros((3, 5))
    )
    np.testing.assert_allclose(sums[LOSS], known.sum(axis=0))


def test_blocks_files_and_copies_make_no_difference(tmp_path):
    X, y = follower(420)
    whole, single = learners.auto(), learners.auto()
    whole.learn_many(X, y)
    for t in range(0, 420, 7):
        single.learn_many(X[t : t + 7], y[t : t + 7])
    whole.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    assert loaded.is_frozen
    expected = whole.copy().freeze().decision_many(X)
    assert np.array_equal(expected, loaded.decision_many(X))
    assert np.array_equal(expected, single.freeze().decision_many(X))
    loaded.learn_many(X, y)
    whole.learn_many(X, y)
    assert np.array_equal(whole.freeze().decision_many(X), loaded.freeze().decision_many(X))


def test_frozen_is_no_worse_than_following_and_learning_switches_back():
    frozen = following = 0
    for seed in range(12):  # of one stream six mistakes more or fewer are chance
        X, y = follower(seed=seed)
        learner = learners.auto()
        learner.learn_many(X[:2000], y[:2000])
        following += np.sum(learner.decision_many(X[2000:]) * y[2000:] <= 0)
        frozen += np.sum(learner.freeze().decision_many(X[2000:]) * y[2000:] <= 0)
    assert frozen <= 1.01 * following
    learner.learn_many(X[2000:2001], y[2000:2001])
    assert not learner.is_frozen
    assert sum(learner.shares("frozen").values()) == 1.0


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_labels_alone_are_those_of_the_whole_prediction(task):
    X, y = follower(600)
    y = np.arange(600) % 3 * (y > 0) if task == "multiclass" else y
    learner = learners.auto(task)
    learner.learn_many(X, y)
    margins = learner.engine._read_experts(validate.as_rows(X))
    whole, labels = (getattr(learner.engine.blend, f)(margins) for f in ("read", "read_labels"))
    if task == "regression":
        assert np.array_equal(whole, labels)
    else:
        assert np.array_equal(learner.decode_many(whole), learner.decode_many(labels))


def test_half_of_a_long_window_is_looked_at():
    X, y = follower(6000)
    learner = learners.auto()
    learner.learn_many(X, y)
    looked = learner.engine.frozen.sums[1, 0, 0]  # the window of the 1,130 rows up to 5,649
    assert 555 <= looked <= 575


def test_the_shares_are_how_often_a_candidate_lost_least():
    use = frozen.FrozenUse(3, "binary", Squared())
    use.weights = np.zeros((1, 6, 1))
    use.sums[:, 0] = 100.0
    use.sums[:, LOSS] = 50.0
    use.blended[:] = 60.0
    use.sums[:, LOSS, 1] = [10, 90, 10, 90, 10, 90]  # as good as the next on the whole
    use.sums[:, LOSS, 4] = [90, 10, 90, 10, 90, 10]
    found = use.shares([0, 1, 2])
    assert found.sum() == 1.0
    assert min(found[1], found[4]) > 0.3
    assert use.shares([0, 1])[1] + use.shares([0, 1])[[0, 2, 3]].sum() == 1.0
    use.blended[:, 1] = 5.0
    assert use.shares([0, 1, 2]).tolist() == [0.0] * 7 + [1.0]


def test_a_window_of_much_noise_does_not_decide_alone():
    use = frozen.FrozenUse(2, "regression", Squared())
    use.weights = np.zeros((1, 4, 1))
    use.sums[:, 0] = 100.0
    use.sums[:, LOSS] = 9000.0
    use.blended[:] = 9000.0
    use.sums[:, LOSS, 0] = [
        100,
        100,
        100,
        100,
        100,
        9000,
    ]  # more in all than the next, in one window
    use.sums[:, LOSS, 2] = [200, 200, 200, 200, 200, 6000]
    assert use.shares([0, 1])[0] > 0.8
    use.sums[:, LOSS, 2] = 0.0  # no loss at all
    assert use.shares([0, 1])[2] == 1.0


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_frozen_use_reads_the_mean_of_the_candidates(task, monkeypatch):
    X, y = follower(900)
    y = np.arange(900) % 3 * (y > 0) if task == "multiclass" else y
    learner = learners.auto(task)
    learner.learn_many(X, y)
    engine, use = learner.engine, learner.engine.frozen
    both = np.zeros(2 * len(engine.experts) + 2)
    both[[2, 5]] = 0.25, 0.75
    rows, found = validate.as_rows(X), []
    for c in (2, 5):
        given = (np.arange(len(both)) == c) * 1.0
        found.append(use.reading(given, engine.weights_in_use(), engine.blend, engine.anchors()))
    alone = [still._replace(surest=np.inf).read(rows) for still in found]
    monkeypatch.setattr(engine, "frozen_shares", lambda: both)
    if task == "multiclass":  # logits, up to a number that all classes of a row share
        alone = [np.log(chances) for chances in alone]
        mean = np.exp(0.25 * alone[0] + 0.75 * alone[1])
        mean /= mean.sum(axis=1, keepdims=True)
    else:
        mean = 0.25 * alone[0] + 0.75 * alone[1]
    inside = np.ones(len(X), bool)
    if task == "regression":  # numbers are held within the targets known
        inside = np.all([np.abs(numbers) < 1.0 for numbers in alone], axis=0)
    both_read = engine.still()._replace(surest=np.inf).read(rows)
    np.testing.assert_allclose(both_read[inside], mean[inside], rtol=1e-9, atol=1e-9)


def test_a_class_that_came_late_leaves_the_size_of_margins_alone():
    margins = np.ones((1, 2, 2))
    margins[0, :, 1] = -1.0
    sums = np.zeros((4, 1))
    charge_candidates(
        margins,
        np.array([0.0, 2.0]),
        np.ones(1),
        2,
        Squared(),
        np.zeros(2),
        np.inf,
        sums,
        np.zeros((3, 1)),
    )
    assert sums[:, 0].tolist() == [2.0, 1.0, 2.0, 4.0]


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from([1e-60, 1.0, 1e60]))
def test_sharpness_is_that_of_the_least_log_loss(seed, unit):
    rng = np.random.default_rng(seed)
    logits = rng.standard_t(3.0, 4000) * 2.0
    y = np.where(rng.random(4000) < 1.0 / (1.0 + np.exp(-logits)), 1.0, -1.0)
    sharp, sums = np.zeros((3, 1)), np.zeros((4, 1))
    given_as = (logits * unit).reshape(1, -1, 1)
    charge_candidates(given_as, y, np.ones(1), 1, Squared(), np.zeros(2), np.inf, sums, sharp)
    assert sharp[2, 0] == 4000.0
    grid = np.exp(np.linspace(-2.0, 2.0, 401))
    lost = [np.logaddexp(0.0, -beta * y * logits).mean() for beta in grid]
    found = np.logaddexp(0.0, -sharp[0, 0] * unit * y * logits).mean()
    assert found <= min(lost) + 0.003


def test_sharpness_hardly_minds_rows_far_beyond_the_surest():
    rng = np.random.default_rng(5)
    logits = rng.standard_normal(3000) * 3.0
    y = np.where(rng.random(3000) < 1.0 / (1.0 + np.exp(-logits)), 1.0, -1.0)
    found = []
    for before in (np.inf, 3000.0):
        sharp, given_as = np.zeros((3, 1)), logits.copy()
        given_as[50::100] = -3000.0 * y[50::100]
        given_as = given_as.reshape(1, -1, 1)
        sums = np.zeros((4, 1))
        charge_candidates(given_as, y, np.ones(1), 1, Squared(), np.zeros(2), before, sums, sharp)
        found.append(sharp[0, 0])
    assert found[0] < 0.1
    assert 0.5 < found[1] < 1.2


def test_no_logit_grows_far_beyond_what_the_rows_can_tell():
    logits = np.array([-1e9, -30.0, -3.0, 0.0, 3.0, 30.0])
    found = tempered(logits, 8.0)
    assert np.array_equal(found[2:5], logits[2:5])
    assert np.array_equal(np.sign(found), np.sign(logits))
    assert (np.diff(found) > 0.0).all()
    assert np.abs(found).max() < 30.0
    assert np.array_equal(tempered(logits, np.inf), logits)


def test_a_row_far_beyond_all_others_costs_little():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 3))
    y = np.sign(X[:, 0] + 0.3 * rng.standard_normal(3000))
    learner = learners.auto()
    learner.learn_many(X, y)
    far = np.array([[1e6, 0.0, 0.0]])
    assert learner.freeze().predict_one(far[0]) == 1.0
    assert np.abs(learner.decision_many(far))[0] < 40.0


def test_frozen_probabilities_of_many_classes_that_are_hard_to_tell_apart():
    """The lead of the right class is below 0 in the mean, but chances are not even for that."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(6000, 12))
    heights = 0.7 * X + rng.gumbel(size=X.shape)
    y = heights.argmax(axis=1)
    learner = learners.auto("multiclass", classes=list(range(12)))
    learner.learn_many(X[:4000], y[:4000])
    chances = learner.freeze().predict_proba_many(X[4000:])
    lost = -np.log(chances[np.arange(2000), y[4000:]]).mean()
    even, known = np.log(12), 0.7 * X[4000:]
    best = (np.log(np.exp(known).sum(axis=1)) - known[np.arange(2000), y[4000:]]).mean()
    assert best < lost < 0.5 * (best + even)
    mistakes = np.mean(learner.predict_many(X[4000:]) != y[4000:])
    assert mistakes < np.mean(known.argmax(axis=1) != y[4000:]) + 0.05

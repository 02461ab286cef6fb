"""The mixture with a combination, against a textbook written row by row; units; probabilities."""

import numpy as np
import pytest
import textbook_probabilities as textbook

from fenchel import learners
from fenchel.learners import Learner, Mixture

ROWS = 160


def experts():
    return [learners.perceptron(), learners.arow(), learners.coin_betting(loss="logistic")]


def two_classes(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 5))
    y = np.where(X @ [1.0, -2.0, 0.5, 0.0, 0.3] + rng.normal(size=ROWS) > 0.0, 1, -1)
    return X, y


def numbers(seed=0):
    X, _ = two_classes(seed)
    return X, X @ [1.0, -2.0, 0.5, 0.0, 0.3] + 3.0 + np.random.default_rng(1).normal(size=ROWS)


def several_classes(seed=0):
    X, _ = two_classes(seed)
    return X, np.argmax(X[:, :3] + 0.3 * X[:, 2:], axis=1)


STREAMS = {"binary": two_classes, "regression": numbers, "multiclass": several_classes}


def textbook_hedge(losses, behind=0.0, gap=0.0):
    """AdaHedge's shares before each round, from the losses of all, which begin with ``behind``."""
    totals, shares = np.zeros(losses.shape[1]) + behind, []
    for row in losses:
        more = totals - totals.min()
        v = np.exp(-np.log(len(row)) / gap * more) if gap > 0.0 else (more == 0.0) * 1.0
        v /= v.sum()
        shares.append(v)
        if gap > 0.0:
            eta = np.log(len(row)) / gap
            gap += max(0.0, v @ row + np.log(v @ np.exp(-eta * row)) / eta)
        else:
            gap += v @ row - row[v > 0.0].min()
        totals += row
    return np.array(shares)


def textbook_coins(standard, y):
    """The probability of +1 by coin betting on two classes."""
    coins, stakes, wealth = (np.zeros(standard.shape[1]) for _ in range(3))
    wealth += 1.0
    out = []
    for s, label in zip(standard, y, strict=True):
        bets = np.maximum(coins, 0.0) / (stakes + 1.0) * wealth
        out.append(1.0 / (1.0 + np.exp(-bets @ s)))
        coin = ((label > 0) - out[-1]) * s
        wealth += coin * bets
        coins += coin
        stakes += np.abs(coin)
    return np.array(out)


def test_binary_combination_is_the_textbook():
    X, y = two_classes()
    margins = np.stack([e.learn_many(X, y) for e in experts()], axis=1)
    sizes = np.cumsum(np.abs(margins), axis=0) / np.arange(1, ROWS + 1)[:, None]
    standard = margins / np.where(sizes > 0.0, sizes, 1.0)
    chance = textbook_coins(np.clip(standard, -1.0, 1.0), y)
    signs = np.where(margins > 0.0, 1.0, -1.0)
    vote = (textbook_hedge((1.0 - y[:, None] * signs) / 2.0) * signs).sum(axis=1)
    led = np.where(chance == 0.5, vote, chance - 0.5)  # the vote settles a tie
    both = np.stack([vote, np.where(led > 0.0, 1.0, -1.0)], axis=1)
    chosen = textbook_hedge((1.0 - y[:, None] * both) / 2.0, behind=[5.0, 0.0], gap=5.0)
    final = (chosen * both).sum(axis=1)
    refined = textbook.stacked(np.log(chance / (1.0 - chance)), standard, (y > 0) * 1)
    logits = textbook.calibrated_two(np.log(refined[:, 1] / refined[:, 0]), (y > 0) * 1)
    sign = np.where(final > 0.0, 1.0, -1.0)
    ahead = sign * logits
    expected = np.where(ahead > 1e-3, logits, sign * 1e-3 * np.exp(ahead - 1e-3))
    got = learners.hedge(experts(), combined=True).learn_many(X, y)
    np.testing.assert_allclose(got, expected, atol=1e-8)


@pytest.mark.parametrize("task", STREAMS)
def test_auto_is_the_same_in_pieces_and_after_a_file(task, tmp_path):
    X, y = STREAMS[task]()
    whole = learners.auto(task, classes=[0, 1, 2] if task == "multiclass" else None)
    pieces = whole.copy()
    expected = whole.learn_many(X, y)
    got = []
    for begin, end in ((0, 1), (1, 70), (70, ROWS)):
        got.append(pieces.learn_many(X[begin:end], y[begin:end]))
        pieces.save(tmp_path / "auto.model")
        pieces = Learner.load(tmp_path / "auto.model").copy()
    np.testing.assert_array_equal(np.concatenate(got), expected)


def test_a_class_may_appear_after_the_first_piece_of_a_block(monkeypatch):
    monkeypatch.setattr("fenchel.learners.mixture.PIECE", 5)
    X = np.ones((3, 7))  # a row is more than a piece
    learner = learners.hedge([learners.one_against_rest(learners.arow())], combined=True)
    votes = learner.learn_many(X, ["a", "b", "c"])
    assert votes.shape == (3, 3)
    assert not votes[0].any()
    assert votes[1, 0] > 0.9


@pytest.mark.parametrize("task", STREAMS)
def test_auto_ignores_the_units_of_the_features(task):
    X, y = STREAMS[task]()
    units = 2.0 ** np.array([40.0, -30.0, 3.0, 0.0, -7.0])
    expected = learners.auto(task).learn_many(X, y)
    np.testing.assert_array_equal(learners.auto(task).learn_many(X * units, y), expected)


@pytest.mark.parametrize("task", STREAMS)
def test_auto_reads_what_the_next_round_sees(task):
    X, y = STREAMS[task]()
    learner = learners.auto(task)
    learner.learn_many(X[:-1], y[:-1])
    read = learner.decision_many(X[-1:])
    np.testing.assert_allclose(learner.learn_many(X[-1:], y[-1:]), read, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("task", STREAMS)
def test_pieces_on_their_way_side_by_side_do_not_disturb_each_other(task, monkeypatch):
    X, y = STREAMS[task]()
    classes = [0, 1, 2] if task == "multiclass" else None
    expected = learners.auto(task, classes=classes).learn_many(X, y)
    monkeypatch.setattr("fenchel.learners.mixture.PIECE", 40)
    learner = learners.auto(task, classes=classes)
    got = [learner.learn_many(X[begin:end], y[begin:end]) for begin, end in ((0, 10), (10, ROWS))]
    np.testing.assert_array_equal(np.concatenate(got), expected)


QUIET = {  # learners that a row of no importance leaves as they were
    "binary": [learners.perceptron(), learners.arow()],
    "regression": [learners.lms(), learners.vovk_azoury_warmuth()],
    "multiclass": [learners.one_against_rest(learners.arow())],
}


@pytest.mark.parametrize("task", STREAMS)
def test_a_row_of_no_importance_changes_nothing(task):
    X, y = STREAMS[task]()
    engines = [learner.engine for learner in QUIET[task]]
    plain = Learner(Mixture(engines, name="hedge", parameters={}, combined=True, unitless=True))
    plain.learn_many(X[:100], y[:100])
    disturbed = plain.copy()
    disturbed.learn_many(X[100:110] * 9.0, y[100:110], np.zeros(10))
    np.testing.assert_array_equal(disturbed.decision_many(X[110:]), plain.decision_many(X[110:]))


@pytest.mark.parametrize("task", ["binary", "multiclass"])
@pytest.mark.parametrize("combined", [False, True])
def test_the_predicted_class_is_the_likeliest(task, combined):
    X, y = STREAMS[task]()
    makers = experts()
    if task == "multiclass":
        makers = [learners.one_against_rest(e) for e in makers]
    learner = learners.hedge(makers, combined=combined)
    learner.learn_many(X, y)
    chances = learner.predict_proba_many(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    likeliest = np.array(learner.classes)[np.argmax(chances, axis=1)]
    np.testing.assert_array_equal(likeliest, learner.predict_many(X))
    one = learner.predict_proba_one(X[0])
    assert max(one, key=one.get) == learner.predict_one(X[0])


def test_the_expected_loss_keeps_to_its_bound():
    X, y = two_classes()
    learner = learners.hedge(experts(), combined=True)
    learner.learn_many(X, y)
    mixture, choice = learner.engine.blend.hedge, learner.engine.blend.choice
    regret = choice.expected[0] - mixture.losses.min()
    assert regret <= 2.0 * mixture.gap[0] + 2.0 * choice.gap[0] + 1e-9


def test_the_inverses_of_the_refinement_stay_symmetric_to_the_bit():
    """Their rows are read for their columns."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 5))
    learner = learners.auto()
    learner.learn_many(X, X[:, 0] + X[:, 1] * X[:, 2] > 0.0)
    inverses = learner.state_arrays()["combination.stack.inverses"]
    assert np.abs(inverses[:, 0, 1:]).max() > 0.0
    np.testing.assert_array_equal(inverses, inverses.transpose(0, 2, 1))

"""Mistakes, margin errors, updates, constants and chance, against their definitions."""

import numpy as np
import pytest
from scipy import stats

from fenchel import learners
from fenchel.evaluate import BestConstant, compare, outcome, progressive
from fenchel.evaluate.metrics import PoissonDeviance, QuantileLoss
from fenchel.evaluate.own_loss import BestMean, BestQuantile, losses_in
from fenchel.evaluate.significance import Pairs, sign_test
from fenchel.streams import from_arrays


@pytest.fixture
def data():
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 5))
    return X, np.where(X[:, 0] + 0.5 * random.normal(size=300) > 0, 1.0, -1.0)


def _moves(learner, X, y) -> int:
    """In how many rounds the state changed beyond counting rounds."""
    moved = 0
    for x, label in zip(X, y, strict=True):
        before = learner.weights().copy() if learner.columns else np.zeros(len(x))
        bias = learner.bias if learner.columns else 0.0
        learner.learn_one(x, label)
        moved += not (np.array_equal(learner.weights(), before) and learner.bias == bias)
    return moved


@pytest.mark.parametrize(
    "make",
    [
        learners.perceptron,
        learners.passive_aggressive,
        learners.arow,
        lambda: learners.arow(form="original"),
        lambda: learners.gradient_descent(schedule="constant"),
        lambda: learners.gradient_descent(schedule="constant", loss="logistic"),
    ],
)
def test_updates_are_the_rounds_that_moved_the_weights(make, data) -> None:
    X, y = data
    score = progressive(make(), from_arrays(X, y))
    assert score.updates == _moves(make(), X, y)
    assert score.rounds == 300


def test_mistakes_and_margin_errors_of_two_classes() -> None:
    margins = np.array([0.0, 0.5, 1.0, -0.5, 2.0])
    found = outcome(learners.arow(), margins, np.array([1.0, 1.0, 1.0, 1.0, -1.0]), 2)
    assert found.mistakes.tolist() == [True, False, False, True, True]
    assert found.margin_errors.tolist() == [False, True, False, False, False]
    assert found.losses.tolist() == [1.0, 0.0, 0.0, 1.0, 1.0]


def test_a_class_seen_for_the_first_time_is_a_mistake() -> None:
    scores = np.array([[-np.inf, -np.inf], [0.5, -np.inf], [2.0, 0.5], [0.1, 0.4]])
    learner = learners.one_against_rest(learners.perceptron())
    found = outcome(learner, scores, np.array([0.0, 1.0, 0.0, 1.0]), known=0)
    assert found.mistakes.tolist() == [True, True, False, False]
    assert found.margin_errors.tolist() == [False, False, False, True]


def test_the_best_constant_is_found_block_by_block() -> None:
    random = np.random.default_rng(0)
    y, weights = 1e6 + random.normal(size=100), random.random(100)
    constant = BestConstant(regression=True)
    for part in np.array_split(np.arange(100), 7):
        constant.see(y[part], weights[part])
    mean = np.average(y, weights=weights)
    assert constant.value == pytest.approx(mean, rel=1e-12)
    assert constant.loss == pytest.approx(np.average((y - mean) ** 2, weights=weights), rel=1e-9)


def test_the_best_quantile_is_found_block_by_block_in_bounded_memory() -> None:
    random = np.random.default_rng(0)
    y, weights = random.normal(size=1001), random.random(1001)
    constant = BestQuantile(0.75)
    for part in np.array_split(np.arange(1001), 7):
        constant.see(y[part], weights[part])
    loss = QuantileLoss(0.75)
    costs = [losses_in(loss, np.full(1001, c), y) @ weights for c in y]
    assert constant.value == y[int(np.argmin(costs))]
    assert constant.loss == pytest.approx(min(costs) / weights.sum(), rel=1e-12)
    many = random.normal(size=1_000_000)
    constant = BestQuantile(0.9)
    for part in np.array_split(many, 9):
        constant.see(part)
    exact = np.quantile(many, 0.9)
    assert constant.value == pytest.approx(exact, abs=1e-3)
    costs = losses_in(QuantileLoss(0.9), np.full(1, exact), many)
    assert constant.loss == pytest.approx(costs.mean(), rel=1e-6)
    assert len(constant._targets) <= 1 << 17


def test_the_best_mean_of_counts_has_its_deviance() -> None:
    y, weights = np.array([0.0, 3.0, 1.0, 0.0, 7.0]), np.array([1.0, 2.0, 0.5, 1.0, 1.0])
    constant = BestMean()
    constant.see(y[:2], weights[:2])
    constant.see(y[2:], weights[2:])
    mean = np.average(y, weights=weights)
    assert constant.value == pytest.approx(mean, rel=1e-12)
    costs = losses_in(PoissonDeviance(), np.full(5, mean), y)
    assert constant.loss == pytest.approx(np.average(costs, weights=weights), rel=1e-12)


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (3, 1), (40, 60), (700, 900), (9000, 8500)])
def test_the_sign_test_is_the_binomial_one(won, lost) -> None:
    exact = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert sign_test(won, lost) == pytest.approx(exact, rel=0.05)


def test_pairs_of_mistakes() -> None:
    first = np.array([1.0, 0.0, 0.0, 0.0])
    other = np.array([0.0, 1.0, 1.0, 0.0])
    pairs = Pairs(2, regression=False)
    pairs.see([first[:2], other[:2]])
    pairs.see([first[2:], other[2:]])
    verdict = pairs.verdict(0, 1)
    assert (verdict.won, verdict.lost) == (2.0, 1.0)
    assert verdict.could_be_chance


def test_pairs_of_numbers_are_the_paired_z_test() -> None:
    random = np.random.default_rng(0)
    losses = [random.random(500), random.random(500) + 0.05]
    pairs = Pairs(2, regression=True)
    pairs.see(losses)
    apart = losses[1] - losses[0]
    z = apart.mean() / (apart.std() / np.sqrt(500))
    verdict = pairs.verdict(0, 1)
    assert verdict.won == pytest.approx(apart.mean())
    assert verdict.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6)


def test_a_learner_that_ran_away_is_no_tie() -> None:
    pairs = Pairs(2, regression=True)
    pairs.see([np.ones(3), np.full(3, 1e300)])
    assert not pairs.verdict(0, 1).could_be_chance


def test_comparing_equals_running_alone(data) -> None:
    X, y = data
    makers = {"a": learners.perceptron, "b": learners.arow, "c": learners.passive_aggressive}
    result = compare({name: make() for name, make in makers.items()}, from_arrays(X, y))
    for name, score, memory in result.entrants:
        alone = progressive(makers[name](), from_arrays(X, y))
        assert (alone.mistakes, alone.margin_errors, alone.updates) == (
            score.mistakes, score.margin_errors, score.updates
        )  # fmt: skip
        assert memory > 0
    assert result.verdicts[0].p_value == 1.0
    assert result.constant.loss == pytest.approx(min(np.mean(y > 0), np.mean(y < 0)))


def test_a_comparison_needs_one_task(data) -> None:
    with pytest.raises(ValueError, match="one task"):
        compare({"a": learners.lms(), "b": learners.arow()}, from_arrays(*data))

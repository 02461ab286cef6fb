"""What experts that have retired leave to the refinement, and how it learns from long streams."""

import numpy as np
import pytest

from fenchel import learners
from fenchel.loops.coin_stacking import AHEAD, decide, new_choice
from fenchel.loops.newton_mixture import ALL_OF_FIRST, STRIDE, stands_for
from fenchel.loops.refined_stacking import new_stack, places_of, refine

RNG = np.random.default_rng(5)
ROWS = 200
ON = np.array([1.0, 0.0, 1.0, 1.0, 0.0])


@pytest.mark.parametrize("classes", [2, 3])
def test_experts_that_have_retired_are_as_if_they_had_never_been(classes):
    several = classes if classes > 2 else 1
    margins, y = RNG.normal(size=(5, ROWS, several)), RNG.integers(0, classes, ROWS)
    logits, sizes = RNG.normal(size=(ROWS, classes)), RNG.uniform(0.5, 2.0, (ROWS, 5))
    kept = ON > 0.0
    found = []
    for stack, m, s, on in (
        (new_stack(5), margins, sizes, ON),
        (new_stack(3), margins[kept], np.ascontiguousarray(sizes[:, kept]), np.ones(3)),
    ):
        out = np.empty((ROWS, classes))
        of_experts = m, places_of(on), s, np.zeros(0, np.int64)
        refine(stack, logits, *of_experts, y, np.ones(1), np.ones(1), True, out)
        found.append((out, stack))
    (all_out, of_all), (some_out, of_some) = found
    np.testing.assert_array_equal(all_out, some_out)
    places = places_of(ON)
    np.testing.assert_array_equal(of_all.weights[:, places], of_some.weights)
    np.testing.assert_array_equal(of_all.inverses[:, places][:, :, places], of_some.inverses)
    others = np.setdiff1d(np.arange(12), places)
    np.testing.assert_array_equal(of_all.weights[:, others], 0.0)


def test_little_is_lost_to_a_forecaster():
    margins, y = RNG.normal(size=(3, ROWS, 1)), RNG.integers(0, 2, ROWS)
    margins[1, :, 0] = np.where(y == 1, 3.0, -3.0) * (RNG.random(ROWS) < 0.9)  # it knows
    logits, sizes = np.zeros((ROWS, 2)), np.ones((ROWS, 3))
    for forecasters in ([1], [-1, 1], [2, 1]):
        out = np.empty((ROWS, 2))
        stack = new_stack(3, len(forecasters))
        of_experts = margins, places_of(np.ones(3)), sizes, np.array(forecasters)
        refine(stack, logits, *of_experts, y, np.ones(1), np.ones(1), True, out)
        lost = -np.log(out[np.arange(ROWS), y]).sum()
        alone = np.logaddexp(0.0, np.where(y == 1, -1.0, 1.0) * margins[1, :, 0]).sum()
        assert lost <= alone + np.log(len(stack.shares))


def test_the_class_of_the_probabilities_decides_where_it_is_the_best():
    ballots = np.tile([1.0, 0.0], (ROWS, 1))
    likeliest, y = np.zeros(ROWS, np.int64), np.ones(ROWS, np.int64)
    for options in (2, 3):
        decided = np.empty(ROWS, np.int64)
        choice = new_choice(options == 3)
        decide(choice, ballots, likeliest, y, y, np.ones(1), True, decided)
        behind = int(np.argmax(decided == 1)) if options == 3 else ROWS
        assert (decided == 1).sum() == ROWS - behind
        assert behind <= 2 * AHEAD if options == 3 else not decided.any()
        assert choice.losses[2:].tolist() == [AHEAD] * (options - 2)


def test_the_vote_decides_once_it_has_been_better_than_the_coins_for_some_rounds():
    ballots = np.tile([0.0, 1.0], (ROWS, 1))
    likeliest, y = np.zeros(ROWS, np.int64), np.ones(ROWS, np.int64)
    decided = np.empty(ROWS, np.int64)
    decide(new_choice(True), ballots, likeliest, likeliest, y, np.ones(1), True, decided)
    assert decided[: int(AHEAD)].max() == 0
    assert decided[2 * int(AHEAD) :].min() == 1


def test_rows_that_are_learned_from_stand_for_the_others():
    late = np.array([stands_for(float(t)) for t in range(ALL_OF_FIRST, ALL_OF_FIRST + 10_000)])
    assert set(late) == {0.0, STRIDE}
    assert late.mean() == pytest.approx(1.0, abs=0.01)
    assert all(stands_for(float(t)) == 1.0 for t in range(0, ALL_OF_FIRST, 997))


def test_long_streams_are_the_same_in_blocks_and_one_by_one():
    count = ALL_OF_FIRST + 600
    X = RNG.normal(size=(count, 2))
    y = np.where(X @ [1.0, -1.0] + RNG.normal(size=count) > 0.0, 1, -1)
    block, single = (learners.hedge(["perceptron", "arow"], combined=True) for _ in range(2))
    rows = [{"a": a, "b": b} for a, b in X.tolist()]
    block.learn_many(rows, y)
    for x, label in zip(rows, y.tolist(), strict=True):
        single.learn_one(x, label)
    expected, got = block.engine.state_arrays(), single.engine.state_arrays()
    assert expected.keys() == got.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(array, got[name], err_msg=name)
    seen = expected["combination.stack.totals"][0]
    assert ALL_OF_FIRST < seen < count - 100  # beyond the first not all are learned from
    assert all(c.holds for c in block.calibration_certificates())

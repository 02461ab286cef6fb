"""Learners trained apart and merged: exact where the mathematics is, and never dependent on an order."""

import numba
import numpy as np
import pytest

from fenchel import learners, merge
from fenchel._numba import blas
from fenchel.learners import Learner, from_specification
from fenchel.loops.coin_stacking import AHEAD, VOTE
from fenchel.regularizers.full_adagrad import FullAdaGrad
from fenchel.regularizers.uniting import Shards, unite_parts
from fenchel.rows import Block, validate

rng = np.random.default_rng(7)
X = rng.normal(size=(224, 5)) * [1.0, 3.0, 0.2, 10.0, 1.0]
NUMBERS = X @ [1.0, -0.5, 4.0, 0.1, 0.0] + 0.3 * rng.normal(size=len(X))
SIDES = np.where(NUMBERS > 0.0, 1, -1)
ALL = slice(0, None)

SINGLE = [
    "perceptron:averaged=yes",
    "p_norm_perceptron:p=3",
    "winnow",
    "dual_averaging:l1=0.01",
    "arow:diagonal=no",
    "arow:form=original",
    "adagrad:l1=0.001",
    "ftrl_proximal:l1=0.1",
    "coin_betting",
    "normalized_adaptive_gradient",
    "scale_invariant_adagrad",
    "hedge:combined=yes,experts=arow+perceptron",
    "one_against_rest:learner=arow",
    "max_margin:learner=arow",
    "interval:learner=arow",
    "auto",
]
# The others, in plain Python (NUMBA_DISABLE_JIT=1) only: each takes its time to compile.
if numba.config.DISABLE_JIT:
    SINGLE += [
        "tuned_aggressive",
        "passive_aggressive",
        "gradient_descent:domain=ball",
        "strongly_convex",
        "exponentiated_gradient",
        "arow:form=original,half_life=50",
        "second_order_perceptron",
        "soft_confidence_weighted",
        "adagrad",
        "online_newton_step",
        "naive_bayes",
        "scinol",
        "scinol:form=1",
        "freegrad",
        "scale_invariant_p_norm",
        "max_margin:learner=adagrad",
    ]
FORECASTERS = ["vovk_azoury_warmuth", "vovk_azoury_warmuth:diagonal=yes"]


def rows(which, order=range(5)):
    return [{f"x{j}": float(X[i, j]) for j in order} for i in np.arange(len(X))[which]]


def shards_of(specification, y, count, start=None):
    """Learners of as many shards, each with its columns in another order."""
    found = []
    for k, part in enumerate(np.array_split(np.arange(len(X)), count)):
        learner = from_specification(specification) if start is None else start.copy()
        learner.learn_many(rows(part, np.roll(range(5), k)), y[part])
        found.append(learner)
    return found


def settled(named, y):
    """``auto`` before it has learned anything, its means settled by rows with names."""
    learner, twin = learners.auto(), learners.auto()
    twin.learn_many(named, y)
    names = list(twin.names)
    columns = np.array([[row.get(name, 0.0) for name in names] for row in named])
    assert learner.settle_block(Block(validate.as_rows(columns), y))
    learner.names = twin.names.first_names(learner.columns)
    return learner


def margins(learner):
    return learner.decision_many(rows(slice(0, 40)))


@pytest.mark.parametrize("count", [1, 2, 7, 32])
@pytest.mark.parametrize("specification", FORECASTERS)
def test_forecasters_merged_are_one_machine(specification, count):
    one = from_specification(specification)
    one.learn_many(rows(ALL), NUMBERS)
    merged = merge(shards_of(specification, NUMBERS, count))
    assert merged.rounds == len(X)
    np.testing.assert_allclose(margins(merged), margins(one), rtol=0, atol=1e-9)


def test_forecasters_that_began_with_a_model_are_one_machine():
    start = from_specification("vovk_azoury_warmuth")
    start.learn_many(rows(slice(0, 30)), NUMBERS[:30])
    one = start.copy()
    one.learn_many(rows(ALL), NUMBERS)
    merged = merge(shards_of("vovk_azoury_warmuth", NUMBERS, 7, start), start)
    assert merged.rounds == one.rounds
    np.testing.assert_allclose(margins(merged), margins(one), rtol=0, atol=1e-9)


@pytest.mark.parametrize("shared", ["no", "yes"])
def test_outputs_merged_are_one_machine(shared):
    if shared == "yes" and not blas.are_available():
        pytest.skip("BLAS is called in the fast way alone")
    both = np.stack([NUMBERS, -NUMBERS], axis=1)
    specification = f"multi_output:shared={shared},learner=vovk_azoury_warmuth"
    one = from_specification(specification)
    one.learn_many(rows(ALL), both)
    merged = merge(shards_of(specification, both, 5))
    np.testing.assert_allclose(margins(merged), margins(one), rtol=0, atol=1e-9)


@pytest.mark.parametrize("specification", SINGLE)
def test_the_order_of_merging_does_not_matter(specification):
    start = from_specification(specification)
    if specification == "auto":  # experts on products are merged where means are the same
        start = settled(rows(slice(0, 20)), SIDES[:20])
    a, b, c = shards_of(specification, SIDES, 3, start)
    found = margins(merge([a, b, c], start))
    # auto sees features in units that its shards have learned apart: regrouped, these differ a little.
    size = np.abs(found).max() * (1e4 if specification == "auto" else 1.0)
    backwards = merge([c, a, b], start)
    left, right = merge([a, b], start), merge([c, b], start)
    for other in (backwards, merge([left, c], start), merge([a, right], start)):
        np.testing.assert_allclose(margins(other), found, rtol=0, atol=1e-6 * size)


@pytest.mark.parametrize("specification", SINGLE)
def test_one_learner_merged_is_itself(specification):
    alone = shards_of(specification, SIDES, 1)[0]
    found = margins(alone)
    merged = merge([alone])
    np.testing.assert_allclose(margins(merged), found, rtol=0, atol=1e-6 * np.abs(found).max())
    assert (merged.rounds, merged.updates) == (alone.rounds, alone.updates)


@pytest.mark.parametrize("specification", SINGLE)
def test_what_was_merged_is_no_worse_than_its_parts(specification):
    parts = shards_of(specification, SIDES, 4)
    wrong = [
        np.mean(learner.predict_many(rows(ALL)) != SIDES) for learner in (merge(parts), *parts)
    ]
    assert wrong[0] <= np.mean(wrong[1:]) + 0.02


@pytest.mark.parametrize("specification", ["lms", "auto:task=regression"])
def test_numbers_keep_their_scale(specification):
    parts = shards_of(specification, NUMBERS / 10.0, 4)
    found = margins(merge(parts))
    assert np.abs(found).max() < 3.0 * np.abs(NUMBERS / 10.0).max()


def test_classes_and_names_are_united():
    left, right = (learners.one_against_rest(learners.perceptron()) for _ in range(2))
    for _ in range(3):
        left.learn_many([{"a": 1.0}, {"b": 1.0}], ["x", "y"])
        right.learn_many([{"c": 1.0}, {"b": 1.0}], ["z", "y"])
    merged = merge([left, right])
    assert merged.classes == ["x", "y", "z"]
    assert sorted(merged.weights()) == ["a", "b", "c"]
    assert merged.predict_one({"c": 1.0}) == "z"


def test_a_merged_learner_is_saved_and_goes_on(tmp_path):
    merged = merge(shards_of("auto", SIDES, 3))
    merged.save(tmp_path / "m.fenchel")
    loaded = Learner.load(tmp_path / "m.fenchel")
    assert loaded.merged == {"learners": 3, "start": 0}
    both = [learner.learn_many(rows(ALL), SIDES) for learner in (merged, loaded)]
    np.testing.assert_array_equal(*both)


def test_certificates_of_single_runs_are_withdrawn():
    parts = shards_of("perceptron:certify=yes", SIDES, 2)
    with pytest.raises(
        ValueError, match="merged from 2 learners, or polished, and certificates speak of one run"
    ):
        merge(parts).certificates()


@pytest.mark.parametrize("start", [None, "start"])
def test_bounds_that_survive_hold(start):
    begun = None if start is None else shards_of("auto", SIDES, 4)[0]
    merged = merge(shards_of("auto", SIDES, 4, begun), begun)
    for _ in range(2):
        assert all(c.holds for c in merged.calibration_certificates())
        if start is None:
            assert all(c.holds for c in merged.certificates())
        merged.learn_many(rows(ALL), -SIDES)


@pytest.mark.parametrize("earlier", [False, True])
def test_the_vote_of_merged_mixtures_has_lost_what_it_was_expected_to(earlier):
    parts = shards_of("auto", SIDES, 4)
    for part in parts if earlier else []:  # whose vote began level with the coins
        choice = part.engine.blend.choice
        choice.losses[VOTE] -= AHEAD
        choice.gap[0] -= AHEAD
    merged, gaps = merge(parts), [part.engine.blend.choice.gap[0] for part in parts]
    blend = merged.engine.blend
    assert blend.choice.losses[VOTE] == blend.hedge.expected[0]
    assert blend.choice.gap[0] == pytest.approx(sum(gaps))
    lost = sum(part.engine.blend.hedge.expected[0] for part in parts)
    assert blend.hedge.expected[0] == pytest.approx(lost)


def test_two_codings_of_classes_are_refused():
    left, right = learners.perceptron(), learners.perceptron()
    left.learn_many([{"a": 1.0}, {"b": 1.0}], ["ham", "spam"])
    right.learn_many([{"a": 1.0}, {"b": 1.0}], ["spam", "ham"])
    with pytest.raises(ValueError, match="two codings of the classes"):
        merge([left, right])


def test_other_specifications_are_refused():
    with pytest.raises(ValueError, match="arow:r=2 and arow cannot be merged"):
        merge([learners.arow(), learners.arow(r=2)])


def test_parts_without_a_rule_are_refused_by_name():
    f = FullAdaGrad().begin(2)
    with pytest.raises(ValueError, match="FullAdaGrad has no rule for merging"):
        unite_parts(f, Shards([f], f, [1.0]))


def test_columns_of_two_kinds_are_refused():
    left, right = learners.perceptron(), learners.perceptron()
    left.learn_many([{"hour": 7.0}, {"hour": 8.0}], [1, -1])
    right.learn_many([{"hour": "7h"}, {"hour": "8h"}], [1, -1])
    for pair in ([left, right], [right, left]):
        with pytest.raises(ValueError, match="the column 'hour' is"):
            merge(pair)


@pytest.mark.parametrize(
    "specification", ["arow", "arow:form=original", "arow:r=10,diagonal=no", "coin_betting"]
)
def test_corrections_that_all_shards_make_are_not_added_up(specification):
    """Features that say the same: sums of all corrections would go too far, in turns."""
    random = np.random.default_rng(0)
    same = random.random((1600, 1)) < 0.3
    X = np.where(random.random((1600, 100)) < 0.9, same, random.random((1600, 100)) < 0.3) * 1.0
    y = np.where(same[:, 0] ^ (random.random(1600) < 0.1), 1, -1)
    start = None
    for _ in range(4):
        parts = [
            from_specification(specification) if start is None else start.copy() for _ in range(16)
        ]
        for part, rows in zip(parts, np.array_split(np.arange(1600), 16), strict=True):
            part.learn_many(X[rows], y[rows])
        start = merge(parts, start)
    assert np.mean(start.predict_many(X) != y) < 0.15


@pytest.mark.parametrize("specification", ["arow:form=original", "coin_betting"])
def test_one_shard_with_enormous_values_does_not_decide_alone(specification):
    random = np.random.default_rng(3)
    X = random.normal(size=(2400, 2))
    y = np.where(X[:, 0] + 0.2 * X[:, 1] > 0.0, 1, -1)
    X[7, 0], y[7] = 1e4, -1
    parts = [from_specification(specification) for _ in range(8)]
    for part, rows in zip(parts, np.array_split(np.arange(2400), 8), strict=True):
        part.learn_many(X[rows], y[rows])
    assert np.mean(merge(parts).predict_many(X) != y) < 0.05


def test_frozen_use_of_what_was_merged_is_by_the_merged_weights():
    """What shards set aside long ago is no candidate any more."""
    merged = merge(shards_of("auto", SIDES, 3))
    shares = merged.engine.frozen.shares(merged.engine.blend.active)
    assert shares.any()
    assert not shares[1::2].any()  # means along the run begin anew
    before, after = merged.engine.frozen.weights, merged.engine.weights_in_use()
    np.testing.assert_allclose(before[:, 2], after[1][: len(before)])


def curved(count):
    """Inside and outside of a circle, around a point far from 0."""
    centre = np.array([3.0, -2.0])
    X = centre + np.random.default_rng(5).normal(size=(count, 2))
    return X, np.where(((X - centre) ** 2).sum(axis=1) < 1.4, 1, -1)


@pytest.mark.parametrize("rounds", [1, 2])
def test_products_are_merged_where_all_began_with_the_same_means(rounds):
    X, y = curved(2000)
    start = learners.auto()
    assert start.settle_block(Block(validate.as_rows(X[:300]), y[:300]))
    for _ in range(rounds):
        parts = [start.copy() for _ in range(4)]
        for part, rows in zip(parts, np.array_split(np.arange(1600), 4), strict=True):
            part.learn_many(X[rows], y[rows])
        start = merge(parts, start)
    assert any("on products" in name for name, share in start.shares().items() if share > 0.0)
    for learner in (start, start.freeze()):
        assert np.mean(learner.predict_many(X[1600:]) != y[1600:]) < 0.06


@pytest.mark.parametrize("order", [1, -1])
def test_where_means_differ_products_are_those_of_the_learner_with_most_rows(order):
    X, y = curved(1600)
    parts = [learners.auto() for _ in range(3)]
    for part, begin, end in zip(parts, (0, 300, 1200), (300, 1200, 1200), strict=True):
        part.learn_many(X[begin:end], y[begin:end])
    merged = merge(parts[::order])
    (shares,) = {tuple(merged.shares()), tuple(parts[1].shares())}
    where = next(k for k, name in enumerate(shares) if "on products" in name)
    expected, found = (learner.engine.experts[where].weights() for learner in (parts[1], merged))
    np.testing.assert_array_equal(found, expected)
    for learner in (merged, merged.freeze()):
        assert np.mean(learner.predict_many(X[1200:]) != y[1200:]) < 0.06
    assert all(c.holds for c in merged.certificates())


def test_columns_that_only_some_shards_met_leave_products_as_they_are():
    """Means were settled by the first rows: of later columns there are no products."""
    X, y = curved(1200)
    rows = [{"a": float(a), "b": float(b)} for a, b in X]
    for k, row in enumerate(rows[300:], 300):
        row[f"rare{k // 300}"] = float(k % 30 == 0)
    start = settled(rows[:300], y[:300])
    parts = [start.copy() for _ in range(3)]
    for k, part in enumerate(parts):
        own = slice(300 * k, 300 * (k + 1))
        part.learn_many(rows[own], y[own])
    merged = merge(parts, start)
    assert len(merged.names) == 5 - 1
    kept = [name for name, share in merged.shares().items() if share > 0.0]
    assert any("on products" in name for name in kept)
    assert np.mean(merged.predict_many(rows[900:]) != y[900:]) < 0.1


def test_a_learner_that_saw_nothing_adds_nothing():
    X, y = curved(800)
    learner = learners.auto()
    learner.learn_many(X, y)
    merged = merge([learner, learners.auto()])
    assert (merged.predict_many(X) == learner.predict_many(X)).mean() > 0.99


@pytest.mark.parametrize("count", [4, 32])
def test_merged_intervals_cover(count):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(4000, 8))
    y = X @ rng.normal(size=8) + 0.5 * rng.normal(size=4000)
    parts = []
    for own in np.array_split(np.arange(4000), count):
        parts.append(learners.interval(learners.vovk_azoury_warmuth()))
        parts[-1].learn_many(X[own], y[own])
    merged = merge(parts)
    for learner in (merged, merged.copy().freeze()):
        low, high = learner.predict_interval_many(X).T
        assert np.mean((low <= y) & (y <= high)) > 0.85
        assert np.mean(high - low) < 4.0  # single shards of 125 rows err more than they do together


def test_numbers_from_the_first_target_are_merged_where_it_is_one():
    start = learners.auto(task="regression")
    start.settle_block(Block(validate.as_rows(X[:50]), NUMBERS[:50] + 1000.0))
    parts = [start.copy() for _ in range(4)]
    for part, rows in zip(parts, np.array_split(np.arange(len(X)), 4), strict=True):
        part.learn_many(X[rows], NUMBERS[rows] + 1000.0)
    merged = merge(parts, start)
    used = [name for name, share in merged.shares().items() if share > 0.0]
    assert any("from the first target" in name for name in used)
    found = merged.predict_many(X) - 1000.0
    assert np.mean((found - NUMBERS) ** 2) < 0.2 * np.var(NUMBERS)


def test_a_settled_learner_is_saved(tmp_path):
    X, y = curved(400)
    start = learners.auto()
    start.settle_block(Block(validate.as_rows(X), y))
    start.learn_many(X, y)
    start.save(tmp_path / "m.fenchel")
    loaded = Learner.load(tmp_path / "m.fenchel")
    for learner in (start, loaded):
        learner.learn_many(X[:100], y[:100])
    assert (loaded.decision_many(X) == start.decision_many(X)).all()

"""Experts on pairs: the products they see, the weights they leave, and ``auto`` with them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from fenchel import Learner, learners, merge
from fenchel.export import export
from fenchel.learners.automatic import FULL, WITH_PRODUCTS
from fenchel.learners.explaining import explain_one
from fenchel.learners.linear_form import linear_form, terms_form
from fenchel.learners.quadratic import multiplied_out, places
from fenchel.learners.still import margins_of
from fenchel.learners.views import SHORT
from fenchel.loops.adahedge import new_hedge, regroup
from fenchel.loops.feature_pairs import pairs_of
from fenchel.rows import Rows, validate

COLUMNS = 90


def levels(rows=1500, columns=COLUMNS, a_row=6, seed=0):
    """Rows of a few levels each; the label is a matter of two levels being there together."""
    rng = np.random.default_rng(seed)
    X = np.zeros((rows, columns))
    for x in X:
        x[rng.choice(columns, a_row, replace=False)] = 1.0
        x[:4] = rng.integers(0, 2, 4)
    both = (X[:, 0] == X[:, 1]) * 1.0 + 3.0 * X[:, 2] * X[:, 3]
    return X, np.where(both > 0.5, 1.0, -1.0)


def on_pairs(learner):
    return any(share for name, share in learner.shares().items() if name.endswith("on pairs"))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 12), st.booleans())
def test_pairs_are_those_of_the_definition(seed, columns, known, dense):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((5, columns)), 1) * rng.integers(0, 2, (5, columns))
    rows = validate.as_rows(X if dense else sparse.csr_array(X))
    found = pairs_of(rows, known).to_matrix().toarray()
    wanted = np.zeros_like(found)
    single, pair, first, second = places(min(known, columns))
    wanted[:, single] = X[:, : len(single)]
    other = first < second
    wanted[:, pair[other]] = X[:, first[other]] * X[:, second[other]]
    assert np.array_equal(found, wanted)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(0, 45))
def test_the_order_of_entries_makes_no_difference_to_pairs(seed, columns, known):
    """Rows of names come in the order in which their names were first met."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, columns + 1, 6)
    ends = np.append(0, np.cumsum(sizes))
    sorted_, mixed, values, moved = [], [], [], []
    for size in sizes:
        chosen, order = np.sort(rng.choice(columns, size, replace=False)), rng.permutation(size)
        x = np.round(rng.standard_normal(size), 1)
        (
            sorted_.append(chosen),
            values.append(x),
            mixed.append(chosen[order]),
            moved.append(x[order]),
        )
    straight = Rows.sparse(ends, np.concatenate(sorted_), np.concatenate(values), columns)
    shuffled = Rows.sparse(ends, np.concatenate(mixed), np.concatenate(moved), columns)
    for one, other in zip(
        pairs_of(straight, known).view, pairs_of(shuffled, known).view, strict=True
    ):
        assert np.array_equal(one, other)


def test_what_lies_far_beyond_the_known_columns_makes_nothing():
    far = Rows.sparse([0, 3], [0, 2, 2**32 - 1], np.array([2.0, 3.0, 5.0]))
    found = pairs_of(far, 4).view
    assert (found.indices.tolist(), found.values.tolist()) == ([0, 5, 6], [2.0, 3.0, 6.0])
    huge = Rows.sparse([0, 2], [0, 1], np.array([1e300, -1e300]))
    assert np.isfinite(pairs_of(huge, 2).view.values).all()


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_auto_learns_what_two_levels_say_together_and_keeps_it_frozen(task, tmp_path):
    X, y = levels()
    y = y if task == "binary" else np.where(X[:, 4] > 0.0, 2.0, y)
    learner = learners.auto(task)
    learner.learn_many(sparse.csr_array(X[:1200]), y[:1200])
    assert on_pairs(learner)
    learner.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    assert np.mean(loaded.predict_many(X[1200:]) != y[1200:]) < 0.05
    assert np.array_equal(loaded.predict_many(X), loaded.predict_many(sparse.csr_array(X)))
    learner.learn_many(X[1200:], y[1200:])
    loaded.learn_many(X[1200:], y[1200:])
    assert np.array_equal(learner.decision_many(X), loaded.decision_many(X))


def test_rows_one_by_one_and_columns_that_come_late_change_no_bit():
    X, y = levels(260)
    dicts = [{f"c{j}": float(x) for j, x in enumerate(row) if x} for row in X]
    whole, single = learners.auto(), learners.auto()
    margins = whole.learn_many(dicts, y)
    for x, target, margin in zip(dicts, y, margins, strict=True):
        if (
            len(single.names or ()) == COLUMNS
        ):  # experts leave and join with the rows that bring columns
            assert single.decision_one(x) == margin
        single.learn_one(x, target)
    assert on_pairs(single)
    assert np.array_equal(whole.freeze().decision_many(dicts), single.freeze().decision_many(dicts))


def test_pairs_join_where_products_retire_and_the_bound_holds():
    X, y = levels(400)
    learner = learners.auto()
    learner.learn_many(X[:100, :40], y[:100])
    assert not on_pairs(learner)
    before = learner.engine.blend.hedge.gap[0]
    learner.learn_many(X[100:300], y[100:300])
    assert on_pairs(learner)
    assert not any(s for n, s in learner.shares().items() if n.endswith("on products"))
    assert learner.engine.blend.hedge.gap[0] >= before
    assert learner.certificate().holds
    assert np.isfinite(learner.freeze().decision_many(X)).all()


def test_whoever_joins_knows_the_classes_of_before(tmp_path):
    """Saved in the round of its joining, it is there for every class."""
    X, y = levels(40)
    y = np.arange(40) % 3 * 1.0
    learner = learners.auto("multiclass")
    learner.learn_many(X[:39, :40], y[:39])
    learner.learn_many(X[39:], np.zeros(1))
    assert on_pairs(learner)
    learner.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    for each in (learner, loaded):
        each.learn_many(X, y)
    assert np.array_equal(learner.decision_many(X), loaded.decision_many(X))


def test_who_joins_has_lost_what_the_mixture_lost_and_the_step_never_grows():
    hedge = new_hedge(4)
    hedge.active[2:] = 0.0
    hedge.expected[0], hedge.gap[0] = 3.5, 2.0
    regroup(hedge, [], [2, 3])
    assert hedge.losses.tolist() == [0.0, 0.0, 3.5, 3.5]
    assert np.log(4) / hedge.gap[0] == pytest.approx(np.log(2) / 2.0)
    regroup(hedge, [0, 1], [])
    assert hedge.gap[0] == pytest.approx(4.0)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000))
def test_the_bound_holds_whoever_leaves_and_joins(seed):
    """AdaHedge in plain Python, its experts coming and going by chance."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 8))
    hedge = new_hedge(count)
    hedge.active[:] = 0.0
    waiting = list(range(1, count))
    hedge.active[0] = 1.0
    for _ in range(300):
        if waiting and rng.random() < 0.05:
            leaving = [k for k in np.flatnonzero(hedge.active)[1:].tolist() if rng.random() < 0.3]
            regroup(hedge, leaving, [waiting.pop()])
        on = hedge.active > 0.0
        eta = np.log(max(on.sum(), 2)) / hedge.gap[0] if hedge.gap[0] else np.inf
        behind = np.where(on, hedge.losses - hedge.losses[on].min(), np.inf)
        shares = np.exp(-eta * behind) if eta < np.inf else (behind == 0.0) * 1.0
        shares /= shares.sum()
        losses = np.where(on, rng.random(count) < np.linspace(0.1, 0.6, count), 0.0)
        expected = float(shares @ losses)
        least = losses[shares > 0.0].min()
        mixed = least
        if eta < np.inf:
            mixed = least - np.log(shares @ np.exp(-eta * (losses - least))) / eta
        hedge.gap[0] += expected - mixed
        hedge.expected[0] += expected
        hedge.losses[on] += losses[on]
    left = hedge.active.sum()
    bound = (1.0 + np.log(count) / np.log(max(left, 2.0))) * hedge.gap[0]
    assert hedge.expected[0] - hedge.losses[hedge.active > 0.0].min() <= bound + 1e-9


def test_a_refused_block_leaves_no_expert_that_joined():
    X, y = levels(120)
    learner = learners.auto()
    learner.learn_many(X[:50, :40], y[:50])
    before = [array.copy() for array in learner.engine.blend.hedge]
    bad = X.copy()
    bad[70, 80] = np.nan
    with pytest.raises(ValueError, match=r"nan|NaN|finite"):
        learner.learn_many(bad, y)
    for array, kept in zip(learner.engine.blend.hedge, before, strict=True):
        assert np.array_equal(array, kept)
    learner.learn_many(X[:, :40], y)
    assert not on_pairs(learner)


@pytest.mark.parametrize(
    ("columns", "a_row", "on"),
    [
        (WITH_PRODUCTS, 6, False),
        (WITH_PRODUCTS + 1, 6, True),
        (FULL, 6, True),
        (FULL + 1, 6, False),
        (FULL, SHORT + 4, False),
    ],
)
def test_pairs_are_for_short_rows_of_so_many_columns(columns, a_row, on):
    X, y = levels(300, columns, a_row)
    X[:, -1] = 1.0
    learner = learners.auto()
    learner.learn_many(X, y)
    assert on_pairs(learner) == on


def test_weights_are_the_same_function_in_all_forms():
    X, y = levels(900)
    X *= np.random.default_rng(1).uniform(0.5, 3.0, X.shape)
    learner = learners.auto()
    learner.learn_many(X, y)
    engine, rows = learner.engine, validate.as_rows(X[:50])
    still = engine.still_blend()
    form = terms_form("binary", still)
    own = engine.views.of(rows, np.ones(1), engine.kinds, learning=False, columns=COLUMNS)
    for k in engine.blend.active:
        given = engine.experts[k].weights()
        seen = own[engine.roles[k].sees].to_matrix()
        by_hand = given[0] + seen @ given[1 : 1 + seen.shape[1]]
        np.testing.assert_allclose(form.margins(rows)[k][:, 0], by_hand, rtol=1e-9, atol=1e-12)
    told = margins_of(still.weights, pairs_of(rows, COLUMNS))
    np.testing.assert_allclose(told, form.margins(rows), rtol=1e-9, atol=1e-12)


def test_candidates_are_charged_for_all_their_weights():
    X, y = levels(300)
    learner = learners.auto()
    learner.learn_many(X, y)
    quick, slow = learner.engine.frozen.copy(), learner.engine.frozen.copy()
    assert quick.without_pairs > 0
    slow.without_pairs = 0  # every candidate reads every slot
    for each in (quick, slow):
        each.see(300, validate.as_rows(X[:200]), y[:200], np.ones(1))
    assert np.array_equal(quick.losses(), slow.losses())


def test_products_of_units_are_units_of_products():
    assert multiplied_out(np.array([2.0, 3.0, 5.0])).tolist() == [2, 4, 3, 6, 9, 5, 10, 15, 25]
    X, y = levels(500)
    unit = 2.0 ** np.random.default_rng(2).integers(-30, 30, COLUMNS)
    plain, moved = learners.auto(), learners.auto()
    assert np.array_equal(plain.learn_many(X, y), moved.learn_many(X * unit, y))
    found = [plain.freeze().decision_many(X), moved.freeze().decision_many(X * unit)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_merged_models_keep_their_pairs_wherever_their_columns_go():
    X, y = levels(1600)
    dicts = [{f"c{j}": float(x) for j, x in enumerate(row) if x} for row in X]
    backwards = [dict(reversed(x.items())) for x in dicts]
    parts = [learners.auto(), learners.auto()]
    parts[0].learn_many(dicts[:800], y[:800])
    parts[1].learn_many(backwards[800:], y[800:])
    assert parts[0].names != parts[1].names
    merged = merge(parts)
    assert on_pairs(merged)
    assert np.mean(merged.freeze().predict_many(dicts) != y) < 0.05


def test_exports_and_explanations_have_pairs():
    X, y = levels()
    learner = learners.auto()
    learner.learn_many([{f"c{j}": float(x) for j, x in enumerate(row) if x} for row in X], y)
    form = linear_form(learner)
    assert form.is_exact
    assert form.pairs is not None
    assert len(json.loads(export(learner, "json"))["pairs"]) == len(form.pairs.first)
    found = explain_one(learner, {f"c{j}": 1.0 for j in (0, 1, 2, 3, 40)})
    assert {"c0×c1", "c2×c3"} <= {"×".join(sorted(n.split("×"))) for n in found.contributions}
    assert sum(found.contributions.values()) == pytest.approx(found.margin)

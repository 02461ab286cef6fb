"""Experts on curves: the features they see, the weights they leave, and ``auto`` with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from same_bits import charges_all_weights, goes_on_from_a_file, is_whole_one_by_one

from fenchel import Learner, learners, merge
from fenchel.export import export
from fenchel.learners.explaining import explain_one
from fenchel.learners.linear_form import linear_form
from fenchel.learners.quadratic import anchored, around_mean, bent, laid_out, ramps, with_fewer
from fenchel.learners.still import margins_of
from fenchel.loops.curves import BEHIND, KNOTS, SAMPLE, curves_of, knots_of
from fenchel.loops.products import fixed_products_of, new_spreads, products_of
from fenchel.rows import validate


def steps(rows=900, seed=0, columns=2):
    """A hump of each column: no line and no parabola follows it."""
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (rows, columns))
    return X, np.sin(6.0 * X).sum(axis=1)


def anchors_after(X):
    """What products and curves are formed by once some rows are seen."""
    spreads, rows = new_spreads(X.shape[1], SAMPLE), validate.as_rows(X)
    products_of(spreads, rows, np.ones(1), True)
    curves_of(spreads, rows, np.ones(1), True)
    knots = np.concatenate([np.zeros((1, KNOTS)), knots_of(spreads)])
    return np.concatenate([spreads[:, :BEHIND], knots], axis=1)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([1e-150, 1.0, 1e300]))
def test_curves_are_those_of_the_definition(seed, columns, unit):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((100, columns)), int(rng.integers(0, 3))) * unit
    found, _ = curves_of(new_spreads(columns, SAMPLE), validate.as_rows(X), np.ones(1), True)
    found = found.view.values.reshape(100, columns, KNOTS)
    assert not found[:SAMPLE].any()
    for j in range(columns):
        knots = np.unique(np.sort(X[:SAMPLE, j])[::9])
        for k in range(KNOTS):
            heights = np.arange(KNOTS) == k
            wanted = np.interp(X[SAMPLE:, j] / unit, knots / unit, heights[: len(knots)])
            if len(knots) == 1:
                wanted = np.zeros(len(X) - SAMPLE)
            np.testing.assert_allclose(found[SAMPLE:, j, k], wanted, atol=1e-9)


def test_weights_are_the_same_function_in_all_forms():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 3)) * [1.0, 50.0, 0.1] + [2.0, -900.0, 0.0]
    anchors, rows = anchors_after(X), validate.as_rows(X[:7])
    weights = rng.standard_normal((1 + 3 * KNOTS, 2))
    places, _ = curves_of(
        np.pad(anchors, ((0, 0), (0, SAMPLE - KNOTS))) + sampled(), rows, np.ones(1), False
    )
    by_hand = weights[0] + places.view.values @ weights[1:]
    fixed = bent(weights, 3, KNOTS)[:, None]
    np.testing.assert_allclose(margins_of(fixed, fixed_products_of(anchors, rows))[0], by_hand)
    start, found = ramps(fixed, anchors)
    own, _ = around_mean(fixed, anchors)
    own[0] += start
    np.testing.assert_allclose((margins_of(own, rows) + found.margins(rows))[0], by_hand, rtol=1e-9)


def sampled():
    """Spreads that add only that enough values were seen."""
    out = np.zeros((4, BEHIND + SAMPLE))
    out[0, 1] = SAMPLE
    return out


def test_without_their_knots_weights_of_products_stay():
    X = np.random.default_rng(2).standard_normal((90, 3))
    anchors, plain = anchors_after(X), np.random.default_rng(3).standard_normal((4, 1))
    own = np.random.default_rng(4).standard_normal((13, 1))
    still = anchors[:, :BEHIND]
    assert np.array_equal(with_fewer(anchored(own, still, KNOTS), KNOTS, 0), anchored(own, still))
    assert np.array_equal(with_fewer(laid_out(plain, 3, KNOTS), KNOTS, 0), laid_out(plain, 3))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_auto_follows_curves_and_keeps_them_frozen(task, tmp_path):
    X, y = steps()
    y = {"binary": np.sign(y), "multiclass": np.digitize(y, [-0.7, 0.7]), "regression": y}[task]
    told = goes_on_from_a_file(learners.auto(task), X, y, 700, tmp_path / "m")
    if task == "regression":
        assert np.mean((told - y[700:]) ** 2) < 0.1 * np.var(y)
    else:
        assert np.mean(told != y[700:]) < 0.15


def test_rows_one_by_one_and_columns_that_come_late_change_no_bit():
    X, y = steps(150, columns=3)
    is_whole_one_by_one(X, y)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_candidates_are_charged_for_all_their_weights(task):
    X, y = steps(300, columns=4)
    charges_all_weights(task, X, y)


def test_tickets_learn_curves_too():
    X, y = steps(400)
    learner = learners.auto("regression")
    for x, target in zip(X, y, strict=True):
        learner.answer(learner.ask(x), target)
    assert np.mean((learner.predict_many(X) - y) ** 2) < 0.2 * np.var(y)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_beyond_so_many_columns_curves_retire_and_models_stay_usable(task, tmp_path):
    X, y = steps(300)
    y = np.sign(y) if task == "binary" else y
    learner = learners.auto(task)
    learner.learn_many(X, y)
    for columns in (40, 70):  # beyond full matrices of curves, beyond products
        wide = np.zeros((300, columns))
        wide[:, :2], wide[:, 2:] = X, np.random.default_rng(0).standard_normal((300, columns - 2))
        learner.learn_many(wide, y)
        learner.save(tmp_path / "m")
        expected = learner.copy().freeze().decision_many(wide)
        assert np.array_equal(Learner.load(tmp_path / "m").decision_many(wide), expected)
    assert not any(share for name, share in learner.shares().items() if "on curves" in name)


def test_a_merge_does_without_curves():
    X, y = steps(400)
    parts = [learners.auto("regression"), learners.auto("regression")]
    for part, half in zip(parts, (slice(200), slice(200, 400)), strict=True):
        part.learn_many(X[half], y[half])
    merged = merge(parts)
    assert merged.rounds == 400
    assert np.isfinite(merged.decision_many(X)).all()


def test_units_of_the_data_do_not_matter():
    X, y = steps(300)
    told = [
        learners.auto("regression").learn_many(X * unit, y) for unit in (1.0, 2.0**-20, 2.0**30)
    ]
    assert np.array_equal(told[0], told[1])
    assert np.array_equal(told[0], told[2])


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_the_arithmetic_of_a_model_has_its_ramps(task):
    X, y = steps()
    learner = learners.auto(task)
    learner.learn_many(X, y if task == "regression" else np.sign(y))
    form = linear_form(learner)
    assert form.is_exact
    assert form.ramps is not None
    told = form.scores(validate.as_rows(X))
    frozen = learner.copy().freeze().decision_many(X)
    if task == "regression":
        np.testing.assert_allclose(told, frozen, rtol=1e-7, atol=1e-7)
    else:
        told = told if told.ndim == 1 else told[:, 1] - told[:, 0]
        assert np.array_equal(told > 0, frozen > 0)
    assert "[" in export(learner, "csv").decode()


def test_explanations_name_curves_and_add_up():
    X, y = steps()
    learner = learners.auto("regression")
    learner.learn_many(X, y)
    found = explain_one(learner, X[0])
    assert any(name.endswith("(curve)") for name in found.contributions)
    np.testing.assert_allclose(sum(found.contributions.values()), found.margin)

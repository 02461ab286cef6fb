"""Experts on products: the features they see, the weights they leave, and ``auto`` with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel import Learner, learners, merge
from fenchel.learners.linear_form import linear_form
from fenchel.learners.quadratic import anchored, around_mean, places
from fenchel.learners.still import margins_of
from fenchel.loops.products import fixed_products_of, new_spreads, products_of, width_of
from fenchel.rows import validate


def ring(rows=900, seed=0, columns=2, away=3.0):
    """Inside and outside a circle: no line tells them apart."""
    X = np.random.default_rng(seed).standard_normal((rows, columns))
    return X + away, np.where((X**2).sum(axis=1) > columns, 1.0, -1.0)


def slowly(X):
    """z and its products, from means and spreads over the rows so far."""
    d, out = X.shape[1], []
    for t in range(len(X)):
        seen = X[: t + 1]
        spread = seen.std(axis=0)
        z = np.where(spread > 1e-9 * np.abs(seen).max(), (X[t] - seen.mean(axis=0)), 0.0)
        z = z / np.where(spread > 0, spread, 1.0)
        out.append([p for j in range(d) for p in (z[j], *(z[i] * z[j] for i in range(j + 1)))])
    return np.array(out)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([1e-150, 1e-3, 1.0, 1e120]))
def test_products_are_those_of_the_definition(seed, columns, unit):
    rng = np.random.default_rng(seed)
    X = unit * (rng.standard_normal((20, columns)) + rng.integers(-3, 4, columns))
    found = products_of(new_spreads(columns), validate.as_rows(X), np.ones(1), True).view.values
    known = slowly(X / unit)
    signs = np.sign(X[0])  # a negative first value turns its column round
    single, pair, first, second = places(columns)
    known[:, single] *= signs
    known[:, pair] *= signs[first] * signs[second]
    np.testing.assert_allclose(found[:, : known.shape[1]], known, rtol=1e-6, atol=1e-6)
    assert found.shape[1] == width_of(columns)


def test_weights_are_the_same_function_in_all_three_forms():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 3)) * [1.0, 50.0, 0.1] + [2.0, -900.0, 0.0]
    spreads = new_spreads(3)
    products_of(spreads, validate.as_rows(X), np.ones(1), True)
    weights, rows = rng.standard_normal((1 + width_of(3), 2)), validate.as_rows(X[:7])
    z = (X[:7] - X.mean(axis=0)) / X.std(axis=0) * np.sign(X[0])
    single, pair, first, second = places(3)
    by_hand = (
        weights[0] + z @ weights[1 + single] + (z[:, first] * z[:, second]) @ weights[1 + pair]
    )
    fixed = anchored(weights, spreads)[:, None]
    found = margins_of(fixed, fixed_products_of(spreads, rows))[0]
    np.testing.assert_allclose(found, by_hand, rtol=1e-9)
    own, pairs = around_mean(fixed, spreads)
    np.testing.assert_allclose((margins_of(own, rows) + pairs.margins(rows))[0], by_hand, rtol=1e-9)
    raw = margins_of(pairs.around_zero(own), rows)[0]
    raw += (X[:7][:, pairs.first] * X[:7][:, pairs.second]) @ pairs.weights[:, 0]
    np.testing.assert_allclose(raw, by_hand, rtol=1e-6)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_auto_finds_a_circle_and_keeps_it_frozen(task, tmp_path):
    X, y = ring()
    y = {"binary": y, "multiclass": np.where(X[:, 0] > 5, 2, y), "regression": y}[task]
    learner = learners.auto(task)
    learner.learn_many(X[:700], y[:700])
    learner.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    assert np.mean(np.sign(loaded.predict_many(X[700:])) != np.sign(y[700:])) < 0.15
    learner.learn_many(X[700:], y[700:])
    loaded.learn_many(X[700:], y[700:])
    assert np.array_equal(learner.decision_many(X), loaded.decision_many(X))
    assert max(learner.shares(), key=learner.shares().get).count("on ")  # products, or curves


def test_rows_one_by_one_and_columns_that_come_late_change_no_bit():
    X, y = ring(150, columns=3)
    X[:40, 2] = 0.0
    dicts = [{f"c{j}": float(x) for j, x in enumerate(row) if x} for row in X]
    whole, single = learners.auto(), learners.auto()
    margins = whole.learn_many(dicts, y)
    for x, target, margin in zip(dicts, y, margins, strict=True):
        assert single.decision_one(x) == margin
        single.learn_one(x, target)
    assert np.array_equal(whole.freeze().decision_many(dicts), single.freeze().decision_many(dicts))


def test_answers_to_tickets_learn_products_too():
    X, y = ring(400)
    learner = learners.auto()
    for x, target in zip(X, y, strict=True):
        learner.answer(learner.ask(x), target)
    assert np.mean(learner.predict_many(X) != y) < 0.1


def test_beyond_so_many_columns_products_retire_and_models_stay_usable(tmp_path):
    X, y = ring(300)
    wide = np.zeros((300, 70))
    wide[:, :2], wide[:, 2:] = X, np.random.default_rng(0).standard_normal((300, 68))
    learner = learners.auto()
    learner.learn_many(X, y)
    learner.learn_many(wide, y)
    assert not any(share for name, share in learner.shares().items() if "on products" in name)
    learner.save(tmp_path / "m")
    expected = learner.freeze().decision_many(wide)
    assert np.array_equal(Learner.load(tmp_path / "m").decision_many(wide), expected)


def test_many_classes_retire_products_however_rows_are_cut():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 2)), np.minimum(np.arange(300) // 4, rng.integers(0, 60, 300))
    whole, parts = learners.auto("multiclass"), learners.auto("multiclass")
    margins = whole.learn_many(X, y)
    for t in range(0, 300, 50):
        told = parts.learn_many(X[t : t + 50], y[t : t + 50])
        assert np.array_equal(told, margins[t : t + 50, : told.shape[1]])
    on = [name for name, share in whole.shares().items() if "on products" in name and share]
    assert not any("diagonal=no" in name for name in on)


def test_a_merge_does_without_products():
    X, y = ring(400)
    parts = [learners.auto(), learners.auto()]
    for part, half in zip(parts, (slice(200), slice(200, 400)), strict=True):
        part.learn_many(X[half], y[half])
    merged = merge(parts)
    assert merged.rounds == 400
    assert np.isfinite(merged.decision_many(X)).all()


def test_numbers_of_any_size_are_learned_from():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 3)) * [1e300, 1e-300, 1.0], rng.choice([-1.0, 1.0], 200)
    learner = learners.auto()
    assert np.isfinite(learner.learn_many(X, y)).all()
    assert np.isfinite(learner.freeze().decision_many(X[::-1] * [1.0, 1e300, 1e300])).all()


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_the_arithmetic_of_a_model_has_its_pairs(task):
    X, _ = ring()
    y = np.sign((X - 3.0).prod(axis=1))  # of two features together, and of none alone
    learner = learners.auto(task)
    learner.learn_many(X, y)
    form = linear_form(learner)
    assert form.pairs is not None
    told = form.scores(validate.as_rows(X))
    frozen = learner.copy().freeze().decision_many(X)
    if task == "regression":
        np.testing.assert_allclose(told, frozen, rtol=1e-7, atol=1e-7)
    else:
        told = told if told.ndim == 1 else told[:, 1] - told[:, 0]
        assert np.array_equal(told > 0, frozen > 0)

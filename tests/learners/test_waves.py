"""Experts on waves: the features they see, the weights they leave, and ``auto`` with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from same_bits import charges_all_weights, goes_on_from_a_file, is_whole_one_by_one

from fenchel import Learner, learners, merge
from fenchel.export import export
from fenchel.learners.explaining import explain_one
from fenchel.learners.linear_form import linear_form
from fenchel.learners.quadratic import bent, laid_out, waving, with_fewer
from fenchel.learners.still import margins_of
from fenchel.learners.wave_terms import wave_slopes, waves
from fenchel.loops.curves import BEHIND, KNOTS, SAMPLE, curves_of, knots_of
from fenchel.loops.products import fixed_products_of, new_spreads, products_of
from fenchel.loops.waves import FARTHEST, MOST, TURNS, WAVES, waves_of
from fenchel.rows import validate

FIRST_TURNS = [0.9285683059080251, 0.09041228042835617, -0.9446305293928271]


def hills(rows=900, seed=0):
    """A hill beside a valley: no parabola, and no curves of single columns, have them."""
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (rows, 2))
    return X, np.sin(2.5 * X[:, 0]) * np.cos(2.5 * X[:, 1])


def spreads_after(X):
    spreads, rows = new_spreads(X.shape[1], SAMPLE), validate.as_rows(X)
    products_of(spreads, rows, np.ones(1), True)
    curves_of(spreads, rows, np.ones(1), True)
    return spreads


def anchors_of(spreads):
    found = np.zeros((len(spreads), BEHIND + KNOTS + WAVES))
    found[:, :BEHIND] = spreads[:, :BEHIND]
    found[1:, BEHIND : BEHIND + KNOTS] = knots_of(spreads)
    return found


def by_the_definition(X, row):
    """The waves of one row, with knots by the first 64."""
    z = []
    for j, x in enumerate(row):
        first = next((v for v in X[:, j] if v), 1.0)
        knots = np.unique(np.sort(X[:SAMPLE, j])[::9])
        if len(knots) == 1:
            z.append(0.0)
            continue
        centre, unit = (knots[0] + knots[-1]) / 2.0, (knots[-1] - knots[0]) / 4.0
        if len(knots) == KNOTS:
            centre, unit = (knots[3] + knots[4]) / 2.0, (knots[6] - knots[1]) / 2.0
        z.append(np.sign(first) * np.clip((x - centre) / unit, -FARTHEST, FARTHEST))
    found = []
    for j in range(len(row)):
        for k in range(WAVES):
            p = TURNS[j, MOST, k] + sum(TURNS[j, i, k] * z[i] for i in range(j + 1))
            v = p - round(p)
            found.append(1.0 - 16.0 * v**2 + 32.0 * v**4)
    return found


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([1e-150, 1.0, -3.0, 1e150]))
def test_waves_are_those_of_the_definition(seed, columns, unit):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((90, columns)), int(rng.integers(0, 3))) * unit
    found = waves_of(spreads_after(X[:80]), validate.as_rows(X), 80).view.values
    assert not found[:80].any()
    wanted = [by_the_definition(X[:80], row) for row in X[80:]]
    np.testing.assert_allclose(found[80:], wanted, atol=1e-9)


def test_waves_are_drawn_alike_on_every_machine():
    assert TURNS[0, 0, :3].tolist() == pytest.approx(FIRST_TURNS, rel=1e-15)
    spread = [TURNS[j, : j + 1].std() * (j + 1) ** 1.25 for j in range(1, MOST)]
    assert min(spread) > 0.5
    assert max(spread) < 0.8


def test_weights_are_the_same_function_in_all_forms():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 3)) * [1.0, 50.0, 0.1] + [2.0, -900.0, 0.0]
    spreads, rows = spreads_after(X), validate.as_rows(X[:7])
    weights = rng.standard_normal((1 + 3 * WAVES, 2))
    by_hand = weights[0] + waves_of(spreads, rows, 0).view.values @ weights[1:]
    fixed, anchors = waving(weights, 3, KNOTS + WAVES)[:, None], anchors_of(spreads)
    told = margins_of(fixed, fixed_products_of(anchors, rows))[0]
    np.testing.assert_allclose(told, by_hand, rtol=1e-12)
    found = waves(fixed, anchors)
    np.testing.assert_allclose(fixed[0, 0] + found.margins(rows)[0], by_hand, rtol=1e-9)
    middle, step = X[:90].mean(axis=0), 1e-6 * X.std(axis=0)
    for j in range(3):
        ends = np.tile(middle, (2, 1)) + np.outer([-1.0, 1.0], np.arange(3) == j) * step
        both = found.margins(validate.as_rows(ends))[0]
        slope = wave_slopes(weights, anchors)[j]
        np.testing.assert_allclose((both[1] - both[0]) / (2.0 * step[j]), slope, rtol=1e-4)


def test_without_waves_weights_of_all_else_stay():
    rng = np.random.default_rng(3)
    plain, curved = rng.standard_normal((4, 1)), rng.standard_normal((1 + 3 * KNOTS, 1))
    both = KNOTS + WAVES
    assert np.array_equal(with_fewer(laid_out(plain, 3, both), both, 0), laid_out(plain, 3))
    fewer = with_fewer(bent(curved, 3, both), both, KNOTS)
    assert np.array_equal(fewer, bent(curved, 3, KNOTS))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_auto_follows_hills_and_keeps_them_frozen(task, tmp_path):
    X, y = hills(2000)
    y = {"binary": np.sign(y), "multiclass": np.digitize(y, [-0.3, 0.3]), "regression": y}[task]
    told = goes_on_from_a_file(learners.auto(task), X, y, 1700, tmp_path / "m")
    if task == "regression":
        assert np.mean((told - y[1700:]) ** 2) < 0.1 * np.var(y)
    else:
        assert np.mean(told != y[1700:]) < 0.2


def test_rows_one_by_one_and_columns_that_come_late_change_no_bit():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((150, 3)), rng.standard_normal(150)
    is_whole_one_by_one(X, y)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_candidates_are_charged_for_all_their_weights(task):
    X, y = hills(300)
    charges_all_weights(task, X, y)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_beyond_so_many_columns_waves_retire_and_models_stay_usable(task, tmp_path):
    X, y = hills(300)
    y = np.sign(y) if task == "binary" else y
    learner = learners.auto(task)
    learner.learn_many(X, y)
    for columns in (MOST, MOST + 1, 40):  # the last with waves, beyond them, beyond curves
        wide = np.zeros((300, columns))
        wide[:, :2], wide[:, 2:] = X, np.random.default_rng(0).standard_normal((300, columns - 2))
        learner.learn_many(wide, y)
        learner.save(tmp_path / "m")
        expected = learner.copy().freeze().decision_many(wide)
        assert np.array_equal(Learner.load(tmp_path / "m").decision_many(wide), expected)
        on = any(share for name, share in learner.shares().items() if "on waves" in name)
        assert on == (columns <= MOST)


def test_a_row_wider_than_all_before_is_read():
    X, y = hills(300)
    learner = learners.auto("regression")
    learner.learn_many(X, y)
    wide = np.concatenate([X, np.ones((300, 20))], axis=1)
    assert np.isfinite(learner.decision_many(wide)).all()
    assert np.isfinite(learner.freeze().decision_many(wide)).all()


@pytest.mark.parametrize("start", [True, False])
def test_merged_models_wave(start):
    X, y = hills(600)
    first = learners.auto("regression")
    if start:
        first.learn_many(X[:200], y[:200])
        first.engine.views.settle(validate.as_rows(X[:200]), first.engine.kinds)
    parts = [first.copy(), first.copy()]
    for part, half in zip(parts, (slice(200, 400), slice(400, 600)), strict=True):
        part.learn_many(X[half], y[half])
    merged = merge(parts, start=first if start else None)
    assert np.isfinite(merged.decision_many(X)).all()
    assert any("on waves" in n and share for n, share in merged.shares().items())
    assert bool(merged.engine.taken_over) == (not start)  # else those of one learner stay


def test_units_and_signs_of_the_data_do_not_matter():
    X, y = hills(300)
    told = [learners.auto("regression").learn_many(X * unit, y) for unit in (1.0, 2.0**-20, -4.0)]
    assert np.array_equal(told[0], told[1])
    np.testing.assert_allclose(told[0], told[2], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_the_arithmetic_of_a_model_has_its_waves(task):
    X, y = hills(2000)
    learner = learners.auto(task)
    learner.learn_many(X, y if task == "regression" else np.sign(y))
    form = linear_form(learner)
    assert form.is_exact
    assert form.waves is not None
    told = form.scores(validate.as_rows(X))
    frozen = learner.copy().freeze().decision_many(X)
    if task == "regression":
        np.testing.assert_allclose(told, frozen, rtol=1e-7, atol=1e-7)
    else:
        told = told if told.ndim == 1 else told[:, 1] - told[:, 0]
        assert np.array_equal(told > 0, frozen > 0)
    assert "wave(" in export(learner, "csv").decode()


def test_explanations_name_waves_and_add_up():
    X, y = hills(2000)
    learner = learners.auto("regression")
    learner.learn_many(X, y)
    found = explain_one(learner, X[0])
    assert "1,2 (waves)" in found.contributions
    np.testing.assert_allclose(sum(found.contributions.values()), found.margin)

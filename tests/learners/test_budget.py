"""A budget of time: which experts stay, and that nothing else changes."""

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.learners.budget import BLENDING, cost_of


def stream(columns, rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, np.where(X[:, 0] + X[:, 0] * X[:, -1] > 0, 1, -1)


def learned(columns, **given):
    learner = learners.auto(**given)
    learner.learn_many(*stream(columns))
    return learner


def cost(engine, columns):
    """What a row costs, with all experts that are on and with the plain ones, one by one."""
    total = plain = BLENDING
    for k in engine.blend.active:
        own = cost_of(engine.experts[k], engine.roles[k], columns)
        total += own
        plain += own if engine.roles[k].columns is None else 0.0
    return total, plain


@pytest.mark.parametrize("columns", [2, 9, 20, 45])
@pytest.mark.parametrize("budget", [1, 1.5, 3.0])
def test_no_row_costs_more_than_the_budget(columns, budget):
    engine = learned(columns, budget=budget).engine
    total, plain = cost(engine, columns)
    assert total <= budget * plain
    assert all(engine.roles[k].columns is None for k in engine.blend.active) or budget > 1


def test_a_budget_that_is_large_changes_nothing():
    X, y = stream(6)
    bare, rich = learners.auto(), learners.auto(budget=1e9)
    assert np.array_equal(bare.learn_many(X, y), rich.learn_many(X, y))
    assert rich.specification == "auto:budget=1e+09"


def test_it_is_part_of_the_model_and_blocks_make_no_difference(tmp_path):
    X, y = stream(9)
    whole, rows = learners.auto(budget=2.0), learners.auto(budget=2.0)
    margins = whole.learn_many(X, y)
    assert np.array_equal(
        margins, [rows.learn_many(x[None], [z])[0] for x, z in zip(X, y, strict=True)]
    )
    whole.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    assert loaded.engine.roles == whole.engine.roles
    assert np.array_equal(loaded.learn_many(X, y), whole.learn_many(X, y))


@pytest.mark.parametrize("budget", [0.5, float("nan"), "much", True])
def test_less_than_one_is_refused(budget):
    with pytest.raises(ValueError, match="must be a number of at least 1"):
        learners.auto(budget=budget)

"""Explanations: contributions add up to what decides, and weights are the ones that ``inspect`` shows."""

import json
import sys
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.estimators import OnlineRanker
from fenchel.learners.explaining import INTERCEPT, explain_one, explain_rows
from fenchel.learners.for_task import for_task
from fenchel.learners.linear_form import linear_form
from fenchel.learners.sharing_out import (
    CORRECTED,
    HELD,
    VOTED,
    _credits_of_joining,
    _orders,
    shared_out,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_helpers import run

SPECIAL = {
    "one_against_rest": "one_against_rest:learner=arow",
    "max_margin": "max_margin:learner=arow",
    "multi_label": "multi_label:learner=perceptron",
    "multi_output": "multi_output:learner=lms",
    "multi_task": "multi_task",
    "ranking": "ranking:learner=perceptron",
    "interval": "interval:learner=vovk_azoury_warmuth",
}
MIXED = {
    "binary": "hedge:experts=perceptron+arow",
    "multiclass": "hedge of several classes",
    "regression": "hedge:experts=normalized_lms+vovk_azoury_warmuth",
}
NAMES = ("red", "green", "blue", "size", "rest")


def _specification(name, task):
    return MIXED[task] if name == "hedge" else SPECIAL.get(name, name)


def _each():
    for name, entry in learners.CATALOGUE.items():
        for task in ("regression",) if name == "interval" else entry.tasks:
            yield pytest.param(name, task, id=f"{name}-{task}")


EVERY = list(_each())


def _stream(task, rows, seed=0):
    random = np.random.default_rng(seed)
    X = np.abs(random.standard_normal((rows, len(NAMES))))
    number = X @ [1.0, -2.0, 0.5, 1.0, 0.0] + X[:, 0] * X[:, 1] + 0.1 * random.standard_normal(rows)
    y = {
        "binary": np.where(number > 0.3, "yes", "no"),
        "multiclass": np.array(["low", "mid", "high"])[np.digitize(number, [-0.5, 1.0])],
        "regression": number,
        "multilabel": np.array(
            [{"a", "b"} if n > 1.0 else {"b"} if n > 0.0 else set() for n in number]
        ),
        "multioutput": np.stack([number, -number], axis=1),
        "multitask": np.stack([number, -number], axis=1),
        "ranking": np.digitize(number, [-0.5, 1.0]),
    }[task]
    return [dict(zip(NAMES, row, strict=True)) for row in X.tolist()], y.tolist()


@lru_cache
def _learned(specification, task, rows, seed):
    if task == "ranking":
        X, y = _stream(task, rows, seed)
        matrix = np.array([list(x.values()) for x in X])
        return OnlineRanker("perceptron").fit(matrix, y, qid=np.arange(rows) // 10).learner_
    if specification == MIXED["multiclass"]:
        pair = learners.perceptron(), learners.arow()
        learner = learners.hedge([learners.one_against_rest(each) for each in pair])
    else:
        learner = for_task(specification, task)
    for x, y in zip(*_stream(task, rows, seed), strict=True):
        learner.learn_one(x, y)
    return learner


def _trained(specification, task, rows, seed=0):
    return _learned(specification, task, rows, seed).copy()


@pytest.mark.parametrize(("name", "task"), EVERY)
def test_weights_are_those_that_inspect_shows(name, task, tmp_path):
    learner = _trained(_specification(name, task), task, 90)
    learner.save(tmp_path / "m")
    told = json.loads(run("inspect", tmp_path / "m", "--json", "--top", "1000").stdout)
    mine = Learner.load(tmp_path / "m").weights()
    if not isinstance(mine, dict):
        mine = {str(column + 1): weight for column, weight in enumerate(mine)}
    shown = {(w["feature"], str(w["class"])): w["weight"] for w in told["weights"]}
    for feature, weights in mine.items():
        own = np.atleast_1d(weights)
        several = learner.classes or range(len(own))
        for label, weight in zip([None] if len(own) == 1 else several, own, strict=True):
            assert shown.get((feature, str(label)), 0.0) == weight
    assert len(shown) <= sum(map(np.size, mine.values()))
    exact = linear_form(learner, last_weights=True).is_exact
    assert told["decides_by_weights"] == (exact and name not in ("hedge", "auto"))
    said = run("inspect", tmp_path / "m").stdout
    assert ("decides by more than these weights" in said) != told["decides_by_weights"]


@pytest.mark.parametrize(("name", "task"), [each for each in EVERY if each.values[1] in MIXED])
@pytest.mark.parametrize("frozen", [False, True])
def test_contributions_add_up(name, task, frozen):
    learner = _trained(_specification(name, task), task, 90)
    if frozen:
        learner.freeze()
    rows, _ = _stream(task, 8, seed=1)
    for x in rows:
        found = explain_one(learner, x)
        assert sum(found.contributions.values()) == pytest.approx(found.margin, rel=1e-9, abs=1e-9)
        assert found.prediction == learner.predict_one(x)
        if name in ("hedge", "auto"):
            assert found.is_exact
            assert found.margin == pytest.approx(found.decision, rel=1e-9, abs=1e-9)
        if found.is_exact and task == "binary" and found.margin:
            assert (found.margin > 0.0) == (found.prediction == found.output)


@pytest.mark.parametrize("task", sorted(MIXED))
@pytest.mark.parametrize("rows", [20, 1500])
@pytest.mark.parametrize("frozen", [False, True])
def test_what_no_expert_brings_is_named(task, rows, frozen):
    learner = _trained("auto", task, rows)
    if frozen:
        learner.freeze()
    for x in _stream(task, 20, seed=2)[0]:
        found = explain_one(learner, x).contributions
        others = {key for key in found if key.startswith("(") and key != INTERCEPT}
        assert others <= ({HELD, CORRECTED} if task == "regression" else {VOTED})


def test_products_curves_and_waves_have_their_own_names():
    learner = _trained("auto", "binary", 1500)
    learner.freeze()
    found = explain_one(learner, _stream("binary", 1, seed=3)[0][0]).contributions
    assert any("×" in key for key in found)
    assert found.pop(f"{NAMES[0]},…,{NAMES[-1]} (waves)")
    assert {key.partition("×")[0].removesuffix(" (curve)") for key in found} <= {*NAMES, INTERCEPT}


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_credits_of_experts_against_the_slow_way(task):
    learner = _trained("auto", task, 200)
    engine = learner.engine
    rows = learner.rows_to_read(_stream(task, 5, seed=4)[0])
    shared = shared_out(engine, rows, is_frozen=False)
    blend, active = engine.still_blend().blend, engine.still_blend().blend.active

    def said(own, joined, place):
        margins = np.zeros_like(own)
        margins[joined] = own[joined]
        found = blend.read_chances(margins[:, None].copy())
        return float(found[0] if found.ndim == 1 else found[0, place])

    for t in range(5):
        own = shared.margins[:, t]
        base, credits = shared.credits(own, 0)
        slow = np.zeros(len(own))
        for order in _orders(len(active)).tolist():
            joined = []
            for k in order:
                before = said(own, joined, 0)
                joined.append(active[k])
                slow[active[k]] += (said(own, joined, 0) - before) / (2 * len(active))
        np.testing.assert_allclose(credits, slow, rtol=1e-9, atol=1e-12)
        assert base + credits.sum() == pytest.approx(said(own, active, 0), abs=1e-9)


def test_of_a_sum_an_expert_is_credited_with_what_it_adds():
    weights = np.array([0.5, 0.0, -2.0, 1.0])
    blend = SimpleNamespace(
        active=[0, 2, 3],
        hedge=SimpleNamespace(active=np.array([1.0, 0.0, 1.0, 1.0])),
        read_chances=lambda margins: 3.0 + weights @ margins[:, :, 0],
    )
    base, credits = _credits_of_joining(blend)(np.array([[1.0], [5.0], [2.0], [-1.0]]), 0)
    assert base == 3.0
    np.testing.assert_allclose(credits, [0.5, 0.0, -4.0, -1.0])


def test_a_vote_is_shared_out_by_shares():
    learner = _trained(MIXED["binary"], "binary", 90)
    shares = learner.shares()
    for x in _stream("binary", 10, seed=5)[0]:
        found = explain_one(learner, x)
        assert abs(found.margin) <= sum(shares.values()) + 1e-12
        assert VOTED not in found.contributions


def test_rows_are_explained_as_single_ones_are():
    learner = _trained("auto", "multiclass", 300)
    rows, _ = _stream("multiclass", 6, seed=6)
    several = list(explain_rows(learner, learner.rows_to_read(rows)))
    for x, found in zip(rows, several, strict=True):
        alone = explain_one(learner, x)
        assert alone.prediction == found.prediction
        for key, value in alone.contributions.items():
            assert found.contributions[key] == pytest.approx(value, rel=1e-6, abs=1e-9)

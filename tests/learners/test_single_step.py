"""A known row through a mixture in one compiled step: the same bits as by the long way."""

import pickle

import numpy as np
import pytest

from fenchel import learners
from fenchel.learners import single_step

MIXTURES = {
    "binary": learners.auto,
    "regression": lambda: learners.auto("regression"),
    "multiclass": lambda: learners.auto("multiclass"),
    "quantiles": lambda: learners.auto("regression", loss="absolute"),
    "hedge": lambda: learners.hedge(["perceptron", "arow:diagonal=no"]),
    "combined": lambda: learners.hedge(["perceptron", "arow"], combined=True),
    "switching": lambda: learners.hedge(["perceptron", "arow"], switching=True),
}


def stream(kind, rows=260, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * 10.0 ** np.arange(columns)
    X[rng.random(X.shape) < 0.2] = 0.0
    m = X @ (rng.normal(size=columns) / 10.0 ** np.arange(columns))
    y = {"regression": m, "quantiles": m, "multiclass": np.digitize(m, [-1.0, 0.0, 1.0])}
    return [{f"f{j}": v for j, v in enumerate(x) if v} for x in X.tolist()], y.get(
        kind, m > 0
    ).tolist()


def state(learner):
    learner.shares("frozen") if learner.name == "auto" else learner.shares()
    return {name: array.tobytes() for name, array in learner.state_arrays().items()}


def learned(kind, patience, disturb, monkeypatch):
    """The state after a stream, and what was predicted on the way."""
    monkeypatch.setattr(single_step, "PATIENCE", patience)
    learner, said = MIXTURES[kind](), []
    for t, (x, y) in enumerate(zip(*stream(kind), strict=True)):
        said.append(np.asarray(learner.decision_one(x)).tobytes() if t else b"")
        learner = disturb(t, learner, x, y)
        learner.learn_one(x, y)
    return state(learner), said, learner.engine._steps._made


def nothing(t, learner, x, y):
    return learner


def new_columns(t, learner, x, y):
    if t in (70, 71, 150):
        x[f"new{t}"] = 2.0
    if t == 200:
        x.update({f"late{j}": 1.0 for j in range(40)})
    return learner


def blocks(t, learner, x, y):
    if t % 50 == 49:
        learner.learn_many([x] * 3, [y] * 3)
    return learner


def importances(t, learner, x, y):
    if t % 9 == 8:
        learner.learn_one(x, y, w=2.5)
    return learner


def late_labels(t, learner, x, y):
    if t % 20 == 19:
        learner.answer(learner.ask(x), y)
    return learner


def copies(t, learner, x, y):
    return (
        pickle.loads(pickle.dumps(learner))
        if t % 60 == 59
        else learner.copy()
        if t == 100
        else learner
    )


@pytest.mark.parametrize("kind", MIXTURES)
def test_in_one_step_has_the_same_bits(kind, monkeypatch):
    quick = learned(kind, 2, nothing, monkeypatch)
    slow = learned(kind, 10**9, nothing, monkeypatch)
    assert set(quick[2]) == {single_step.LearnStep, single_step.ReadStep}
    assert all(quick[2].values())
    assert not any(slow[2].values())
    assert quick[:2] == slow[:2]


@pytest.mark.parametrize("disturb", [new_columns, blocks, importances, late_labels, copies])
@pytest.mark.parametrize("kind", ["binary", "regression", "multiclass"])
def test_what_comes_between_changes_no_bit(kind, disturb, monkeypatch):
    quick = learned(kind, 2, disturb, monkeypatch)
    slow = learned(kind, 10**9, disturb, monkeypatch)
    assert quick[2][single_step.LearnStep] is not None
    assert quick[:2] == slow[:2]


def test_a_class_that_appears_ends_the_step(monkeypatch):
    found = []
    for patience in (2, 10**9):
        monkeypatch.setattr(single_step, "PATIENCE", patience)
        learner = learners.auto("multiclass", classes=["a", "b"])
        for t, x in enumerate(stream("multiclass", rows=120)[0]):
            learner.learn_one(x, "abc"[t % (2 if t < 80 else 3)])
        found.append(state(learner))
    assert found[0] == found[1]


def test_long_rows_that_fill_the_tray(monkeypatch):
    """The tray has room for 64 short rows, but only for some long ones."""
    found = []
    rng = np.random.default_rng(3)
    rows = [{f"w{j}": 1.0 for j in rng.integers(0, 4000, 3000)} for _ in range(150)]
    for patience in (2, 10**9):
        monkeypatch.setattr(single_step, "PATIENCE", patience)
        learner = learners.auto()
        learner.learn_one({f"w{j}": 1.0 for j in range(4000)}, True)
        for t, x in enumerate(rows):
            learner.learn_one(x, t % 3 == 0)
        found.append(state(learner))
    assert found[0] == found[1]


def test_a_margin_is_not_overwritten_by_the_next(monkeypatch):
    monkeypatch.setattr(single_step, "PATIENCE", 2)
    learner = learners.auto("multiclass")
    rows, labels = stream("multiclass", rows=100)
    for x, y in zip(rows, labels, strict=True):
        learner.learn_one(x, y)
    first = learner.decision_one(rows[0])
    kept = first.copy()
    learner.decision_one(rows[1])
    assert learner.engine._steps._made[single_step.ReadStep] is not None
    np.testing.assert_array_equal(first, kept)

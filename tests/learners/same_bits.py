"""What is asked of ``auto`` whatever features its experts see: the same bits by any way."""

import numpy as np

from fenchel import Learner, learners
from fenchel.rows import validate


def goes_on_from_a_file(learner, X, y, cut, path):
    """Save after so many rows; return what the loaded model predicts of the others. Both learn on alike."""
    learner.learn_many(X[:cut], y[:cut])
    learner.save(path)
    loaded = Learner.load(path)
    told = loaded.predict_many(X[cut:])
    learner.learn_many(X[cut:], y[cut:])
    loaded.learn_many(X[cut:], y[cut:])
    assert np.array_equal(learner.decision_many(X), loaded.decision_many(X))
    return told


def is_whole_one_by_one(X, y):
    """Three columns that come one after another, as named rows: at once, and one by one."""
    X[:90, 2] = 0.0
    X[:20, 1] = 0.0
    dicts = [{f"c{j}": float(x) for j, x in enumerate(row) if x} for row in X]
    whole, single = learners.auto("regression"), learners.auto("regression")
    margins = whole.learn_many(dicts, y)
    for x, target, margin in zip(dicts, y, margins, strict=True):
        assert single.decision_one(x) == margin
        single.learn_one(x, target)
    assert np.array_equal(whole.freeze().decision_many(dicts), single.freeze().decision_many(dicts))


def charges_all_weights(task, X, y):
    """Candidates that read only the slots they use are charged as if they read every one."""
    learner = learners.auto(task)
    learner.learn_many(X, np.sign(y) if task == "binary" else y)
    frozen = learner.engine.frozen
    quick, slow = frozen.copy(), frozen.copy()
    slow.singly = 0  # every candidate reads every slot
    for each in (quick, slow):
        each.see(300, validate.as_rows(X[:200]), y[:200], np.ones(1))
    assert np.array_equal(quick.losses(), slow.losses())

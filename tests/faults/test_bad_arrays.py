"""Bad arrays at every door: a right answer, or a refusal that names argument, position and remedy.

Never a crash, never NaN in the model, and after a refusal the state is the same to the last byte.
"""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from faults.bad_array_cases import CLEAN, NULLABLE, REFUSED, SAME, shuffled
from fenchel import learners
from fenchel.parts import state

Y = np.array([1, -1, -1, 1])


def trained(build: Any = learners.perceptron, **options: Any) -> Any:
    learner = build(**options)
    learner.learn_many(CLEAN, Y if learner.task == "binary" else Y * 1.5)
    return learner


def fingerprint(learner: Any) -> Any:
    """Everything that the next round depends on."""
    arrays = {k: (v.shape, v.tobytes()) for k, v in learner.state_arrays().items()}
    known = None if learner.labels is None else learner.labels.known
    names = None if learner.names is None else list(learner.names)
    return arrays, known, names, learner.schema.to_json(), learner.columns, learner.rounds


def refused(learner: Any, call: Any, *words: str) -> None:
    """The call raises a ValueError with these words, and leaves no trace."""
    before = fingerprint(learner)
    with pytest.raises(ValueError, match=".*".join(map(re.escape, words))):
        call()
    assert fingerprint(learner) == before


def test_shuffled_is_the_clean_matrix():
    assert (shuffled().toarray() == CLEAN).all()


@pytest.mark.parametrize("name", SAME)
def test_every_way_to_give_the_same_numbers(name, record_property):
    X = SAME[name]
    learner, twin = trained(), trained()
    np.testing.assert_array_equal(learner.decision_many(X), twin.decision_many(CLEAN))
    np.testing.assert_array_equal(learner.learn_many(X, Y), twin.learn_many(CLEAN, Y))
    assert fingerprint(learner) == fingerprint(twin)
    record_property("odd arrays that give the right answer", 1)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_learned_from_is_refused(name, record_property):
    X, *words = REFUSED[name]
    for learner in (learners.perceptron(), trained()):
        refused(learner, lambda learner=learner: learner.learn_many(X, Y), *words)
        refused(learner, lambda learner=learner: learner.decision_many(X), *words)
        refused(learner, lambda learner=learner: learner.predict_many(X), *words)
    record_property("bad arrays refused by every function that takes them, the state unchanged", 1)


def test_frames_that_a_learner_of_numbers_cannot_learn_from():
    learner = trained()
    for call in (lambda: learner.learn_many(NULLABLE, Y), lambda: learner.decision_many(NULLABLE)):
        refused(learner, call, "X[1, 0] is <NA>", "real numbers")
    refused(learner, lambda: learner.learn_many([{"a": 1.0}] * 4, Y), "numbered features", "dicts")


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize(
    "build",
    [learners.perceptron, learners.scale_invariant_p_norm],
    ids=lambda build: build.__name__,
)
def test_a_long_block_is_refused_whole(build, sparse):
    """Where rows are many against the state they are checked on the way, and the state restored."""
    learner = trained(build)
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[250, 1] = np.nan
    y = np.where(np.arange(300) % 3, 1, -1)
    block = sp.csr_array(X) if sparse else X
    refused(
        learner, lambda: learner.learn_many(block, y), "X[250, 1] is nan", "nothing was learned"
    )
    wide = np.hstack([X, X])
    refused(learner, lambda: learner.learn_many(wide, y), "X[250, 1] is nan")
    assert learner.learn_many(block[:250], y[:250]).shape == (250,)


EXTREMES = [5e-324, 1e-300, 1e300, -1e300, 1.7e308]


@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("build", [learners.perceptron, learners.lms], ids=lambda f: f.__name__)
def test_extreme_numbers_leave_a_finite_model(build, value):
    learner = trained(build)
    X = np.where(CLEAN > 0.0, value, CLEAN)
    y = Y if learner.task == "binary" else np.array([value, -value, 1.0, 0.0])
    for weights in (None, [1e300, 0.0, 1e-300, 1.7e308]):
        assert np.isfinite(learner.learn_many(X, y, weights)).all()
        assert np.isfinite(learner.decision_many(X)).all()
        assert np.isfinite(learner.weights()).all()
        for array in learner.state_arrays().values():
            assert np.isfinite(array).all()


def test_no_rows_no_columns_and_empty_rows():
    learner = trained()
    before = fingerprint(learner)
    assert learner.learn_many(np.empty((0, 3)), []).shape == (0,)
    assert learner.learn_many(sp.csr_array((0, 3)), [], []).shape == (0,)
    assert learner.decision_many(np.empty((0, 3))).shape == (0,)
    assert fingerprint(learner) == before
    for X in (np.empty((2, 0)), sp.csr_array((2, 0)), np.zeros((2, 3)), sp.csr_array((2, 3))):
        assert learner.decision_many(X).tolist() == [learner.bias, learner.bias]
        assert learner.copy().learn_many(X, [1, -1]).shape == (2,)


def test_a_width_that_changes():
    learner = trained()
    before = fingerprint(learner)
    narrow, wide = (
        learner.decision_many(CLEAN[:, :2]),
        learner.decision_many(np.hstack([CLEAN, CLEAN])),
    )
    assert fingerprint(learner) == before
    np.testing.assert_array_equal(narrow, learner.decision_many(CLEAN * [1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(wide, learner.decision_many(CLEAN))
    learner.learn_many(np.hstack([CLEAN, CLEAN]), Y)
    learner.learn_many(CLEAN[:, :1], Y)
    assert learner.columns == 6


def test_a_state_too_large_for_the_memory_is_refused(monkeypatch):
    def full(*_):
        raise MemoryError

    learner = trained()
    monkeypatch.setattr(state, "grow", full)
    X = sp.csr_array((1, 2**32 - 2))
    refused(learner, lambda: learner.learn_many(X, [1]), "4294967294 columns", "hash the features")


# ── labels ───────────────────────────────────────────────────────────────────────────────────────

CODINGS = {
    "0/1": ([0, 1, 1, 0], [0, 1]),
    "-1/1": ([-1, 1, 1, -1], [-1, 1]),
    "1/2": ([1, 2, 2, 1], [2, 1]),
    "booleans": ([False, True, True, False], [False, True]),
    "strings": (["ham", "spam", "spam", "ham"], ["ham", "spam"]),
    "bytes": ([b"a", b"b", b"b", b"a"], [b"a", b"b"]),
    "floats": ([0.0, 1.0, 1.0, 0.0], [0.0, 1.0]),
    "objects": (np.array(["x", "y", "y", "x"], dtype=object), ["x", "y"]),
    "series": (pd.Series([1, 2, 2, 1]), [2, 1]),  # 1 is positive wherever it stands
}


@pytest.mark.parametrize("name", CODINGS)
def test_two_classes_of_any_coding(name):
    y, classes = CODINGS[name]
    learner, twin = learners.perceptron(), learners.perceptron()
    margins = learner.learn_many(CLEAN, y)
    assert learner.classes == classes
    signs = np.where(np.asarray(y) == classes[1], 1, -1)
    np.testing.assert_array_equal(margins, twin.learn_many(CLEAN, signs))
    assert set(learner.predict_many(CLEAN).tolist()) <= set(classes)


@pytest.mark.parametrize("only", [1, -1, 0, "spam", True])
def test_one_class_only(only):
    learner = learners.perceptron()
    assert np.isfinite(learner.learn_many(CLEAN, [only] * 4)).all()
    assert learner.classes == [only]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1, -1, 1], ["y has shape (3,)", "X has 4 rows"]),
        ([[1], [-1], [1], [-1]], ["y has shape (4, 1)", "X has 4 rows"]),
        (1, ["y has shape ()", "X has 4 rows"]),
        ([1.0, np.nan, 1.0, -1.0], ["y[1] is nan", "remove the row"]),
        ([1.0, np.inf, 1.0, -1.0], ["y[1] is inf", "remove the row"]),
        (np.array([1, None, 1, -1], dtype=object), ["y[1] is None"]),
        (np.ma.array(Y, mask=[0, 0, 1, 0]), ["y[2] is masked", "fill or remove"]),
        ([1, -1, 7, 1], ["y[2] is 7, a third class beside -1 and 1", "classes="]),
        (["a", "b", "c", "a"], ["y[0] is 'a', a third class beside -1 and 1"]),
    ],
    ids=repr,
)
def test_labels_that_are_refused(y, words):
    learner = trained()
    refused(learner, lambda: learner.learn_many(CLEAN, y), *words)


def test_an_unseen_class_is_refused_and_forgotten():
    learner = learners.perceptron(classes=("ham", "spam"))
    refused(
        learner, lambda: learner.learn_many(CLEAN, ["ham", "egg", "ham", "spam"]), "y[1] is 'egg'"
    )
    fresh = learners.perceptron()
    refused(fresh, lambda: fresh.learn_many(CLEAN, ["a", "b", "c", "a"]), "a third class")
    fresh.learn_many(CLEAN, ["x", "y", "y", "x"])
    assert fresh.classes == ["x", "y"]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1.0, 2.0, np.nan, 0.0], ["y[2] is nan", "must be finite", "remove the row"]),
        ([1.0, -np.inf, 2.0, 0.0], ["y[1] is -inf", "must be finite"]),
        ([1.0, 2.0], ["y has shape (2,)", "X has 4 rows"]),
        (["1", "2", "3", "four"], ["y has dtype <U", "real numbers"]),
        ([1.0, 10**400, 0.0, 0.0], ["y[1] is 1000", "range of a float"]),
        (np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[1, 0, 0, 0]), ["y[0] is masked"]),
        ([1j, 0, 0, 0], ["y has dtype complex128", "real numbers"]),
    ],
    ids=repr,
)
def test_targets_that_are_refused(y, words):
    learner = trained(learners.lms)
    refused(learner, lambda: learner.learn_many(CLEAN, y), *words)


# ── importances ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, -1.0, 1.0, 1.0], ["importance[1] is -1.0", "finite and not negative"]),
        ([1.0, 1.0, np.nan, 1.0], ["importance[2] is nan", "finite and not negative"]),
        ([1.0, 1.0, np.inf, 1.0], ["importance[2] is inf", "finite and not negative"]),
        ([1.0], ["importance has shape (1,)", "X has 4 rows"]),
        (2.0, ["importance has shape ()", "X has 4 rows"]),
        (["a", "b", "c", "d"], ["importance has dtype <U1", "real numbers"]),
    ],
    ids=repr,
)
def test_importances_that_are_refused(weights, words):
    learner = trained()
    refused(learner, lambda: learner.learn_many(CLEAN, Y, weights), *words)


def test_importance_zero_learns_nothing_and_minus_zero_is_zero():
    learner, twin = trained(), trained()
    learner.learn_many(CLEAN, Y, [0.0, -0.0, 0.0, 0.0])
    assert learner.state_arrays().keys() == twin.state_arrays().keys()
    np.testing.assert_array_equal(learner.weights(), twin.weights())


# ── dicts ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ({"a": np.inf}, ["x['a']: inf is not finite", "leave the value out"]),
        ({"new": -np.inf}, ["x['new']: -inf is not finite"]),
        ({"a": 10**400}, ["x['a']: 1000", "is not finite"]),
        ({"new": 10**400}, ["x['new']: 1000", "is not finite"]),
        ({"a": 1j}, ["x['a']: 1j is n"]),
        ({"a": b"x"}, ["x['a']: b'x' is n"]),
        ({"new": b"x"}, ["x['new']: b'x' is no number, truth value, text, date or list"]),
        ({"a": 1.0, "new": object}, ["x['new']: <class 'object'> is no number"]),
        ({1: 1.0}, ["x has the key 1", "names of features are strings"]),
    ],
    ids=repr,
)
def test_dicts_that_are_refused(x, words):
    named = learners.perceptron()
    named.learn_one({"a": 1.0, "c": 2.0}, True)
    for learner in (learners.perceptron(), named):
        refused(learner, lambda learner=learner: learner.learn_one(x, True), *words)
        refused(learner, lambda learner=learner: learner.decision_one(x), *words)
    fresh = learners.perceptron()
    refused(fresh, lambda: fresh.learn_one(x, True), *words)
    fresh.learn_many(CLEAN, Y)  # a refusal does not decide that features have names


def test_dicts_of_every_sound_kind():
    learner = learners.perceptron()
    learner.learn_one({}, True)
    learner.learn_one({"i": 1, "f": np.float32(2), "b": True, "s": "red", "z": -0.0}, False)
    learner.learn_one({"a": "b", "a=b": 2.0, "e": 5e-324, "h": 1e300}, True)
    assert set(learner.weights()) == {"i", "f", "b", "s=red", "a=b", "e", "h"}
    learner.learn_one({"i": None, "f": np.nan, "v": [1.0, 0.0, 2.0], "o": {"n": 1}}, False)
    assert {"v.0", "v.2", "o.n"} <= set(learner.weights())
    assert np.isfinite(list(learner.weights().values())).all()
    before = fingerprint(learner)
    assert np.isfinite(learner.decision_one({"unknown": 1.0, "h": -1e300}))
    assert fingerprint(learner) == before


def test_labels_and_importances_of_one_example():
    learner = learners.perceptron()
    learner.learn_one({"a": 1.0}, "x")
    learner.learn_one({"a": 1.0}, "y")
    refused(learner, lambda: learner.learn_one({"new": 1.0}, "z"), "y[0] is 'z', a third class")
    refused(learner, lambda: learner.learn_one({"a": 1.0}, "x", w=-1.0), "importance[0] is -1.0")
    refused(learner, lambda: learner.learn_one({"a": 1.0}, "x", w=np.nan), "importance[0] is nan")
    regression = trained(learners.lms)
    refused(regression, lambda: regression.learn_one(CLEAN[0], np.nan), "y[0] is nan")


def test_names_and_numbers_do_not_mix():
    named, numbered = learners.perceptron(), trained()
    named.learn_one({"a": 1.0}, True)
    refused(named, lambda: named.learn_many(CLEAN, Y), "named features", "give dicts")
    refused(named, lambda: named.decision_many(CLEAN), "named features", "give dicts")
    refused(numbered, lambda: numbered.learn_one({"a": 1.0}, True), "numbered features", "rows")
    refused(numbered, lambda: numbered.decision_one({"a": 1.0}), "numbered features", "rows")


def test_asking_for_a_confidence_that_does_not_exist_leaves_no_trace():
    learner = trained(learners.exponentiated_gradient)
    refused(
        learner, lambda: learner.confidence_many(np.ones((1, 9))), "no second-order information"
    )


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([1.0, np.nan, 0.0], ["X[0, 1] is nan", "must be finite"]),
        (np.array([1.0, 0.0, -np.inf]), ["X[0, 2] is -inf", "must be finite"]),
        (np.array([1.0, np.inf], np.float32), ["X[0, 1] is inf", "must be finite"]),
        (["a", "b", "c"], ["X has dtype <U1", "real numbers"]),
        (np.array([1.0, 1j]), ["X has dtype complex128", "real numbers"]),
        (np.ma.array([1.0, 2.0], mask=[0, 1]), ["X[1] is masked", "fill or remove"]),
        (CLEAN, ["y has shape (1,), X has 4 rows"]),
        (np.ones((1, 1, 3)), ["X has 3 dimensions"]),
        (b"row", ["X has dtype |S3", "real numbers"]),
    ],
    ids=repr,
)
def test_rows_of_numbers_one_at_a_time(row, words):
    learner = trained()
    refused(learner, lambda: learner.learn_one(row, 1), *words)
    if row is not CLEAN:
        refused(learner, lambda: learner.decision_one(row), *words)
        refused(learner, lambda: learner.predict_one(row), *words)

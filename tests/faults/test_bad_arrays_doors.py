"""The tables of bad arrays at the other doors: mixtures, one against the rest, streams, estimators.

The same rule everywhere: a right answer, or a ``ValueError`` after which nothing has changed.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from faults.bad_array_cases import CLEAN, REFUSED, SAME
from faults.test_bad_arrays import EXTREMES, Y, fingerprint
from fenchel import learners
from fenchel.estimators import OnlineClassifier, OnlineRegressor
from fenchel.streams import from_arrays

CLASSES = ["a", "b", "a", "c"]
LEARNERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "arow, full matrix": (lambda: learners.arow(diagonal=False), Y),
    "vovk_azoury_warmuth": (learners.vovk_azoury_warmuth, Y * 1.5),
    "hedge": (lambda: learners.hedge([learners.perceptron(), learners.arow(diagonal=False)]), Y),
    "auto": (learners.auto, Y),
    "auto, regression": (lambda: learners.auto("regression"), Y * 1.5),
    "one_against_rest": (lambda: learners.one_against_rest(learners.perceptron()), CLASSES),
    "multi_label": (
        lambda: learners.multi_label(learners.perceptron()),
        [{"a"}, {"b"}, {"a", "b"}, set()],
    ),
    "multi_output": (lambda: learners.multi_output(learners.lms()), np.outer(Y, [1.0, 0.5])),
    "multi_task": (learners.multi_task, np.array([[1, np.nan], [0, 1], [2, 2], [np.nan, 0]])),
    "ranking": (
        lambda: learners.ranking(learners.perceptron()),
        np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 2.0]]),  # relevance and query
    ),
}
# Single precision is a signature of its own, seconds to compile: these stand for the others.
SINGLE = ("one_against_rest", "multi_label", "ranking")


def trained(name: str) -> tuple[Any, Any]:
    build, y = LEARNERS[name]
    learner = build()
    learner.learn_many(CLEAN, y)
    return learner, y


@pytest.mark.parametrize("door", LEARNERS)
def test_learners_of_every_kind(door, record_property):
    learner, y = trained(door)
    before = fingerprint(learner)
    for X, *words in REFUSED.values():
        for call in (lambda X=X: learner.learn_many(X, y), lambda X=X: learner.decision_many(X)):
            with pytest.raises(ValueError, match=".*".join(map(re.escape, words))):
                call()
            assert fingerprint(learner) == before
    record_property(
        "bad arrays refused by every function that takes them, the state unchanged", len(REFUSED)
    )
    for name, X in SAME.items():
        if "float32" in name and door not in SINGLE:
            continue
        expected = learner.copy().learn_many(
            CLEAN if not sp.issparse(X) else sp.csr_array(CLEAN), y
        )
        np.testing.assert_array_equal(learner.copy().learn_many(X, y), expected, err_msg=name)
        record_property("odd arrays that give the right answer", 1)


@pytest.mark.parametrize("door", LEARNERS)
def test_a_refused_block_of_many_columns_leaves_no_trace(door):
    """Beyond the columns at which a mixture gives its full matrices up, or of new classes."""
    learner, y = trained(door)
    before = fingerprint(learner)
    wide = np.ones((4, 300))
    wide[3, 299] = np.nan
    labels = ["new", *CLASSES[1:]] if door == "one_against_rest" else y
    with pytest.raises(ValueError, match=r"X\[3, 299\] is nan"):
        learner.learn_many(wide, labels)
    assert fingerprint(learner) == before
    twin, _ = trained(door)
    np.testing.assert_array_equal(learner.learn_many(CLEAN, y), twin.learn_many(CLEAN, y))
    assert fingerprint(learner) == fingerprint(twin)


@pytest.mark.parametrize(
    ("door", "y"),
    [
        ("one_against_rest", [{"a"}, {"b"}, {"a"}, {"b"}]),
        ("multi_label", None),
        ("multi_label", ["a", "b", "a", "b"]),
        ("multi_label", [{"a"}, {None}, {"a"}, {"b"}]),
        ("multi_label", np.array([[0, 1], [1, 0], [2, 0], [0, 0]])),
        ("multi_output", [1.0, 2.0, 3.0, 4.0]),
        ("multi_output", [[1.0, np.nan]] * 4),
        ("multi_output", [[1.0, 2.0, 3.0]] * 4),
        ("multi_task", None),
        ("multi_task", [[1.0, np.inf]] * 4),
        ("multi_task", [{"a": np.inf}] * 4),
        ("multi_task", [[1.0, "a"]] * 4),
        ("ranking", [1.0, 2.0, 3.0, 4.0]),
        ("ranking", [[1.0, np.nan]] * 4),
    ],
    ids=repr,
)
def test_targets_of_several_kinds(door, y):
    learner, _ = trained(door)
    before = fingerprint(learner)
    with pytest.raises(ValueError, match="y"):
        learner.learn_many(CLEAN, y)
    assert fingerprint(learner) == before


@pytest.mark.parametrize("unknown", [None, np.nan, np.inf, pd.NA], ids=repr)
def test_a_class_must_be_known(unknown):
    for door in ("one_against_rest", "auto"):
        learner, y = trained(door)
        labels = np.array(y, dtype=object)
        labels[2] = unknown
        before = fingerprint(learner)
        with pytest.raises(ValueError, match=rf"y\[2\] is {unknown}: a label must be known"):
            learner.learn_many(CLEAN, labels)
        assert fingerprint(learner) == before


@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("door", LEARNERS)
def test_extreme_numbers_leave_no_nan(door, value):
    learner, y = trained(door)
    X = np.where(CLEAN > 0.0, value, CLEAN)
    learner.learn_many(X, y, [1e300, 0.0, 1e-300, 1.7e308])
    for _ in range(3):
        learner.learn_many(X, y)
    if learner.task == "regression":
        learner.learn_many(X, np.array([value, -value, 1.0, 0.0]))
    assert not np.isnan(learner.decision_many(X)).any()
    for name, array in learner.state_arrays().items():
        assert not np.isnan(array).any(), name


# ── streams ──────────────────────────────────────────────────────────────────────────────────────


def rows_of(X: Any, y: Any = None, weights: Any = None) -> list[Any]:
    return [
        (block.indptr.tolist(), block.indices.tolist(), block.values.tolist(), block.labels)
        for block in from_arrays(X, y, weights)
    ]


@pytest.mark.parametrize("name", REFUSED)
def test_streams_refuse_what_learners_refuse(name, record_property):
    X, *words = REFUSED[name]
    with pytest.raises(ValueError, match=".*".join(map(re.escape, words))):
        rows_of(X)
    record_property("bad arrays refused by streams", 1)


@pytest.mark.parametrize("name", SAME)
def test_streams_read_the_same_numbers(name):
    (block,) = from_arrays(SAME[name])
    matrix = sp.csr_array((block.values, block.indices, block.indptr), shape=(4, 3))
    np.testing.assert_array_equal(matrix.toarray(), CLEAN)


@pytest.mark.parametrize(
    ("y", "weights", "words"),
    [
        ([1, 2, 3], None, "y has shape (3,), X has 4 rows"),
        ([1.0, np.nan, 0.0, 0.0], None, "y[1] is nan"),
        (["a", "b"], None, "y has shape (2,), X has 4 rows"),
        ([b"a", b"b", b"a", b"a"], None, "y has dtype |S1"),
        (np.array(["a", 1.0, "a", "b"], object), None, "y[0] is 'a'"),
        (np.ma.array(Y, mask=[0, 1, 0, 0]), None, "y[1] is masked"),
        ([1j, 0, 0, 0], None, "y has dtype complex128"),
        (Y, [1.0, -1.0, 1.0, 1.0], "importance[1] is -1.0"),
        (Y, [1.0, np.nan, 1.0, 1.0], "importance[1] is nan"),
        (Y, [1.0], "importance has shape (1,), X has 4 rows"),
    ],
    ids=repr,
)
def test_streams_refuse_labels_and_weights(y, weights, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        rows_of(CLEAN, y, weights)


def test_streams_of_nothing():
    for X in (np.empty((0, 3)), sp.csr_array((0, 3)), np.empty((0, 0))):
        assert rows_of(X, []) == []
    for X in (np.empty((2, 0)), np.zeros((2, 3)), sp.csr_array((2, 3))):
        assert [rows[0] for rows in rows_of(X)] == [[0, 0, 0]]


# ── estimators ───────────────────────────────────────────────────────────────────────────────────

ESTIMATORS: dict[str, tuple[Callable[[], Any], Any]] = {
    "classifier": (lambda: OnlineClassifier("perceptron"), Y),
    "classifier, growing": (lambda: OnlineClassifier("perceptron", grow=True), Y),
    "classifier, auto": (OnlineClassifier, Y),
    "regressor": (lambda: OnlineRegressor("lms"), Y * 1.5),
}
# scikit-learn converts these itself: numbers written as text, dates as seconds.
READ_AS_NUMBERS = ("text", "bytes", "dates")


def estimator_print(estimator: Any) -> Any:
    kept = {key: repr(value) for key, value in vars(estimator).items() if key != "learner_"}
    return kept, fingerprint(estimator.learner_)


@pytest.mark.filterwarnings("ignore:X has feature names:UserWarning")
@pytest.mark.parametrize("door", ESTIMATORS)
def test_estimators_refuse_and_stay_as_they_were(door, record_property):
    build, y = ESTIMATORS[door]
    estimator = build().fit(CLEAN, y)
    before = estimator_print(estimator)
    refused = {name: case for name, case in REFUSED.items() if name not in READ_AS_NUMBERS}
    for name, (X, *words) in refused.items():
        ours = sp.issparse(X) or "must be finite" in words or "masked" in words[0]
        match = re.escape(words[0]) if ours else None
        for call in (
            lambda X=X: estimator.partial_fit(X, y),
            lambda X=X: estimator.predict(X),
            lambda X=X: estimator.fit(X, y),
        ):
            with pytest.raises((ValueError, TypeError), match=match):
                call()
            assert estimator_print(estimator) == before, name
        with pytest.raises((ValueError, TypeError), match=match):
            build().partial_fit(X, y)
    record_property("bad arrays refused by estimators, unchanged", len(refused))
    for name, X in SAME.items():
        if name == "matrix":  # which scikit-learn refuses on principle
            continue
        np.testing.assert_array_equal(estimator.predict(X), estimator.predict(CLEAN), err_msg=name)


@pytest.mark.parametrize("door", ESTIMATORS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sample_weight": [1.0, -1.0, 1.0, 1.0]}, "sample_weight[1] is -1.0"),
        ({"sample_weight": [1.0, np.nan, 1.0, 1.0]}, "sample_weight[1] is nan"),
        ({"sample_weight": [1.0, 1.0, np.inf, 1.0]}, "sample_weight[2] is inf"),
        ({"sample_weight": [0.0] * 4}, "sample_weight is zero in every row"),
        ({"sample_weight": [1.0]}, "sample_weight has shape (1,), X has 4 rows"),
        ({"y": [1.0, np.nan, 1.0, -1.0]}, "y[1] is nan"),
        ({"y": [1.0, 1.0, -np.inf, -1.0]}, "y[2] is -inf"),
        ({"y": np.ma.array(Y, mask=[0, 1, 0, 0])}, "y[1] is masked"),
        ({"y": [1, -1, 1]}, "inconsistent numbers of samples: [4, 3]"),
    ],
    ids=repr,
)
def test_estimators_refuse_labels_and_weights(door, change, words):
    build, y = ESTIMATORS[door]
    estimator = build().fit(CLEAN, y)
    before = estimator_print(estimator)
    wide = {"X": np.hstack([CLEAN, CLEAN]), "y": [1, -1, 7, 7]} if estimator.grow else {}
    for arguments in ({"X": CLEAN, "y": y}, {"X": CLEAN, "y": y, **wide}):
        for verb in (estimator.partial_fit, estimator.fit):
            with pytest.raises(ValueError, match=re.escape(words)):
                verb(**{**arguments, **change})
            assert estimator_print(estimator) == before


def test_estimators_take_every_sound_weight():
    for weights in ([1e300, 1e-300, 5e-324, 1.0], 2.0, [0, 1, 2, 3]):
        for build, y in ESTIMATORS.values():
            estimator = build().fit(CLEAN, y, sample_weight=weights)
            assert not np.isnan(np.asarray(estimator.predict(CLEAN), float)).any()


def test_a_growing_estimator_takes_lists():
    estimator = OnlineClassifier("perceptron", grow=True).partial_fit(CLEAN.tolist(), Y)
    estimator.partial_fit(np.hstack([CLEAN, CLEAN]).tolist(), Y)
    assert estimator.n_features_in_ == 6
    assert len(estimator.predict(CLEAN.tolist())) == 4

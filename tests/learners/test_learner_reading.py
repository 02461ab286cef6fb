"""Reading a learner changes nothing, tells what the next round will see, and copies go their way."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import CASES, PLAIN, WITHOUT_AVERAGE, compiled_for, drawn
from learner_streams import assert_same_margins
from textbook_basics import progressive

from fenchel._numba import knows
from fenchel.parts import state
from fenchel.regularizers.protocol import spread

SEEDS = range(5 if PLAIN else 2)
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
SOME = compiled_for("perceptron", "dual_averaging", "arow-diagonal", "arow-full")
SECOND_ORDER = [case for case in SOME if hasattr(case.book, "confidence")]
some_cases = pytest.mark.parametrize("case", SOME, ids=lambda case: case.id)


def learned(case, seed, **options):
    """A learner in the middle of a stream, and the rest of the stream."""
    given, parameters, intercept = drawn(case, "sparse", seed)
    parameters.pop("domain", None)  # some cannot be averaged on
    learner = case.learner(parameters, intercept=intercept, **options)
    half = len(given.y) // 2
    learner.learn_many(given.csr[:half], given.y[:half])
    return learner, given, half


def everything(learner):
    slots = learner.columns + 1
    arrays = {
        name: array[tuple(slice(0, min(n, slots)) for n in array.shape)].tobytes()
        for name, array in state.arrays(learner.engine.parts)
    }
    return arrays, learner.columns, learner.rounds, learner.classes


def read_all(learner, X):
    """Whatever can be read, of known rows and of rows with columns never seen."""
    wider = sp.hstack([X, sp.csr_array(np.ones((X.shape[0], 3)))], format="csr")
    for rows in (X, wider):
        learner.decision_many(rows)
        learner.predict_many(rows)
        if knows(spread, type(learner.regularizer)):
            learner.confidence_many(rows)
    learner.decision_one(np.ones(X.shape[1] + 5))
    learner.predict_one(np.ones(X.shape[1]))
    return learner.weights(), learner.bias, learner.nonzeros


@some_cases
def test_reading_changes_nothing(case):
    averages = PLAIN and case.name not in WITHOUT_AVERAGE
    for averaged in [False, True] if averages else [False]:
        learner, given, half = learned(case, 1, averaged=averaged)
        twin = learner.copy()
        before = everything(learner)
        read_all(learner, given.csr)
        assert everything(learner) == before
        rest = given.csr[half:], given.y[half:]
        assert learner.learn_many(*rest).tobytes() == twin.learn_many(*rest).tobytes()
        assert everything(learner) == everything(twin)


@every_case
def test_a_decision_is_the_margin_that_learning_then_reports(case):
    for seed in SEEDS:
        learner, given, half = learned(case, seed)
        for t in range(half, len(given.y)):
            row = given.csr[[t]]
            if t % 3 == 0:  # columns never seen before
                new = np.zeros((1, 1 + t % 2))
                new[0, -1] = 0.5
                width = learner.columns - row.shape[1]
                row = sp.hstack([row, np.zeros((1, width)), new], format="csr")
            expected = learner.decision_many(row)
            np.testing.assert_allclose(learner.learn_many(row, given.y[[t]]), expected, rtol=1e-12)


@every_case
def test_names_never_seen_before_count_in_a_decision(case):
    """A dict with new names is decided as a row is that has these columns already."""
    for seed in SEEDS:
        given, parameters, intercept = drawn(case, "sparse", seed)
        by_name, by_number = (case.learner(parameters, intercept=intercept) for _ in range(2))
        for t, x in enumerate(given.X):
            named = {f"{t} {j}": x[j] for j in np.nonzero(x)[0]} | {"old": 0.5}
            expected = by_name.decision_one(named)
            by_name.learn_one(named, given.y[t])
            row = np.zeros(len(by_name.names))
            row[[by_name.names.find(name) for name in named]] = list(named.values())
            margin = by_number.learn_many(sp.csr_array(row[np.newaxis]), given.y[[t]])[0]
            np.testing.assert_allclose(expected, margin, rtol=1e-9, atol=1e-12)


@some_cases
def test_a_copy_goes_its_own_way(case):
    learner, given, half = learned(case, 2)
    before = everything(learner)
    twin = learner.copy()
    twin.learn_many(given.csr[half:], given.y[half:])
    assert everything(learner) == before
    assert twin.rounds == len(given.y)
    again = learner.copy()
    again.learn_many(given.csr[half:], given.y[half:])
    assert everything(again) == everything(twin)


@pytest.mark.parametrize("case", SECOND_ORDER, ids=lambda case: case.id)
def test_confidence_is_the_textbooks(case):
    """x·A⁻¹·x with the A that would predict x."""
    for seed in SEEDS:
        given, parameters, intercept = drawn(case, "dense", seed)
        X = given.with_intercept(intercept)
        book = case.book(X.shape[1], **parameters)
        run = progressive(book, X, given.y)
        learner = case.learner(parameters, intercept=intercept)
        margins = learner.learn_many(given.csr, given.y)
        if assert_same_margins(margins, run, given.y, rounding=case.rounding):
            expected = [book.confidence(x) for x in X]
            np.testing.assert_allclose(learner.confidence_many(given.csr), expected, rtol=1e-9)


@some_cases
def test_a_learner_without_rounds_reads_as_zero(case):
    _, parameters, intercept = drawn(case, "dense", 0)
    learner = case.learner(parameters, intercept=intercept)
    assert np.isfinite(learner.decision_one({"a": 1.0}))
    assert learner.weights() is not None
    assert learner.columns == 0


@some_cases
def test_without_an_intercept_there_is_no_bias(case):
    """Not even on a domain, or with a regularizer, whose weights start above 0."""
    for domain in [None, *case.domains] if PLAIN else [None]:
        parameters = case.fixed if domain is None else {**case.fixed, "domain": domain}
        learner = case.learner(parameters, intercept=False)
        learner.learn_many(sp.csr_array(np.eye(3)), [1.0, -1.0, 1.0])
        assert learner.bias == 0.0

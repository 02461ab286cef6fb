"""``averaged=True``: predictions with the average of all w_t, which is never summed up outright."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import BY_ID, CASES, PLAIN, WITHOUT_AVERAGE, compiled_for, drawn
from learner_streams import KINDS, Stream, assert_same_margins, stream
from textbook_basics import progressive

from fenchel.regularizers import Box, Simplex

EACH = 3 if PLAIN else 2
AVERAGED = [
    case
    for case in compiled_for("dual_averaging", "p_norm_perceptron")
    if case.name not in WITHOUT_AVERAGE
]
some_cases = pytest.mark.parametrize("case", AVERAGED, ids=lambda case: case.id)
SHRINKING = [
    case for case in CASES if case.name in ("dual_averaging", "strongly_convex", "adagrad")
]


def averaging(case, parameters, intercept):
    """An averaging learner, and its parameters: without a domain that cannot be averaged on."""
    without = {key: value for key, value in parameters.items() if key != "domain"}
    if isinstance(parameters.get("domain"), (Box, Simplex)):
        parameters = without
    return case.learner(parameters, intercept=intercept, averaged=True), parameters


def assert_average(case, given, parameters, intercept, learner, learn, widths=None):
    """The learner's weights are the mean of the textbook's, and its decisions are made with them."""
    X = given.with_intercept(intercept)
    book = case.book(X.shape[1], **parameters)
    with np.errstate(over="ignore", invalid="ignore"):
        run = progressive(book, X, given.y, given.importance, widths)
        margins = learn(learner)
    if not assert_same_margins(margins, run, given.y, rounding=case.rounding):
        return
    mean = run.weights.mean(axis=0)
    with np.errstate(over="ignore"):  # of a slot that is not read
        found = np.r_[[learner.bias] if intercept else [], learner.weights()]
        decided = learner.decision_many(given.csr)
    largest = np.abs(run.weights).max(axis=0)
    sizes = np.array([book.size(mean, one) for one in np.eye(X.shape[1])]) if case.full else 0.0
    tolerance = max(1e-9, 1e4 * case.rounding)
    allowed = tolerance * np.maximum(np.maximum(largest, sizes), 1e-30 * largest.max(initial=0.0))
    assert np.all(np.abs(found - mean) <= allowed), (found, mean)
    assert np.all(
        np.abs(decided - X @ mean) <= np.abs(X) @ allowed + 1e-12 * np.abs(X) @ np.abs(mean)
    )


@some_cases
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_are_made_with_the_mean_of_all_weights(case, kind):
    for seed in range(EACH):
        given, parameters, intercept = drawn(case, kind, seed)
        learner, parameters = averaging(case, parameters, intercept)
        assert_average(
            case,
            given,
            parameters,
            intercept,
            learner,
            lambda learner, given=given: learner.learn_many(given.csr, given.y, given.importance),
        )


UNSIGNED = pytest.param(
    BY_ID["exponentiated_gradient"],
    {"signed": False},
    marks=pytest.mark.xfail(
        strict=True, reason="a new column, of uniform weight, is charged for the rounds before it"
    ),
)


@pytest.mark.parametrize(
    ("case", "signed"),
    [*((case, {"signed": True}) for case in AVERAGED), *([UNSIGNED] if PLAIN else [])],
)
def test_columns_that_come_later_have_no_weight_before(case, signed):
    for seed in range(EACH):
        given, parameters, intercept = drawn(case, "dense", 500 + seed)
        parameters |= signed if case.name == "exponentiated_gradient" else {}
        learner, parameters = averaging(case, parameters, intercept)
        rows, columns = given.X.shape
        widths = np.sort(np.random.default_rng(seed).integers(1, columns + 1, size=rows))
        widths[-1] = columns
        X = np.where(np.arange(columns) < widths[:, np.newaxis], given.X, 0.0)
        given = Stream(X, given.y, np.ones(rows))

        def learn(learner, X=X, y=given.y, widths=widths):
            blocks = [(X[widths == w, :w], y[widths == w]) for w in np.unique(widths)]
            return np.concatenate([learner.learn_many(sp.csr_array(x), y) for x, y in blocks])

        assert_average(case, given, parameters, intercept, learner, learn, widths + intercept)


@pytest.mark.parametrize("case", SHRINKING if PLAIN else SHRINKING[:1], ids=lambda case: case.id)
def test_weights_that_shrink_unseen_for_hundreds_of_rounds(case):
    """Where a composite term is at work the sum over idle rounds is taken by a formula."""
    for seed in range(EACH):
        rng = np.random.default_rng([seed, 9])
        given = stream(rng, "binary", "dense", rows=900, columns=6)
        X = given.X * (rng.random(given.X.shape) < [0.5, 0.05, 0.01, 0.005, 0.002, 0.002])
        given = Stream(X, given.y, np.ones(len(given.y)))
        parameters = case.parameters(rng, 0.01, widely=False)
        learner, parameters = averaging(case, parameters, False)
        assert_average(
            case,
            given,
            parameters,
            False,
            learner,
            lambda learner, given=given: learner.learn_many(given.csr, given.y),
        )


@some_cases
def test_before_any_round_the_average_is_zero(case):
    _, parameters, intercept = drawn(case, "dense", 0)
    learner, _ = averaging(case, parameters, intercept)
    assert learner.decision_one({"a": 1.0}) == 0.0

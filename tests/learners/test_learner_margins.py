"""Every learner's progressive margins are those of its textbook, and of Algorithm 1."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import CASES, PLAIN, drawn
from learner_streams import KINDS, assert_same_margins, assert_same_weights
from mirror_oracle import is_mirror_descent, mirror_run
from textbook_basics import progressive

from fenchel import learners

EACH = 7 if PLAIN else 3  # streams of each kind

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
every_kind = pytest.mark.parametrize("kind", KINDS)
MIRROR = [
    (case, kind)
    for case in CASES
    for kind in KINDS
    if is_mirror_descent(case.learner(case.fixed))
    # np.linalg.solve, which a full matrix uses in NumPy, loses the digits that are compared.
    and not (case.full and kind == "rescaled")
]


def test_every_learner_of_three_parts_has_a_textbook():
    of_others = {"auto", "multi_task", *learners.NESTED}
    assert {case.name for case in CASES} == set(learners.CATALOGUE) - of_others


@every_case
@every_kind
def test_margins_and_weights_are_the_textbooks(case, kind):
    for seed in range(EACH):
        given, parameters, intercept = drawn(case, kind, seed)
        X = given.with_intercept(intercept)
        book = case.book(X.shape[1], **parameters)
        learner = case.learner(parameters, intercept=intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            run = progressive(book, X, given.y, given.importance)
            margins = learner.learn_many(given.csr, given.y, given.importance)
        if assert_same_margins(margins, run, given.y, rounding=case.rounding):
            assert_same_weights(learner, book, run, max(1e-9, 1e4 * case.rounding))


@pytest.mark.parametrize(("case", "kind"), MIRROR, ids=lambda part: getattr(part, "id", part))
def test_margins_are_mirror_descents(case, kind):
    for seed in range(EACH):
        given, parameters, intercept = drawn(case, kind, seed)
        learner = case.learner(parameters, intercept=intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            run = mirror_run(learner, given.with_intercept(intercept), given.y, given.importance)
            margins = learner.learn_many(given.csr, given.y, given.importance)
        assert_same_margins(margins, run, given.y, rounding=case.rounding)


@every_case
def test_an_open_stream_grows_with_its_columns(case):
    """Blocks of growing width: f_t counts the columns known in its round."""
    for seed in range(EACH):
        given, parameters, intercept = drawn(case, "dense", 1000 + seed)
        rows, columns = given.X.shape
        rng = np.random.default_rng(seed)
        widths = np.sort(rng.integers(1, columns + 1, size=rows))
        X = np.where(np.arange(columns) < widths[:, np.newaxis], given.X, 0.0)
        book = case.book(columns + intercept, **parameters)
        rows_of_book = given._replace(X=X).with_intercept(intercept)
        learner = case.learner(parameters, intercept=intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            run = progressive(book, rows_of_book, given.y, widths=widths + intercept)
            margins = np.concatenate(
                [
                    learner.learn_many(sp.csr_array(X[widths == w, :w]), given.y[widths == w])
                    for w in np.unique(widths)
                ]
            )
        assert_same_margins(margins, run, given.y, rounding=case.rounding)

"""A round costs the non-zeros of its row, however many columns there are."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import CASES

ROUNDS, NONZEROS, NARROW, WIDE = 300, 50, 10**4, 10**7
REPEATS = 9
MOST = 3.0  # the wide learner may take so many times as long: caches and the clock are noisy


def seconds(case, X, y, width):
    """The median time of a pass over the rows, which name the same columns at every width."""
    rng = np.random.default_rng(0)
    learner = case.learner(case.parameters(rng, 1.0, widely=False))
    rows = sp.csr_array((X.data, X.indices, X.indptr), shape=(ROUNDS, width))
    taken = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        learner.learn_many(rows, y)
        taken.append(time.perf_counter() - begin)
    return np.median(taken[2:])  # the first passes compile and make room


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    indices = np.sort(np.argsort(rng.random((ROUNDS, NARROW)), axis=1)[:, :NONZEROS], axis=1)
    values = rng.normal(size=ROUNDS * NONZEROS)
    indptr = np.arange(0, ROUNDS * NONZEROS + 1, NONZEROS)
    X = sp.csr_array((values, indices.ravel(), indptr), shape=(ROUNDS, NARROW))
    return X, np.where(rng.random(ROUNDS) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case.full], ids=lambda case: case.id
)
def test_rounds_cost_the_same_at_ten_million_columns(case, rows):
    X, y = rows
    for _ in range(3):  # a busy machine gets another chance
        narrow, wide = (seconds(case, X, y, width) for width in (NARROW, WIDE))
        if wide <= MOST * narrow:
            return
    pytest.fail(f"{wide * 1e3:.2f} ms at {WIDE} columns, {narrow * 1e3:.2f} ms at {NARROW}")

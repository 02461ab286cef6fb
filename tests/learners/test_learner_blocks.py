"""However the rows arrive, in one block, in several, one by one or by name: the same bits."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import CASES, PLAIN, compiled_for, drawn

from fenchel import learners
from fenchel.parts import state

SEEDS = range(3 if PLAIN else 2)
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
some_cases = pytest.mark.parametrize(
    "case", compiled_for("perceptron", "arow-full"), ids=lambda case: case.id
)
single_cases = pytest.mark.parametrize(
    "case", compiled_for("perceptron", "arow-diagonal"), ids=lambda case: case.id
)


def begun(case, seed):
    """A stream whose first row has every feature, and two learners of it that have seen nothing."""
    given, parameters, intercept = drawn(case, "sparse", seed)
    X = np.vstack([np.random.default_rng(seed).normal(size=given.X.shape[1]), given.X])
    y = np.r_[given.y[0], given.y]
    importance = np.r_[1.0, given.importance]
    one, other = (case.learner(parameters, intercept=intercept) for _ in range(2))
    return X, y, importance, one, other


def bits(learner):
    """Every array of the state as bytes, without the spare room of growing arrays."""
    slots = learner.columns + 1
    return {
        name: array[tuple(slice(0, min(n, slots)) for n in array.shape)].tobytes()
        for name, array in state.arrays(learner.engine.parts)
    }


def learn_in_pieces(learner, X, y, importance, cuts):
    return np.concatenate(
        [
            learner.learn_many(rows, targets, weights)
            for rows, targets, weights in zip(
                (X[a:b] for a, b in zip([0, *cuts], [*cuts, len(y)], strict=True)),
                np.split(y, cuts),
                np.split(importance, cuts),
                strict=True,
            )
        ]
    )


def assert_pieces_are_the_block(case, form):
    for seed in SEEDS:
        X, y, importance, whole, pieces = begun(case, seed)
        X = form(X)
        rng = np.random.default_rng(seed)
        expected = whole.learn_many(X, y, importance)
        for cuts in (np.sort(rng.integers(0, len(y), size=4)), range(1, len(y))):
            split = pieces.copy()
            found = learn_in_pieces(split, X, y, importance, list(cuts))
            assert found.tobytes() == expected.tobytes()
            assert bits(split) == bits(whole)
            assert split.rounds == whole.rounds


@every_case
def test_any_split_of_sparse_rows_into_blocks(case):
    assert_pieces_are_the_block(case, sp.csr_array)


@some_cases
def test_any_split_of_dense_rows_into_blocks(case):
    assert_pieces_are_the_block(case, np.ascontiguousarray)


@some_cases
def test_one_dense_row_at_a_time(case):
    for seed in SEEDS:
        X, y, importance, many, one = begun(case, seed)
        expected = many.learn_many(X, y, importance)
        for t, x in enumerate(X):
            if importance[t] == 1.0:
                assert one.decision_one(x) == expected[t]
            one.learn_one(x, y[t], importance[t])
        assert bits(one) == bits(many)


@every_case
def test_named_features_in_the_order_of_columns(case):
    for seed in SEEDS:
        X, y, importance, many, one = begun(case, seed)
        expected = many.learn_many(sp.csr_array(X), y, importance)
        for t, x in enumerate(X):
            named = {f"feature {j}": x[j] for j in np.nonzero(x)[0]}
            if importance[t] == 1.0:
                assert one.decision_one(named) == expected[t]
            one.learn_one(named, y[t], importance[t])
        assert bits(one) == bits(many)
        assert list(one.weights().values()) == many.weights().tolist()


@every_case
def test_the_kind_of_index_does_not_matter(case):
    X, y, importance, narrow, wide = begun(case, 0)
    X = sp.csr_array(X)
    wider = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    wider.indices, wider.indptr = wider.indices.astype(np.int64), wider.indptr.astype(np.int64)
    expected = narrow.learn_many(X, y, importance)
    assert wide.learn_many(wider, y, importance).tobytes() == expected.tobytes()
    assert bits(wide) == bits(narrow)


@single_cases
@pytest.mark.parametrize("form", [sp.csr_array, np.ascontiguousarray][: 2 if PLAIN else 1])
def test_single_precision_input_is_read_exactly(case, form):
    """float32 entries become float64 as they are read: all arithmetic is in doubles."""
    X, y, importance, single, double = begun(case, 0)
    X = X.astype(np.float32)
    expected = double.learn_many(form(X.astype(np.float64)), y, importance)
    assert single.learn_many(form(X), y, importance).tobytes() == expected.tobytes()
    assert bits(single) == bits(double)


def test_named_features_that_become_many():
    """In the middle of the stream the state is laid out otherwise, for code compiled anew."""
    rows = np.arange(5 * state.MANY // 4).reshape(20, -1).repeat(3, axis=0)  # new names, then none
    X = sp.csr_array((np.ones(rows.size), rows.ravel(), rows.shape[1] * np.arange(61)))
    y = np.random.default_rng(0).choice([-1.0, 1.0], size=60)
    y[:2] = -1.0, 1.0
    many, one = (learners.arow() for _ in range(2))
    expected = many.learn_many(X, y)
    for t, names in enumerate(rows):
        named = {f"feature {j}": 1.0 for j in names}
        assert one.decision_one(named) == expected[t]
        one.learn_one(named, y[t])
    assert bits(one) == bits(many)

"""Full matrices by blocks are the plain recursion, up to the association of sums."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners
from fenchel._numba import blas
from fenchel.learners import by_blocks
from fenchel.rules import NormalizedResidual, PassiveAggressive
from fenchel.rules.protocol import fact

pytestmark = pytest.mark.skipif(
    not blas.are_available(), reason="BLAS is called in the fast way alone"
)

COLUMNS, ROWS = by_blocks.LEAST_COLUMNS + 5, 300
MAKERS = {
    "arow": lambda r: learners.arow(r=r, diagonal=False),
    "original arow": lambda r: learners.arow(r=r, diagonal=False, form="original"),
    "perceptron": lambda r: learners.second_order_perceptron(r=r, diagonal=False),
    "forecaster": lambda r: learners.vovk_azoury_warmuth(a=r, intercept=False),
    "newton": lambda r: learners.online_newton_step(a=r),
}


def stream(seed, rows=ROWS, columns=COLUMNS):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X @ rng.normal(size=columns) + rng.normal(size=rows) > 0.0, 1.0, -1.0)
    return X, y, rng


def row_by_row(learner, X, y, importance):
    rows = [
        learner.learn_many(X[t : t + 1], y[t : t + 1], importance[t : t + 1]) for t in range(len(y))
    ]
    return np.concatenate(rows)


def close(found, expected, bound=1e-9):
    return np.abs(found - expected).max() <= bound * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", range(2))
def test_random_parameters_and_importance_agree_with_the_plain_recursion(name, seed):
    X, y, rng = stream(seed)
    r, importance = 10.0 ** rng.uniform(-1, 1), rng.choice([0.0, 0.5, 1.0, 3.0], ROWS)
    blocks, plain = MAKERS[name](r), MAKERS[name](r)
    margins = blocks.learn_many(X, y, importance)
    assert close(margins, row_by_row(plain, X, y, importance))
    assert close(blocks.all_weights(), plain.all_weights())
    assert (blocks.updates, blocks.rounds) == (plain.updates, plain.rounds)


@pytest.mark.parametrize("name", MAKERS)
def test_sparse_rows_and_float32_agree_too(name):
    X, y, rng = stream(7)
    X[rng.random(X.shape) < 0.8] = 0.0
    expected = row_by_row(MAKERS[name](1.0), X, y, np.ones(ROWS))
    assert close(MAKERS[name](1.0).learn_many(sp.csr_array(X), y), expected)
    single = X.astype(np.float32)
    expected = row_by_row(MAKERS[name](1.0), single, y, np.ones(ROWS))
    assert close(MAKERS[name](1.0).learn_many(single, y), expected)


@pytest.mark.parametrize("cut", [1, 17, 64, 100, 299])
def test_wherever_a_stream_is_cut_the_margins_agree(cut):
    X, y, _ = stream(1)
    whole, cut_up = MAKERS["arow"](1.0), MAKERS["arow"](1.0)
    expected = whole.learn_many(X, y)
    found = np.concatenate(
        [cut_up.learn_many(X[:cut], y[:cut]), cut_up.learn_many(X[cut:], y[cut:])]
    )
    assert close(found, expected)


def test_resuming_at_the_end_of_a_block_is_exact(tmp_path):
    X, y, _ = stream(2)
    size = by_blocks.rows_of_block(COLUMNS)
    going, stopped = MAKERS["arow"](1.0), MAKERS["arow"](1.0)
    expected = going.learn_many(X[: 2 * size], y[: 2 * size])
    stopped.learn_many(X[:size], y[:size])
    stopped.save(tmp_path / "model")
    again = learners.Learner.load(tmp_path / "model")
    found = again.learn_many(X[size : 2 * size], y[size : 2 * size])
    assert found.tobytes() == expected[size:].tobytes()
    assert again.all_weights().tobytes() == going.all_weights().tobytes()


@pytest.mark.parametrize("spoil", ["scaled", "collinear", "constant", "repeated"])
@pytest.mark.parametrize("name", ["arow", "original arow", "forecaster"])
def test_hard_features_agree_with_the_plain_recursion(name, spoil):
    X, y, rng = stream(3, 600)
    if spoil == "scaled":
        X *= 10.0 ** rng.uniform(-6, 6, COLUMNS)
    elif spoil == "collinear":
        X[:, 10:] = X[:, :10] @ rng.normal(size=(10, COLUMNS - 10))
    elif spoil == "constant":
        X[:, ::2] = 3.0
    else:
        X[:] = np.repeat(X[:20], 30, axis=0)
    blocks, plain = MAKERS[name](1.0), MAKERS[name](1.0)
    margins = blocks.learn_many(X, y)
    assert close(margins, row_by_row(plain, X, y, np.ones(len(y))))
    assert np.isfinite(blocks.all_weights()).all()


def solved_in_extended_precision(A, b):
    """A⁻¹·b by Cholesky's factor in long doubles."""
    L, n = A.astype(np.longdouble), len(b)
    for j in range(n):
        L[j:, j] /= np.sqrt(L[j, j])
        L[j + 1 :, j + 1 :] -= np.outer(L[j + 1 :, j], L[j + 1 :, j])
    z = b.astype(np.longdouble)
    for j in range(n):
        z[j] = (z[j] - L[j, :j] @ z[:j]) / L[j, j]
    for j in range(n - 1, -1, -1):
        z[j] = (z[j] - L[j + 1 :, j] @ z[j + 1 :]) / L[j, j]
    return z.astype(np.float64)


@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_the_weights_are_those_of_a_direct_solution_in_extended_precision(spread):
    X, y, rng = stream(4, 1500)
    X *= 10.0 ** rng.uniform(-spread, spread, COLUMNS)
    learner = MAKERS["forecaster"](1.0)
    learner.learn_many(X, y)
    long = X.astype(np.longdouble)
    expected = solved_in_extended_precision(np.eye(COLUMNS) + long.T @ long, long.T @ y)
    units = np.sqrt((X * X).sum(axis=0))
    assert close(learner.weights() * units, expected * units, 1e-10)


def test_reading_many_rows_agrees_with_reading_one_and_changes_nothing():
    X, y, _ = stream(5)
    learner = MAKERS["arow"](1.0)
    learner.learn_many(X, y)
    learner.learn_many(X[:1], -y[:1])  # one row waits
    before = {name: array.tobytes() for name, array in learner.state_arrays().items()}
    margins, spreads = learner.decision_many(X), learner.confidence_many(X)
    assert close(margins, np.array([learner.decision_one(x) for x in X]))
    assert close(spreads, np.array([learner.confidence_one(x) for x in X]))
    assert before == {name: array.tobytes() for name, array in learner.state_arrays().items()}


def test_a_row_that_cannot_be_learned_leaves_the_state(tmp_path):
    X, y, _ = stream(6)
    learner = MAKERS["arow"](1.0)
    learner.learn_many(X, y)
    before = learner.all_weights()
    X[150, 3] = np.nan
    with pytest.raises(ValueError, match=r"X\[150, 3\] is nan"):
        learner.learn_many(X, y)
    assert learner.all_weights().tobytes() == before.tobytes()


def test_rules_that_ask_for_entries_are_learned_row_by_row():
    assert not fact(PassiveAggressive(), "by_margin")
    assert not fact(NormalizedResidual(), "by_margin")

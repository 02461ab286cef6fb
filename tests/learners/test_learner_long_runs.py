"""Vovk-Azoury-Warmuth over many rounds of badly scaled, nearly dependent features."""

import os

import numpy as np
import pytest

from fenchel import learners
from kernel.kernel_streams import shifted

# A million rounds: FENCHEL_LONG_ROUNDS=1000000.
ROUNDS = int(os.environ.get("FENCHEL_LONG_ROUNDS", "200000"))
COLUMNS = 8


def solved(A, right):
    """A⁻¹·right in extended precision, on a unit diagonal."""
    scale = 1.0 / np.sqrt(np.diag(A))
    M = np.column_stack([A * np.outer(scale, scale), scale * right])
    n = len(A)
    for k in range(n):
        M[k + 1 :] -= np.outer(M[k + 1 :, k] / M[k, k], M[k])
    for k in range(n - 1, -1, -1):
        M[k, n] = (M[k, n] - M[k, k + 1 : n] @ M[k + 1 :, n]) / M[k, k]
    return scale * M[:, n]


@pytest.mark.parametrize("first", [0, 64])  # from 64 columns on, rows wait
def test_no_number_of_rounds_wears_the_matrix_out(first):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(ROUNDS, COLUMNS))
    X[:, -1] = X[:, -2] + 1e-3 * X[:, -1]
    units = 10.0 ** rng.uniform(-6.0, 6.0, size=COLUMNS)
    y = X @ rng.normal(size=COLUMNS) + rng.normal(size=ROUNDS)
    X *= units
    a = 0.5
    learner = learners.vovk_azoury_warmuth(a, intercept=False)
    learner.learn_many(shifted(X, first), y)

    rows = X.astype(np.longdouble)
    A = rows.T @ rows + a * np.eye(COLUMNS)
    theta = rows.T @ y.astype(np.longdouble)
    expected = (solved(A, theta) * units).astype(float)
    np.testing.assert_allclose(learner.weights()[first:] * units, expected, rtol=1e-9, atol=1e-12)

    new = rng.normal(size=(20, COLUMNS)) * units
    tentative = [A + np.outer(x, x.astype(np.longdouble)) for x in new]
    margins = [float(x @ solved(A_t, theta)) for x, A_t in zip(new, tentative, strict=True)]
    spreads = [float(x @ solved(A_t, x)) for x, A_t in zip(new, tentative, strict=True)]
    new = shifted(new, first)
    np.testing.assert_allclose(learner.decision_many(new), margins, rtol=1e-9)
    np.testing.assert_allclose(learner.confidence_many(new), spreads, rtol=1e-9)

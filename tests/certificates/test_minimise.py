"""The best u in hindsight against exact solvers: linear programming, and SciPy at full precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog, minimize

from certificates.certified import block
from fenchel import learners, losses
from fenchel.certificates.minimise import least
from fenchel.certificates.problem import problem_of
from real_data import real_streams

KINKS = {
    "hinge": losses.Hinge(),
    "absolute": losses.Absolute(),
    "quantile": losses.Quantile(0.8),
    "epsilon": losses.EpsilonInsensitive(0.3),
}


def lines_of(loss, y):
    """The loss as the largest of some lines a·m + b, one pair (a, b) a row and line."""
    one = np.ones(len(y))
    if isinstance(loss, losses.Hinge):
        return [(-y, one)]
    low, high = (loss.tau, 1 - loss.tau) if isinstance(loss, losses.Quantile) else (1.0, 1.0)
    eps = getattr(loss, "epsilon", 0.0)
    return [(-low * one, low * y - eps), (high * one, -high * y - eps)]


def by_linear_programming(loss, X, y):
    """min Σ max(0, lines of ⟨u, x⟩), by SciPy's HiGHS."""
    A = sp.csr_array(np.column_stack([np.ones(len(y)), X]))
    n, d = A.shape
    G = [sp.hstack([sp.diags_array(a) @ A, -sp.eye_array(n)]) for a, _ in lines_of(loss, y)]
    h = np.concatenate([-b for _, b in lines_of(loss, y)])
    cost = np.concatenate([np.zeros(d), np.ones(n)])
    bounds = [(None, None)] * d + [(0, None)] * n
    return linprog(cost, sp.vstack(G).tocsr(), h, bounds=bounds, method="highs").fun


def told(X, y, loss):
    return least(problem_of([block(X, y)], X.shape[1], True), loss)


@pytest.mark.parametrize("name", KINKS)
@pytest.mark.parametrize("seed", range(5))
def test_kinks_against_linear_programming(name, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 6)) * 10.0 ** rng.uniform(-3, 3, 6)
    y = X @ (rng.normal(size=6) / np.abs(X).mean(axis=0)) + rng.standard_t(2, 80)
    y = np.sign(y) if name == "hinge" else y
    found, exact = told(X, y, KINKS[name]), by_linear_programming(KINKS[name], X, y)
    assert exact * (1 - 1e-9) - 1e-6 <= found.loss <= exact * 1.001 + 1e-6
    assert found.loss - found.gap <= exact + 1e-6


REAL = [
    ("airfoil", "absolute", 1503),
    ("compactiv", "absolute", 1500),
    ("concrete", "epsilon", 1030),
    ("wine_white", "quantile", 1500),
    ("space_ga", "absolute", 1500),
    ("abalone", "quantile", 1500),
    ("splice", "hinge", 512),
    ("german", "hinge", 1000),
    ("svmguide1", "hinge", 1500),
]


def real(name, task, rows):
    ((_, X, y),) = real_streams(task, name, rows=rows)
    return np.asarray(X.toarray() if sp.issparse(X) else X, float), np.asarray(y, float)


@pytest.mark.parametrize(("name", "kink", "rows"), REAL, ids=[name for name, *_ in REAL])
def test_real_sets_against_linear_programming(name, kink, rows):
    X, y = real(name, "binary" if kink == "hinge" else "regression", rows)
    y = np.where(y == y.max(), 1.0, -1.0) if kink == "hinge" else y
    found, exact = told(X, y, KINKS[kink]), by_linear_programming(KINKS[kink], X, y)
    assert found.loss <= exact * 1.001 or found.loss - found.gap <= exact
    assert found.loss <= exact * 1.01


def test_a_smooth_loss_against_scipy_at_full_precision():
    X, y = real("spambase", "binary", 1000)
    y = np.where(y == y.max(), 1.0, -1.0)
    wide = np.column_stack([np.ones(len(y)), X / X.std(axis=0).clip(1e-9)])

    def objective(u):
        s = y * (wide @ u)
        return np.logaddexp(0.0, -s).sum(), -wide.T @ (y * np.exp(-np.logaddexp(0.0, s)))

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 50}
    start = np.zeros(wide.shape[1])
    exact = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
    found = told(X, y, losses.Logistic())
    assert found.loss <= exact.fun * 1.001 or found.loss - found.gap <= exact.fun


def test_regret_says_how_sure_it_is():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4)) * [1.0, 1e3, 1e-3, 1.0]
    y = X @ [1.0, 1e-3, 1e3, -1.0] + rng.standard_t(2, 300)
    learner = learners.gradient_descent(loss="absolute", certify=True)
    learner.learn_many(X, y)
    regret = learner.regret()
    exact = by_linear_programming(losses.Absolute(), X, y)
    assert regret.best[-1] == pytest.approx(exact, rel=1e-3)
    assert regret.best[-1] - regret.gap <= exact
    assert "duality gap" in str(regret)

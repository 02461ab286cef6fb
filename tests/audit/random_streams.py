"""Learners with random parameters, and streams of every kind that could break a promise."""

from typing import Any, NamedTuple

import numpy as np

from audit.textbook_losses import BINARY, REGRESSION

KINDS = (
    *("plain", "sparse", "heavy", "units", "raw", "noise", "one", "adversary", "growing"),
    "separable",
)
LIPSCHITZ = ("hinge", "logistic", "absolute", "huber", "epsilon_insensitive", "quantile")
MIXED = (*BINARY, "squared", "absolute", "huber", "quantile")
DOMAINS = (("box", -0.5, 0.3), ("orthant",), ("ball", 0.7), ("simplex",))


class Stream(NamedTuple):
    """Rows, targets, importance, and how many columns are known in each round."""

    kind: str
    X: Any
    y: Any
    h: Any
    widths: Any


def spread(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def one_of(rng, values):
    return values[int(rng.integers(len(values)))]


def domain(rng):
    return {} if rng.random() < 0.5 else {"domain": one_of(rng, DOMAINS)}


DRAWS = {
    "perceptron": lambda r: {},
    "p_norm_perceptron": lambda r: {"p": float(r.uniform(2, 12))},
    "passive_aggressive": lambda r: {"C": spread(r, 0.1, 3)},
    "tuned_aggressive": lambda r: {"p": one_of(r, (2.0, 3.0, 7.0))},
    "winnow": lambda r: {"eta": spread(r, 0.05, 1)},
    "gradient_descent": lambda r: {
        "eta": spread(r, 0.05, 3),
        "schedule": one_of(r, ("sqrt", "constant")),
        "loss": one_of(r, MIXED),
        **domain(r),
    },
    "dual_averaging": lambda r: {
        "eta": spread(r, 0.05, 3),
        "l1": spread(r, 1e-3, 0.3),
        "l2": one_of(r, (0.0, 0.1)),
        "loss": one_of(r, MIXED),
        "indexing": one_of(r, ("corollary", "xiao")),
    },
    "strongly_convex": lambda r: {
        "l2": spread(r, 0.01, 2),
        "l1": one_of(r, (0.0, 0.02)),
        "loss": one_of(r, MIXED),
    },
    "exponentiated_gradient": lambda r: {
        "eta": spread(r, 0.01, 1),
        "signed": one_of(r, (True, False)),
        "adaptive": one_of(r, (True, False)),
        "total": spread(r, 0.5, 4),
        "loss": one_of(r, MIXED),
    },
    "adagrad": lambda r: {
        "eta": spread(r, 0.05, 2),
        "delta": one_of(r, (1e-8, spread(r, 1e-3, 5))),
        "l1": one_of(r, (0.0, 0.02)),
        "l2": one_of(r, (0.0, 0.1)),
        "loss": one_of(r, MIXED),
    },
    "scale_invariant_p_norm": lambda r: {"eta": spread(r, 0.1, 4), "loss": one_of(r, LIPSCHITZ)},
    "scale_invariant_adagrad": lambda r: {
        "eta": spread(r, 0.1, 4),
        "sqrt_d": one_of(r, (True, False)),
        "loss": one_of(r, LIPSCHITZ),
    },
    "normalized_adaptive_gradient": lambda r: {"eta": spread(r, 0.1, 4), "loss": one_of(r, MIXED)},
    "second_order_perceptron": lambda r: {
        "r": spread(r, 0.1, 10),
        "diagonal": one_of(r, (True, False)),
    },
    "arow": lambda r: {
        "r": spread(r, 0.1, 10),
        **one_of(
            r, ({"diagonal": True}, {"diagonal": False}, {"diagonal": False, "form": "original"})
        ),
    },
    "vovk_azoury_warmuth": lambda r: {"a": spread(r, 0.1, 5), "diagonal": one_of(r, (True, False))},
    "recursive_least_squares": lambda r: {"a": spread(r, 0.1, 5)},
    "p_norm_lms": lambda r: {"p": float(r.uniform(2, 8))},
    "lms": lambda r: {"eta": spread(r, 1e-3, 0.5)},
    "normalized_lms": lambda r: {"eta": float(r.uniform(0.1, 1.9))},
    "timed": lambda r: {
        "inner": one_of(
            r,
            (("p_norm", 2.0 + spread(r, 0.1, 8)), ("entropy", spread(r, 0.5, 4), r.random() < 0.5)),
        ),
        **one_of(r, ({"power": 0.5, "eta": spread(r, 0.05, 3)}, {"power": 1.0, "eta": 1.0})),
        "loss": one_of(r, MIXED),
    },
    "sketched_newton": lambda r: {
        "eta": spread(r, 0.1, 30),
        "rank": int(r.integers(2, 9)),
        "a": spread(r, 0.1, 10),
        "sketch": "frequent_directions",
        "loss": one_of(r, MIXED),
    },
    "implicit": lambda r: {"eta": spread(r, 0.05, 20), "loss": one_of(r, MIXED)},
}
PARTS = ("timed", "implicit")  # learners made by ``Learner.of``
SQUARED = ("vovk_azoury_warmuth", "recursive_least_squares", "p_norm_lms", "lms", "normalized_lms")


def task_of(name, parameters):
    regression = name in SQUARED or parameters.get("loss", "hinge") in REGRESSION
    return "regression" if regression else "binary"


def drawn(rng, task, kind=None):
    """A random stream; an adversary's labels come later."""
    kind = kind or one_of(rng, KINDS)
    rows, columns = int(rng.integers(1, 60)), int(rng.integers(1, 7))
    X = rng.normal(size=(rows, columns))
    if kind == "sparse":
        X *= rng.random(X.shape) < 0.3
    elif kind == "heavy":
        X = rng.standard_t(1.5, size=X.shape)
    elif kind == "units":
        X *= 10.0 ** rng.uniform(-3.0, 3.0, size=columns)
    elif kind == "raw":
        X = np.abs(X) * 10.0 ** rng.uniform(-1.0, 3.0, size=columns)
    elif kind == "one":
        X[:] = X[0]
    widths = np.full(rows, columns)
    if kind == "growing":
        widths = np.sort(rng.integers(1, columns + 1, size=rows))
        widths[-1] = columns
        X[np.arange(columns) >= widths[:, None]] = 0.0
    y = X @ (rng.normal(size=columns) / (1e-9 + np.abs(X).max(axis=0)))
    if kind != "separable":
        y += rng.normal(size=rows) * (3.0 if kind == "noise" else 0.2)
    if kind == "heavy":
        y *= 1.0 + rng.pareto(1.0, size=rows)
    if task == "binary":
        y = np.where(y > 0.0, 1.0, -1.0)
    h = np.ones(rows)
    if rng.random() < 0.25:
        h = one_of(rng, (rng.choice([0.0, 0.5, 1.0, 2.0], size=rows), 0.1 + rng.pareto(1.5, rows)))
    return Stream(kind, X, y, h, widths)


def comparators(rng, d):
    """u = 0, a random one of random size, and now and then (None) the best ones in hindsight."""
    best = [None] if rng.random() < 0.15 else []
    return [np.zeros(d), rng.normal(size=d) * 10.0 ** rng.uniform(-2.0, 1.0), *best]

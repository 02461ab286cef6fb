"""Runs to certify: random and adversarial streams, learners with random parameters."""

import numpy as np

from fenchel import learners
from fenchel.certificates import replay
from fenchel.regularizers import Ball, Box, Orthant
from fenchel.rows import Block, Rows

LOSSES = ("hinge", "logistic", "squared", "absolute", "huber", "squared_hinge", "quantile")
LIPSCHITZ = ("hinge", "logistic", "absolute", "huber", "epsilon_insensitive", "quantile")
BINARY = ("hinge", "logistic", "squared_hinge")


def uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def drawn(rng):
    """A learner of the catalogue that a theorem covers, with random parameters."""
    name = str(rng.choice(list(DRAWS)))
    return name, DRAWS[name](rng)


def domain(rng, *others):
    return (
        {}
        if rng.random() < 0.6
        else {"domain": (Box(-0.5, 0.3), Orthant(), *others)[rng.integers(2 + len(others))]}
    )


DRAWS = {
    "perceptron": lambda r: {},
    "p_norm_perceptron": lambda r: {"p": float(r.uniform(2, 12))},
    "passive_aggressive": lambda r: {"C": uniform(r, 0.1, 3)},
    "tuned_aggressive": lambda r: {"p": float(r.choice([2.0, 3.0, 7.0]))},
    "winnow": lambda r: {"eta": uniform(r, 0.05, 1)},
    "gradient_descent": lambda r: {
        "eta": uniform(r, 0.05, 3),
        "schedule": str(r.choice(["sqrt", "constant"])),
        "loss": str(r.choice(LOSSES)),
        **domain(r, Ball(0.7)),
    },
    "dual_averaging": lambda r: {
        "eta": uniform(r, 0.05, 3),
        "l1": uniform(r, 1e-3, 0.3),
        "l2": float(r.choice([0.0, 0.1])),
        "loss": str(r.choice(LOSSES)),
        "indexing": str(r.choice(["corollary", "xiao"])),
    },
    "strongly_convex": lambda r: {
        "l2": uniform(r, 0.01, 2),
        "l1": float(r.choice([0.0, 0.02])),
        "loss": str(r.choice(LOSSES)),
    },
    "exponentiated_gradient": lambda r: {
        "eta": uniform(r, 0.01, 1),
        "signed": bool(r.integers(2)),
        "adaptive": bool(r.integers(2)),
        "total": uniform(r, 0.5, 4),
        "loss": str(r.choice(LOSSES)),
    },
    "adagrad": lambda r: {
        "eta": uniform(r, 0.05, 2),
        "delta": uniform(r, 1e-3, 5),
        "l1": float(r.choice([0.0, 0.02])),
        "l2": float(r.choice([0.0, 0.1])),
        "loss": str(r.choice(LOSSES)),
    },
    "scale_invariant_p_norm": lambda r: {
        "eta": uniform(r, 0.1, 4),
        "loss": str(r.choice(LIPSCHITZ)),
    },
    "scale_invariant_adagrad": lambda r: {
        "eta": uniform(r, 0.1, 4),
        "sqrt_d": bool(r.integers(2)),
        "loss": str(r.choice(LIPSCHITZ)),
    },
    "normalized_adaptive_gradient": lambda r: {
        "eta": uniform(r, 0.1, 4),
        "loss": str(r.choice(LOSSES)),
    },
    "second_order_perceptron": lambda r: {
        "r": uniform(r, 0.1, 10),
        "diagonal": bool(r.integers(2)),
    },
    "arow": lambda r: {
        "r": uniform(r, 0.1, 10),
        **({"diagonal": True}, {"diagonal": False}, {"diagonal": False, "form": "original"})[
            r.integers(3)
        ],
    },
    "vovk_azoury_warmuth": lambda r: {"a": uniform(r, 0.1, 5), "diagonal": bool(r.integers(2))},
    "p_norm_lms": lambda r: {"p": float(r.uniform(2, 8))},
    "lms": lambda r: {"eta": uniform(r, 1e-3, 0.5)},
    "normalized_lms": lambda r: {"eta": float(r.uniform(0.1, 1.9))},
}
KINDS = ("plain", "sparse", "heavy", "units", "noise", "one", "adversary")


def stream(rng, task, kind=None):
    """Rows, targets and (sometimes) importance; an adversary's labels come later."""
    kind = kind or str(rng.choice(KINDS))
    rows, columns = int(rng.integers(1, 45)), int(rng.integers(1, 7))
    X = rng.normal(size=(rows, columns))
    if kind == "sparse":
        X *= rng.random(X.shape) < 0.3
    if kind == "heavy":
        X = rng.standard_t(1.5, size=X.shape)
    if kind == "units":
        X *= 10.0 ** rng.uniform(-3.0, 3.0, size=columns)
    if kind == "one":
        X[:] = X[0]
    y = X @ (rng.normal(size=columns) / (1e-9 + np.abs(X).max(axis=0)))
    y += rng.normal(size=rows) * (3.0 if kind == "noise" else 0.2)
    if task == "binary":
        y = np.where(y > 0.0, 1.0, -1.0)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], size=rows) if rng.random() < 0.2 else np.ones(rows)
    return kind, X, y, weights


def learned(name, parameters, kind, X, y, weights, rng, **options):
    """The learner after the stream, in blocks; an adversary answers each margin with its opposite."""
    learner = learners.from_parameters(name, {**parameters, **options, "certify": True})
    if learner.labels is not None:
        learner.learn_many(X[:0], y[:0])
        learner.adopt_labels([-1.0, 1.0])
    if kind == "adversary":
        scale = 1.0 if learner.task == "binary" else float(np.abs(y).max())
        for t in range(len(X)):
            y[t] = -scale if learner.decision_many(X[t : t + 1])[0] > 0.0 else scale
            learner.learn_many(X[t : t + 1], y[t : t + 1], weights[t : t + 1])
        return learner
    cut = int(rng.integers(0, len(X) + 1))
    for part in (slice(0, cut), slice(cut, None)):
        if len(X[part]):
            learner.learn_many(X[part], y[part], weights[part])
    return learner


def block(X, y, weights=None):
    X = np.ascontiguousarray(X, dtype=np.float64)
    h = None if weights is None else np.asarray(weights, dtype=np.float64)
    return Block(Rows.dense(X), np.asarray(y, dtype=np.float64), h)


def run_of(parts, X, y, u, intercept=False):
    """A run of parts through Algorithm 1 in NumPy."""
    return replay(parts, [block(X, y)], np.asarray(X).shape[1], intercept, np.asarray(u, float))

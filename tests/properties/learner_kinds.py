"""Learners of every kind for the properties that must hold of all, and small streams for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel import learners

KINDS: dict[str, Callable[[], Any]] = {
    "perceptron": learners.perceptron,
    "arow, full matrix": lambda: learners.arow(diagonal=False),
    "vovk_azoury_warmuth": learners.vovk_azoury_warmuth,
    "hedge": lambda: learners.hedge([learners.perceptron(), learners.arow(diagonal=False)]),
    "one_against_rest": lambda: learners.one_against_rest(learners.perceptron()),
}


def labels_for(learner: Any, rng: np.random.Generator, rows: int) -> Any:
    if learner.task == "regression":
        return rng.normal(size=rows)
    return rng.choice(["x", "y", "z"][: 3 if learner.task == "multiclass" else 2], size=rows)


def stream(learner: Any, rows: int, columns: int = 6, seed: int = 0) -> tuple[Any, Any, Any]:
    """Sparse rows, labels and importances."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.5)
    y = labels_for(learner, rng, rows)
    if learner.task != "regression":
        y[:3] = ["x", "y", "x" if learner.task == "binary" else "z"]
    return sp.csr_array(X), y, rng.choice([0.0, 0.5, 1.0, 3.0], size=rows)


def fingerprint(learner: Any) -> Any:
    """Everything that the next round depends on."""
    arrays = {k: (v.shape, v.tobytes()) for k, v in learner.state_arrays().items()}
    known = None if learner.labels is None else learner.labels.known
    return arrays, known, learner.names, learner.columns, learner.rounds

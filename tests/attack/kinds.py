"""A learner of every kind, each with rows that it can learn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fenchel import Learner, learners
from fenchel.regularizers import Simplex

RANDOM = np.random.default_rng(5)
X = np.round(RANDOM.normal(size=(12, 3)), 3)
TWO = np.where(X @ [1.0, -2.0, 0.5] > 0.0, 1, -1)
NUMBERS = X @ [1.0, -2.0, 0.5]
SEVERAL = np.array(["a", "b", "c"])[np.argmax(X, axis=1)]
BOTH = np.stack([NUMBERS, -NUMBERS], axis=1)
RANKS = np.stack([TWO, np.repeat([0, 1, 2], 4)], axis=1).astype(float)

KINDS: dict[str, tuple[Callable[[], Learner], Any]] = {
    "perceptron": (learners.perceptron, TWO),
    "averaged": (lambda: learners.perceptron(averaged=True), TWO),
    "arow full": (lambda: learners.arow(diagonal=False), TWO),
    "adagrad": (lambda: learners.adagrad(l1=0.01, averaged=True, certify=True), TWO),
    "dual averaging": (lambda: learners.dual_averaging(l1=0.01, certify=True), TWO),
    "simplex": (lambda: learners.gradient_descent(domain=Simplex(total=2.0)), TWO),
    "entropic": (learners.exponentiated_gradient, TWO),
    "p-norm": (lambda: learners.p_norm_perceptron(p=4.0), TWO),
    "scale invariant": (learners.scale_invariant_p_norm, TWO),
    "vovk": (learners.vovk_azoury_warmuth, NUMBERS),
    "lms": (learners.normalized_lms, NUMBERS),
    "hedge": (lambda: learners.hedge(["perceptron", "arow"], combined=True), TWO),
    "auto": (learners.auto, TWO),
    "auto numbers": (lambda: learners.auto(task="regression"), NUMBERS),
    "auto classes": (lambda: learners.auto(task="multiclass"), SEVERAL),
    "one against rest": (lambda: learners.one_against_rest("arow"), SEVERAL),
    "max margin": (lambda: learners.max_margin("perceptron"), SEVERAL),
    "multi output": (lambda: learners.multi_output("lms"), BOTH),
    "multi task": (learners.multi_task, BOTH),
    "ranking": (lambda: learners.ranking("perceptron"), RANKS),
}


def rows_as_dicts(X: Any) -> list[dict[str, float]]:
    """The same rows, their columns by name."""
    return [{f"x{j}": float(value) for j, value in enumerate(row)} for row in X]


def trained(kind: str, named: bool = False) -> Learner:
    """A learner of this kind that has learned all rows."""
    make, y = KINDS[kind]
    learner = make()
    learner.learn_many(rows_as_dicts(X) if named else X, y)
    return learner

"""Small random streams: dense, sparse, heavy-tailed, rescaled, degenerate, with late features."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

KINDS = ("dense", "sparse", "heavy", "rescaled", "degenerate", "late")


class Stream(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    importance: np.ndarray


def task_of(loss) -> str:
    """The task of a loss; "count" where labels must not be negative."""
    return "count" if getattr(loss, "counts", False) else loss.task


def random_stream(kind: str, task: str, rng: np.random.Generator, rows=10, columns=4) -> Stream:
    """Rows, labels of the task, importances of which one is 0."""
    X = rng.normal(size=(rows, columns)) / np.sqrt(columns)
    if kind == "sparse":
        X *= rng.random(X.shape) < 0.4
    elif kind == "heavy":
        X = rng.standard_t(1.5, size=X.shape) / 3.0
    elif kind == "rescaled":
        X *= 10.0 ** rng.uniform(-6.0, 6.0, columns)
    elif kind == "degenerate":
        X[1::3] = 0.0
        X[2::3] = X[2]
        X[:, 0] = X[0, 0]
    elif kind == "late":
        X *= np.arange(rows)[:, None] > np.arange(columns) * (rows // columns)
    y = np.sign(rng.normal(size=rows)) if task == "binary" else rng.normal(size=rows)
    if task == "count":  # an exponential of a margin of thousands leaves nothing to compare
        X, y = np.clip(X, -2.0, 2.0), np.floor(3.0 * np.abs(y))
    importance = np.ones(rows)
    importance[3:] = rng.choice([0.0, 0.5, 1.0, 2.0], rows - 3, p=[0.1, 0.2, 0.5, 0.2])
    return Stream(X, y, importance)


def shifted(X: np.ndarray, first: int) -> sp.csr_array:
    """The same rows, sparse, their columns from ``first`` on."""
    rows = sp.csr_array(X)
    shape = X.shape[0], X.shape[1] + first
    return sp.csr_array((rows.data, rows.indices + first, rows.indptr), shape=shape)

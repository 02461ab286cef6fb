"""Random streams of every kind that a learner meets, and how close two runs over them must be."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

KINDS = ("dense", "sparse", "heavy-tailed", "rescaled", "constant")


class Stream(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    importance: np.ndarray

    @property
    def csr(self):
        return sp.csr_array(self.X)

    @property
    def scale(self):
        """The largest entry, the intercept's 1 included."""
        return max(1.0, float(np.abs(self.X).max(initial=0.0)))

    def with_intercept(self, intercept):
        """The rows as the textbooks want them, the intercept's entry first."""
        return np.column_stack([np.ones(len(self.y)), self.X]) if intercept else self.X


def stream(rng, task, kind=None, rows=None, columns=None):
    """A random stream; any kind may have empty rows, repeated rows and features that come late."""
    kind = kind or str(rng.choice(KINDS))
    rows = rows or int(rng.integers(15, 40))
    columns = columns or int(rng.integers(1, 9))
    X = rng.normal(size=(rows, columns))
    if kind == "sparse":
        X *= rng.random(X.shape) < 0.3
    if kind == "heavy-tailed":
        X = rng.standard_t(1.0, size=X.shape)
    if kind == "rescaled":
        X *= 10.0 ** rng.uniform(-6.0, 6.0, size=columns)
    if kind == "constant":
        X[:] = X[0]
    if rng.random() < 0.5:
        X[rng.random(rows) < 0.15] = 0.0
    if rng.random() < 0.5:
        X[: rows // 2, columns // 2 :] = 0.0
    y = _targets(rng, X, task)
    return Stream(X, y, rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 3.7], size=rows))


def _targets(rng, X, task):
    sizes = np.abs(X).max(axis=0)
    y = (X / np.where(sizes > 0.0, sizes, 1.0)) @ rng.normal(size=X.shape[1])
    y += 0.3 * rng.normal(size=len(y))
    return np.where(y > 0.0, 1.0, -1.0) if task == "binary" else y * 10.0 ** rng.uniform(-1.0, 1.0)


def assert_same_margins(margins, run, y, tolerance=1e-9, rounding=0.0):
    """Margins equal those of a textbook run, relative to the size of their terms.

    A learner whose step is too long for its input diverges: it is followed up to 1e100. With
    ``rounding`` margins may differ by so much of the largest one so far; where that puts them on
    two sides of 0 or 1 the runs part for good, and are followed up to there. Returns whether they
    were followed to the end.
    """
    followed = np.logical_and.accumulate(run.sizes < 1e100)
    sizes = np.where(followed, run.sizes, 0.0)
    allowed = tolerance * sizes + rounding * np.maximum.accumulate(sizes)
    close = np.abs(margins - run.margins) <= allowed
    with np.errstate(over="ignore"):
        found, expected = y * margins, y * run.margins
    parted = ((found <= 0.0) != (expected <= 0.0)) | ((found < 1.0) != (expected < 1.0))
    parted = np.logical_or.accumulate(parted & close)
    bad = followed & ~close
    bad[1:] &= ~parted[:-1]
    at = np.argmax(bad)
    assert not bad.any(), (
        f"round {at}: {margins[at]!r} is not {run.margins[at]!r} (terms of {run.sizes[at]:.3g})"
    )
    return bool(followed[-1] and not parted[-1])


def assert_same_weights(learner, book, run, tolerance=1e-9):
    """Weights equal the textbook's after the run, relative to the largest each one has been."""
    d = run.weights.shape[1]
    w = book.weights(np.zeros(d), 1.0)
    largest = np.abs(np.vstack([run.weights, w])).max(axis=0)
    sizes = np.array([book.size(w, one) for one in np.eye(d)])
    with np.errstate(over="ignore"):  # of a slot that is not read
        found = np.r_[[learner.bias] if learner.intercept else [], learner.weights()]
    sizes = np.maximum(sizes, largest.max() * 1e-30)
    assert np.all(np.abs(found - w) <= tolerance * np.maximum(largest, sizes)), (found, w)

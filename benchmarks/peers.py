"""Progressive error of the peers over one stream: each row is predicted before it is learned.

The error is the share of mistakes for classes; for regression it is the squared error divided by
that of the best constant, and ``null`` if the predictions left the finite numbers. Peers keep their
defaults and see the raw features unless their name says "scaled". A peer too slow to play a long
stream row by row says so in its figure: ``block`` rows are predicted, then learned, together;
``rows`` counts those played, from the first on.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from river import linear_model, multiclass
from river.base import Estimator
from river.preprocessing import StandardScaler
from scipy import sparse
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor

from benchmarks import vowpal
from benchmarks.datasets import Dataset, Task
from benchmarks.readers import Matrix

Figure = dict[str, float | int | None]

MOST_SCIKIT_CALLS = 3_000
MOST_RIVER_WORK = 10_000_000

VOWPAL = {
    "binary": {
        "vowpal hinge": "--loss_function hinge",
        "vowpal logistic": "--loss_function logistic",
        "vowpal coin": "--coin --loss_function logistic",
    },
    "multiclass": {
        "vowpal oaa": "--oaa {classes}",
        "vowpal oaa logistic": "--oaa {classes} --loss_function logistic",
        # All classes share one table of weights; the default one is small for a large vocabulary.
        "vowpal oaa wide": "--oaa {classes} --bit_precision 24",
    },
    "regression": {"vowpal squared": "", "vowpal coin": "--coin"},
}

PASSIVE_AGGRESSIVE = {"penalty": None, "learning_rate": "pa1", "eta0": 1.0}
CLASSIFIERS = {
    "sklearn hinge": lambda: SGDClassifier(shuffle=False),
    "sklearn logistic": lambda: SGDClassifier(loss="log_loss", shuffle=False),
    "sklearn perceptron": lambda: Perceptron(shuffle=False),
    "sklearn pa": lambda: SGDClassifier(shuffle=False, **PASSIVE_AGGRESSIVE),
}
SCIKIT = {
    "binary": CLASSIFIERS,
    "multiclass": CLASSIFIERS,
    "regression": {
        "sklearn squared": lambda: SGDRegressor(shuffle=False),
        "sklearn pa": lambda: SGDRegressor(
            loss="epsilon_insensitive", shuffle=False, **PASSIVE_AGGRESSIVE
        ),
    },
}

RIVER = {
    "binary": {
        "river logistic": linear_model.LogisticRegression,
        "river logistic scaled": lambda: StandardScaler() | linear_model.LogisticRegression(),
        "river pa": linear_model.PAClassifier,
        "river pa scaled": lambda: StandardScaler() | linear_model.PAClassifier(),
    },
    "multiclass": {
        "river logistic": lambda: multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
        "river logistic scaled": lambda: (
            StandardScaler() | multiclass.OneVsRestClassifier(linear_model.LogisticRegression())
        ),
    },
    "regression": {
        "river squared": linear_model.LinearRegression,
        "river squared scaled": lambda: StandardScaler() | linear_model.LinearRegression(),
    },
}


def progressive_error(task: Task, y: NDArray, predicted: NDArray) -> float | None:
    """Compare predictions with labels; a prediction that is not a number is a mistake."""
    if task != "regression":
        return float(np.mean(predicted != y))
    with np.errstate(over="ignore", invalid="ignore"):
        error = float(np.sum((predicted - y) ** 2) / np.sum((y - y.mean()) ** 2))
    return error if np.isfinite(error) else None


def figure(task: Task, y: NDArray, predicted: NDArray, seconds: float, block: int = 1) -> Figure:
    error = progressive_error(task, y, predicted)
    return {"error": error, "seconds": round(seconds, 3), "rows": len(y), "block": block}


def baseline_figures(entry: Dataset, X: Matrix, y: NDArray) -> Iterator[tuple[str, Figure]]:
    """Repeat the last label, which drifting streams reward, or always say the commonest class."""
    task = entry.task
    yield "last label", figure(task, y, np.concatenate([y[:1], y[:-1]]), seconds=0.0)
    if task != "regression":
        values, counts = np.unique(y, return_counts=True)
        commonest = np.full(len(y), values[counts.argmax()])
        yield "best constant", figure(task, y, commonest, seconds=0.0)


def vowpal_figures(entry: Dataset, X: Matrix, y: NDArray) -> Iterator[tuple[str, Figure]]:
    task = entry.task
    classes = y.max() + 1 if task == "multiclass" else 2
    with vowpal.text_file(X, y) as text:
        for name, options in VOWPAL[task].items():
            predicted, seconds = vowpal.progressive_predictions(
                text, options.format(classes=classes)
            )
            if task == "binary":
                predicted = np.where(predicted > 0, 1.0, -1.0)
            elif task == "multiclass":
                predicted = predicted - 1
            yield name, figure(task, y, predicted, seconds)


def scikit_figures(entry: Dataset, X: Matrix, y: NDArray) -> Iterator[tuple[str, Figure]]:
    """Learn long streams in blocks, but not those in time: there the last rows matter most."""
    block = 1 if entry.order == "time" else -(-len(y) // MOST_SCIKIT_CALLS)
    for name, make in SCIKIT[entry.task].items():
        start = time.perf_counter()
        predicted = scikit_predictions(make(), entry.task, X, y, block)
        yield name, figure(entry.task, y, predicted, time.perf_counter() - start, block)


def scikit_predictions(model, task: Task, X: Matrix, y: NDArray, block: int) -> NDArray:
    """Predict and learn block by block; what comes after an overflow stays not a number."""
    classes = {} if task == "regression" else {"classes": np.unique(y)}
    predicted = np.full(len(y), np.nan)
    predicted[:block] = 0.0 if task == "regression" else y.min()
    for begin in range(0, len(y), block):
        rows = slice(begin, begin + block)
        try:
            if begin:
                predicted[rows] = model.predict(X[rows])
            model.partial_fit(X[rows], y[rows], **classes)
        except ValueError:
            break
    return predicted


def river_figures(entry: Dataset, X: Matrix, y: NDArray) -> Iterator[tuple[str, Figure]]:
    """A sparse row gives its non-zeros, a dense one all its columns, since scaling minds zeros."""
    task = entry.task
    values_a_row = X.nnz / len(y) if sparse.issparse(X) else X.shape[1]
    classes = y.max() + 1 if task == "multiclass" else 1
    rows = min(len(y), int(MOST_RIVER_WORK / classes / (10 + values_a_row)))
    labels = y[:rows]
    for name, make in RIVER[task].items():
        start = time.perf_counter()
        predicted = river_predictions(make(), dictionaries(X[:rows]), labels, task)
        yield name, figure(task, labels, predicted, time.perf_counter() - start)


def dictionaries(X: Matrix) -> Iterator[dict[int, float]]:
    for row in X:
        if sparse.issparse(row):
            yield dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        else:
            yield dict(enumerate(row.tolist()))


def river_predictions(model: Estimator, rows: Iterator[dict], y: NDArray, task: Task) -> NDArray:
    predicted = np.zeros(len(y))
    labels = (y > 0) if task == "binary" else y
    for i, (row, label) in enumerate(zip(rows, labels.tolist(), strict=True)):
        predicted[i] = model.predict_one(row) or 0
        model.learn_one(row, label)
    return np.where(predicted > 0, 1.0, -1.0) if task == "binary" else predicted


PEERS: dict[str, Callable[[Dataset, Matrix, NDArray], Iterator[tuple[str, Figure]]]] = {
    "baseline": baseline_figures,
    "vowpal": vowpal_figures,
    "sklearn": scikit_figures,
    "river": river_figures,
}

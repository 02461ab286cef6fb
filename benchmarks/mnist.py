"""MNIST as it comes: 60,000 rows, one pass, pixels 0 … 255, nothing scaled, nothing tuned.

``python -m benchmarks.mnist`` measures the error on the 10,000 test rows after one pass over the
training rows in the file's order, each library with its defaults, and writes ``MNIST.md``.
"""

import platform
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import SGDClassifier

import fenchel
from benchmarks import vowpal
from benchmarks.loaders import DataMissingError, mnist
from fenchel.estimators import OnlineClassifier

PATH = Path(__file__).with_name("MNIST.md")
TRAINING = 60_000
Result = tuple[str, float, float]


def online(name: str, model, X, y, X_test, y_test) -> Result:
    """One call of ``partial_fit`` over all rows."""
    start = time.perf_counter()
    model.partial_fit(X, y, classes=np.unique(y))
    seconds = time.perf_counter() - start
    return name, float(np.mean(model.predict(X_test) != y_test)), seconds


def vowpal_wabbit(X, y, X_test, y_test: NDArray) -> Result:
    with vowpal.text_file(X, y) as train, vowpal.text_file(X_test, y_test) as test:
        classes, seconds = vowpal.held_out_predictions(train, test, "--oaa 10")
    return "Vowpal Wabbit, `--oaa 10`", float(np.mean(classes - 1 != y_test)), seconds


def report(results: list[Result]) -> str:
    versions = ", ".join(f"{p} {version(p)}" for p in ("numpy", "scikit-learn", "vowpalwabbit"))
    lines = [f"| {name} | {error:.4f} | {seconds:.1f} |" for name, error, seconds in results]
    return "\n".join(
        [
            "# MNIST as it comes",
            "",
            f"Made by `python -m benchmarks.mnist` with fenchel {fenchel.__version__}, Python",
            f"{platform.python_version()}, {versions}.",
            "",
            "One pass over the 60,000 training rows in the file's order, pixels 0 … 255, nothing",
            "scaled, every library with its defaults; then the share of mistakes on the 10,000 test",
            "rows. Seconds are those of learning, for Vowpal Wabbit with the reading of its text.",
            "",
            "| learner | test error | seconds |",
            "|---|---:|---:|",
            *lines,
            "",
        ]
    )


def main() -> None:
    X, y = mnist()
    data = X[:TRAINING], y[:TRAINING], X[TRAINING:], y[TRAINING:]
    results = [
        online("fenchel `OnlineClassifier()`", OnlineClassifier(), *data),
        vowpal_wabbit(*data),
        online("scikit-learn `SGDClassifier()`", SGDClassifier(random_state=0), *data),
    ]
    PATH.write_text(report(results))
    print(PATH.read_text())


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

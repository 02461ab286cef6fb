"""Vowpal Wabbit over one stream: writing its text format and reading its progressive predictions.

Vowpal Wabbit predicts each row before it learns from it, so one pass with a file of predictions is
the test-then-train protocol. The wheel's command line is used, in a process of its own.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.readers import Matrix, Vector

BLOCK = 10_000


def text_rows(X: Matrix, y: NDArray) -> Iterator[str]:
    """Yield the rows as text, zeros left out; nine digits tell any two float32 values apart."""
    pair = "{}:{:.9g}".format
    for start in range(0, len(y), BLOCK):
        block = sparse.csr_matrix(X[start : start + BLOCK])
        columns, values = block.indices.tolist(), block.data.tolist()
        ends = block.indptr.tolist()
        labels = y[start : start + BLOCK].tolist()
        for label, begin, end in zip(labels, ends, ends[1:], strict=False):
            features = " ".join(map(pair, columns[begin:end], values[begin:end]))
            yield f"{label!r} |f {features}\n"


@contextmanager
def text_file(X: Matrix, y: NDArray) -> Iterator[Path]:
    """Keep the stream as a temporary text file; classes count from one, as ``--oaa`` wants them."""
    labels = y + 1 if np.issubdtype(y.dtype, np.integer) else y
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stream.vw"
        with path.open("w") as file:
            file.writelines(text_rows(X, labels))
        yield path


def progressive_predictions(text: Path, options: str) -> tuple[Vector, float]:
    """Run one pass; return the raw predictions and the seconds, start-up and reading included."""
    return _predictions(text, options)


def held_out_predictions(train: Path, test: Path, options: str) -> tuple[Vector, float]:
    """Learn from one file in one pass, predict the other; return the seconds of learning too."""
    model = train.with_suffix(".model")
    seconds = _run("--data", str(train), "--final_regressor", str(model), *options.split())
    return _predictions(test, f"--testonly --initial_regressor {model}")[0], seconds


def _predictions(text: Path, options: str) -> tuple[Vector, float]:
    predictions = text.with_suffix(".predictions")
    seconds = _run("--data", str(text), "--predictions", str(predictions), *options.split())
    return np.loadtxt(predictions, ndmin=1), seconds


def _run(*arguments: str) -> float:
    """Run the command line once; how many seconds it took."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "vowpalwabbit", "--quiet", *arguments], check=True)
    return time.perf_counter() - start

"""Heads for embeddings: full matrices, ``auto`` and scikit-learn on dense float32 rows.

``python -m benchmarks.embeddings`` plays two streams once, each learner in a process of its own, and writes
``EMBEDDINGS.md``. The streams are the newspaper embeddings, and 20,000 rows of 1,024 random features of
MNIST's digits: √2·cos(Ωx + b), Ω normal over the median distance of two digits, seed 0. Measured are
mistakes in blocks of 100 rows (a block is predicted, then learned), seconds, and the peak memory of the
process; and one matrix for all classes against a matrix a class. r and a, which have the unit of a squared
row, are the mean squared norm of the first block: no choice is left.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, SGDClassifier

from benchmarks.datasets import named
from benchmarks.loaders import DataMissingError, data_folder
from fenchel import learners
from fenchel.estimators import OnlineClassifier

PATH = Path(__file__).with_name("EMBEDDINGS.md")
BLOCK = 100
FULL = "arow:r={size},diagonal=no,form=original"
RIDGE = "vovk_azoury_warmuth:a={size},task=binary"
ONLINE = {
    "full AROW, one matrix": lambda first: _shared(FULL, first),
    "full ridge, one matrix": lambda first: _shared(RIDGE, first),
    "`auto`": lambda first: OnlineClassifier(),
    "scikit-learn `SGDClassifier()`": lambda first: SGDClassifier(random_state=0),
}
HINDSIGHT = "scikit-learn `LogisticRegression()`, fitted to all rows"
SHARED_SETS = ("usps", "satimage", "letter")


def _shared(specification: str, first: np.ndarray) -> OnlineClassifier:
    size = float(np.mean(np.sum(np.square(first, dtype=np.float64), axis=1)))
    learner = learners.from_specification(specification.format(size=f"{size:.3g}"))
    return OnlineClassifier(learners.one_against_rest(learner, shared=True))


def newspaper(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Text embeddings, fiction or not; a few are cut short and left out."""
    frame = pd.read_parquet(data_folder() / "newspaper_embeddings" / "embeddings.parquet")
    whole = frame[frame["embedding"].map(len) == 1024][:rows]
    X = np.stack(whole["embedding"].to_numpy()).astype(np.float32)
    return X, (whole["label"] == "fiction").to_numpy().astype(np.int64)


def digits(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """1,024 random Fourier features of MNIST's pixels."""
    X, y = named("mnist").load()
    X = np.asarray(X[:rows], np.float32) / 255.0
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(X), (2, 500))
    width = np.median(np.linalg.norm(X[pairs[0]] - X[pairs[1]], axis=1))
    omega = (rng.normal(size=(X.shape[1], 1024)) / width).astype(np.float32)
    shift = rng.uniform(0, 2 * np.pi, 1024).astype(np.float32)
    return np.cos(X @ omega + shift) * np.float32(np.sqrt(2.0)), np.asarray(y[:rows])


STREAMS = {"digits": digits, "newspaper": newspaper}


def play(folder: str, name: str) -> dict[str, float]:
    """Mistakes, seconds and peak memory (MB) of one learner over the stream in a folder."""
    X, y = np.load(f"{folder}/X.npy"), np.load(f"{folder}/y.npy")
    start = time.perf_counter()
    if name == HINDSIGHT:
        wrong = float(np.mean(LogisticRegression(max_iter=100).fit(X, y).predict(X) != y))
    else:
        model, classes, mistakes = ONLINE[name](X[:BLOCK]), np.unique(y), 0
        for begin in range(0, len(y), BLOCK):
            some = slice(begin, begin + BLOCK)
            if begin:
                mistakes += int(np.sum(model.predict(X[some]) != y[some]))
            model.partial_fit(X[some], y[some], classes=classes)
        wrong = mistakes / (len(y) - BLOCK)
    return {"error": wrong, "seconds": time.perf_counter() - start, "peak": peak_memory()}


def peak_memory() -> float:
    """The most this process ever held, in MB (Linux); ru_maxrss would count its parent's too."""
    told = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in told if line.startswith("VmHWM")).split()[1]) / 1024


def apart(folder: str, name: str) -> dict[str, float]:
    """``play`` in a process of its own, which has nothing to do with making the rows."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.embeddings", folder, name]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(found.stdout.splitlines()[-1])


def one_or_many(name: str) -> str:
    """Progressive mistakes of AROW with one matrix for all classes, and with a matrix a class."""
    X, y = named(name).load()
    X, y = (X if isinstance(X, np.ndarray) else X.toarray())[:3000], np.asarray(y)[:3000]
    errors = []
    for specification in ("arow:r=1,diagonal=no", "arow:r=1,diagonal=no,form=original"):
        for shared in (False, True):
            learner = learners.one_against_rest(specification, shared=shared)
            said = np.argmax(np.nan_to_num(learner.learn_many(X, y), neginf=-1e300), axis=1)
            errors.append(np.mean(np.asarray(learner.classes)[said] != y))
    return f"| {name} | " + " | ".join(f"{error:.4f}" for error in errors) + " |"


def main(rows: int) -> None:
    lines = [
        "# Heads for embeddings",
        "",
        f"Made by `python -m benchmarks.embeddings --rows {rows}`: float32 rows of 1,024 numbers,",
        f"mistakes in blocks of {BLOCK} rows that are predicted before they are learned. r and a are the",
        "mean squared norm of the first block. Seconds are those of a machine with other work, compiling",
        "included. Peak memory is the whole process: Python, both libraries, which every process imports,",
        "and the data are part of it.",
        "",
        "| stream | learner | error | seconds | peak, MB |",
        "|---|---|---:|---:|---:|",
    ]
    for stream, made in STREAMS.items():
        with TemporaryDirectory() as folder:
            for part, array in zip("Xy", made(rows), strict=True):
                np.save(f"{folder}/{part}.npy", array)
            for name in (*ONLINE, HINDSIGHT):
                f = apart(folder, name)
                figures = f"{f['error']:.4f} | {f['seconds']:.1f} | {f['peak']:.0f}"
                lines.append(f"| {stream} | {name} | {figures} |")
                print(lines[-1], flush=True)
    lines += [
        "",
        "AROW of several classes, 3,000 rows: mistakes with a matrix a class, and with one for all.",
        "",
        "| stream | mirror, a class | mirror, one | original, a class | original, one |",
        "|---|---:|---:|---:|---:|",
        *map(one_or_many, SHARED_SETS),
    ]
    PATH.write_text("\n".join([*lines, ""]))
    print(PATH.read_text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("one", nargs="*", help="folder and learner: one measurement")
    parser.add_argument("--rows", type=int, default=20_000)
    given = parser.parse_args()
    try:
        if given.one:
            print(json.dumps(play(*given.one)))
        else:
            main(given.rows)
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

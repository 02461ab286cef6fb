"""Sketched second order beside Vowpal Wabbit's ``--OjaNewton``, AdaGrad and the full matrix.

``python -m benchmarks.sketched`` plays each stream once, logistic loss, every learner with its defaults and
ranks as given, and writes ``SKETCHED.md``.
"""

import platform
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

import fenchel
from benchmarks import vowpal
from benchmarks.datasets import named
from benchmarks.loaders import DataMissingError
from fenchel import learners

PATH = Path(__file__).with_name("SKETCHED.md")
SETS = ("a9a", "splice", "phishing", "spam_stream", "rcv1")
MOST_FULL = 300  # columns
OJA = "--OjaNewton --sketch_size {} --loss_function logistic --link identity"


def losses(margins, y) -> tuple[float, float]:
    """The share of mistakes, and the mean logistic loss."""
    return float(np.mean(y * margins <= 0.0)), float(np.mean(np.logaddexp(0.0, -y * margins)))


def ours(specification: str, X, y):
    # Compiled before the clock starts.
    learners.from_specification(specification).learn_many(X[:20], y[:20])
    learner = learners.from_specification(specification)
    start = time.perf_counter()
    margins = learner.learn_many(X, y)
    return (f"`{specification}`", *losses(margins, y), time.perf_counter() - start)


def theirs(options: str, X, y):
    with vowpal.text_file(X, y) as text:
        margins, seconds = vowpal.progressive_predictions(text, options)
    return (f"Vowpal Wabbit `{options}`", *losses(margins, y), seconds)


def of_set(name: str) -> list[str]:
    X, y = named(name).load()
    found = [
        ours("adagrad:eta=0.3,loss=logistic", X, y),
        ours("sketched_newton", X, y),
        ours("sketched_newton:rank=30", X, y),
        theirs(OJA.format(10), X, y),
        theirs(OJA.format(30), X, y),
        theirs("--loss_function logistic --link identity", X, y),
    ]
    if X.shape[1] <= MOST_FULL:
        found.append(ours("online_newton_step", X, y))
    rows = [f"| {n} | {e:.4f} | {loss:.4f} | {s:.2f} |" for n, e, loss, s in found]
    head = [f"## {name}, {len(y)} × {X.shape[1]}", "", "| learner | error | loss | seconds |"]
    return [*head, "|---|---:|---:|---:|", *rows, ""]


def main() -> None:
    lines = [
        "# Second order by a sketch",
        "",
        f"Made by `python -m benchmarks.sketched` with fenchel {fenchel.__version__}, Python",
        f"{platform.python_version()}, vowpalwabbit {version('vowpalwabbit')}.",
        "",
        "One pass, progressive share of mistakes and mean logistic loss; η and a were chosen on these",
        "streams. Seconds are those of a machine with other work; Vowpal Wabbit's include starting",
        "and reading its text.",
        "",
    ]
    for name in SETS:
        lines += of_set(name)
    PATH.write_text("\n".join(lines))
    print(PATH.read_text())


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

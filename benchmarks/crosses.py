"""Crosses of features: `auto` and Vowpal Wabbit over the same file and crosses, defaults on both sides.

    FENCHEL_DATA=../shared/data python -m benchmarks.crosses --output benchmarks/CROSSES.md

Each set is written as one text file in Vowpal Wabbit's format, which both commands read; all pairs of its
features are crossed (of Criteo's sample those of categories). Errors are progressive: a row is predicted,
then learned. Seconds are those that the whole command takes of the processor, all its threads, start-up and
reading included, the least of a few runs that alternate.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from river import linear_model

from benchmarks import vowpal
from benchmarks.datasets import named
from benchmarks.loaders import data_folder
from benchmarks.probability_peers import log_loss, sigmoid
from fenchel import learners
from fenchel.streams import open_stream

SETS = (
    "adult",
    "german",
    "airline",
    "splice",
    "letter",
    "satimage",
    "covtype",
    "magic04",
    "mushrooms",
)
ROWS = 30_000  # of larger sets the first
RUNS = 3
BITS = 22
CRITEO = "criteo_sample/criteo.tsv.gz"
LOGISTIC = "adagrad:loss=logistic"
HEAD = """# Crosses

`python -m benchmarks.crosses`. All pairs of the features, formed by each side from the same file; of Criteo's
sample all pairs of its categories. `auto` and Vowpal Wabbit with their defaults, and beside them Vowpal
Wabbit with the logistic loss, of which the log loss is. Progressive error (Criteo: log loss); seconds are
those that the whole command takes of the processor, start-up included (Vowpal Wabbit's is that of its Python
package), the least of {runs} runs. `auto` learns a handful of experts, where columns are few a dozen, and
how to blend them; Vowpal Wabbit learns one. Starting Python and its compiled code is most of ours on the
small files.

"""
HASHED = """
## Criteo's sample, all pairs of categories hashed into 2^{bits} columns

Rows a second: ours from the file, reading and crossing included; River's logistic regression over the same
features, which are dicts in memory already. Seconds are those of the processor. The largest memory is that of
`fenchel train`, over the file once and over its rows three times.

"""


class CrossedSet(NamedTuple):
    """A file in Vowpal Wabbit's format, its labels, the crosses, the number of classes, its metric."""

    path: Path
    labels: NDArray[Any]
    cross: str
    classes: int
    metric: tuple[str, ...] = ()

    def loss(self, predicted: NDArray[Any]) -> float:
        """The share of wrong predictions, or the log loss of margins."""
        if self.metric:
            return float(log_loss(self.labels, sigmoid(predicted)))
        said = np.where(predicted > 0, 1.0, -1.0) if self.classes == 2 else predicted
        return float(np.mean(said != self.labels))


@contextmanager
def crossed_set(name: str) -> Iterator[CrossedSet]:
    """Write one set, in a folder that goes away."""
    if name == "criteo_sample":
        with TemporaryDirectory() as folder:
            path = Path(folder) / "criteo.vw"
            labels = write_criteo(path)
            yield CrossedSet(path, labels, "cc", 2, ("--metric", "log_loss"))
        return
    entry = named(name)
    X, y = (part[:ROWS] for part in entry.load())
    classes = 2 if entry.task == "binary" else int(y.max()) + 1
    with vowpal.text_file(X, y) as path:
        yield CrossedSet(path, y if classes == 2 else y + 1, "ff", classes)


def criteo_rows() -> Iterator[tuple[str, list[str], list[str]]]:
    """Label, counts and categories of each row."""
    text = gzip.decompress((data_folder() / CRITEO).read_bytes()).decode()
    for line in text.splitlines():
        label, *cells = line.split("\t")
        yield label, cells[:13], cells[13:]


def write_criteo(path: Path) -> NDArray[Any]:
    """Counts in one namespace, categories in another; empty cells are left out."""
    labels = []
    with path.open("w") as file:
        for label, counts, levels in criteo_rows():
            labels.append(1.0 if label == "1" else -1.0)
            numbers = " ".join(f"{k}:{cell}" for k, cell in enumerate(counts, 1) if cell)
            words = " ".join(f"{k}={cell}" for k, cell in enumerate(levels, 1) if cell)
            file.write(f"{labels[-1]:g} |n {numbers} |c {words}\n")
    return np.array(labels)


def vowpal_run(given: CrossedSet, loss: str) -> NDArray[Any]:
    """Predictions before each label."""
    oaa = f"--oaa {given.classes}" if given.classes > 2 else ""
    options = f"-q {given.cross} --loss_function {loss} {oaa}"
    return vowpal.progressive_predictions(given.path, options)[0]


def auto_run(given: CrossedSet) -> dict[str, Any]:
    """The figures of ``fenchel train``."""
    figures = given.path.with_suffix(".json")
    task = "binary" if given.classes == 2 else "multiclass"
    command = [sys.executable, "-m", "fenchel", "train", str(given.path), "-q", given.cross]
    options = ["--task", task, "--json", str(figures), "--quiet", *given.metric]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    found: dict[str, Any]
    (found,) = json.loads(figures.read_text())["learners"]
    return found


def alternately(*runs: Callable[[], Any]) -> list[tuple[Any, float]]:
    """The result of each run, and its least time of a few."""
    found = [[_with_seconds(run) for run in runs] for _ in range(RUNS)]
    return [(found[-1][k][0], min(each[k][1] for each in found)) for k in range(len(runs))]


def _with_seconds(run: Callable[[], Any]) -> tuple[Any, float]:
    """What a run returns, and the seconds that the processes it started took of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name: str) -> list[str]:
    """A line of the table."""
    with crossed_set(name) as given:
        default = "logistic" if given.metric else "squared"
        (ours, our_time), (theirs, their_time) = alternately(
            lambda: auto_run(given), lambda: vowpal_run(given, default)
        )
        errors = ours["metrics"]["log_loss"] if given.metric else ours["error"], given.loss(theirs)
        other = given.loss(vowpal_run(given, "logistic"))
    shown = [f"{error:.4f}" for error in (*errors, other)]
    return [name, f"{len(given.labels):,}", *shown, f"{our_time:.1f}", f"{their_time:.1f}"]


def criteo_options() -> dict[str, Any]:
    """How Criteo's own file is read."""
    how: dict[str, Any] = {"format": "csv", "separator": "\t", "header": False, "label": "1"}
    return how | {"cross": [("categories", "categories")], "bits": BITS, "threads": 1}


def our_rate(path: Path, name: str) -> float:
    """Rows a second of reading, crossing, predicting and learning; the first run compiles."""
    rates = []
    for _ in range(2):
        learner, rows, begun = learners.from_specification(name), 0, time.process_time()
        for block in open_stream(path, **criteo_options()):
            learner.learn_block(block)
            rows += len(block)
        rates.append(rows / (time.process_time() - begun))
    return rates[-1]


def river_rate(path: Path) -> float:
    """Rows a second of River, which predicts and learns dicts of the same features."""
    rows: list[tuple[dict[int, float], bool]] = []
    for block in open_stream(path, **criteo_options()):
        cells, ends = (
            list(zip(block.indices.tolist(), block.values.tolist(), strict=True)),
            block.indptr,
        )
        found = (dict(cells[a:b]) for a, b in pairwise(ends.tolist()))
        rows += zip(found, (block.labels > 0).tolist(), strict=True)
    model, begun = linear_model.LogisticRegression(), time.process_time()
    for x, y in rows:
        model.predict_proba_one(x)
        model.learn_one(x, y)
    return len(rows) / (time.process_time() - begun)


def largest_memory(path: Path) -> float:
    """Megabytes that ``fenchel train`` takes at most."""
    said = f"--format csv --separator tab --no-header --label 1 --bits {BITS} --quiet"
    command = [sys.executable, "-m", "fenchel", "train", str(path), *said.split()]
    child = subprocess.Popen(
        [*command, "--cross", "categories,categories"], stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, "the command failed"
    return used.ru_maxrss / 1024


def hashed() -> str:
    """The table of Criteo's sample with hashed crosses."""
    text = gzip.decompress((data_folder() / CRITEO).read_bytes())
    with TemporaryDirectory() as folder:
        once, thrice = Path(folder) / "once.tsv", Path(folder) / "thrice.tsv"
        once.write_bytes(text)
        thrice.write_bytes(text * 3)
        river = river_rate(once)
        rates = {name: our_rate(once, name) for name in ("auto", LOGISTIC)}
        memory = largest_memory(once), largest_memory(thrice)
    lines = [
        "| learner | rows a second | times River's |",
        "|---|---:|---:|",
        f"| River | {river:,.0f} | 1 |",
    ]
    lines += [f"| `{name}` | {rate:,.0f} | {rate / river:.1f} |" for name, rate in rates.items()]
    lines += ["", "Memory at most: {:,.0f} MB, {:,.0f} MB.".format(*memory)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", nargs="*", default=[*SETS, "criteo_sample"])
    parser.add_argument("--hashed", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    head = [
        "data",
        "rows",
        "`auto`",
        "Vowpal Wabbit",
        "with logistic loss",
        "seconds",
        "Vowpal Wabbit's",
    ]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for name in options.only:
        lines.append(measure(name))
        print(*lines[-1], flush=True)
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    more = HASHED.format(bits=BITS) + hashed() if options.hashed else ""
    print(more)
    if options.output:
        options.output.write_text(HEAD.format(runs=RUNS) + text + "\n" + more)


if __name__ == "__main__":
    main()

"""Learners with no learning rate to choose, on real streams: all of ours and Vowpal Wabbit's.

``python -m benchmarks.parameter_free`` plays the first 30,000 rows of every stream, once and in order, to the
learners below as they come, and writes ``PARAMETER_FREE.md``; Vowpal Wabbit's ``--coin`` and ``--freegrad``
have the figures that ``python -m benchmarks.tuned_peers`` stored. Errors are progressive: the share of
mistakes, or the squared error over that of the best constant. ``--sets`` only prints the named ones.
"""

import argparse
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

import fenchel
from benchmarks import tuned_peers
from benchmarks.datasets import DataMissingError, Dataset, datasets
from benchmarks.quality import error_of, halves, number, table
from benchmarks.tuned_peers import ROWS, TASKS
from fenchel.learners.for_task import for_task

PATH = Path(__file__).with_name("PARAMETER_FREE.md")
CLASSES = (
    "perceptron",
    "passive_aggressive",
    "tuned_aggressive",
    "scale_invariant_p_norm",
    "scale_invariant_adagrad",
    "normalized_adaptive_gradient",
    "coin_betting",
    "coin_betting:loss=logistic",
    "naive_bayes",
    "scinol",
    "scinol:loss=logistic",
    "scinol:form=1,loss=logistic",
    "freegrad",
    "freegrad:loss=logistic",
)
OURS = {
    "binary": CLASSES,
    "multiclass": CLASSES,
    "regression": (
        "passive_aggressive:loss=epsilon_insensitive",
        "p_norm_lms",
        "scale_invariant_p_norm:loss=absolute",
        "scale_invariant_adagrad:loss=absolute",
        "normalized_adaptive_gradient:loss=squared",
        "coin_betting:loss=absolute",
        "scinol:loss=absolute",
        "freegrad:loss=absolute",
        "vovk_azoury_warmuth:diagonal=yes",
    ),
}
THEIRS = {
    "binary": [
        f"--loss_function {loss} --{way}"
        for way in ("coin", "freegrad")
        for loss in ("hinge", "logistic")
    ],
    "regression": ["--coin", "--freegrad"],
}
THEIRS["multiclass"] = THEIRS["binary"]
Cells = dict[str, tuple[float, float]]  # error, CPU seconds


def measure(entry: Dataset, peers: dict) -> Cells:
    """Play one stream to every learner."""
    X, y = entry.load()
    X, y = X[:ROWS], y[:ROWS]
    found: Cells = {}
    for name in (*OURS[entry.task], "auto"):
        specification = name
        if entry.task == "multiclass" and name != "auto":
            specification = f"one_against_rest:learner={name}"
        learner = for_task(specification, entry.task)
        began = time.process_time()
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            error = error_of(entry.task, learner, learner.learn_many(X, y), y)
        found[f"`{name}`"] = (error if np.isfinite(error) else np.inf), time.process_time() - began
    settings = peers.get(entry.name, {}).get("vowpal", {}).get("settings", {})
    for name in THEIRS[entry.task]:
        told = settings.get(name)
        if told is not None:
            error = np.inf if told["error"] is None else told["error"]
            found[f"VW `{name}`"] = error, told["seconds"]
    return found


def section(task: str, results: dict[str, Cells]) -> str:
    """All streams of a task: ranks first, then every error."""
    names = list(next(iter(results.values())))
    errors = np.array([[cells[name][0] for name in names] for cells in results.values()])
    seconds = np.array([[cells[name][1] for name in names] for cells in results.values()])
    ranks = np.array([rankdata(row, method="min") for row in errors])
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    head = ["learner", "mean rank", "best on", "mean error", "median error", "CPU s, all streams"]
    lines = [
        [
            names[k],
            f"{ranks[:, k].mean():.1f}",
            str(int((ranks[:, k] == 1).sum())),
            number(float(errors[:, k].mean())),
            number(float(np.median(errors[:, k]))),
            f"{seconds[:, k].sum():.1f}",
        ]
        for k in order
    ]
    whose = halves(task)
    each = [
        [name, whose[name], *(f"**{number(e)}**" if e == row.min() else number(e) for e in row)]
        for name, row in zip(results, errors, strict=True)
    ]
    return (
        f"## {task.capitalize()}, {len(results)} streams\n\n{table(head, lines)}\n\n"
        f"{table(['stream', 'half', *names], each)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=[], help="only print these data sets")
    chosen = parser.parse_args()
    stored = tuned_peers.stored()
    results: dict[str, dict[str, Cells]] = {task: {} for task in TASKS}
    for task in TASKS:
        for entry in sorted(datasets(task), key=lambda entry: entry.name):
            if not chosen.sets or entry.name in chosen.sets:
                results[task][entry.name] = measure(entry, stored["streams"])
                told = {n: round(c[0], 4) for n, c in results[task][entry.name].items()}
                print(entry.name, told, file=sys.stderr, flush=True)
    if chosen.sets:
        return
    made = ", ".join(f"{k} {v}" for k, v in stored["made"]["packages"].items())
    head = (
        "# Without a parameter to choose\n\n"
        f"Made by `python -m benchmarks.parameter_free` with fenchel {fenchel.__version__}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}. First {ROWS:,} rows of "
        f"{sum(map(len, results.values()))} public streams, in one pass, each row predicted before it is "
        "learned, features as they are. The share of mistakes; of numbers the squared error over that of the "
        "best constant. Every learner as it comes; of several classes one against the rest. Vowpal Wabbit's "
        f"figures are stored ones (`python -m benchmarks.tuned_peers`; {made}), its seconds with reading and "
        "start. `auto`'s experts were chosen on the half of the streams called *chosen on*; nothing else "
        "here was."
    )
    parts = [head, *(section(task, results[task]) for task in TASKS)]
    PATH.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

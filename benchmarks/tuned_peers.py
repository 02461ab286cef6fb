"""The linear peers with many settings each, to be compared with in hindsight.

``python -m benchmarks.tuned_peers`` plays the first 30,000 rows of every stream to Vowpal Wabbit (28
settings), scikit-learn (12; up to 500 columns the same 12 behind a running StandardScaler) and River's
linear models (8), and stores what each reached in ``tuned_peers.json``: error, CPU seconds, and for the best
of each peer the losses in 100 blocks of rows, from which a paired test can be made later. What is stored
already is not measured again: the command may be stopped and given anew. ``--peers`` and ``--sets`` narrow
it.
"""

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import peers, vowpal
from benchmarks.datasets import DataMissingError, Dataset, Task, datasets
from benchmarks.readers import Matrix

PATH = Path(__file__).with_suffix(".json")
ROWS, BLOCKS, NARROW = 30_000, 100, 500
TASKS = ("binary", "multiclass", "regression")
PACKAGES = ("vowpalwabbit", "scikit-learn", "river", "numpy", "scipy")
Played = Iterator[
    tuple[str, NDArray, float, int]
]  # setting, predictions, CPU seconds, rows in a block

# ── Vowpal Wabbit ───────────────────────────────────────────────────────────────────────────────────────


def vowpal_settings(task: Task) -> list[str]:
    """28 command lines; --oaa and the table's size are added for classes."""
    if task == "regression":
        rates = (0.02, 0.1, 0.25, 0.5, 1, 2, 8)
        found = [f"-l {rate}" for rate in rates]
        found += [f"-l {rate} --power_t 0" for rate in rates]
        found += [f"--loss_function quantile -l {rate}" for rate in (0.5, 2, 8)]
        found += [f"--sgd -l {rate}" for rate in (0.01, 0.1, 0.5)]
        found += [f"--ftrl --ftrl_alpha {alpha}" for alpha in (0.005, 0.05, 0.5)]
        more = ["--adaptive --invariant", "--coin", "--pistol", "--freegrad"]
        return [*found, *more, "--OjaNewton --sketch_size 10"]
    losses = ("hinge", "logistic") if task == "binary" else ("hinge", "logistic", "squared")
    rates = (0.05, 0.2, 0.5, 1, 2, 8) if task == "binary" else (0.05, 0.2, 0.5, 1, 4)
    found = [f"--loss_function {loss} -l {rate}" for loss in losses for rate in rates]
    still = (0.1, 0.5, 2) if task == "binary" else (0.1, 0.5)
    found += [
        f"--loss_function {loss} -l {rate} --power_t 0" for loss in losses[:2] for rate in still
    ]
    alphas = (0.005, 0.05, 0.5) if task == "binary" else (0.05, 0.5)
    found += [f"--loss_function logistic --ftrl --ftrl_alpha {alpha}" for alpha in alphas]
    found += [f"--loss_function {loss} --coin" for loss in losses[:2]]
    found += [f"--loss_function {loss} --freegrad" for loss in losses[:2]]
    if task == "binary":
        found += [f"--loss_function {loss} --sgd" for loss in losses]
        return [*found, "--loss_function logistic --OjaNewton --sketch_size 10"]
    return [*found, "--loss_function squared --coin", "--loss_function squared --sgd", "--ect"]


def vowpal_played(entry: Dataset, X: Matrix, y: NDArray, known: set[str]) -> Played:
    """One pass for each setting, in a process of its own; start-up and reading belong to its seconds."""
    task = entry.task
    classes = int(y.max()) + 1 if task == "multiclass" else 2
    missing = [setting for setting in vowpal_settings(task) if setting not in known]
    if not missing:
        return
    with vowpal.text_file(X, y) as text:
        for setting in missing:
            options = setting
            if task == "multiclass":
                learner = f"--ect {classes}" if setting == "--ect" else f"--oaa {classes} {setting}"
                options = f"{learner} --bit_precision 22"
            before = of_children()
            told = vowpal.progressive_predictions(text, options)[0]
            if task == "binary":
                told = np.where(told > 0, 1.0, -1.0)
            elif task == "multiclass":
                told = told - 1
            yield setting, told, of_children() - before, 1


def of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# ── scikit-learn ────────────────────────────────────────────────────────────────────────────────────────

PENALTIES = (1e-4, 1e-6)
STEPS = (0.01, 0.1)
AGGRESSIVE = {"penalty": None, "eta0": 1.0}


def scikit_settings(task: Task) -> dict[str, Callable]:
    """12 linear models: schedules and constant steps of SGD, the perceptron, passive-aggressive ones."""
    found: dict[str, dict] = {}
    if task == "regression":
        for loss in ("squared_error", "huber", "epsilon_insensitive"):
            found[f"{loss}, default steps"] = {"loss": loss}
            found |= {
                f"{loss}, constant {step}": {
                    "loss": loss,
                    "learning_rate": "constant",
                    "eta0": step,
                    "alpha": 1e-6,
                }
                for step in ((0.001, 0.01, 0.1) if loss == "squared_error" else STEPS)
            }
        found["pa1"] = {"loss": "epsilon_insensitive", "learning_rate": "pa1", **AGGRESSIVE}
        found["pa2"] = {"loss": "epsilon_insensitive", "learning_rate": "pa2", **AGGRESSIVE}
        return {
            name: lambda given=given: SGDRegressor(shuffle=False, **given)
            for name, given in found.items()
        }
    for loss in ("hinge", "log_loss"):
        found |= {f"{loss}, alpha {a}": {"loss": loss, "alpha": a} for a in PENALTIES}
        found |= {
            f"{loss}, constant {step}": {
                "loss": loss,
                "learning_rate": "constant",
                "eta0": step,
                "alpha": 1e-6,
            }
            for step in STEPS
        }
    found["modified_huber, alpha 1e-05"] = {"loss": "modified_huber", "alpha": 1e-5}
    found["perceptron"] = {"loss": "perceptron", "learning_rate": "constant", **AGGRESSIVE}
    found["pa1"] = {"loss": "hinge", "learning_rate": "pa1", **AGGRESSIVE}
    found["pa2"] = {"loss": "hinge", "learning_rate": "pa2", **AGGRESSIVE}
    return {
        name: lambda given=given: SGDClassifier(shuffle=False, **given)
        for name, given in found.items()
    }


def scikit_played(entry: Dataset, X: Matrix, y: NDArray, known: set[str]) -> Played:
    """In blocks where a stream is long, as in peers.py; but not those in time."""
    block = 1 if entry.order == "time" else -(-len(y) // peers.MOST_SCIKIT_CALLS)
    seen = {"": X}
    if X.shape[1] <= NARROW:
        seen[", scaled"] = scaled(X.toarray() if sparse.issparse(X) else X, block)
    for how, rows in seen.items():
        for name, make in scikit_settings(entry.task).items():
            if name + how not in known:
                began = time.process_time()
                told = peers.scikit_predictions(make(), entry.task, rows, y, block)
                yield name + how, told, time.process_time() - began, block


def scaled(X: NDArray, block: int) -> NDArray:
    """Every row by means and spreads of the blocks up to its own."""
    scaler, found = StandardScaler(), np.empty(X.shape)
    for begin in range(0, len(X), block):
        rows = slice(begin, begin + block)
        found[rows] = scaler.partial_fit(X[rows]).transform(X[rows])
    return found


# ── River ───────────────────────────────────────────────────────────────────────────────────────────────


def river_settings(task: Task) -> dict[str, Callable]:
    """Four linear models, each on the features as they are and scaled."""
    from river import linear_model, multiclass, optim, preprocessing

    if task == "regression":
        plain: dict[str, Callable] = {
            "squared": linear_model.LinearRegression,
            "squared, SGD 0.1": lambda: linear_model.LinearRegression(optimizer=optim.SGD(0.1)),
            "squared, Adam 0.1": lambda: linear_model.LinearRegression(optimizer=optim.Adam(0.1)),
            "pa": linear_model.PARegressor,
        }
    else:
        plain = {
            "logistic": linear_model.LogisticRegression,
            "logistic, SGD 0.1": lambda: linear_model.LogisticRegression(optimizer=optim.SGD(0.1)),
            "logistic, Adam 0.01": lambda: linear_model.LogisticRegression(
                optimizer=optim.Adam(0.01)
            ),
            "pa" if task == "binary" else "perceptron": (
                linear_model.PAClassifier if task == "binary" else linear_model.Perceptron
            ),
        }
    if task == "multiclass":
        plain = {
            name: lambda make=make: multiclass.OneVsRestClassifier(make())
            for name, make in plain.items()
        }
    behind = {
        f"{name}, scaled": lambda make=make: preprocessing.StandardScaler() | make()
        for name, make in plain.items()
    }
    return plain | behind


def river_played(entry: Dataset, X: Matrix, y: NDArray, known: set[str]) -> Played:
    """Only streams that it can be run on to the end."""
    values_a_row = X.nnz / len(y) if sparse.issparse(X) else X.shape[1]
    classes = y.max() + 1 if entry.task == "multiclass" else 1
    if len(y) * classes * (10 + values_a_row) > peers.MOST_RIVER_WORK:
        return
    for name, make in river_settings(entry.task).items():
        if name not in known:
            began = time.process_time()
            told = peers.river_predictions(make(), peers.dictionaries(X), y, entry.task)
            yield name, told, time.process_time() - began, 1


PLAYED = {"vowpal": vowpal_played, "sklearn": scikit_played, "river": river_played}

# ── what is stored ──────────────────────────────────────────────────────────────────────────────────────


def losses_of(task: Task, y: NDArray, told: NDArray) -> NDArray:
    """Row by row: 1 for a mistake, or the squared error over the mean one of the best constant."""
    if task != "regression":
        return np.asarray(told != y, float)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((told - y) ** 2 / np.mean((y - y.mean()) ** 2))


def in_blocks(losses: NDArray) -> list[float]:
    """The mean losses of 100 blocks of rows of about the same length."""
    return [round(float(part.mean()), 6) for part in np.array_split(losses, BLOCKS)]


def stored() -> dict:
    return json.loads(PATH.read_text()) if PATH.exists() else {"streams": {}}


def store(figures: dict) -> None:
    figures["made"] = {
        "command": "python -m benchmarks.tuned_peers",
        "python": platform.python_version(),
        "packages": {package: version(package) for package in PACKAGES},
    }
    PATH.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")


def measure(entry: Dataset, chosen: list[str], figures: dict) -> None:
    """Play one stream to the peers that lack settings."""
    X, y = entry.load()
    X, y = X[:ROWS], y[:ROWS]
    found = figures["streams"].setdefault(entry.name, {"task": entry.task, "rows": len(y)})
    for peer in chosen:
        mine = found.setdefault(peer, {"settings": {}, "best": None, "blocks": None})
        known = set(mine["settings"])
        for setting, told, seconds, block in PLAYED[peer](entry, X, y, known):
            losses = losses_of(entry.task, y, told)
            error = float(losses.mean()) if np.isfinite(losses).all() else None
            mine["settings"][setting] = {
                "error": error,
                "seconds": round(seconds, 2),
                "block": block,
            }
            least = mine["settings"][mine["best"]]["error"] if mine["best"] else np.inf
            if error is not None and error < least:
                mine["best"], mine["blocks"] = setting, in_blocks(losses)
        if set(mine["settings"]) - known:
            best = mine["settings"].get(mine["best"])
            print(entry.name, peer, mine["best"], best, file=sys.stderr, flush=True)
            store(figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=[], help="only these data sets")
    parser.add_argument("--peers", nargs="+", default=list(PLAYED), choices=list(PLAYED))
    chosen = parser.parse_args()
    figures = stored()
    for task in TASKS:
        for entry in datasets(task):
            if not chosen.sets or entry.name in chosen.sets:
                with threadpool_limits(1):
                    measure(entry, chosen.peers, figures)


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

"""``auto`` beside River's trees and forests, which are not linear: error and time on the same rows.

``python -m benchmarks.nonlinear --measure`` runs the trees (hours; a stream that takes a tree longer than
``--limit`` seconds is left out and said to be) and stores their figures in ``nonlinear.json``; without it the
stored ones are taken, ``auto`` is run, and ``NONLINEAR.md`` is written. First 10,000 rows, each predicted
before it is learned. Names as arguments choose streams.
"""

import argparse
import json
import platform
import time
from collections.abc import Iterator
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.datasets import DataMissingError, datasets
from benchmarks.quality import halves
from fenchel import learners

STORED = Path(__file__).with_name("nonlinear.json")
REPORT = Path(__file__).with_name("NONLINEAR.md")
ROWS = 10_000


def trees(task: str) -> dict[str, Any]:
    """River's own, with their defaults; of numbers behind a scaler, without which their leaves diverge."""
    from river import forest, preprocessing, tree

    if task == "regression":
        models = {
            "Hoeffding tree": tree.HoeffdingTreeRegressor(),
            "adaptive tree": tree.HoeffdingAdaptiveTreeRegressor(seed=0),
            "forest of 10": forest.ARFRegressor(n_models=10, seed=0),
        }
        return {name: preprocessing.StandardScaler() | model for name, model in models.items()}
    return {
        "Hoeffding tree": tree.HoeffdingTreeClassifier(),
        "adaptive tree": tree.HoeffdingAdaptiveTreeClassifier(seed=0),
        "forest of 10": forest.ARFClassifier(n_models=10, seed=0),
    }


def of_river() -> Iterator[tuple[str, str, Any, Any]]:
    """The two small streams that come with River."""
    from river.datasets import Bananas, ImageSegments

    for name, task, data in (
        ("bananas", "binary", Bananas()),
        ("image_segments", "multiclass", ImageSegments()),
    ):
        rows = [(list(map(float, x.values())), y) for x, y in data]
        yield name, task, np.array([x for x, _ in rows]), np.array([y for _, y in rows])


def streams(only: list[str]) -> Iterator[tuple[str, str, Any, Any]]:
    """Name, task, the first rows and their targets."""
    for task in ("binary", "multiclass", "regression"):
        for entry in datasets(task):
            if only and entry.name not in only:
                continue
            try:
                X, y = entry.load()
            except DataMissingError:
                continue
            yield entry.name, task, X[:ROWS], y[:ROWS]
    yield from (found for found in of_river() if not only or found[0] in only)


def dicts_of(X: Any) -> list[dict[int, float]]:
    if sparse.issparse(X) and X.shape[1] <= 500:
        X = X.toarray()  # a tree splits between 0 and 1, and needs to see the 0
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        ends = X.indptr
        return [
            dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
            for a, b in pairwise(ends)
        ]
    return [dict(enumerate(row)) for row in np.asarray(X, float).tolist()]


def error_of(task: str, told: list[Any], y: Any) -> float:
    if task == "regression":
        return float(np.sum((np.array(told) - y) ** 2) / np.sum((y - y.mean()) ** 2))
    return float(
        np.mean(np.array([str(p) for p in told]) != np.array([str(t) for t in y.tolist()]))
    )


def play(model: Any, rows: list[dict], y: Any, limit: float) -> tuple[list[Any], float] | None:
    """The predictions of one pass, and its CPU seconds; None where it would take too long."""
    began, told = time.process_time(), []
    for t, (x, target) in enumerate(zip(rows, y.tolist(), strict=True)):
        told.append(model.predict_one(x))
        model.learn_one(x, target)
        spent = time.process_time() - began
        if t % 50 == 49 and spent / (t + 1) * len(rows) > limit and spent > limit / 20:
            return None
    return [0.0 if p is None else p for p in told], time.process_time() - began


def stored() -> dict:
    return json.loads(STORED.read_text()) if STORED.exists() else {"streams": {}}


def measure(only: list[str], limit: float) -> None:
    found = stored()
    packages = ("river", "numpy")
    found["versions"] = {name: version(name) for name in packages}
    found["python"] = platform.python_version()
    for name, task, X, y in streams(only):
        known = found["streams"].setdefault(name, {"task": task, "rows": len(y), "peers": {}})
        rows = dicts_of(X)
        for peer, model in trees(task).items():
            if known["peers"].get(peer):
                continue
            played = play(model, rows, y, limit)
            known["peers"][peer] = (
                None
                if played is None
                else {"error": error_of(task, played[0], y), "seconds": played[1]}
            )
            print(name, peer, known["peers"][peer], flush=True)
            STORED.write_text(json.dumps(found, indent=1) + "\n")


def report(only: list[str]) -> None:
    known = stored()
    lines, ahead, quick, left_out = [], 0, 0, []
    halved = {task: halves(task) for task in ("binary", "multiclass", "regression")}
    for name, task, X, y in streams(only):
        peers = {k: v for k, v in known["streams"].get(name, {"peers": {}})["peers"].items() if v}
        if not peers:
            left_out.append(name)
            continue
        learners.auto(task).learn_many(X[:200], y[:200])  # compiled by now
        learner, began = learners.auto(task), time.process_time()
        margins = learner.learn_many(X, y)
        seconds = time.process_time() - began
        told = margins if task == "regression" else learner.decode_many(margins)
        mine = error_of(task, list(told), y)
        best = min(peers, key=lambda peer: peers[peer]["error"])
        theirs = peers[best]
        ahead += mine <= theirs["error"]
        quick += seconds <= theirs["seconds"] / 10
        half = halved[task].get(name, "neither")
        bold = f"**{mine:.4f}**" if mine <= theirs["error"] else f"{mine:.4f}"
        lines.append(
            f"| {name} | {task} | {half} | {bold} | {theirs['error']:.4f} {best} | "
            f"{1e6 * seconds / len(y):.1f} | {1e6 * theirs['seconds'] / len(y):.0f} |"
        )
        print(lines[-1], flush=True)
    made = ", ".join(f"{k} {v}" for k, v in known["versions"].items())
    text = f"""\
# Beside trees and forests

Made by `python -m benchmarks.nonlinear`; the trees' figures are stored ones (`--measure`; Python
{known["python"]}, {made}). First {ROWS:,} rows of each stream, each predicted before it is learned; the
share of mistakes, or the squared error over that of the best constant. River's Hoeffding tree, adaptive
Hoeffding tree and adaptive random forest of 10 trees with their defaults (of numbers behind
StandardScaler, without which they diverge); the best of the three in hindsight
is shown. `auto` is in bold where it is at least as good: **{ahead} of {len(lines)}**. It took a tenth of that
tree's CPU time or less on {quick}.

| stream | task | half | auto | best of River's trees | auto, CPU µs a row | that tree, CPU µs a row |
|---|---|---|---:|---|---:|---:|
""" + "\n".join(lines)
    if left_out:
        text += f"\n\nNot run, mostly text, on which a tree takes hours: {', '.join(left_out)}."
    if not only:
        REPORT.write_text(text + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("streams", nargs="*")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument(
        "--limit", type=float, default=120.0, help="seconds a tree may take on a stream"
    )
    given = parser.parse_args()
    if given.measure:
        measure(given.streams, given.limit)
    else:
        report(given.streams)


if __name__ == "__main__":
    main()

"""The stored figures of every single learner at its defaults: one pass over raw features.

``python -m benchmarks.learner_figures`` prints who is best where. With ``--replay`` it first plays
every stream of two classes and of regression to every learner that suits it and stores what it
measures; ``--sets`` narrows that, and reaches streams of several classes too; the other figures stay.
Errors are progressive: the share of mistakes, or the squared error over that of the best constant; null
where it is not finite.
"""

import argparse
import json
import platform
import sys
import warnings
from pathlib import Path

import numpy as np

import fenchel
from benchmarks.datasets import DataMissingError, Dataset, datasets
from benchmarks.quality import error_of
from fenchel.cli.build import build
from fenchel.evaluate import learners_for

PATH = Path(__file__).with_name("learner_figures.json")
TASKS = ("binary", "regression")


def stored() -> dict:
    """Return ``{"made": ..., "streams": {name: {"task", "rows", "columns", "learners"}}}``."""
    return json.loads(PATH.read_text()) if PATH.exists() else {"streams": {}}


def replay(entry: Dataset) -> dict:
    """Play one stream to every single learner that suits it; ``auto`` has QUALITY.md."""
    X, y = entry.load()
    errors = {}
    for specification in learners_for(entry.task, X.shape[1]):
        if specification != "auto":
            learner = build(specification, entry.task)
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                error = error_of(entry.task, learner, learner.learn_many(X, y), y)
            errors[specification] = round(error, 6) if np.isfinite(error) else None
    return {"task": entry.task, "rows": len(y), "columns": X.shape[1], "learners": errors}


def store(streams: dict) -> None:
    made = {
        "command": "python -m benchmarks.learner_figures --replay",
        "fenchel": fenchel.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    PATH.write_text(json.dumps({"made": made, "streams": streams}, indent=1, sort_keys=True) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replay", action="store_true", help="measure before printing")
    parser.add_argument("--sets", nargs="+", default=[], help="only these data sets")
    chosen = parser.parse_args()
    streams = stored()["streams"]
    for entry in datasets():
        asked = entry.name in chosen.sets if chosen.sets else entry.task in TASKS
        if chosen.replay and asked and entry.task in (*TASKS, "multiclass"):
            streams[entry.name] = replay(entry)
            store(streams)
            print(entry.name, file=sys.stderr, flush=True)
    for name, stream in sorted(streams.items()):
        finite = {s: e for s, e in stream["learners"].items() if e is not None}
        best = min(finite, key=finite.__getitem__)
        print(f"{name:<20}{stream['task']:<12}{finite[best]:.4f}  {best}")


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

"""``fenchel warm``: fill the folder of compiled code, so that the first run elsewhere is a quick one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any

import click
import numpy as np

from fenchel.cli.output import fact

VARIABLE = "FENCHEL_CACHE_DIR"
USUAL = ("auto", "auto:task=multiclass", "auto:task=regression")
# The same rows in every format; the last letters are labels of any task.
ROWS = [(1, 0.5, 2.0), (2, -1.0, 0.25), (1, 2.0, -0.5), (3, -0.5, 1.0)]
LABELS: dict[str, list[Any]] = {
    "binary": [1, 2, 1, 2],
    "multiclass": [1, 2, 1, 3],
    "regression": [1.0, 2.0, 1.5, 3.0],
}


def warm(names: tuple[str, ...], cache: str | None, quiet: bool) -> None:
    """Run the command; another folder than this process's own is another process's."""
    if cache is not None:
        os.makedirs(cache, exist_ok=True)
        again = [sys.executable, "-m", "fenchel", "warm", *names, *(["--quiet"] if quiet else [])]
        done = subprocess.run(again, env={**os.environ, VARIABLE: os.path.abspath(cache)})
        raise click.exceptions.Exit(done.returncode)
    from fenchel._numba.cache import base_folder, cache_folder, is_written

    folder = cache_folder()
    if folder is None or not is_written(folder):
        raise click.UsageError(f"{base_folder()}: nothing can be kept there; name --cache DIR.")
    for name in names or USUAL:
        _use(name, quiet)
    files = [path for path in folder.rglob("*") if path.is_file()]
    fact(
        "warm",
        f"{folder}, {len(files)} files, {sum(f.stat().st_size for f in files):,} bytes",
        quiet,
    )


def _use(name: str, quiet: bool) -> None:
    """Do with a learner what commands and Python do with one."""
    from fenchel.learners import from_specification

    fresh = from_specification(name)
    fact("learner", fresh.specification, quiet)
    if fresh.task not in LABELS:
        raise click.UsageError(f"{name} is for {fresh.task}: warm is for {', '.join(LABELS)}.")
    labels = LABELS[fresh.task]
    for format, text in _texts(labels).items():
        learner = fresh.fresh()
        for block in learner.open(io.BytesIO(text.encode()), format=format):
            learner.learn_block(block)
            learner.decision_rows(block.rows)
    for X in (np.array([row[1:] for row in ROWS]), [{"a": a, "b": b} for _, a, b in ROWS]):
        learner = fresh.fresh()
        for _ in range(2):  # single rows take a shorter way from the second on
            learner.learn_many(X, labels)
            learner.learn_one(X[0], labels[0])
            learner.predict_one(X[0])
        learner.predict_many(X)
        learner.weights()


def _texts(labels: list[Any]) -> dict[str, str]:
    """Small files of every format."""
    rows = [(y, a, b) for y, (_, a, b) in zip(labels, ROWS, strict=True)]
    return {
        "svmlight": "".join(f"{y} 1:{a} 2:{b}\n" for y, a, b in rows),
        "vw": "".join(f"{y} |f a:{a} b:{b}\n" for y, a, b in rows),
        "csv": "a,b,y\n" + "".join(f"{a},{b},{y}\n" for y, a, b in rows),
        "jsonl": "".join(f'{{"a": {a}, "b": {b}, "y": {y}}}\n' for y, a, b in rows),
    }

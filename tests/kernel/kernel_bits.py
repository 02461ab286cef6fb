"""Digests of what every learner makes of a small stream, as JSON: in Python or compiled, as it runs."""

import hashlib
import json
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel import learners
from fenchel.learners.catalogue import CATALOGUE, NESTED

ROWS, COLUMNS = 60, 7
TASKS = ("binary", "multiclass", "regression")


def stream() -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(3)
    dense = rng.normal(size=(ROWS, COLUMNS)) * 10.0 ** rng.integers(-2, 3, COLUMNS)
    dense[rng.random(dense.shape) < 0.3] = 0.0
    return sp.csr_array(dense), dense


def targets(task: str) -> np.ndarray:
    rng = np.random.default_rng(4)
    if task == "regression":
        return rng.normal(size=ROWS)
    return rng.integers(0, 3 if task == "multiclass" else 2, ROWS)


def specifications() -> list[tuple[str, str]]:
    """Each learner of two classes or of numbers with its defaults, and ``auto`` for each task."""
    plain = [
        (name, entry.tasks[0])
        for name, entry in CATALOGUE.items()
        if name not in NESTED and entry.tasks[0] in ("binary", "regression")
    ]
    return plain + [("auto" if t == "binary" else f"auto:task={t}", t) for t in TASKS]


def digests() -> dict[str, str]:
    X, _ = stream()
    found = {}
    for name, task in specifications():
        learner = learners.from_specification(name)
        margins = [learner.learn_many(X[:40], targets(task)[:40])]
        margins.append(learner.learn_many(X[40:], targets(task)[40:]))
        read = learner.decision_many(X)
        bits = hashlib.sha256(np.concatenate([*margins, read]).tobytes())
        for key, array in sorted(learner.engine.state_arrays().items()):
            bits.update(key.encode() + np.ascontiguousarray(array).tobytes())
        found[f"{name}, {task}"] = bits.hexdigest()[:16]
    return found


if __name__ == "__main__":
    print(json.dumps(digests()))

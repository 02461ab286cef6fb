"""Streams that move: those of the catalogue, four more from files, and four generated with known changes."""

import gzip

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.datasets import Task, named
from benchmarks.loaders import data_folder

Played = tuple[Task, NDArray, NDArray]


def powersupply() -> Played:
    file = data_folder() / "powersupply" / "powersupply.arff.gz"
    with gzip.open(file, "rt") as lines:
        rows = [line.split(",")[:3] for line in lines if line.strip() and line[0] not in "@%"]
    table = np.array(rows, dtype=float)
    return "multiclass", table[:, :2], table[:, 2].astype(int)


def gas_drift() -> Played:
    files = [data_folder() / "gas_drift" / f"batch{k}.dat.gz" for k in (1, 2, 3, 4, 5, 6, 8, 9)]
    table = pd.concat([pd.read_csv(file, header=None) for file in files])
    gases = np.unique(table[0].to_numpy(str), return_inverse=True)[1]
    return "multiclass", table.iloc[:, 2:].to_numpy(float), gases


def keystroke() -> Played:
    folder = data_folder() / "keystroke"
    labels = np.loadtxt(folder / "keystroke.labels.gz").astype(int)
    return "multiclass", np.loadtxt(folder / "keystroke.data.gz"), labels


def generated(kind: str, rows: int = 10_000, columns: int = 10) -> Played:
    """Two classes by ⟨u, x⟩ + noise; u jumps, drifts, returns, or its columns change their scale."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    X = rng.standard_normal((rows, columns))
    u, v = rng.standard_normal((2, columns))
    t = np.arange(rows)
    share = {
        "jumps": (t >= rows // 2) * 1.0,
        "drifts": t / rows,
        "returns": (t // (rows // 5)) % 2 * 1.0,
        "scales": t * 0.0,
    }[kind]
    truth = X @ u * (1.0 - share) + X @ v * share
    if kind == "scales":
        X = X * np.where((t // (rows // 4)) % 2, 20.0, 1.0)[:, None]
    return "binary", X, np.where(truth + 0.5 * rng.standard_normal(rows) > 0.0, 1.0, -1.0)


OWN = {"powersupply": powersupply, "gas_drift": gas_drift, "keystroke": keystroke}


def played(name: str) -> Played:
    """Return the task, rows and labels of a stream, in its order."""
    if name in OWN:
        return OWN[name]()
    if name.startswith("generated_"):
        return generated(name.removeprefix("generated_"))
    entry = named(name)
    return entry.task, *entry.load()

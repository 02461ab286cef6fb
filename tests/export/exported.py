"""Models to export, the rows that they are tried on, and the places where exports run."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from fenchel import Learner, Schema
from fenchel.export import export
from fenchel.learners.for_task import for_task

COLORS = ["red", "blue", "it's", "grün"]


def rows(count=400, seed=0):
    """Raw rows with numbers, a category, and missing values."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        row = {
            "size": round(float(random.normal(3.0, 2.0)), 3),
            "depth": float(random.integers(-3, 4)),
            "color": COLORS[int(random.integers(len(COLORS)))],
        }
        if random.random() < 0.1:
            row["size"] = None
        yield row


def target(row, task):
    value = 2.0 * (row["size"] or 0.0) - row["depth"] + 3.0 * (row["color"] == "red")
    if task == "regression":
        return value
    return "big" if value > 6.0 else "small" if task == "binary" or value < 2.0 else "medium"


def loaded(spec, task, path, cross=(), count=400):
    """A learner that saw the rows, as its file gives it back."""
    learner = for_task(spec, task)
    learner.schema = Schema(cross=cross)
    data = list(rows(count))
    learner.learn_many(data, [target(row, task) for row in data])
    learner.save(path / "m.fenchel")
    return Learner.load(path / "m.fenchel")


def in_python(learner, path, data):
    (path / "model.py").write_bytes(export(learner, "python"))
    lines = "".join(json.dumps(row) + "\n" for row in data)
    command = [sys.executable, "-I", "-S", path / "model.py"]  # without site-packages
    done = subprocess.run(command, input=lines, text=True, capture_output=True, check=True)
    return done.stdout.splitlines()


def in_sqlite(learner, path, data):
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE data (size REAL, depth REAL, color TEXT)")
        values = [(row["size"], row["depth"], row["color"]) for row in data]
        base.executemany("INSERT INTO data VALUES (?, ?, ?)", values)
        cursor = base.execute(export(learner, "sql").decode())
        at = [column[0] for column in cursor.description].index("prediction")
        return [str(row[at]) for row in cursor]


def in_duckdb(learner, path, data):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed (pip install duckdb)")
    base = duckdb.connect()
    base.execute("CREATE TABLE data (size DOUBLE, depth DOUBLE, color TEXT)")
    values = [(row["size"], row["depth"], row["color"]) for row in data]
    base.executemany("INSERT INTO data VALUES (?, ?, ?)", values)
    cursor = base.execute(export(learner, "sql").decode())
    at = [column[0] for column in cursor.description].index("prediction")
    return [str(row[at]) for row in cursor.fetchall()]


def in_c(learner, path, data):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    (path / "model.c").write_bytes(export(learner, "c"))
    options = ["-std=c99", "-Wall", "-Werror", "-DFENCHEL_MAIN"]
    subprocess.run([compiler, *options, path / "model.c", "-o", path / "model", "-lm"], check=True)
    features = (learner.schema.features(row) for row in data)
    lines = ("\t".join(f"{n}\t{v!r}" for n, v in each.items()) for each in features)
    done = subprocess.run(
        [path / "model"], input="\n".join(lines) + "\n", text=True, capture_output=True, check=True
    )
    return done.stdout.splitlines()


def in_onnx(learner, path, data):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("onnx", reason="onnx is not installed")
    session = onnxruntime.InferenceSession(export(learner, "onnx"))
    given = {}
    for each in session.get_inputs():
        column = [row[each.name] for row in data]
        if each.type == "tensor(float)":
            given[each.name] = np.array([[v or 0.0] for v in column], np.float32)
        else:
            given[each.name] = np.array([[v] for v in column], object)
    names = [each.name for each in session.get_outputs()]
    found = session.run(["label" if "label" in names else "score"], given)[0]
    return [str(value) for value in found.ravel().tolist()]


PLACES = {"python": in_python, "sql": in_sqlite, "c": in_c}
ELSEWHERE = {"onnx": in_onnx, "duckdb": in_duckdb}  # which need packages of their own

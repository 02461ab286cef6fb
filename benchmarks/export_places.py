"""The places where exported models run: Python without packages, SQLite, DuckDB, C, onnxruntime.

Each takes a learner, a folder to work in and raw rows, and returns the predictions there (as texts) with the
scores that they were made of, rows × outputs.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fenchel import Learner
from fenchel.export import export

Row = dict[str, Any]
Scores = np.ndarray[Any, Any]
NUMBER = "number of the row"
IN_PYTHON = """\
import json, sys
sys.path.insert(0, sys.argv[1])
import model
for line in sys.stdin:
    row = json.loads(line)
    print(json.dumps([model.predict(row), model.scores(row)]))
"""


class Found(NamedTuple):
    """What a place predicts: texts, and the scores."""

    predictions: list[str]
    scores: Scores


def in_python(learner: Learner, folder: Path, rows: Sequence[Row]) -> Found:
    """A Python that sees no installed package."""
    (folder / "model.py").write_bytes(export(learner, "python"))
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    command = [sys.executable, "-I", "-S", "-c", IN_PYTHON, str(folder)]
    done = subprocess.run(command, input=lines, text=True, capture_output=True, check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return Found([str(prediction) for prediction, _ in told], np.array([s for _, s in told]))


def columns_of(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The rows by column; None where a row has none."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def numbered(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The same with the number of each row: a database answers in any order."""
    return {NUMBER: list(range(len(rows))), **columns_of(rows)}


def in_sqlite(learner: Learner, folder: Path, rows: Sequence[Row]) -> Found:
    """SQLite, as Python brings it."""
    table = numbered(rows)
    names = ['"' + name.replace('"', '""') + '"' for name in table]
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE data ({', '.join(names)})")
        base.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(names))})",
                         zip(*table.values(), strict=True))  # fmt: skip
        cursor = base.execute(export(learner, "sql").decode())
        return _of_query([column[0] for column in cursor.description], cursor.fetchall())


def in_duckdb(learner: Learner, folder: Path, rows: Sequence[Row]) -> Found:
    """DuckDB over an Arrow table."""
    import duckdb
    import pyarrow

    base = duckdb.connect()
    base.register("data", pyarrow.table(numbered(rows)))
    answer = base.execute(export(learner, "sql").decode())
    return _of_query([column[0] for column in answer.description], answer.fetchall())


def _of_query(names: list[str], rows: Sequence[Sequence[Any]]) -> Found:
    """Predictions and scores of a query's answer; the last columns are the query's own."""
    rows = sorted(rows, key=lambda row: row[names.index(NUMBER)])
    told = [place for place, name in enumerate(names) if name.startswith("prediction")]
    words = ("score", "vote", "m0_")
    found = (
        [p for p, n in enumerate(names) if n.startswith(w) and n[len(w) :].isdigit()] for w in words
    )
    places = next(filter(None, found))
    numbers = isinstance(rows[0][told[0]], float)
    scores = np.array([[row[place] for place in (told if numbers else places)] for row in rows])
    return Found([str(row[told[0]]) for row in rows], scores)


def in_c(learner: Learner, folder: Path, rows: Sequence[Row]) -> Found:
    """A program of the C compiler, which takes features by name."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler is not None, "no C compiler"
    (folder / "model.c").write_bytes(export(learner, "c"))
    options = ["-std=c99", "-Wall", "-Werror", "-O1", "-DFENCHEL_MAIN"]
    program, source = str(folder / "model"), str(folder / "model.c")
    subprocess.run([compiler, *options, source, "-o", program, "-lm"], check=True)
    features = (learner.schema.features(row) for row in rows)
    lines = ("\t".join(f"{name}\t{value!r}" for name, value in each.items()) for each in features)
    done = subprocess.run([program, "scores"], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=True)  # fmt: skip
    told = [line.split("\t") for line in done.stdout.splitlines()]
    classes = learner.labels is not None
    return Found([row[0] for row in told], np.array([row[classes:] for row in told], float))


def in_onnx(learner: Learner, folder: Path, rows: Sequence[Row]) -> Found:
    """ONNX's runtime, with numbers as float32."""
    import onnxruntime

    session = onnxruntime.InferenceSession(export(learner, "onnx"))
    table, given = columns_of(rows), {}
    for each in session.get_inputs():
        if each.name == "x" and each.shape[1] > 1:
            given["x"] = np.array([list(row.values()) for row in rows], np.float32)
            continue
        column = table.get(each.name, [None] * len(rows))
        if each.type == "tensor(float)":
            given[each.name] = np.array([[np.nan if v is None else v] for v in column], np.float32)
        else:
            given[each.name] = np.array(
                [["" if v is None else str(v).strip()] for v in column], object
            )
    names = [each.name for each in session.get_outputs()]
    scores = session.run(["score"], given)[0]
    told = session.run(["label"], given)[0] if "label" in names else scores[:, 0]
    return Found([str(value) for value in told.tolist()], scores)


PLACES = {"python": in_python, "sqlite": in_sqlite, "duckdb": in_duckdb, "c": in_c, "onnx": in_onnx}


def tables_agree(learner: Learner, folder: Path) -> dict[str, bool]:
    """Whether JSON and CSV hold, number by number, what the program in Python predicts with."""
    spec = importlib.util.spec_from_file_location("exported_model", folder / "model.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    told = json.loads(export(learner, "json"))
    plain = json.loads(json.dumps(program.MODEL))
    weights: dict[str, dict[int, list[float]]] = {}
    for row in csv.DictReader(io.StringIO(export(learner, "csv").decode())):
        weights.setdefault(row["feature"], {}).setdefault(int(row["expert"]), []).append(
            float(row["weight"])
        )
    table = {
        ("" if n == "" else n): sorted(v for own in w.values() for v in own)
        for n, w in weights.items()
    }
    wanted = {"": told["intercept"], **told["weights"]}
    flat = {n: sorted(v for own in w for v in own if v or not n) for n, w in wanted.items()}
    return {"json": told == plain, "csv": table == {n: v for n, v in flat.items() if v}}

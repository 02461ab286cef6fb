"""Exports run where they are for, and predict as the model does."""

import csv
import io
import json
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from importlib.util import find_spec

import numpy as np
import pytest
from exported import ELSEWHERE, PLACES, in_c, in_python, in_sqlite, loaded, rows

from fenchel import Schema, learners
from fenchel.export import ExportRefused, export, sql_levels
from fenchel.learners.for_task import for_task
from fenchel.learners.linear_form import linear_form
from fenchel.schema import Category, Date, Number

HAS_ONNX = find_spec("onnx") is not None
NEW = list(rows(200, seed=1))


def same(found, wanted, tolerance):
    if isinstance(wanted[0], str):
        assert found == list(wanted)
    else:
        np.testing.assert_allclose(np.array(found, float), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("spec", "task"),
    [
        ("auto", "binary"),
        ("auto", "multiclass"),
        ("auto", "regression"),
        ("perceptron", "binary"),
        ("lms:eta=0.01", "regression"),
        ("one_against_rest:learner=perceptron", "multiclass"),
        ("hedge:experts=perceptron+passive_aggressive", "binary"),
    ],
)
def test_every_place_predicts_the_same(spec, task, tmp_path):
    learner = loaded(spec, task, tmp_path)
    wanted = learner.predict_many(NEW).tolist()
    assert linear_form(learner).is_exact
    for predict in PLACES.values():
        same(predict(learner, tmp_path, NEW), wanted, 1e-9)
    for name, predict in ELSEWHERE.items():
        if find_spec("onnxruntime" if name == "onnx" else name):
            same(predict(learner, tmp_path, NEW), wanted, 1e-5 if name == "onnx" else 1e-9)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_waves_are_in_every_place(task, tmp_path):
    data = [row for row in rows(2500, seed=2) if row["size"] is not None]
    new = [row for row in NEW if row["size"] is not None]
    hills = [np.sin(row["size"]) * np.cos(row["depth"]) for row in data]
    named = {"binary": ["low", "high"], "multiclass": ["low", "mid", "high"]}.get(task)
    cuts = {"binary": [0.0], "multiclass": [-0.3, 0.3]}.get(task)
    y = hills if named is None else [named[k] for k in np.digitize(hills, cuts)]
    learner = for_task("auto", task)
    learner.learn_many(data, y)
    learner.freeze()
    assert linear_form(learner).waves is not None
    wanted = learner.predict_many(new).tolist()
    for predict in PLACES.values():
        same(predict(learner, tmp_path, new), wanted, 1e-9)
    for name, predict in ELSEWHERE.items():
        if find_spec("onnxruntime" if name == "onnx" else name):
            same(predict(learner, tmp_path, new), wanted, 1e-4 if name == "onnx" else 1e-9)


def test_numbers_alone_are_exported_by_their_place(tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((100, 5))
    learner = learners.passive_aggressive()
    learner.learn_many(X, np.sign(X @ np.arange(5.0)))
    told = json.loads(export(learner, "json"))
    assert list(told["weights"]) == ["1", "2", "3", "4", "5"]
    assert [w[0][0] for w in told["weights"].values()] == learner.weights().tolist()
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = onnxruntime.InferenceSession(export(learner, "onnx"))
    label, score = session.run(["label", "score"], {"x": X.astype(np.float32)})
    assert label.tolist() == learner.predict_many(X.astype(np.float32)).tolist()
    np.testing.assert_allclose(score[:, 0], learner.decision_many(X), rtol=1e-5, atol=1e-5)


def test_crosses_are_in_python_sql_and_c(tmp_path):
    cross = ["color,depth", "size,size", "depth,depth"]
    learner = loaded("perceptron", "binary", tmp_path, cross)
    wanted = learner.predict_many(NEW).tolist()
    for predict in (in_python, in_sqlite, in_c):
        assert predict(learner, tmp_path, NEW) == wanted
    if HAS_ONNX:
        with pytest.raises(ExportRefused, match="crosses of columns are not in its operators"):
            export(learner, "onnx")


def _many_levels(count, seed=0):
    random = np.random.default_rng(seed)
    for _ in range(count):
        shop, day = random.integers(300), random.integers(60)
        odd = {0: None, 1: " padded ", 2: "it's", 3: "?"}
        yield {
            "size": float(random.integers(5)),
            "depth": float(random.integers(3)),
            "color": odd.get(int(shop), f"shop {shop}"),
            "day": f"d{day}",
        }


@pytest.mark.parametrize("cross", [(), ("color,day",)])
@pytest.mark.parametrize(("spec", "task"), [
    ("auto", "binary"), ("auto", "multiclass"), ("auto", "regression"), ("passive_aggressive", "binary"),
])  # fmt: skip
def test_categories_of_many_levels_are_tables_in_sql(spec, task, cross, tmp_path):
    data, new = list(_many_levels(1500)), list(_many_levels(300, seed=1))
    learner = for_task(spec, task)
    learner.schema = Schema(cross=cross)
    worth = np.random.default_rng(2).standard_normal(1 << 16)
    y = [
        row["size"] + 3.0 * worth[_place_of(row["color"])] + worth[_place_of(row["day"])]
        for row in data
    ]
    if task != "regression":
        names = ["low", "mid", "high"] if task == "multiclass" else ["low", "high"]
        cuts = [0.0, 3.0] if task == "multiclass" else [2.0]
        y = [names[k] for k in np.digitize(y, cuts)]
    learner.learn_many(data, y)
    learner.freeze()
    query = export(learner, "sql").decode()
    assert query.count("LEFT JOIN") == (3 if cross else 2)
    wanted = learner.predict_many(new).tolist()
    table = {name: [row[name] for row in new] for name in new[0]}
    values = list(zip(range(len(new)), *table.values(), strict=True))
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE data (number, size REAL, depth REAL, color TEXT, day TEXT)")
        base.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?)", values)
        same(_in_order(base.execute(query)), wanted, 1e-9)
    if find_spec("duckdb"):
        import duckdb

        base = duckdb.connect()
        base.execute(
            "CREATE TABLE data (number INT, size DOUBLE, depth DOUBLE, color TEXT, day TEXT)"
        )
        base.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?)", values)
        same(_in_order(base.execute(query)), wanted, 1e-9)


def _place_of(text):
    return zlib.crc32(str(text).encode()) & 0xFFFF


def _in_order(cursor):
    names = [column[0] for column in cursor.description]
    found = sorted(cursor.fetchall(), key=lambda row: row[names.index("number")])
    return [row[names.index("prediction")] for row in found]


@pytest.mark.parametrize("levels", [("red", "blue"), ("red", "other", "blue")])
@pytest.mark.parametrize("few", [0, 40])
def test_other_levels_are_in_sql(levels, few, tmp_path, monkeypatch):
    monkeypatch.setattr(sql_levels, "FEW", few)
    learner = learners.perceptron(schema=Schema({"color": Category(levels=levels)}))
    data = list(rows(100))
    learner.learn_many(data, ["a" if row["color"] in ("it's", "red") else "b" for row in data])
    assert ("LEFT JOIN" in export(learner, "sql").decode()) == (few == 0)
    wanted = learner.predict_many(NEW).tolist()
    assert in_python(learner, tmp_path, NEW) == wanted
    assert in_sqlite(learner, tmp_path, NEW) == wanted


def test_more_columns_than_a_table_has_are_refused():
    learner = learners.perceptron()
    learner.learn_one({f"c{k}": 1.0 for k in range(2001)}, 1)
    with pytest.raises(ExportRefused, match=r"2,001 columns are more than a table has \(2,000\)"):
        export(learner, "sql")


def test_texts_dates_and_lists_are_in_python(tmp_path):
    kinds = {"paid": Date(format="%d/%m/%Y")}
    schema = Schema(kinds, text=["body"], date=["when"], words=["tags"])
    learner = learners.perceptron(schema=schema)
    data = [
        {
            "body": f"Free money, {k} it's ÉTÉ",
            "paid": f"{1 + k % 28}/0{1 + k % 9}/2024",
            "when": f"2024-0{1 + k % 9}-03T0{k % 9}:30",
            "tags": "a b a",
        }
        for k in range(40)
    ]
    learner.learn_many(data, ["odd" if k % 2 else "even" for k in range(40)])
    assert in_python(learner, tmp_path, data) == learner.predict_many(data).tolist()
    for to in ("sql", "onnx") if HAS_ONNX else ("sql",):
        with pytest.raises(ExportRefused, match="cannot take apart; export python"):
            export(learner, to)


def test_tables_of_weights(tmp_path):
    learner = loaded("perceptron", "binary", tmp_path)
    table = list(csv.DictReader(io.StringIO(export(learner, "csv").decode())))
    assert {row["feature"]: float(row["weight"]) for row in table if row["feature"]} == {
        name: weight for name, weight in learner.weights().items() if weight
    }


def test_what_cannot_be_exported_says_why():
    learner = learners.arow()
    with pytest.raises(ExportRefused, match="learned nothing"):
        export(learner, "json")
    learner.learn_many(np.eye(3), [1, -1, 1])
    with pytest.raises(ExportRefused, match=r"that is not ⟨w, x⟩; ask for its last weights"):
        export(learner, "json")
    assert json.loads(export(learner, "json", last_weights=True))["exact"] is False
    hashed = learners.perceptron(schema=Schema(bits=8))
    hashed.learn_one({"a": 1.0}, 1)
    with pytest.raises(ExportRefused, match="names of its features are hashed"):
        export(hashed, "sql")
    with pytest.raises(ExportRefused, match="choose one of onnx"):
        export(learner, "pmml")


def test_missing_numbers_and_other_levels_are_in_onnx(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    kinds = {"size": Number(missing="indicator"), "color": Category(levels=("red", "blue"))}
    learner = learners.perceptron(schema=Schema(kinds))
    data = list(rows(100))
    learner.learn_many(data, ["a" if row["size"] is None else "b" for row in data])
    session = onnxruntime.InferenceSession(export(learner, "onnx"))
    given = {
        name: np.array([[np.nan if row[name] is None else row[name]] for row in NEW], np.float32)
        for name in ("size", "depth")
    }
    given["color"] = np.array([[row["color"]] for row in NEW], object)
    label, score = session.run(["label", "score"], given)
    assert label.tolist() == learner.predict_many(NEW).tolist()
    np.testing.assert_allclose(score[:, 0], learner.decision_many(NEW), rtol=1e-5, atol=1e-5)


CSV = "size,color,note\n1.5,red,a\n3.25,blue,b\n,red,c\n"


@pytest.mark.parametrize(
    "text",
    [
        CSV,
        "\ufeff" + CSV,
        CSV.replace(",", "\t"),
        CSV.replace(",", ";").replace(".", ","),
        CSV.replace(",", ";").replace("\n", "\r\n"),
        CSV.replace("note", "remark").replace(",a\n", ',"two\nlines"\n'),
        "\n".join(
            ['{"size": 1.5, "color": "red"}', '{"size": 3.25, "color": "blue"}', '{"color": "red"}']
        ),
    ],
)
def test_the_python_file_reads_tables_as_people_have_them(text, tmp_path):
    learner = learners.lms(eta=0.05)
    colors = [{"size": 1.0, "color": "red"}, {"size": 2.0, "color": "blue"}] * 9
    learner.learn_many(colors, [1.0, 3.0] * 9)
    (tmp_path / "model.py").write_bytes(export(learner, "python"))
    command = [sys.executable, "-I", "-S", tmp_path / "model.py"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    wanted = [
        {"size": 1.5, "color": "red"},
        {"size": 3.25, "color": "blue"},
        {"size": None, "color": "red"},
    ]
    found = [float(line) for line in done.stdout.decode().split()]
    np.testing.assert_allclose(found, learner.predict_many(wanted), rtol=1e-12)
    strange = subprocess.run(command, input=b"height;width\n1;2\n", capture_output=True)
    assert strange.returncode == 1
    assert b"no column that the model knows; it has learned from: " in strange.stderr
    assert subprocess.run(command, input=b"", capture_output=True, check=True).stdout == b""

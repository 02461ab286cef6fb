"""The same data in any format gives the same model."""

import json

import numpy as np
import pytest
from cli_helpers import run, write_lines

from fenchel import Learner

COLUMNS = ("age", "height", "income")


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 3)).round(4)
    X[X == 0.0] = 1.0
    return [(int(np.sign(x[0] + x[1])), x.tolist()) for x in X]


def _files(folder, rows):
    yield write_lines(
        folder / "d.svm",
        [f"{y} " + " ".join(f"{k}:{v}" for k, v in enumerate(x, 1)) for y, x in rows],
    )
    yield write_lines(
        folder / "d.vw",
        [f"{y} | " + " ".join(map("{}:{}".format, COLUMNS, x)) for y, x in rows],
    )
    lines = [f"{y}," + ",".join(map(str, x)) for y, x in rows]
    yield write_lines(folder / "d.csv", ["label," + ",".join(COLUMNS), *lines])
    yield write_lines(
        folder / "d.jsonl",
        [json.dumps({"label": y, **dict(zip(COLUMNS, x, strict=True))}) for y, x in rows],
    )


def test_every_format_gives_the_same_bits(tmp_path, rows) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    table = {"label": [float(y) for y, _ in rows]}
    for k, name in enumerate(COLUMNS):
        table[name] = [x[k] for _, x in rows]
    parquet.write_table(pa.table(table), tmp_path / "d.parquet")
    found = []
    for file in (*_files(tmp_path, rows), tmp_path / "d.parquet"):
        label = ["--label", "label"] if file.suffix in (".csv", ".parquet", ".jsonl") else []
        run("train", file, *label, "--learner", "arow", "--save", tmp_path / "m", "--quiet")
        weights = Learner.load(tmp_path / "m").weights()
        found.append(tuple(weights.values() if isinstance(weights, dict) else weights.tolist()))
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("option", "rounds", "names"), [("--no-header", 3, {"1", "2=a"}), ("--header", 2, {"7", "a"})]
)
def test_the_first_line_is_what_it_is_said_to_be(tmp_path, option, rounds, names) -> None:
    lines = ["7,a,1", "8,2,0", "9,2,1"] if option == "--header" else ["7,a,1", "8,a,0", "9,a,1"]
    data = write_lines(tmp_path / "d.csv", lines)
    options = ("--learner", "perceptron", "--quiet", "--save", tmp_path / "m")
    run("train", data, option, *options)
    learner = Learner.load(tmp_path / "m")
    assert (learner.rounds, set(learner.weights())) == (rounds, names)
    assert len(run("predict", tmp_path / "m", data, option).stdout.splitlines()) == rounds


def test_what_is_said_now_counts_beside_what_the_model_remembers(tmp_path) -> None:
    words = write_lines(tmp_path / "words.csv", ["code,y", "x,0", "z,1"])
    run("train", words, "--learner", "perceptron", "--quiet", "--save", tmp_path / "m")
    codes = write_lines(tmp_path / "codes.csv", ["code", "7", "x"])
    assert "--categorical" in run("predict", tmp_path / "m", codes, status=1).stderr
    said = run("predict", tmp_path / "m", codes, "--categorical", "code").stdout
    assert said.splitlines() == ["0", "0"]

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

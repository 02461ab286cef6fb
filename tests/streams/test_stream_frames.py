"""Frames, Parquet, Arrow, arrays: the same rows as the text formats."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet
from scipy import sparse
from stream_helpers import read, rows_of, text_stream

from fenchel.streams import BadInput, from_arrays, from_frame, open_stream

TEXT = "age,job,done,y\n41,cook,True,yes\n,guard,False,no\n0.1,,True,yes\n"
EXPECTED = [
    ("yes", [("age", 41.0), ("job=cook", 1.0), ("done", 1.0)]),
    ("no", [("job=guard", 1.0)]),
    ("yes", [("age", 0.1), ("done", 1.0)]),
]


def frame() -> pd.DataFrame:
    return pd.read_csv(io.StringIO(TEXT))


@pytest.mark.parametrize(
    "convert",
    [lambda f: f, pl.from_pandas, pa.Table.from_pandas, lambda f: f.astype({"job": "category"})],
    ids=["pandas", "polars", "arrow", "categorical"],
)
def test_frames(convert) -> None:
    stream = from_frame(convert(frame()))
    assert rows_of(stream) == EXPECTED
    assert rows_of(stream) == EXPECTED
    assert stream.label == "y"
    assert rows_of(from_frame(convert(frame()), label="y", block_rows=1)) == EXPECTED


def test_parquet_and_arrow(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    with ipc.new_file(tmp_path / "a.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=2)
    with ipc.new_stream(tmp_path / "b.arrow", table.schema) as file:
        file.write_table(table)
    for name in ("a.parquet", "a.arrow", "b.arrow"):
        stream = open_stream(tmp_path / name)
        assert rows_of(stream) == EXPECTED
        assert rows_of(stream) == EXPECTED


def test_damaged_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 no such thing")
    with pytest.raises(BadInput, match="parquet data cannot be read"):
        rows_of(open_stream(path))


def test_refused_cells() -> None:
    with pytest.raises(BadInput, match=r"frame:2: in the column a: a number .* finite \('inf'\)"):
        rows_of(from_frame(pd.DataFrame({"a": [1.0, np.inf], "y": [1, 0]})))
    with pytest.raises(BadInput, match=r"frame:2: the label is missing \('y'\)"):
        rows_of(from_frame(pd.DataFrame({"a": [1.0, 2.0], "y": ["a", None]})))
    with pytest.raises(BadInput, match=r"frame:2: the label is not finite \('-inf'\)"):
        rows_of(from_frame(pd.DataFrame({"a": [1.0, 2.0], "y": [1.0, -np.inf]})))
    weighed = pd.DataFrame({"w": [1.0, -2.0], "y": [1, 0]})
    with pytest.raises(BadInput, match=r"frame:2: the importance .* more \('-2.0'\)"):
        rows_of(from_frame(weighed, label="y", weight="w"))
    with pytest.raises(BadInput, match=r"no column .* \('z'\); choose from a, y"):
        rows_of(from_frame(pd.DataFrame({"a": [1.0], "y": [1]}), label="z"))


@pytest.mark.parametrize("table", [pa.table, pl.DataFrame])
def test_lists_of_numbers_are_columns_and_lists_of_words_words(table) -> None:
    frame = table({"v": [[1, 2], [3]], "w": [["red", "big"], ["red"]], "y": [1, 0]})
    assert [dict(row) for _, row in rows_of(from_frame(frame))] == [
        {"v.0": 1.0, "v.1": 2.0, "w=red": 1.0, "w=big": 1.0},
        {"v.0": 3.0, "w=red": 1.0},
    ]


@pytest.mark.parametrize("cells", [[{"b": 1}, {"b": 2}], [b"\xff", b"\xfe"]])
def test_columns_that_are_neither_numbers_nor_text(cells) -> None:
    kind = r"(Struct|Binary).* \('a'\); drop it, or spread it"
    with pytest.raises(BadInput, match=rf"frame: a column of {kind}"):
        rows_of(from_frame(pa.table({"a": cells, "y": [1, 0]})))
    with pytest.raises(BadInput, match=rf"frame: a column of {kind}"):
        rows_of(from_frame(pl.DataFrame({"b": [1, 0], "a": cells}), label="a"))


@pytest.mark.parametrize("kind", ["category", "text"])
def test_halves_of_surrogate_pairs_are_refused(kind: str) -> None:
    cells = pd.DataFrame({"t": ["fine", "\udc85"]}, dtype=object)
    with pytest.raises(BadInput, match=r"^frame:2: in the column t: '.*\\udc85' has half"):
        list(from_frame(cells, labelled=False, columns={"t": kind}))
    named = pd.DataFrame([[1.0]], columns=pd.Index(["\udc85"], dtype=object))
    with pytest.raises(BadInput, match=r"^frame: the name of the column '\\udc85' has half"):
        list(from_frame(named, labelled=False))


def test_what_is_no_frame() -> None:
    for given in (np.ones((2, 2)), "people.csv", {"a": [1]}, None):
        with pytest.raises(ValueError, match=rf"frame is a {type(given).__name__}: give a pandas"):
            from_frame(given)


def test_arrays() -> None:
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]])
    expected = [("a", [(0, 1.0), (2, 2.0)]), ("b", []), ("a", [(1, 3.0)])]
    for matrix in (X, X.tolist(), np.asfortranarray(X), sparse.csr_array(X), sparse.coo_matrix(X)):
        stream = from_arrays(matrix, ["a", "b", "a"])
        assert rows_of(stream) == expected
        assert stream.columns == 3
    assert [label for label, _ in rows_of(from_arrays(X, [True, False, True]))] == [1.0, 0.0, 1.0]
    (block,) = from_arrays(X, importance=[1, 2, 3])
    assert block.labels is None
    assert block.importance is not None
    assert block.importance.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, np.nan]], [1]), r"X\[0, 1\] is nan: values must be finite"),
        (([[1.0], [2.0]], [1]), "y has shape"),
        (([[1.0]], [np.inf]), r"y\[0\] is inf: it must be finite"),
        (([[[1.0]]], [1]), "X has 3 dimensions"),
        (([[1.0]], [1], [-1.0]), r"importance\[0\] is -1.0"),
    ],
)
def test_refused_arrays(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rows_of(from_arrays(*arguments))


def _arrays(block):
    return block.indptr, block.indices, block.values, block.labels


def test_one_data_set_in_every_format(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    values = generator.normal(size=(200, 5)) * 10.0 ** generator.integers(-20, 20, (200, 5))
    values[generator.random((200, 5)) < 0.3] = 0.0
    values[0] = 1.0  # every column appears at once, so columns are numbered alike
    labels = generator.integers(0, 3, 200)
    table = pd.DataFrame(values, columns=[f"f{k}" for k in range(5)]).assign(y=labels)
    table.to_parquet(tmp_path / "a.parquet")
    rows = [(x.tolist(), int(y)) for x, y in zip(values, labels, strict=True)]
    lines = {"svmlight": [], "vw": [], "csv": ["f0,f1,f2,f3,f4,y"], "jsonl": []}
    for x, y in rows:
        lines["svmlight"].append(f"{y} " + " ".join(f"{k}:{v!r}" for k, v in enumerate(x, 1)))
        lines["vw"].append(f"{y} | " + " ".join(f"f{k}:{v!r}" for k, v in enumerate(x)))
        lines["csv"].append(",".join(map(repr, [*x, y])))
        lines["jsonl"].append(json.dumps({"y": y} | {f"f{k}": v for k, v in enumerate(x)}))
    streams = {name: text_stream("\n".join(text), name) for name, text in lines.items()}
    streams["parquet"] = open_stream(tmp_path / "a.parquet")
    streams["pandas"] = from_frame(table)
    streams["array"] = from_arrays(values, labels)
    (expected,) = streams.pop("array")
    for name, stream in streams.items():
        (block,) = stream
        for mine, other in zip(_arrays(block), _arrays(expected), strict=True):
            assert mine.tobytes() == other.tobytes(), name


def test_csv_and_vw_agree_on_names() -> None:
    assert read("a,b,y\n1,0,1\n", "csv") == read("1 | a b:0\n", "vw")

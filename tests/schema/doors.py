"""One column of values through every door: what features each row has."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fenchel import Schema, learners
from fenchel.export import standalone
from fenchel.streams import Stream, from_frame, open_stream

Features = dict[str, float]

FRAMES: dict[str, Callable[[Any], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


def features_of(stream: Stream) -> list[Features]:
    found = []
    for block in stream:
        assert stream.names is not None
        for k in range(len(block)):
            part = slice(block.indptr[k], block.indptr[k + 1])
            names = map(stream.names.name, block.indices[part].tolist())
            found.append(dict(zip(names, block.values[part].tolist(), strict=True)))
    return found


def in_frame(kind: str, schema: Schema, values: Any) -> list[Features]:
    frame = FRAMES[kind]({"v": values, "y": np.ones(len(values))})
    return features_of(from_frame(frame, schema=schema.copy(), label="y"))


def in_parquet(schema: Schema, values: Any, folder: Path) -> list[Features]:
    pl.DataFrame({"v": values, "y": np.ones(len(values))}).write_parquet(folder / "v.parquet")
    return features_of(open_stream(folder / "v.parquet", schema=schema.copy(), label="y"))


def in_dicts(schema: Schema, values: Sequence[Any]) -> list[Features]:
    """Each value in a dict of its own."""
    return [schema.features({"v": value}) for value in values]


def in_a_list(schema: Schema, values: Sequence[Any]) -> set[str]:
    """The features that a learner has of a list of dicts."""
    learner = learners.perceptron(schema=schema.copy())
    learner.learn_many([{"v": value} for value in values], [k % 2 for k in range(len(values))])
    return set(learner.names or [])


def in_json(schema: Schema, values: Sequence[Any]) -> list[Features]:
    text = "".join(json.dumps({"v": value, "y": 1}) + "\n" for value in values)
    file = io.BytesIO(text.encode())
    return features_of(open_stream(file, format="jsonl", schema=schema.copy(), label="y"))


def in_csv(
    schema: Schema, values: Sequence[Any], quoting: Any = csv.QUOTE_MINIMAL
) -> list[Features]:
    file = io.StringIO()
    writer = csv.writer(file, quoting=quoting, lineterminator="\n")
    writer.writerows([["v", "y"], *([value, 1] for value in values)])
    data = io.BytesIO(file.getvalue().encode())
    return features_of(open_stream(data, format="csv", schema=schema.copy(), label="y"))


def in_export(schema: Schema, values: Sequence[Any]) -> list[Features]:
    """Each value in a dict, as the program that ``export`` writes reads it."""
    kind = schema.to_json()["columns"]["v"]
    rows = [standalone.of_column("v", value, kind) for value in values]
    return [{name: number for name, number in row if number != 0.0} for row in rows]

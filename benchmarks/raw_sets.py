"""Raw data sets, each trained from its file by one command: does every way to a model agree, to the bit?

    python -m benchmarks.raw_sets --data ../shared/data --output benchmarks/RAW_SETS.md

A row of the file goes to the saved model as a dict of texts, a dict of numbers and texts, a JSON line, a
row of a pandas and of a Polars frame, a row of Parquet, and a line of the file itself.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from fenchel import Learner
from fenchel.schema.missing import is_missing
from fenchel.streams.raw_rows import LABELS


class RawSet(NamedTuple):
    """A data set: its file, the options that train it, and the separator of its rows."""

    file: str
    options: str
    separator: str = ","
    header: bool = True
    most: int = 50_000


SETS = {
    "adult": RawSet("adult/adult.data.gz", "--format csv --no-header", header=False),
    "german": RawSet("german/german.numer_scale", "--format svmlight"),
    "airline": RawSet("sentiment_airline/airline.csv.gz", "--text reviews"),
    "bike_sharing": RawSet(
        "bike_sharing/hour.csv.gz",
        "--ignore instant --ignore dteday --ignore casual --ignore registered --categorical hr "
        "--categorical weathersit --cross hr,workingday",
    ),
    "beijing_pm25": RawSet(
        "beijing_pm25/pollution.csv.gz", "--label pm2.5 --ignore No --on-error skip"
    ),
    "weather": RawSet("weather/weather.csv.gz", ""),
    "criteo_sample": RawSet(
        "criteo_sample/criteo.tsv.gz", "--format csv --separator tab --no-header --label 1",
        "\t", header=False,
    ),
    "sms_spam": RawSet(
        "sms_spam/SMSSpamCollection.tsv.gz",
        "--format csv --separator tab --no-header --label 1 --text 2", "\t", header=False,
    ),
    "sst2": RawSet("sentiment_sst2/stsa.binary.dev", "--text text"),
    "delayed_flights": RawSet("delayed_flights/airlines.arff.gz", "--on-error skip"),
    "gas_drift": RawSet("gas_drift/batch1.dat.gz", "--format csv --no-header --label 1 ", header=False),
    "kddcup99": RawSet("kddcup99/kddcup.data_10_percent.gz", "--format csv --no-header", header=False),
}  # fmt: skip


def text_of(path: Path) -> str:
    """A file's text, unpacked."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def prepared(name: str, given: RawSet, data: Path, folder: Path) -> Path:
    """The file to train from: the first rows of the set's own."""
    path = data / given.file
    text = text_of(path)
    if name == "sst2":  # a label, a blank, a text: as CSV
        rows = [line.split(" ", 1) for line in text.splitlines()]
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([("text", "y"), *((t, y) for y, t in rows)])
        target, text = folder / "sst2.csv", out.getvalue()
    else:
        target = folder / path.name.removesuffix(".gz")
        if "\n" in text and given.most and '"' not in text:
            text = "".join(f"{line}\n" for line in text.splitlines()[: given.most])
    target.write_text(text)
    return target


def rows_of(path: Path, given: RawSet, learner: Learner) -> list[dict[str, str]]:
    """The rows as texts, by the names that the learner's schema has."""
    text = path.read_text()
    if path.suffix == ".arff":
        head, _, text = text.partition("@data\n" if "@data\n" in text else "@DATA\n")
        names = [
            line.split(None, 2)[1].strip("'\"")
            for line in head.splitlines()
            if line.lower().startswith("@attribute")
        ]
        reader = csv.reader(io.StringIO(text), quotechar="'", skipinitialspace=True)
        return [dict(zip(names, row, strict=True)) for row in reader if row]
    reader = csv.reader(io.StringIO(text), delimiter=given.separator, skipinitialspace=True)
    cells = [row for row in reader if row]
    if given.header:
        names, cells = [cell.strip() for cell in cells[0]], cells[1:]
    else:
        names = [str(k) for k in range(1, len(cells[0]) + 1)]
    return [dict(zip(names, row, strict=True)) for row in cells]


def typed(rows: list[dict[str, str]], learner: Learner) -> list[dict[str, Any]]:
    """The rows as Python would have them: numbers in columns of numbers, None where missing."""
    kinds = learner.schema.kinds

    def value(name: str, text: str) -> Any:
        if is_missing(text):
            return None
        return float(text) if name in kinds and kinds[name].word == "number" else text

    dropped = learner.schema.roles | set(LABELS)
    return [{n: value(n, t) for n, t in row.items() if n not in dropped} for row in rows]


def by_file(learner: Learner, path: Path, **reading: Any) -> np.ndarray[Any, Any]:
    """The margins of a file's rows."""
    blocks = [learner.decision_many(b) for b in learner.open(path, learning=False, **reading)]
    return np.concatenate(blocks)


def margins(learner: Learner, path: Path, given: RawSet, folder: Path) -> Iterator[tuple[str, Any]]:
    """Each way to the model, and its margins."""
    reading: dict[str, Any] = {"on_error": "skip"}
    if path.suffix not in (".csv", ".arff"):
        reading |= {"format": "svmlight" if "numer" in path.name else "csv"}
    if given.separator == "\t":
        reading["separator"] = "\t"
    yield "file", by_file(learner, path, **reading)
    if learner.names is None:
        return
    texts = rows_of(path, given, learner)
    rows = typed(texts, learner)
    dropped = learner.schema.roles
    bare = [{n: t for n, t in row.items() if n not in dropped} for row in texts]
    yield "dict of texts", np.array([learner.decision_one(row) for row in bare])
    yield "dict", np.array([learner.decision_one(row) for row in rows])
    yield "list of dicts", learner.decision_many(rows)
    yield "pandas", learner.decision_many(pd.DataFrame(rows))
    frame = pl.DataFrame(rows, infer_schema_length=None)
    yield "polars", learner.decision_many(frame)
    frame.write_parquet(folder / "rows.parquet")
    yield "Parquet", by_file(learner, folder / "rows.parquet")
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    yield "JSON lines", by_file(learner, folder / "rows.jsonl")


def measure(name: str, given: RawSet, data: Path) -> str:
    """A line of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path, model = prepared(name, given, data, folder), folder / "m.fenchel"
        command = [
            sys.executable,
            "-m",
            "fenchel",
            "train",
            str(path),
            "--quiet",
            "--save",
            str(model),
        ]
        begun = time.perf_counter()
        subprocess.run([*command, *given.options.split()], check=True)
        seconds = time.perf_counter() - begun
        learner = Learner.load(model)
        found = dict(margins(learner, path, given, folder))
    first = next(iter(found.values()))
    agree = [way for way, values in found.items() if np.array_equal(values, first, equal_nan=True)]
    other = [way for way in found if way not in agree]
    print(name, len(first), agree, other, f"{seconds:.1f} s", flush=True)
    return (
        f"| {name} | `{given.options}` | {len(first):,} | {learner.columns:,} | "
        f"{len(agree)} of {len(found)} | {', '.join(other) or '—'} |"
    )


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    lines = [
        "| data | options of `train` | rows | features | ways that agree to the bit | others |",
        "|---|---|---:|---:|---:|---|",
    ]
    lines += [
        measure(n, given, options.data) for n, given in SETS.items() if n in (options.only or SETS)
    ]
    text = "\n".join(lines) + "\n"
    if options.output:
        head = "# Raw data through every way to a model\n\n`python -m benchmarks.raw_sets`\n\n"
        options.output.write_text(head + text)
    print(text)


if __name__ == "__main__":
    main()

"""Raw data sets, each trained from its file by one command: does every way to a model agree, to the bit?

    python -m benchmarks.raw_sets --data ../shared/data --output benchmarks/RAW_SETS.md

A row of the file goes to the saved model as a line of the file itself, read in Python and by ``fenchel
predict``; as a dict of texts, a dict of numbers and texts, a JSON line, a row of a pandas and of a Polars
frame, of Parquet; and to the estimator of the same model. A file of numbered columns (svmlight) goes as
such, as a sparse matrix and as an array.
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
from scipy import sparse

from fenchel import Learner, Schema
from fenchel.estimators import OnlineClassifier, OnlineRegressor
from fenchel.schema.missing import is_missing
from fenchel.streams.raw_rows import LABELS

Margins = np.ndarray[Any, Any]
FENCHEL = (sys.executable, "-m", "fenchel")
MOST = 50_000  # rows, of larger sets
HEAD = f"""# Raw data through every way to a model

`python -m benchmarks.raw_sets`: each set is trained from its file by one command; then every row goes to the
model by every way. Of larger sets the first {MOST:,} lines.

| data | options of `train` | rows | features | ways that agree to the bit | others |
|---|---|---:|---:|---:|---|
"""


class RawSet(NamedTuple):
    """A data set: its file, the options that train it, and the separator of its rows."""

    file: str
    options: str
    separator: str = ","
    header: bool = True

    @property
    def reading(self) -> tuple[dict[str, Any], list[str]]:
        """What has to be said of the file again when rows are to be predicted: in Python, as options."""
        words = self.options.split()
        said = {
            word: words[words.index(f"--{word}") + 1]
            for word in ("format",)
            if f"--{word}" in words
        }
        options = [part for word, value in said.items() for part in (f"--{word}", value)]
        if self.separator == "\t":
            said, options = {**said, "separator": "\t"}, [*options, "--separator", "tab"]
        if "--no-quotes" in words:
            return {**said, "quotes": False}, [*options, "--no-quotes"]
        return said, options


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
        "--format csv --separator tab --no-header --no-quotes --label 1 --text 2",
        "\t", header=False,
    ),
    "sst2": RawSet("sentiment_sst2/stsa.binary.dev", "--text text"),
    "delayed_flights": RawSet(
        "delayed_flights/airlines.arff.gz", "--label ValueToPredict --ignore instanceId --on-error skip",
    ),
    "gas_drift": RawSet("gas_drift/batch*.dat.gz", "--format csv --no-header --label 1", header=False),
    "kddcup99": RawSet(
        "kddcup99/kddcup.data_10_percent.gz",
        "--format csv --no-header --task multiclass",
        header=False,
    ),
}  # fmt: skip


def text_of(path: Path) -> str:
    """A file's text, unpacked."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def prepared(name: str, given: RawSet, data: Path, folder: Path) -> Path:
    """The file to train from: the set's own, unpacked, or its first rows."""
    paths = sorted(data.glob(given.file))
    text = "".join(map(text_of, paths))
    target = folder / paths[0].name.removesuffix(".gz")
    if name == "sst2":  # a label, a blank, a text: as CSV
        rows = [line.split(" ", 1) for line in text.splitlines()]
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([("text", "y"), *((t, y) for y, t in rows)])
        target, text = folder / "sst2.csv", out.getvalue()
    elif text.count("\n") > MOST and '"' not in text:
        text = "".join(f"{line}\n" for line in text.splitlines()[:MOST])
    target.write_text(text)
    return target


def rows_of(path: Path, given: RawSet) -> list[dict[str, str]]:
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
    how = csv.QUOTE_NONE if "--no-quotes" in given.options else csv.QUOTE_MINIMAL
    lines = io.StringIO(text)
    reader = csv.reader(lines, delimiter=given.separator, skipinitialspace=True, quoting=how)
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


def by_file(learner: Learner, path: Path, **reading: Any) -> Margins:
    """The margins of a file's rows."""
    blocks = [learner.decision_many(b) for b in learner.open(path, learning=False, **reading)]
    return np.concatenate(blocks)


def by_command(learner: Learner, model: Path, path: Path, options: list[str]) -> Margins:
    """The margins that ``fenchel predict`` writes."""
    column = ["--margin"] if learner.task != "regression" else []
    command = [*FENCHEL, "predict", str(model), str(path), "--quiet", *column, *options]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = csv.reader(io.StringIO(out))
    if not column:
        return np.array([float(row[0]) for row in rows])
    head = next(rows)
    places = [k for k, name in enumerate(head) if name.startswith("margin")]
    found = np.array([[float(row[k]) for k in places] for row in rows])
    return found[:, 0] if len(places) == 1 else found


def numbered_rows(learner: Learner, path: Path) -> Iterator[tuple[str, Any]]:
    """The ways for rows without names."""
    blocks = [block.rows.view for block in learner.open(path, learning=False, format="svmlight")]
    cells = [(v.values, v.indices, v.indptr) for v in blocks]
    rows = sparse.vstack([sparse.csr_matrix(c, (len(c[2]) - 1, learner.columns)) for c in cells])
    yield "sparse matrix", learner.decision_many(rows)
    yield "array", learner.decision_many(rows.toarray())
    yield "row by row", np.array([learner.decision_one(row) for row in rows.toarray()])


def fitted(learner: Learner, frame: pd.DataFrame, labels: Any, model: Path) -> Margins:
    """Margins of an estimator that was fitted to the frame, and saved for the other ways."""
    kind = OnlineRegressor if learner.task == "regression" else OnlineClassifier
    known = ~pd.isna(labels)
    schema = Schema(
        learner.schema.kinds, cross=learner.schema.crosses, header=learner.schema.header
    )
    estimator = kind(schema=schema).fit(frame[known], labels[known])
    estimator.save(model)
    if kind is OnlineRegressor:
        return np.asarray(estimator.predict(frame))
    found = np.asarray(estimator.decision_function(frame))
    if found.ndim == 1:
        return found
    places = estimator.classes_.tolist()  # sorted; the learner's are as they came
    return found[:, [places.index(each) for each in estimator.learner_.classes]]


def named_rows(
    learner: Learner, texts: list[dict[str, str]], folder: Path
) -> Iterator[tuple[str, Any]]:
    """The ways for rows of columns with names."""
    rows, dropped = typed(texts, learner), learner.schema.roles
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


def margins(model: Path, path: Path, given: RawSet, folder: Path) -> dict[str, list[Margins]]:
    """Each way to the model, and its margins beside those of the file read in Python."""
    learner = Learner.load(model)
    reading, options = given.reading
    file = by_file(learner, path, **reading)
    found = {"file": file, "`predict`": by_command(learner, model, path, options)}
    if learner.names is None:
        found |= numbered_rows(learner, path)
        return {way: [file, values] for way, values in found.items()}
    texts = rows_of(path, given)
    found |= named_rows(learner, texts, folder)
    pairs = {way: [file, values] for way, values in found.items()}
    labels = np.array([None if is_missing(t := row[learner.schema.label]) else t for row in texts])
    labels = labels.astype(np.float64) if learner.task == "regression" else labels
    own = folder / "estimator.fenchel"
    values = fitted(learner, pd.DataFrame(typed(texts, learner)), labels, own)
    pairs["estimator"] = [by_file(Learner.load(own), path, **reading), values]
    return pairs


def measure(name: str, given: RawSet, data: Path) -> str:
    """A line of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path, model = prepared(name, given, data, folder), folder / "m.fenchel"
        command = [*FENCHEL, "train", str(path), "--quiet", "--save", str(model)]
        begun = time.perf_counter()
        subprocess.run([*command, *given.options.split()], check=True)
        seconds = time.perf_counter() - begun
        found = margins(model, path, given, folder)
        columns = Learner.load(model).columns
    agree = [way for way, pair in found.items() if np.array_equal(*pair, equal_nan=True)]
    other = [way for way in found if way not in agree]
    rows = len(found["file"][0])
    print(name, rows, agree, other, f"{seconds:.1f} s", flush=True)
    return (
        f"| {name} | `{given.options}` | {rows:,} | {columns:,} | "
        f"{len(agree)} of {len(found)} | {', '.join(other) or '—'} |"
    )


def lines_of(output: Path | None) -> dict[str, str]:
    """The lines of an earlier table, by set: what is not measured again stays."""
    if output is None or not output.exists():
        return {}
    lines = output.read_text().splitlines()
    return {name: line for line in lines for name in SETS if line.startswith(f"| {name} |")}


def main() -> None:
    """Write the table, anew after each set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", nargs="*", default=list(SETS))
    options = parser.parse_args()
    lines = lines_of(options.output)
    for name in options.only:
        lines[name] = measure(name, SETS[name], options.data)
        if options.output:
            known = [lines[each] for each in SETS if each in lines]
            options.output.write_text(HEAD + "\n".join(known) + "\n")


if __name__ == "__main__":
    main()

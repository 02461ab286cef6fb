"""Exported models on real data: does every place predict each row as the package does?

    python -m benchmarks.exports --data ../shared/data --output benchmarks/EXPORTS.md

A set is trained from its file by one command, saved, loaded and exported; then every row of the file is
predicted by the package and in every place.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.export_places import PLACES, Found, Row, Scores, tables_agree
from benchmarks.raw_sets import FENCHEL, SETS, RawSet, prepared, rows_of, typed
from fenchel import Learner
from fenchel.export import ExportRefused, portable

CHOSEN = (
    "adult", "german", "bike_sharing", "beijing_pm25", "weather", "criteo_sample", "sms_spam", "sst2",
    "delayed_flights", "gas_drift",
)  # fmt: skip
LEARNERS = {
    "binary": ("auto", "passive_aggressive", "adagrad:loss=logistic"),
    "multiclass": ("auto", "one_against_rest:learner=passive_aggressive"),
    "regression": ("auto", "normalized_lms"),
}
TASKS = {"bike_sharing": "regression", "beijing_pm25": "regression",
         "delayed_flights": "multiclass", "gas_drift": "multiclass"}  # fmt: skip
DOUBLE, SINGLE = 1e-9, 1e-5
WHERE = (*PLACES, "json", "csv")
HEAD = f"""# Exported models on every row of real sets

`python -m benchmarks.exports`: trained by one command, loaded, exported, and run in each place on every row
of the file. "same" is: every label is the package's, and every number and score agrees to 10⁻⁹ (ONNX, whose
columns are float32: to 10⁻⁵) relative to the largest term that it is a sum of. Rule is what the model
reduces to ([docs/export.md](../docs/export.md)). JSON and CSV hold the numbers that the Python file predicts
with.

| data | learner | rule | rows | {" | ".join(WHERE)} |
|---|---|---|---:|{"---|" * len(WHERE)}
"""


def as_rows(learner: Learner, path: Path, given: RawSet) -> tuple[list[Row], Any]:
    """Every row as a dict, and what the package is given."""
    if learner.names is not None:
        rows = typed(rows_of(path, given), learner)
        return rows, rows
    blocks = [block.rows for block in learner.open(path, learning=False, **given.reading[0])]
    X = np.concatenate([dense(block.view, learner.columns) for block in blocks])
    return [{str(k + 1): v for k, v in enumerate(row)} for row in X.tolist()], X


def dense(view: Any, columns: int) -> Scores:
    """A block of sparse rows as an array."""
    X = np.zeros((len(view.indptr) - 1, columns))
    at = np.repeat(np.arange(len(X)), np.diff(view.indptr))
    X[at, view.indices] = view.values
    return X


def sizes_of(learner: Learner, X: Any) -> Scores:
    """Of each row the largest |w_j·x_j| of its terms, and at least 1."""
    weights = np.abs(portable(learner).form.weights).max(axis=(1, 2))
    view = learner.rows_to_read(X).view
    if not hasattr(view, "indptr"):
        return np.maximum((np.abs(view.values) * weights[1:]).max(axis=1), max(weights[0], 1.0))
    terms = np.abs(view.values) * weights[1:][view.indices]
    largest = np.full(len(view.indptr) - 1, max(weights[0], 1.0))
    np.maximum.at(largest, np.repeat(np.arange(len(largest)), np.diff(view.indptr)), terms)
    return largest


def own_scores(learner: Learner, X: Any) -> Scores:
    """The package's own scores of rows; where it only votes, the arithmetic that it reduces to."""
    form = portable(learner).form
    if form.task == "regression":
        return np.asarray(learner.predict_many(X)).reshape(len(X), -1)
    if form.rule == "single" and (form.sharpness is None or form.task == "binary"):
        return np.asarray(learner.decision_many(X) / (form.sharpness or 1.0)).reshape(len(X), -1)
    return np.asarray(form.scores(learner.rows_to_read(X)))


def judged(found: Found, wanted: list[str], scores: Scores, sizes: Scores, tolerance: float) -> str:
    """What a cell of the table says: same, or what differs."""
    away = float(np.max(np.abs(found.scores - scores) / sizes[:, None]))
    labels = sum(a != b for a, b in zip(found.predictions, wanted, strict=True)) if wanted else 0
    if labels == 0 and away <= tolerance:
        return "same"
    return f"{labels} labels, scores by {away:.1e}"


def compared(learner: Learner, rows: list[Row], X: Any, folder: Path) -> dict[str, str]:
    """Every place beside the package."""
    form, scores = portable(learner).form, own_scores(learner, X)
    classes = [] if form.task == "regression" else learner.predict_many(X).tolist()
    wanted = [str(_plain(label)) for label in classes]
    sizes = sizes_of(learner, X) if form.rule in ("single", "mean") else np.ones(len(rows))
    cells = {}
    for place, predict in PLACES.items():
        began = time.perf_counter()
        try:
            found = predict(learner, folder, rows)
        except ExportRefused as refused:
            cells[place] = f"refused: {_reason(str(refused))}"
            continue
        cells[place] = judged(found, wanted, scores, sizes, SINGLE if place == "onnx" else DOUBLE)
        print(f"  {place} {cells[place]}, {time.perf_counter() - began:.1f} s", flush=True)
    agree = tables_agree(learner, folder)
    return cells | {name: "same" if same else "differs" for name, same in agree.items()}


def _plain(label: Any) -> Any:
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _reason(text: str) -> str:
    return "text" if "is text" in text else "crosses" if "crosses" in text else text


def measure(name: str, given: RawSet, data: Path) -> list[str]:
    """The lines of a set, one a learner."""
    lines = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path, model = prepared(name, given, data, folder), folder / "m.fenchel"
        for spec in LEARNERS[TASKS.get(name, "binary")]:
            command = [*FENCHEL, "train", str(path), "--quiet", "--save", str(model)]
            subprocess.run([*command, "--learner", spec, *given.options.split()], check=True)
            learner = Learner.load(model)
            rows, X = as_rows(learner, path, given)
            print(name, spec, len(rows), flush=True)
            cells = compared(learner, rows, X, folder)
            told = " | ".join(cells[where] for where in WHERE)
            rule = portable(learner).form.rule
            lines.append(f"| {name} | `{spec}` | {rule} | {len(rows):,} | {told} |")
    return lines


def lines_of(output: Path | None) -> dict[str, list[str]]:
    """The lines of an earlier table, by set: what is not measured again stays."""
    if output is None or not output.exists():
        return {}
    lines = output.read_text().splitlines()
    return {name: [line for line in lines if line.startswith(f"| {name} |")] for name in CHOSEN}


def main() -> None:
    """Write the table, anew after each set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", nargs="*", default=list(CHOSEN))
    options = parser.parse_args()
    lines = lines_of(options.output)
    for name in options.only:
        lines[name] = measure(name, SETS[name], options.data)
        if options.output:
            known = [line for each in CHOSEN for line in lines.get(each, [])]
            options.output.write_text(HEAD + "\n".join(known) + "\n")


if __name__ == "__main__":
    main()

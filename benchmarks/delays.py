"""Labels that come late: ``auto`` beside linear learners of River and scikit-learn, with the same delays.

`python -m benchmarks.delays` writes `DELAYS.md`: the share of wrong predictions, each made when its row
was asked for, learned from when its label had come. Of elec2 all rows (`--rows N`: the first, only
printed), labels 1, 48 (a day) and 500 rows late; of delayed_flights the flights whose label comes, when
the file has it. The features of the peers are scaled by the means and deviations of the rows so far;
`auto` has them as they are. Its experts step from what they know when the label comes; *old margins* is
the step that theorems speak of. Figures are kept in `delays_figures.json`: a run that was stopped goes
on, `--again` measures anew.
"""

import csv
import gzip
import io
import json
import os
import sys
from pathlib import Path

import numpy as np

from fenchel import learners

PATH = Path(__file__).with_name("DELAYS.md")
FIGURES = Path(__file__).with_name("delays_figures.json")
FIRST = 10_000  # rows that are counted by themselves too
DATA = Path(os.environ.get("FENCHEL_DATA", "../shared/data"))


# ── streams: rows, labels, and (row, whether its label is there) in turn ────────────────────────


def elec2(rows, delay):
    table = np.loadtxt(DATA / "elec2" / "elec.csv.gz", delimiter=",", skiprows=1, max_rows=rows)
    turns = []
    for t in range(len(table)):
        turns.append((t, False))
        if t >= delay:
            turns.append((t - delay, True))
    return table[:, :-1], table[:, -1].astype(int), turns


def flights():
    text = gzip.decompress((DATA / "delayed_flights" / "airlines.arff.gz").read_bytes()).decode()
    rows, labels, turns, number = [], {}, [], {}
    for cells in csv.reader(io.StringIO(text.split("@data\n", 1)[1])):
        if len(cells) != 13 or (cells[11] in number and cells[10] == "?"):
            continue  # asked twice
        if cells[11] not in number:
            number[cells[11]] = len(rows)
            rows.append(cells[:10])
            turns.append((number[cells[11]], False))
        if cells[10] != "?":
            labels[number[cells[11]]] = cells[10]
            turns.append((number[cells[11]], True))
    known = sorted(labels)
    place = {t: k for k, t in enumerate(known)}  # flights whose label never comes are left out
    kept = [rows[t] for t in known]
    y = np.unique([labels[t] for t in known], return_inverse=True)[1]
    return one_hot(kept), y, [(place[t], there) for t, there in turns if t in place]


def one_hot(rows):
    columns = []
    for cells in zip(*rows, strict=True):
        if all(cell.lstrip("-").isdigit() for cell in cells):
            columns.append(np.array(cells, float)[:, None])
        else:
            columns.append((np.array(cells)[:, None] == np.unique(cells)).astype(float))
    return np.hstack(columns)


def scaled(X):
    """Each row by the means and deviations of the rows up to it."""
    count = np.arange(1, len(X) + 1)[:, None]
    mean = np.cumsum(X, axis=0) / count
    spread = np.sqrt(np.maximum(np.cumsum(X * X, axis=0) / count - mean**2, 0.0))
    return np.where(spread > 1e-9, (X - mean) / np.maximum(spread, 1e-9), 0.0)


# ── learners, each as (ask, answer) ─────────────────────────────────────────────────────────────


def ours(X, y, step=None):
    several = len(set(y.tolist())) > 2
    learner = learners.auto("multiclass" if several else "binary", classes=sorted(set(y.tolist())))

    def answer(t):
        learner.answer(t, int(y[t]), step=step)

    return lambda t: learner.ask(X[t], id=t).prediction, answer


def river(model, X, y):
    def row(t):
        return dict(enumerate(X[t].tolist()))

    return lambda t: model.predict_one(row(t)), lambda t: model.learn_one(row(t), int(y[t]))


def scikit(model, X, y):
    classes = np.unique(y)

    def ask(t):  # what model.predict does, without its checks
        if not hasattr(model, "coef_"):
            return None
        heights = model.coef_ @ X[t] + model.intercept_
        return classes[int(heights[0] > 0.0) if len(classes) == 2 else int(heights.argmax())]

    return ask, lambda t: model.partial_fit(X[t : t + 1], y[t : t + 1], classes=classes)


def peers(X, y):
    from river import linear_model, multiclass
    from sklearn.linear_model import Perceptron, SGDClassifier

    Z, several = scaled(X), len(np.unique(y)) > 2
    theirs = {
        "River LogisticRegression": linear_model.LogisticRegression(),
        "River PAClassifier": linear_model.PAClassifier(),
        "River Perceptron": linear_model.Perceptron(),
        "River ALMAClassifier": linear_model.ALMAClassifier(),
    }
    for name, model in theirs.items():
        yield name, river(multiclass.OneVsRestClassifier(model) if several else model, Z, y)
    yield "scikit-learn SGD, log loss", scikit(SGDClassifier(loss="log_loss", random_state=0), Z, y)
    yield "scikit-learn SGD, hinge", scikit(SGDClassifier(random_state=0), Z, y)
    yield "scikit-learn Perceptron", scikit(Perceptron(random_state=0), Z, y)


def error(turns, y, ask, answer):
    """The share of wrong predictions: of all rows, and of the first ones."""
    wrong = np.zeros(len(y), bool)
    for t, there in turns:
        if there:
            answer(t)
        else:
            wrong[t] = ask(t) != y[t]
    return float(wrong.mean()), float(wrong[:FIRST].mean())


def previous(turns, y):
    """The error of repeating the label that came last."""
    told: dict = {"last": None}
    return error(turns, y, lambda t: told["last"], lambda t: told.update(last=y[t]))


def errors(X, y, turns, known, keep):
    """The errors that are not known yet, each kept at once."""

    def measured(name, measure):
        if name not in known:
            known[name] = measure()
            print(name, known[name], flush=True)
            keep()

    measured("fenchel `auto`", lambda: error(turns, y, *ours(X, y)))
    measured("the same, old margins", lambda: error(turns, y, *ours(X, y, "old")))
    for name, both in peers(X, y):
        measured(name, lambda both=both: error(turns, y, *both))
    measured("label that came last", lambda: previous(turns, y))


def main(rows, again):
    streams = {
        "delayed_flights": flights(),
        **{f"elec2, {d}": elec2(rows, d) for d in (1, 48, 500)},
    }
    found = json.loads(FIGURES.read_text()) if FIGURES.exists() and not again else {}

    def keep():
        if rows is None:
            FIGURES.write_text(json.dumps(found, indent=1) + "\n")

    for name, stream in streams.items():
        print(name, flush=True)
        errors(*stream, found.setdefault(name, {}), keep)
    if rows is not None:
        return
    text = "# Labels that come late\n\n" + (__doc__ or "").split("\n\n", 1)[1] + "\n"
    text += table(found, 0)
    longer = {name: f for name, f in found.items() if len(streams[name][1]) > FIRST}
    if longer:
        text += f"\n## The first {FIRST:,} rows\n\n" + table(longer, 1)
    PATH.write_text(text)


def table(found, which):
    text = "| error | " + " | ".join(found) + " |\n|---|" + "---:|" * len(found) + "\n"
    for name in next(iter(found.values())):
        cells = [f"{f[name][which]:.4f}" for f in found.values()]
        text += f"| {name} | " + " | ".join(cells) + " |\n"
    return text


if __name__ == "__main__":
    given = int(sys.argv[sys.argv.index("--rows") + 1]) if "--rows" in sys.argv else None
    main(given, again="--again" in sys.argv or given is not None)

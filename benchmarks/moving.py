"""Streams that change: frozen use, and learning along, against scikit-learn and River.

``python -m benchmarks.moving frozen`` trains ``auto`` on the first 80 % of each stream and uses it frozen
on the last 20 %; ``along`` plays streams that move, and steady ones, to ``auto``, with and without its
experts that forget, and to River's learners; ``alarms`` counts false alarms and delays of the change
points. Each replaces its section of ``MOVING.md``; names of streams choose some and only print.
"""

import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.moving_data import played
from fenchel import learners
from fenchel.evaluate.change_points import ChangePoints
from fenchel.learners import automatic
from fenchel.learners.engine import ONE
from fenchel.rows import validate

PATH = Path(__file__).with_name("MOVING.md")
FROZEN = [
    "elec2",
    "weather",
    "beijing_pm25",
    "bike_sharing",
    "powersupply",
    "gas_drift",
    "spam_stream",
    "covtype",
]
ALONG = ["elec2", "weather", "spam_stream", "powersupply", "gas_drift", "keystroke",
         *(f"generated_{kind}" for kind in ("jumps", "drifts", "returns", "scales"))]  # fmt: skip
STEADY = ["a9a", "mushrooms", "casp_protein"]


def error(task, learner, margins, y):
    if task == "regression":
        return float(np.mean((margins - y) ** 2))
    return float(np.mean(learner.decode_many(margins) != y))


# ── frozen ──────────────────────────────────────────────────────────────────────────────────────


def batch_error(task, X, y, cut):
    """scikit-learn's LogisticRegression or Ridge on scaled features, fitted on the first part."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    wide = sparse.issparse(X) and X.shape[1] > 1000
    X = X.toarray() if sparse.issparse(X) and not wide else X
    model = Ridge() if task == "regression" else LogisticRegression(max_iter=100 if wide else 1000)
    found = make_pipeline(StandardScaler(with_mean=not wide), model).fit(X[:cut], y[:cut])
    guess = found.predict(X[cut:])
    return float(np.mean((guess - y[cut:]) ** 2 if task == "regression" else guess != y[cut:]))


def expert_errors(learner, task, X, y, bounds):
    engine = learner.engine
    rows = engine._in_units(validate.as_rows(X), ONE, learning=False)
    found = {}
    for k in engine._blend.active:
        margins = engine.experts[k].read(rows)
        margins = np.clip(margins, *bounds) if task == "regression" else margins
        found[engine.experts[k].specification] = error(task, learner, margins, y)
    return found


def frozen_row(name):
    task, X, y = played(name)
    cut = int(0.8 * len(y))
    learner = learners.auto(task)
    along = error(task, learner, learner.learn_many(X[:cut], y[:cut]), y[:cut])
    following = error(task, learner, learner.decision_many(X[cut:]), y[cut:])
    bounds = (y[:cut].min(), y[:cut].max())
    best = min(expert_errors(learner, task, X[cut:], y[cut:], bounds).values())
    frozen = error(task, learner, learner.freeze().decision_many(X[cut:]), y[cut:])
    batch = batch_error(task, X, y, cut)
    figures = [f"{value:.4g}" for value in (along, following, frozen, best, batch)]
    return [name, *figures, f"{frozen / best:.3f}", f"{frozen / batch:.3f}"]


# ── along ───────────────────────────────────────────────────────────────────────────────────────


def auto_error(task, X, y, forgetting=True):
    anywhere, small = automatic.EXPERTS[task]
    kept = small if forgetting else tuple(text for text in small if "half_life" not in text)
    automatic.EXPERTS[task] = anywhere, kept
    try:
        learner = learners.auto(task)
        return error(task, learner, learner.learn_many(X, y), y)
    finally:
        automatic.EXPERTS[task] = anywhere, small


def river_errors(task, X, y):
    """River's linear models and its ADWIN-based ones, on scaled features."""
    from river import drift, ensemble, linear_model, multiclass, preprocessing

    made = {"logistic": linear_model.LogisticRegression(), "pa": linear_model.PAClassifier()}
    if task == "multiclass":
        made = {k: multiclass.OneVsRestClassifier(v) for k, v in made.items()}
    base = linear_model.LogisticRegression()
    base = multiclass.OneVsRestClassifier(base) if task == "multiclass" else base
    made["ADWIN bagging"] = ensemble.ADWINBaggingClassifier(base, n_models=3, seed=0)
    made["ADWIN retraining"] = drift.DriftRetrainingClassifier(base.clone(), drift.ADWIN())
    found = {}
    for name, model in made.items():
        model = preprocessing.StandardScaler() | model
        wrong = 0
        for x, label in zip(X, y, strict=True):
            row = dict(enumerate(x.tolist()))
            wrong += model.predict_one(row) != label
            model.learn_one(row, label)
        found[name] = wrong / len(y)
    return found


def along_row(name):
    task, X, y = played(name)
    ours, plain = (auto_error(task, X, y, forgetting) for forgetting in (True, False))
    cells = [name, f"{ours:.4g}", f"{plain:.4g}", f"{ours / plain:.4f}"]
    if task == "regression" or sparse.issparse(X) or name in STEADY:
        return [*cells, "–"]
    labels = y > 0 if task == "binary" else y
    theirs = river_errors(task, X, labels)
    best = min(theirs, key=theirs.__getitem__)
    return [*cells, f"{theirs[best]:.4g} ({best})"]


# ── alarms ──────────────────────────────────────────────────────────────────────────────────────


def alarms_row(mean, after, rate=0.05, runs=1000, rounds=2000):
    rng = np.random.default_rng(0)
    false, delays = 0, []
    for _ in range(runs):
        watch = ChangePoints(rate)
        watch.see((rng.random(rounds) < mean) * 1.0)
        false += bool(watch.found)
        watch.see((rng.random(rounds) < after) * 1.0)
        delays += [watch.found[0].seen - rounds] if watch.found else []
    median = f"{np.median(delays):.0f}" if delays else "–"
    return [
        f"{mean:g}",
        f"{after:g}",
        f"{false}/{runs}",
        f"{rate:g}",
        f"{len(delays)}/{runs}",
        median,
    ]


# ── the report ──────────────────────────────────────────────────────────────────────────────────

SECTIONS = {
    "frozen": ["stream", "auto along the first 80 %", "its next-round shares, frozen", "auto frozen",
               "best expert frozen", "LogisticRegression or Ridge", "÷ best expert", "÷ batch"],
    "along": ["stream", "auto", "without forgetting", "ratio", "best of River (linear, ADWIN)"],
    "alarms": ["loss before", "after", "false alarms, 2,000 rounds", "stated", "seen", "median delay"],
}  # fmt: skip


def rows_of(kind, names):
    if kind == "alarms":
        for pair in ((0.05, 0.15), (0.1, 0.3), (0.3, 0.5)):
            yield alarms_row(*pair)
        return
    for name in names or (FROZEN if kind == "frozen" else ALONG + STEADY):
        yield (frozen_row if kind == "frozen" else along_row)(name)


def main():
    kind, *names = sys.argv[1:] or ["frozen"]
    began, lines = time.perf_counter(), []
    for row in rows_of(kind, names):
        lines.append(f"| {' | '.join(row)} |")
        print(lines[-1], flush=True)
    if names:
        return
    head = SECTIONS[kind]
    table = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines]
    made = f"Made by `python -m benchmarks.moving {kind}` in {time.perf_counter() - began:.0f} s."
    section = "\n".join([f"## {kind}", "", made, "", *table, ""])
    text = PATH.read_text() if PATH.exists() else "# Streams that change\n\n"
    parts = [p for p in text.split("\n## ") if not p.startswith(f"{kind}\n")]
    PATH.write_text("\n## ".join(parts).rstrip() + "\n\n" + section)


if __name__ == "__main__":
    main()

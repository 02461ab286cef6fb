"""Streams that change: frozen use, and learning along, against scikit-learn and River.

``python -m benchmarks.moving`` measures all of it and writes ``MOVING.md``. Figures are kept in
``moving_figures.json`` as they come: a run that was stopped goes on where it was. Names of sections or
streams measure these anew (``python -m benchmarks.moving frozen``, ``… elec2``, ``… frozen elec2``);
``--again`` measures everything anew. On two cores it takes some twenty minutes, most of it in River and
scikit-learn.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse, stats

from benchmarks import moving_page
from benchmarks.moving_data import played
from fenchel import learners
from fenchel.evaluate.change_points import ChangePoints
from fenchel.evaluate.progressive import Run
from fenchel.learners import automatic
from fenchel.rows import validate
from fenchel.streams import from_arrays

FIGURES = Path(__file__).with_name("moving_figures.json")
FROZEN = ["elec2", "weather", "beijing_pm25", "bike_sharing", "powersupply", "gas_drift", "spam_stream",
          "covtype"]  # fmt: skip
ALONG = ["elec2", "weather", "spam_stream", "powersupply", "gas_drift", "keystroke",
         *(f"generated_{kind}" for kind in ("jumps", "drifts", "returns", "scales"))]  # fmt: skip
STEADY = ["a9a", "mushrooms", "casp_protein"]
ALARMS = {"0.05 → 0.15": (0.05, 0.15), "0.1 → 0.3": (0.1, 0.3), "0.3 → 0.5": (0.3, 0.5)}
FORESIGHT = [5_000, 20_000, 100_000]


def error(task, learner, margins, y):
    if task == "regression":
        return float(np.mean((margins - y) ** 2))
    return float(np.mean(learner.decode_many(margins) != y))


# ── frozen: the first 80 % learned in time order, the last 20 % without learning ────────────────


def frozen(name):
    task, X, y = played(name)
    cut = int(0.8 * len(y))
    learner = learners.auto(task)
    along = error(task, learner, learner.learn_many(X[:cut], y[:cut]), y[:cut])
    following = learner.decision_many(X[cut:])
    experts = expert_margins(learner, task, X[cut:], y[:cut])
    found = {spec: error(task, learner, margins, y[cut:]) for spec, margins in experts.items()}
    best = min(found, key=found.__getitem__)
    margins = learner.freeze().decision_many(X[cut:])
    return {
        "along": along,
        "following": error(task, learner, following, y[cut:]),
        "frozen": error(task, learner, margins, y[cut:]),
        "best": found[best],
        "best expert": best,
        "p": None if task == "regression" else told_apart(learner, margins, experts[best], y[cut:]),
        "batch": batch_error(task, X, y, cut),
        "rows": len(y) - cut,
    }


def expert_margins(learner, task, X, known):
    """What each expert makes of the rows with the weights of the last round."""
    engine = learner.engine
    margins = engine._read_experts(validate.as_rows(X))
    if task == "regression":
        margins = np.clip(margins, known.min(), known.max())
    names = engine.expert_names
    return {names[k]: margins[k] if task == "multiclass" else margins[k, :, 0]
            for k in engine.blend.active}  # fmt: skip


def told_apart(learner, ours, theirs, y):
    """The chance of so uneven mistakes where two make as many: a sign test on rows where they differ."""
    wrong, other = (learner.decode_many(margins) != y for margins in (ours, theirs))
    more, fewer = int((wrong & ~other).sum()), int((other & ~wrong).sum())
    return float(stats.binomtest(more, more + fewer).pvalue) if more + fewer else 1.0


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


# ── along: predictions before each label, over the whole stream ─────────────────────────────────


def staying(experts):
    """Those without a half-life, none of which begins anew."""
    return tuple(t.replace(",renew=yes", "") for t in experts if "half_life" not in t)


def auto_error(task, X, y, forgetting=True):
    """The error of ``auto``, or of the same mixture without its experts that forget."""
    kept = automatic.EXPERTS[task], automatic.ON_PRODUCTS[task]
    if not forgetting:
        lists = [[staying(part) for part in both] for both in kept]
        automatic.EXPERTS[task], automatic.ON_PRODUCTS[task] = map(tuple, lists)
    try:
        learner = learners.auto(task)
        return error(task, learner, learner.learn_many(X, y), y)
    finally:
        automatic.EXPERTS[task], automatic.ON_PRODUCTS[task] = kept


def steady(name):
    task, X, y = played(name)
    both = {told: auto_error(task, X, y, on) for told, on in (("auto", True), ("plain", False))}
    return both | {"rows": len(y)}


def along(name):
    task, X, y = played(name)
    return steady(name) | {"River": river_errors(task, X, y > 0 if task == "binary" else y)}


class Restarted:
    """A model that begins anew where ADWIN sees its mistakes change."""

    def __init__(self, model):
        from river import drift

        self.model, self.detector = model, drift.ADWIN()

    def predict_one(self, x):
        return self.model.predict_one(x)

    def learn_one(self, x, y):
        self.detector.update(float(self.model.predict_one(x) != y))
        if self.detector.drift_detected:
            self.model = self.model.clone()
        self.model.learn_one(x, y)


def river_models(task):
    """River's linear models, and its ADWIN-based ones over logistic regression."""
    from river import drift, ensemble, linear_model, multiclass

    def several(model):
        return multiclass.OneVsRestClassifier(model) if task == "multiclass" else model

    base = several(linear_model.LogisticRegression())
    found = {
        "logistic regression": base,
        "passive-aggressive": several(linear_model.PAClassifier()),
        "Perceptron": several(linear_model.Perceptron()),
        "ALMA": several(linear_model.ALMAClassifier()),
        "ADWIN bagging": ensemble.ADWINBaggingClassifier(base.clone(), n_models=3, seed=0),
        "ADWIN boosting": ensemble.ADWINBoostingClassifier(base.clone(), n_models=3, seed=0),
        "ADWIN, begun anew": Restarted(base.clone()),
        "DDM retraining": drift.DriftRetrainingClassifier(base.clone(), drift.binary.DDM()),
    }
    if task == "multiclass":
        found["softmax regression"] = linear_model.SoftmaxRegression()
    return found


def river_errors(task, X, y):
    """Errors of River's models, on standardised features (of sparse rows: as they are)."""
    from river import preprocessing

    found = {}
    for name, model in river_models(task).items():
        scaler, wrong = preprocessing.StandardScaler(), 0
        for row, label in zip(dicts(X), y.tolist(), strict=True):
            if not sparse.issparse(X):
                scaler.learn_one(row)
                row = scaler.transform_one(row)
            wrong += model.predict_one(row) != label
            model.learn_one(row, label)
        found[name] = wrong / len(y)
    return found


def dicts(X):
    if not sparse.issparse(X):
        return (dict(enumerate(x)) for x in X.tolist())
    X = X.tocsr()
    ends = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
    return (dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in ends)


# ── alarms, and what it costs to look ahead ─────────────────────────────────────────────────────


def alarms(which, rate=0.05, runs=1000, rounds=2000):
    """False alarms on steady streams of losses 0 or 1, and when a change after them is seen."""
    mean, after = ALARMS[which]
    rng = np.random.default_rng(0)
    false, delays = 0, []
    for _ in range(runs):
        watch = ChangePoints(rate)
        watch.see((rng.random(rounds) < mean) * 1.0)
        false += bool(watch.found)
        watch.see((rng.random(rounds) < after) * 1.0)
        delays += [watch.found[0].seen - rounds] if watch.found else []
    median = float(np.median(delays)) if delays else None
    return {"false": false, "runs": runs, "rate": rate, "rounds": rounds, "seen": len(delays),
            "median delay": median}  # fmt: skip


def foresight(rows, columns=30, times=5):
    """Processor time of ``auto``, without candidates for frozen use, with them, and as ``train`` watches."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((int(rows), columns))
    y = np.where(X @ rng.standard_normal(columns) + rng.standard_normal(len(X)) > 0, 1, -1)

    def run(looking, watched):
        learner = learners.auto()
        if not looking:
            learner.engine.frozen = None
        lead = Run(learner, watched=watched)
        for block in from_arrays(X, y):
            lead.learn(block)

    ways = {"without": (False, False), "candidates": (True, False), "train": (True, True)}
    least = dict.fromkeys(ways, np.inf)
    for turn in range(1 + times):  # the first compiles
        for name, way in ways.items():
            began = time.process_time()
            run(*way)
            least[name] = min(least[name], time.process_time() - began) if turn else np.inf
    return least | {"rows": int(rows)}


# ── the command ─────────────────────────────────────────────────────────────────────────────────

SECTIONS: dict[str, tuple[Callable, list[str]]] = {
    "frozen": (frozen, FROZEN),
    "along": (along, ALONG),
    "steady": (steady, STEADY),
    "alarms": (alarms, list(ALARMS)),
    "foresight": (foresight, list(map(str, FORESIGHT))),
}


def asked(section, name, chosen, known):
    """Whether a figure is to be measured: it is not known, or asked for by name."""
    if chosen and "--again" not in chosen:
        sections = [c for c in chosen if c in SECTIONS]
        streams = [c for c in chosen if c not in SECTIONS]
        return (not sections or section in sections) and (not streams or name in streams)
    return "--again" in chosen or name not in known.get(section, {})


def main(chosen):
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for section, (measure, names) in SECTIONS.items():
        for name in names:
            if not asked(section, name, chosen, known):
                continue
            began = time.perf_counter()
            found = measure(name)
            print(section, name, found, f"{time.perf_counter() - began:.0f} s", flush=True)
            kept = known.setdefault(section, {})
            kept[name] = found
            known[section] = {n: kept[n] for n in names if n in kept}  # in their order
            FIGURES.write_text(json.dumps(known, indent=1) + "\n")
    moving_page.write(known)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Every bit that users see, recorded and compared: margins, weights, certificates, model files, readers.

    python -m benchmarks.bits record FILE     with the version before a change
    python -m benchmarks.bits compare FILE    with the version after it

A figure is a digest of bytes: the last bit counts. Only for two versions on one machine with the
same Numba, since another processor or compiler may round otherwise.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel import Learner, learners
from fenchel.estimators import OnlineRegressor
from fenchel.streams import open_stream

ROUNDS = 400
COLUMNS = 24

BINARY = (
    "perceptron",
    "p_norm_perceptron:p=5",
    "passive_aggressive:C=0.3",
    "tuned_aggressive:p=3",
    "tuned_aggressive:p=2",
    "winnow:eta=0.3",
    "gradient_descent:eta=0.3",
    "gradient_descent:eta=0.3,schedule=constant,loss=logistic",
    "dual_averaging:eta=0.5,l1=0.01",
    "dual_averaging:eta=0.5,l1=0.01,l2=0.02,loss=logistic",
    "strongly_convex:l2=0.1",
    "strongly_convex:l2=0.1,l1=0.01",
    "exponentiated_gradient:eta=0.2,signed=yes",
    "exponentiated_gradient:eta=0.2,signed=no",
    "scale_invariant_p_norm",
    "scale_invariant_adagrad",
    "scale_invariant_adagrad:sqrt_d=no",
    "second_order_perceptron:diagonal=yes",
    "second_order_perceptron:diagonal=no",
    "arow:r=0.5",
    "arow:r=2,diagonal=no",
    "arow:r=2,form=original",
    "arow:r=2,diagonal=no,form=original",
    "soft_confidence_weighted",
    "adagrad:eta=0.5",
    "adagrad:eta=0.5,l1=0.01,l2=0.01",
    "normalized_adaptive_gradient:eta=0.5",
    "ftrl_proximal:l1=0.01,loss=logistic",
    "online_newton_step",
    "coin_betting:loss=logistic",
)
REGRESSION = (
    "vovk_azoury_warmuth:a=0.5",
    "vovk_azoury_warmuth:diagonal=yes",
    "p_norm_lms:p=4",
    "lms:eta=0.01",
    "normalized_lms:eta=0.5",
    "gradient_descent:loss=absolute",
    "dual_averaging:eta=0.5,l1=0.01,loss=huber",
    "strongly_convex:l2=0.1,loss=squared",
    "adagrad:loss=quantile",
    "passive_aggressive:loss=epsilon_insensitive",
    "normalized_adaptive_gradient:loss=squared",
    "coin_betting:loss=huber",
    "scale_invariant_adagrad:loss=absolute",
    "scale_invariant_p_norm:loss=absolute",
)
# Averages of learners whose weights move between visits, each in its own way.
AVERAGED = tuple(
    f"{text}{',' if ':' in text else ':'}averaged=yes"
    for text in (*BINARY[:13], *BINARY[14:21], "adagrad:eta=0.5,l1=0.01,l2=0.01", "adagrad:eta=0.5")
)
MEMBERS = ("arow", "perceptron", "normalized_adaptive_gradient")

Stream = tuple[Any, Any, Any]


def rows_of(kind: str, rng: np.random.Generator, count: int = ROUNDS) -> Any:
    """Rows of one kind."""
    X = rng.normal(size=(count, COLUMNS)) * 10.0 ** rng.uniform(-1, 1, COLUMNS)
    if kind == "dense":
        return X
    if kind == "single":
        return X.astype(np.float32)
    X *= rng.random(X.shape) < 0.3
    if kind == "growing":
        X *= np.arange(COLUMNS) <= COLUMNS * np.arange(1, count + 1)[:, None] / count
    return sp.csr_array(X)


def stream_of(task: str, kind: str) -> Stream:
    """Rows, labels and importance."""
    rng = np.random.default_rng([*map(ord, task + kind)])
    X = rows_of(kind, rng)
    dense = X.toarray() if sp.issparse(X) else np.asarray(X, np.float64)
    u = rng.normal(size=COLUMNS)
    numbers = dense @ u + 0.3 * rng.normal(size=len(dense))
    weights = rng.integers(0, 4, len(dense)).astype(float) if kind == "sparse" else None
    if task == "regression":
        return X, numbers, weights
    if task == "multiclass":
        return X, np.digitize(numbers, np.quantile(numbers, [0.3, 0.7])), weights
    return X, np.where(numbers > 0.0, 1, -1), weights


def digest(*arrays: Any) -> str:
    """A short digest of some arrays or bytes."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(array if isinstance(array, bytes) else np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def saved(learner: Learner) -> bytes:
    """The bytes of the model file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.fenchel"
        learner.save(path)
        return path.read_bytes()


def told(learner: Learner) -> str:
    """Every certificate with the last bit of each number."""
    lines = []
    try:
        for c in learner.certificates():
            numbers = (c.achieved, c.bound, c.unit, *(a.measured for a in c.assumptions))
            hexed = " ".join(float(number).hex() for number in numbers)
            lines.append(f"{c.theorem}|{c.equation}|{c.comparator}|{c.verdict}|{hexed}")
    except ValueError as error:
        lines.append(f"refused: {error}")
    return digest("\n".join(lines).encode())


def run(text: str, task: str, kind: str, certify: bool = False) -> dict[str, str]:
    """One learner over one stream, in three blocks, then a few single rows."""
    X, y, weights = stream_of(task, kind)
    joint = "," if ":" in text else ":"
    learner = learners.from_specification(f"{text}{joint}certify=yes" if certify else text)
    margins = []
    for begin, end in ((0, 1), (1, 250), (250, ROUNDS)):
        h = None if weights is None else weights[begin:end]
        margins.append(learner.learn_many(X[begin:end], y[begin:end], h))
    found = {
        "margins": digest(*margins),
        "decisions": digest(learner.decision_many(X[:50])),
        "weights": digest(learner.weights(), np.asarray(learner.bias)),
    }
    if certify:
        found["certificates"] = told(learner)
    else:
        found["model"] = digest(saved(learner))
    return found


def dicts(text: str, task: str) -> dict[str, str]:
    """One learner over named features, one at a time."""
    X, y, _ = stream_of(task, "growing")
    dense = X.toarray()
    learner = learners.from_specification(text)
    read = []
    for row, label in zip(dense[:120], y[:120], strict=True):
        x = {f"f{j}": float(v) for j, v in enumerate(row) if v != 0.0}
        read.append(learner.decision_one(x))
        learner.learn_one(x, label)
    named = json.dumps({k: np.asarray(v).tolist() for k, v in learner.weights().items()})
    return {"decisions": digest(np.array(read)), "weights": digest(named.encode())}


def composite_learners() -> Iterator[tuple[str, str, Callable[[], Learner]]]:
    """Learners made of learners."""
    yield "auto", "binary", lambda: learners.auto()
    yield "auto", "regression", lambda: learners.auto(task="regression")
    yield "auto", "multiclass", lambda: learners.auto(task="multiclass")
    yield "hedge", "binary", lambda: learners.hedge(["perceptron", "arow"])
    yield (
        "hedge combined",
        "regression",
        lambda: learners.hedge(["lms:eta=0.01", "p_norm_lms"], combined=True),
    )
    for text in MEMBERS:
        yield f"one_against_rest {text}", "multiclass", lambda t=text: learners.one_against_rest(t)
        yield f"max_margin {text}", "multiclass", lambda t=text: learners.max_margin(t)


def composite(build: Callable[[], Learner], task: str, kind: str) -> dict[str, str]:
    X, y, weights = stream_of(task, kind)
    learner = build()
    if learner.labels is not None:
        learner.declare(np.unique(y).tolist())
    margins = []
    for begin, end in ((0, 1), (1, 250), (250, ROUNDS)):
        h = None if weights is None else weights[begin:end]
        margins.append(learner.learn_many(X[begin:end], y[begin:end], h))
    return {
        "margins": digest(*margins),
        "decisions": digest(learner.decision_many(X[:50])),
        "weights": digest(learner.weights()),
        "model": digest(saved(learner)),
    }


FILES = {
    "a.svm": "+1 1:0.5 3:2 # c\n-1 2:1e-3 3:-1.25\n+1 qid:3 1:7\n",
    "a.vw": "1 2.0 'tag|a x:0.5 y |b z:3\n-1 |a y z:1\n1 |b \u00e9t\u00e9:0.25\n",
    "a.csv": 'age,job,"y"\n41,cook,1\n52.5,"law,yer",0\n,cook,1\n3e2,#N/A,0\n',
    "b.csv": "1;2,5;3\n4;5,25;6\n",
    "a.jsonl": '{"label": 1, "x": 2.5, "c": "red", "n": {"k": 1}}\n{"label": -1, "x": true, "c": null}\n',
}


def reader(name: str, text: str) -> dict[str, str]:
    """What a reader makes of a file: every array of every block."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        options = {"label": "label"} if name.endswith("jsonl") else {}
        try:
            stream = open_stream(str(path), **options)
            found = io.BytesIO()
            for block in stream:
                for array in (
                    block.indptr,
                    block.indices,
                    block.values,
                    block.importance,
                    block.groups,
                ):
                    found.write(b"none" if array is None else np.ascontiguousarray(array).tobytes())
                found.write(repr(None if block.labels is None else block.labels.tolist()).encode())
            names = (
                None
                if stream.names is None
                else [stream.names.name(j) for j in range(len(stream.names))]
            )
            found.write(repr(names).encode())
        except ValueError as error:
            return {"refused": digest(str(error).replace(folder, "").encode())}
        return {"blocks": digest(found.getvalue())}


def figures() -> Iterator[tuple[str, dict[str, str]]]:
    """Everything, by name."""
    for text in BINARY:
        for kind in ("sparse", "dense", "growing", "single"):
            yield f"{text} {kind}", run(text, "binary", kind)
        for kind in ("dense", "growing"):
            yield f"{text} {kind} certified", run(text, "binary", kind, certify=True)
        yield f"{text} dicts", dicts(text, "binary")
    for text in REGRESSION:
        for kind in ("sparse", "dense", "growing"):
            yield f"{text} {kind}", run(text, "regression", kind)
        for kind in ("dense", "growing"):
            yield f"{text} {kind} certified", run(text, "regression", kind, certify=True)
        yield f"{text} dicts", dicts(text, "regression")
    for text in AVERAGED:
        for kind in ("sparse", "growing"):
            yield f"{text} {kind}", run(text, "binary", kind)
    for name, task, build in composite_learners():
        for kind in ("sparse", "dense", "growing"):
            yield f"{name} {task} {kind}", composite(build, task, kind)
    for name, text in FILES.items():
        yield f"reader {name}", reader(name, text)
    X, y, _ = stream_of("regression", "dense")
    model = OnlineRegressor("auto").partial_fit(X, y)
    yield "OnlineRegressor partial_fit", {"predict": digest(model.predict(X))}


def main(verb: str, file: str) -> int:
    place = Path(file)
    before = json.loads(place.read_text()) if verb == "compare" else {}
    found: dict[str, dict[str, str]] = {}
    for name, figure in figures():
        found[name] = figure
        if verb == "compare":
            for key, value in figure.items():
                if before.get(name, {}).get(key) != value:
                    print(f"{name}: {key} differs")
    if verb == "record":
        place.write_text(json.dumps(found, indent=1))
        print(f"{sum(map(len, found.values()))} figures of {len(found)} runs")
        return 0
    differing = sum(
        before.get(name, {}).get(key) != value
        for name, f in found.items()
        for key, value in f.items()
    )
    missing = [name for name in before if name not in found]
    print(f"{sum(map(len, found.values()))} figures, {differing} differ, {len(missing)} missing")
    return 1 if differing or missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

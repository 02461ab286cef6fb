"""How fast: every figure is a ratio of two things measured in turns in one run.

``python -m benchmarks.speed`` measures and writes ``benchmarks/RESULTS.md``. Names given as
arguments choose groups: default, sparse, dense, full, dicts, ledger, growth, files, starts.

Peers run as their own users would run them for speed: scikit-learn in the order of the stream
(``shuffle=False``; shuffling triples its time) and without the L2 penalty of its default (``penalty=None``,
a tenth quicker), which no learner beside it has, on arrays of the type that it would convert to. Both
sides check their input: scikit-learn's ``assume_finite`` is off. Neither side makes probabilities here:
fenchel's calibration learns from the margins once somebody asks for it, which takes 2 ms after such a pass.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron, SGDClassifier

from benchmarks.commands import files, starts
from benchmarks.timing import HEAD, Contest, contest, row
from fenchel import learners

RESULTS = Path(__file__).with_name("RESULTS.md")


def text_like(rows: int = 200_000, entries: int = 63, columns: int = 47_000):
    """Sparse rows with the heavy tail of text."""
    rng = np.random.default_rng(0)
    picks = np.sort(np.exp(rng.random((rows, entries)) * np.log(columns)) - 1, axis=1)
    indices = (picks.astype(np.int64) + np.arange(entries)).astype(np.int32)
    values = rng.random((rows, entries))
    width = columns + entries
    hidden = rng.standard_normal(width)
    y = np.sign((values * hidden[indices]).sum(1) + rng.standard_normal(rows))
    indptr = (np.arange(rows + 1) * entries).astype(np.int32)
    return sp.csr_array((values.ravel(), indices.ravel(), indptr), shape=(rows, width)), y


@numba.njit(error_model="numpy")
def _stream(indptr, indices, values):
    total = 0.0
    for t in range(indptr.shape[0] - 1):
        lanes = np.zeros(4)
        for k in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            lanes[k & np.uint64(3)] += values[k] * np.float64(indices[k])
        total += lanes.sum()
    return total


def one_pass(specification: str, X, y) -> Callable[[], object]:
    return lambda: learners.from_specification(specification).learn_many(X, y)


def peer_pass(make: Callable[[], object], X, y) -> Callable[[], object]:
    return lambda: make().partial_fit(X, y, classes=[-1.0, 1.0])


def hinge(**options) -> Callable[[], object]:
    given = {"shuffle": False, "penalty": None, **options}
    return lambda: SGDClassifier(loss="hinge", **given)


HINGE = "scikit-learn SGD hinge, shuffle=False, penalty=None"


def sparse() -> Iterator[Contest]:
    """In memory, sparse: input validation included on both sides."""
    X, y = text_like()

    def floor() -> float:
        return _stream(X.indptr, X.indices, X.data)

    perceptron = one_pass("perceptron", X, y)
    theirs = peer_pass(lambda: Perceptron(shuffle=False), X, y)
    yield contest("perceptron", perceptron, theirs, "scikit-learn Perceptron, shuffle=False", 1.5)
    yield contest("perceptron", perceptron, floor, "streaming the arrays", 0.4)
    for name, least in (
        ("gradient_descent", 1.0),
        ("arow", 1.0),
        ("arow:form=original", 1.0),
        ("normalized_adaptive_gradient", 0.5),
        ("scale_invariant_adagrad", 0.6),
        ("scale_invariant_p_norm", 1 / 18),
    ):
        ours = one_pass(name, X, y)
        yield contest(name, ours, peer_pass(hinge(), X, y), HINGE, least)
        yield contest(name, ours, floor, "streaming the arrays", 0.0)
    yield contest(
        "dual_averaging:l1=1e-4", one_pass("dual_averaging:l1=1e-4", X, y),
        peer_pass(hinge(penalty="l1"), X, y), "scikit-learn SGD L1, shuffle=False", 1.5,
    )  # fmt: skip


def ledger() -> Iterator[Contest]:
    """With certificates against without: at most half a pass more."""
    X, y = text_like()
    for name in (
        "perceptron", "passive_aggressive", "arow", "adagrad", "scale_invariant_adagrad",
        "scale_invariant_p_norm", "gradient_descent", "dual_averaging:l1=1e-4",
    ):  # fmt: skip
        more = "," if ":" in name else ":"
        ours = one_pass(f"{name}{more}certify=yes", X, y)
        yield contest(f"{name}, certified", ours, one_pass(name, X, y), "the same without", 1 / 1.5)


def growth() -> Iterator[Contest]:
    """Ten times the rows, the entries, the columns: how much longer?"""
    base = one_pass("arow", *text_like(20_000))
    rows = one_pass("arow", *text_like(200_000))
    yield contest("arow, rows × 10", rows, base, "a tenth of the rows", 1 / 11)
    entries = one_pass("arow", *text_like(20_000, 630))
    yield contest("arow, entries × 10", entries, base, "a tenth of the entries", 1 / 11)
    X, y = text_like(200_000)
    wide = sp.csr_array((X.data, 10 * X.indices, X.indptr), shape=(X.shape[0], 10 * X.shape[1]))
    columns = one_pass("arow", wide, y)  # the same learning, its state ten times as far apart
    yield contest("arow, columns × 10", columns, rows, "a tenth of the columns", 1 / 1.5)


def dense() -> Iterator[Contest]:
    """Dense rows, 60,000 × 784 with the zeros of images."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (60_000, 784)) * (rng.random((60_000, 784)) < 0.2)
    X = X.astype(np.float64)
    y = np.sign(X @ rng.standard_normal(784) + 1.0)
    for name in ("perceptron", "arow"):
        ours = one_pass(name, X, y)
        theirs = peer_pass(hinge(), X, y)
        yield contest(f"dense {name}", ours, theirs, HINGE, 1.0, 5)


def full() -> Iterator[Contest]:
    """One update of the full matrix against the formula in NumPy."""
    for d, least in ((200, 4.0), (1000, 10.0), (3000, 8.0)):
        count = {200: 400, 1000: 40, 3000: 20}[d]
        X = np.random.default_rng(0).standard_normal((count, d))
        y = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
        name = "arow:diagonal=no,intercept=no"

        def formula(X=X, y=y, d=d) -> None:
            sigma, mu = np.eye(d), np.zeros(d)
            for x, label in zip(X, y, strict=True):
                sx = sigma @ x
                gain = 1.0 / (x @ sx + 1.0)
                mu += max(0.0, 1.0 - label * (mu @ x)) * gain * label * sx
                sigma -= gain * np.outer(sx, sx)

        yield contest(
            f"full AROW, d = {d}, {count} rows", one_pass(name, X, y), formula, "NumPy formula",
            least, 5,
        )  # fmt: skip


def default() -> Iterator[Contest]:
    """``auto``, which nobody has to choose: dense rows in memory, then dicts one by one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 30))
    y = np.sign(X @ rng.standard_normal(30) + rng.standard_normal(100_000))
    yield contest(
        "auto, 100,000 × 30", one_pass("auto", X, y), peer_pass(hinge(), X, y), HINGE, 0.0
    )
    try:
        from river.linear_model import LogisticRegression
        from river.preprocessing import StandardScaler
    except ImportError:
        print("river is not installed: dicts are not measured", file=sys.stderr)
        return
    rows = rng.standard_normal((5_000, 10)).tolist()
    examples = [({f"x{j}": v for j, v in enumerate(x)}, sum(x) > 0.0) for x in rows]

    def one_by_one(make: Callable[[], object]) -> Callable[[], object]:
        def run() -> None:
            model = make()
            for x, label in examples:
                model.predict_one(x)
                model.learn_one(x, label)

        return run

    scaled = "River StandardScaler, LogisticRegression"
    for name in ("auto", "gradient_descent:loss=logistic"):
        ours = one_by_one(lambda name=name: learners.from_specification(name))
        theirs = one_by_one(lambda: StandardScaler() | LogisticRegression())
        work = f"{name.partition(':')[0]}, predict_one and learn_one, 5,000 dicts of 10"
        yield contest(work, ours, theirs, scaled, 1.0 if name == "auto" else 3.0, 5)


def dicts() -> Iterator[Contest]:
    """``learn_one`` on dicts against River, both from the first example on; names are new strings."""
    try:
        from river.linear_model import LogisticRegression
    except ImportError:
        print("river is not installed: dicts are not measured", file=sys.stderr)
        return
    rng = np.random.default_rng(0)
    for size, least in ((60, 3.0), (10, 1.0)):
        examples = [
            ({f"w{j}": 1.0 for j in rng.integers(0, 5000, size)}, bool(rng.random() < 0.5))
            for _ in range(10_000)
        ]

        def ours(examples=examples) -> None:
            learner = learners.gradient_descent(loss="logistic")
            for x, y in examples:
                learner.learn_one(x, y)

        def theirs(examples=examples) -> None:
            model = LogisticRegression()
            for x, y in examples:
                model.learn_one(x, y)

        yield contest(
            f"learn_one, dicts of {size}", ours, theirs, "River LogisticRegression", least, 5
        )  # fmt: skip


GROUPS = {
    "default": default, "sparse": sparse, "dense": dense, "full": full, "dicts": dicts, "ledger": ledger,
    "growth": growth, "files": files, "starts": starts,
}  # fmt: skip


def versions() -> str:
    named = ("numpy", "numba", "scikit-learn", "river", "vowpalwabbit")
    found = []
    for name in named:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return f"Python {platform.python_version()}, " + ", ".join(found)


def main() -> None:
    chosen = sys.argv[1:] or list(GROUPS)
    print(HEAD)
    results = [result for name in chosen for result in GROUPS[name]()]
    if chosen == list(GROUPS):
        RESULTS.write_text(
            "# How fast\n\n"
            f"`make bench` on {platform.machine()}, {os.cpu_count()} cores, {versions()}.\n"
            "Each line: both sides in turns in one run, medians. The share is what the other takes\n"
            "over what fenchel takes (2 is twice as fast), with the least and the largest of a\n"
            "single repetition; *at least* is what it was meant to be. In memory: 200,000 rows of\n"
            "63 non-zeros among 47,000 columns, or 60,000 dense rows of 784. Files: the same kind\n"
            "of rows as svmlight for fenchel and as its own text for Vowpal Wabbit, whole commands,\n"
            "start-up included, compiled code on disk.\n\n"
            + "\n".join([HEAD, *map(row, results)])
            + "\n"
        )


if __name__ == "__main__":
    main()

"""``python -m benchmarks.long_run --rounds 1e8``: do sums that are kept up to date drift?

Learners whose state holds an incremental sum run over a synthetic stream, block by block, and at
powers of ten the sum is compared with one computed from scratch: Σ|θ|^p of the p-norms, Σ exp of the
entropic regularizer, RᵀR of the triangular factor against A = a·I + Σ x·xᵀ. Memory is told beside.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fenchel import learners
from fenchel.regularizers.power_sum import total_of

BLOCK = 20_000
COLUMNS = 50
NONZEROS = 5


class Case(NamedTuple):
    """A learner, and how far its kept sum is from one computed anew, relative to it."""

    build: Callable[[], Any]
    drift: Callable[[Any, Watch], float]
    task: str = "binary"
    columns: int = COLUMNS


class Watch:
    """What the stream itself says, summed in extended precision."""

    def __init__(self, columns: int) -> None:
        self.squares = np.zeros((columns, columns), np.longdouble)

    def see(self, X: Any) -> None:
        self.squares += (X.T @ X).toarray().astype(np.longdouble)


def p_norm_drift(learner: Any, watch: Watch) -> float:
    f = learner.regularizer
    theta = np.abs(f.theta[: learner.columns + 1]).astype(np.longdouble)
    exact = np.sum((theta / f.pivot[0]) ** np.longdouble(f.p))
    return float(abs(total_of(f) - exact) / exact)


def invariant_drift(learner: Any, watch: Watch) -> float:
    f = learner.regularizer
    seen = f.largest > 0.0
    ratios = (np.abs(f.theta[seen]) / f.largest[seen]).astype(np.longdouble)
    exact = np.sum((ratios / f.pivot[0]) ** np.longdouble(f.p))
    return float(abs(total_of(f) - exact) / exact)


def entropic_drift(learner: Any, watch: Watch) -> float:
    f = learner.regularizer
    slots = slice(0, learner.columns + 1)
    s = f.total * f.theta[slots].astype(np.longdouble)
    exact = np.sum(np.exp(s - f.pivot[0]) + (np.exp(-s - f.pivot[0]) if f.signed else 0.0))
    touched = f.theta[slots] != 0.0
    kept = f.mass[0] + f.error[0]
    kept += np.count_nonzero(~touched) * (2.0 if f.signed else 1.0) * np.exp(-f.pivot[0])
    return float(abs(kept - exact) / exact)


def matrix_drift(learner: Any, watch: Watch) -> float:
    f = learner.regularizer
    slots = slice(1, learner.columns + 1)
    factor, rows = (
        part.astype(np.longdouble) for part in (f.factor[slots, slots], f.rows[:, slots])
    )
    diagonal = np.diag(factor)
    factor = np.triu(factor, 1) + np.diag(np.where(diagonal == 0.0, np.sqrt(f.a), diagonal))
    exact = watch.squares + f.a * np.eye(len(factor))
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    return float(np.max(np.abs(factor.T @ factor + rows.T @ rows - exact) / scale))


CASES = {
    "p_norm_perceptron": Case(lambda: learners.p_norm_perceptron(p=6.0), p_norm_drift),
    "scale_invariant_p_norm": Case(learners.scale_invariant_p_norm, invariant_drift),
    "exponentiated_gradient": Case(
        lambda: learners.exponentiated_gradient(eta=0.01, adaptive=False), entropic_drift
    ),
    "vovk_azoury_warmuth": Case(
        lambda: learners.vovk_azoury_warmuth(intercept=False), matrix_drift, "regression", 10
    ),
}


def block(rng: np.random.Generator, hidden: np.ndarray, task: str) -> tuple[Any, np.ndarray]:
    """Rows of a few non-zeros, and noisy labels of a hidden linear function."""
    columns = len(hidden)
    indices = rng.integers(0, columns, (BLOCK, NONZEROS), dtype=np.int32)
    indices = np.sort((indices[:, :1] + np.arange(NONZEROS, dtype=np.int32)) % columns, axis=1)
    values = rng.normal(size=BLOCK * NONZEROS)
    indptr = np.arange(0, BLOCK * NONZEROS + 1, NONZEROS, dtype=np.int32)
    X = sp.csr_array((values, indices.ravel(), indptr), shape=(BLOCK, columns))
    y = X @ hidden + 0.3 * rng.normal(size=BLOCK)
    return X, (np.where(y > 0.0, 1.0, -1.0) if task == "binary" else y)


def memory() -> float:
    """Resident mebibytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024.0


def run(name: str, rounds: int, seed: int) -> None:
    case = CASES[name]
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=case.columns)
    learner, watch = case.build(), Watch(case.columns)
    shown, learning = BLOCK, 0.0
    for done in range(BLOCK, rounds + 1, BLOCK):
        X, y = block(rng, hidden, case.task)
        if case.drift is matrix_drift:
            watch.see(X)
        started = time.perf_counter()
        learner.learn_many(X, y)
        learning += time.perf_counter() - started
        if done >= shown or done + BLOCK > rounds:
            shown = max(10 * shown, 10 ** len(str(done)))
            drift = case.drift(learner, watch)
            finite = all(np.isfinite(array).all() for array in learner.state_arrays().values())
            rate = done / learning
            print(
                f"| {name} | {done:,} | {drift:.1e} | {'yes' if finite else 'NO'} "
                f"| {memory():.0f} | {rate / 1e6:.2f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_run", description=__doc__)
    parser.add_argument("--rounds", type=float, default=1e6)
    parser.add_argument("--learner", action="append", choices=list(CASES))
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    print("| learner | rounds | drift of the sum | state finite | resident MiB | million rows/s |")
    print("|---|---|---|---|---|---|")
    for name in chosen.learner or CASES:
        run(name, int(chosen.rounds), chosen.seed)


if __name__ == "__main__":
    main()

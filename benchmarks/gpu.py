"""Full matrices on a GPU: time a round, the floor of its products, and the CPU beside it.

``python -m benchmarks.gpu --output benchmarks/GPU.md`` on a machine with a GPU; opt-in, no part of CI.
``--device cpu`` tries the same code on PyTorch's CPU, with small matrices.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from pathlib import Path

import numpy as np
import torch

from fenchel import learners
from fenchel.learners import device_matrix

WIDTHS = {"cuda": (768, 1024, 4096, 8192, 16384), "cpu": (256, 512)}
CPU_WIDTHS = (200, 300, 500, 1000, 3000)


def stream(device, rows, columns, dtype=torch.float64, seed=0):
    """Rows of normal numbers on the device, and labels of a noisy linear rule."""
    generator = torch.Generator(device=device).manual_seed(seed)
    X = torch.randn((rows, columns), dtype=dtype, device=device, generator=generator)
    u = torch.randn(columns, dtype=dtype, device=device, generator=generator)
    noise = torch.randn(rows, dtype=dtype, device=device, generator=generator)
    return X, np.where((X @ u + columns**0.5 * noise).cpu().numpy() > 0.0, 1.0, -1.0)


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def timed(works, device, repeats=8):
    """The least of some runs of each, in turns, in seconds; the first is not counted."""
    times = [[] for _ in works]
    for _ in range(repeats + 1):
        for work, own in zip(works, times, strict=True):
            wait(device)
            start = time.perf_counter()
            work()
            wait(device)
            own.append(time.perf_counter() - start)
    return [min(own[1:]) for own in times]


def rounds_on(device, columns, rows, dtype="float64", classes=0):
    """Learning some rows, again and again."""
    learner = learners.arow(diagonal=False, device=device, dtype=dtype)
    X, y = stream(device, rows, columns, getattr(torch, dtype))
    if classes:
        learner = learners.one_against_rest(learner, range(classes), shared=True)
        y = np.random.default_rng(0).integers(classes, size=rows)
    return lambda: learner.learn_many(X, y)


def floor(device, columns, block, dtype=torch.float64):
    """Microseconds a round of the two products X·Σ and VᵀV alone."""
    S = torch.randn((columns, columns), dtype=dtype, device=device)
    X = torch.randn((block, columns), dtype=dtype, device=device)

    def products():
        for _ in range(8):
            X @ S
            S.addmm_(X.T, X, alpha=-1e-9)

    return timed([products], device)[0] / (8 * block) * 1e6


def on_cpu(columns, rows):
    """Microseconds a round on the CPU: row by row, as before, and by blocks; interleaved, the least."""
    X, y = stream("cpu", rows, columns)
    X, best = X.numpy(), {}
    learners_of = {kind: learners.arow(diagonal=False) for kind in ("rows", "blocks")}
    for turn in range(4):
        for kind, learner in learners_of.items():
            learner.engine._by_blocks = kind == "blocks"
            learner.engine.take_up(columns)
            learner.engine._by_blocks = kind == "blocks"
            start = time.perf_counter()
            learner.learn_many(X, y)
            spent = (time.perf_counter() - start) / rows * 1e6
            if turn:
                best[kind] = min(best.get(kind, spent), spent)
    return best["rows"], best["blocks"]


def products_on_cpu(columns, rows=128):
    """Microseconds that 3·d² operations, those of a round by blocks, take as a product of matrices."""
    S, X = np.random.default_rng(0).normal(size=(2, columns, columns))
    X, spent = X[:rows], []
    for _ in range(6):
        start = time.perf_counter()
        X @ S
        spent.append(time.perf_counter() - start)
    return 1.5 * min(spent) / len(X) * 1e6


def agreement(device, columns=1024, rows=2048):
    """The largest difference of a margin from the plain recursion's, relative to the largest margin."""
    X, y = stream(device, rows, columns, seed=1)
    found = learners.arow(diagonal=False, device=device).learn_many(X, y)
    plain = learners.arow(diagonal=False)
    plain.engine._by_blocks = False
    X = X.cpu().numpy()
    expected = np.concatenate(
        [plain.learn_many(X[t : t + 8], y[t : t + 8]) for t in range(0, rows, 8)]
    )
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def chip(device):
    return torch.cuda.get_device_name() if device == "cuda" else platform.processor() or "CPU"


def table(device):
    """The lines of the table of rounds, one width each."""
    for columns in WIDTHS[device]:
        block = next(rows for least, rows in device_matrix.ROWS if columns >= least)
        rows = block * (24 if columns >= 8192 else 48)
        works = [
            rounds_on(device, columns, rows),
            rounds_on(device, columns, rows, "float32"),
            rounds_on(device, columns, rows, classes=10),
        ]
        double, single, ten = (seconds / rows * 1e6 for seconds in timed(works, device))
        least = floor(device, columns, block)
        line = (
            f"| {columns:,} | {block} | {double:.2f} | {least:.2f} | {single:.2f} | {ten:.2f} | "
            f"{ten / double:.2f} |"
        )
        print(line, flush=True)
        yield line


def cpu_table():
    """The lines of the table of the CPU."""
    for columns in CPU_WIDTHS:
        before, after = on_cpu(columns, 384 if columns >= 3000 else 1024)
        least = products_on_cpu(columns)
        line = (
            f"| {columns:,} | {before:.1f} | {after:.1f} | {before / after:.2f} | {least:.1f} | "
            f"{after / least:.2f} |"
        )
        print(line, flush=True)
        yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    threads = os.environ.get("OPENBLAS_NUM_THREADS", cores)
    lines = [
        "# Full matrices on a GPU",
        "",
        f"AROW with the full matrix on {chip(given.device)}, PyTorch {torch.__version__}; "
        "`python -m benchmarks.gpu` measures again.",
        "Microseconds a round, the least of eight runs; rows and labels lie on the device.",
        "",
        "| columns | rows of a block | float64 | its two products alone | float32 | ten classes, one matrix, "
        "float64 | times one |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        *table(given.device),
        "",
        "The margins of 2,048 rounds at 1,024 columns differ from those of the plain recursion by "
        f"{agreement(given.device):.1e} of the largest.",
        "",
        f"The CPU of the same machine, BLAS on {threads} threads, row by row (the version before) and by "
        "blocks, in turns; and what BLAS takes for 3·d² operations, those of a round, in one product:",
        "",
        "| columns | row by row | by blocks | times | BLAS | by blocks over BLAS |",
        "|---:|---:|---:|---:|---:|---:|",
        *cpu_table(),
    ]
    text = "\n".join(lines) + "\n"
    if given.output:
        given.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()

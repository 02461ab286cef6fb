"""What several workers cost and bring: ``python -m benchmarks.cluster PART`` writes ``CLUSTER.md``.

Figures are kept in ``cluster_figures.json``, so that parts can be measured one at a time.

``quality [--rows N] [--learner SPEC]… [SET]…``: errors of merged learners on the last 20 % of streams.
``overhead [--size BYTES] [--learner SPEC] [--no-dask]``: CPU and wall of 2 workers against one process on a
file of generated svmlight, and Dask's LocalCluster beside.
``sizes``: below which size of a file one process wins.
``merging [--columns N]``: bytes and seconds of merging models of so many parameters; the cost model follows.
``page``: writes the page anew from the figures that are kept.
"""

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks import cluster_page, cluster_quality
from benchmarks.big_files import write_pair
from fenchel import learners, merge

FIGURES = Path(__file__).with_name("cluster_figures.json")


def kept():
    return json.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def keep(part, found, more=False):
    """Keep the figures of a part, beside those of other sets where there are ``more``, and write the page."""
    figures = kept()
    figures[part] = {**figures.get(part, {}), **found} if more else found
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    cluster_page.write(figures)


def quality(given):
    for name in given.names or cluster_quality.SETS:
        X, y, task = cluster_quality.mixed(name, given.rows)
        before = kept().get("quality", {}).get(name, {})
        errors = before.get("errors", {}) if before.get("rows") == len(y) else {}
        for specification in given.learner or ["auto", *cluster_quality.LEARNERS[task]]:
            errors[specification] = cluster_quality.measure(specification, X, y, task)
            print(
                name,
                specification,
                *(f"{error:.4f}" for error in errors[specification]),
                flush=True,
            )
            keep("quality", {name: {"rows": len(y), "task": task, "errors": errors}}, more=True)


# ── CPU and wall ────────────────────────────────────────────────────────────────────────────────


def taken(*command):
    """CPU seconds of a command and its children, and its wall."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "wall": wall}


def train(file, learner, *options, core=None):
    pinned = () if core is None else ("taskset", "-c", core)
    command = (sys.executable, "-m", "fenchel", "train", file, "--learner", learner, "--quiet")
    return taken(*pinned, *command, *options)


def by_dask(file, learner):
    """The wall of the command on a LocalCluster of 2 processes that is there and has compiled."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as local:
        options = "--scheduler", local.scheduler_address, "--workers", 2
        train(file, learner, *options)
        return train(file, learner, *options)


def lines_of(file):
    with file.open("rb") as opened:
        return sum(piece.count(b"\n") for piece in iter(lambda: opened.read(1 << 24), b""))


def overhead(given):
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        file = Path(folder) / "rows.svm"
        write_pair(file, Path(os.devnull), size=given.size)
        found = {"bytes": file.stat().st_size, "rows": lines_of(file), "learner": given.learner}
        train(file, given.learner)  # the file in memory, kernels compiled
        found["one core"] = train(file, given.learner, core="0")
        found["one process"] = train(file, given.learner)
        found["2 workers"] = train(file, given.learner, "--workers", 2)
        if not given.no_dask:
            found["dask"] = by_dask(file, given.learner)
    keep("overhead", found)


def sizes(given):
    found = {}
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        file = Path(folder) / "rows.svm"
        for size in (30_000_000, 100_000_000, 200_000_000, 400_000_000):
            write_pair(file, Path(os.devnull), size=size)
            runs = {"one process": (), "2 workers": ("--workers", 2)}
            walls = {
                n: [train(file, given.learner, *o)["wall"] for _ in range(2)]
                for n, o in runs.items()
            }
            found[str(file.stat().st_size)] = {name: min(wall) for name, wall in walls.items()}
            print(size, found[str(file.stat().st_size)], flush=True)
    keep("sizes", {"learner": given.learner, "walls": found})


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


def wide(columns, seed):
    """A learner that has seen all columns."""
    entries = 1 << 12
    ends = np.arange(0, columns + 1, entries)
    values = np.random.default_rng(seed).standard_normal(columns).astype(np.float32)
    X = sparse.csr_array(
        (values, np.arange(columns, dtype=np.int32), ends), shape=(len(ends) - 1, columns)
    )
    learner = learners.adagrad(loss="logistic")
    learner.learn_many(X, np.where(np.arange(len(ends) - 1) % 2, 1, -1))
    return learner


def merging(given):
    """CPU seconds: all of it is one thread's work, and others may be at work here."""
    parts = [wide(given.columns, seed) for seed in range(2)]
    began = time.process_time()
    sent = [pickle.dumps(part, protocol=5) for part in parts]
    dumped = time.process_time()
    parts = [pickle.loads(text) for text in sent]
    loaded = time.process_time()
    found = {"columns": given.columns, "bytes": len(sent[0])}
    found["dump"], found["load"] = (dumped - began) / 2, (loaded - dumped) / 2
    del sent
    for count in (2, 4, 8):
        began = time.process_time()
        merge([parts[k % 2] for k in range(count)])
        found[f"merge {count}"] = time.process_time() - began
    keep("merging", found)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", choices=("quality", "overhead", "sizes", "merging", "page"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--learner", action="append")
    parser.add_argument("--size", type=float, default=4e9)
    parser.add_argument("--columns", type=int, default=1 << 24)
    parser.add_argument("--folder", help="where large files go")
    parser.add_argument("--no-dask", action="store_true")
    given = parser.parse_intermixed_args()
    if given.part in ("overhead", "sizes"):
        given.learner = (given.learner or ["arow"])[0]
    works = {"quality": quality, "overhead": overhead, "sizes": sizes, "merging": merging}
    works.get(given.part, lambda given: cluster_page.write(kept()))(given)


if __name__ == "__main__":
    main()

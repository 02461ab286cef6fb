"""Whole commands against each other, start-up included: files of 0.2 and 1 GB, many learners."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.big_files import write_pair
from benchmarks.timing import Contest, told

REPEATS = 3
VOWPAL = "Vowpal Wabbit, hinge"


def seconds(*command: str, **environment: str) -> float:
    begin = time.perf_counter()
    silent = subprocess.DEVNULL
    known = {**os.environ, **environment}
    subprocess.run(command, check=True, stdout=silent, stderr=silent, env=known)
    return time.perf_counter() - begin


def fenchel(*arguments: object, **environment: str) -> float:
    command = (sys.executable, "-m", "fenchel", *map(str, arguments), "--quiet")
    return seconds(*command, **environment)


def vowpal(data: Path) -> float:
    options = ("--quiet", "--loss_function", "hinge")
    return seconds(sys.executable, "-m", "vowpalwabbit", "--data", str(data), *options)


def files() -> Iterator[Contest]:
    """From a text file to a model; both sides read text of the same rows."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = (
            (Path(folder) / f"{size}.svm", Path(folder) / f"{size}.vw") for size in ("02", "1")
        )
        write_pair(*small, size=200_000_000)
        write_pair(*large, size=1_000_000_000)
        runs: dict[str, Callable[[], float]] = {}
        for size, (ours, theirs) in (("0.2", small), ("1", large)):
            runs[f"arow {size}"] = lambda ours=ours: fenchel("train", ours, "--learner", "arow")
            runs[f"vw {size}"] = lambda theirs=theirs: vowpal(theirs)
            runs[f"auto {size}"] = lambda ours=ours: fenchel("train", ours)
        for run in runs.values():  # files in memory, kernels compiled
            run()
        taken: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(REPEATS):
            for name, run in runs.items():
                taken[name].append(run())
        yield told(Contest("arow, file of 1 GB", taken["arow 1"], taken["vw 1"], VOWPAL, 2.0))
        slopes = {
            name: [b - a for a, b in zip(taken[f"{name} 0.2"], taken[f"{name} 1"], strict=True)]
            for name in ("arow", "vw")
        }
        yield told(Contest("arow, 0.2 GB to 1 GB", slopes["arow"], slopes["vw"], VOWPAL, 3.0))
        yield told(Contest("auto, file of 1 GB", taken["auto 1"], taken["vw 1"], VOWPAL, 1.0))
        yield from _compared(small[0])
        yield from _memory(small[0], large[0])


def starts() -> Iterator[Contest]:
    """First and later runs on small and large files, against a limit."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        rows = [(1 if k % 3 else -1, k % 4, k % 3 - 1.5) for k in range(10)]
        svm, csv = folder / "ten.svm", folder / "ten.csv"
        svm.write_text("".join(f"{y} 1:{a} 2:{b}\n" for y, a, b in rows))
        csv.write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for y, a, b in rows))
        text = folder / "text.svm"
        write_pair(text, folder / "text.vw", size=20_000_000)

        def cold(data: object) -> float:
            with tempfile.TemporaryDirectory(dir=folder) as cache:
                return fenchel("train", data, FENCHEL_CACHE_DIR=cache)

        for work, run, limit in (
            ("auto, ten lines", lambda: fenchel("train", svm), 1.0),
            ("auto, ten lines, the very first run", lambda: cold(svm), 8.0),
            ("the same, both cores busy", lambda: busily(lambda: cold(svm)), 15.0),
            ("auto, ten lines of CSV, the very first run", lambda: cold(csv), 8.0),
            ("auto, 569 rows of 30, the very first run", lambda: cold("breast_cancer"), 12.0),
            ("the same, both cores busy", lambda: busily(lambda: cold("breast_cancer")), 24.0),
            ("auto, 20 MB of text, the very first run", lambda: cold(text), 20.0),
        ):
            if limit <= 1.0:
                run()  # compiled
            taken = [run() for _ in range(REPEATS)]
            yield told(Contest(work, taken, [limit] * REPEATS, f"{limit:g} s", 1.0))


def busily(run: Callable[[], float]) -> float:
    """Run while as many processes as there are cores do nothing but count."""
    counting = (sys.executable, "-c", "while True: pass")
    others = [subprocess.Popen(counting) for _ in range(os.cpu_count() or 1)]
    try:
        return run()
    finally:
        for other in others:
            other.kill()
            other.wait()


MANY = (
    "perceptron", "passive_aggressive", "arow", "adagrad", "coin_betting",
    "second_order_perceptron",
)  # fmt: skip


def _compared(data: Path) -> Iterator[Contest]:
    """One reading for all learners against one run for each."""
    chosen = [word for name in MANY for word in ("--learner", name)]
    together: list[float] = []
    apart: list[float] = []
    for _ in range(3):
        together.append(fenchel("compare", data, *chosen))
        apart.append(sum(fenchel("compare", data, "--learner", name) for name in MANY))
    work = f"compare, {len(MANY)} learners, 0.2 GB"
    yield told(Contest(work, together, apart, "one run for each", 1 / 0.6))


# ru_maxrss would count what this process had before it became the command.
PEAK = """
from fenchel.cli import main
try:
    main()
finally:
    status = open("/proc/self/status").read()
    print(status.split("VmHWM:")[1].split()[0])
"""


def _peak(data: Path) -> float:
    """The largest memory of learning a file with AROW, in MB."""
    command = [sys.executable, "-c", PEAK, "train", str(data), "--learner", "arow", "--quiet"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1]) / 1024


WIDE = """
import numpy as np, scipy.sparse as sp
from fenchel import learners

def memory(what):
    return int(open("/proc/self/status").read().split(what)[1].split()[0]) / 1024

learners.arow().learn_many(sp.csr_array(np.eye(2, dtype=np.float32)), [1, -1])  # compiled
ends = np.arange(0, 2**24 + 1, 2**12, dtype=np.int32)
entries = np.ones(2**24, np.float32), np.arange(2**24, dtype=np.int32), ends
X = sp.csr_array(entries, shape=(2**12, 2**24))
y = np.where(np.arange(2**12) % 2, 1, -1)
before = memory("VmRSS:")
learner = learners.arow()
learner.learn_many(X, y)
print(memory("VmHWM:") - before)
"""


def _wide() -> float:
    """What learning 2²⁴ columns adds to the memory, every one of them touched, in MB."""
    done = subprocess.run([sys.executable, "-c", WIDE], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def _memory(small: Path, large: Path) -> Iterator[Contest]:
    ten = small.with_name("ten.svm")
    with small.open() as file:
        ten.write_text("".join(next(file) for _ in range(10)))
    base, some, all_of_it = _peak(ten), _peak(small), _peak(large)
    arrays = 2 * 8 * 2**24 / 2**20
    for work, ours, limit, name, least in (
        ("peak, ten lines", base, 400.0, "400 MB", 1.0),
        ("added by reading 1 GB", max(all_of_it - base, 0.1), 100.0, "100 MB", 1.0),
        ("added by 1 GB over 0.2 GB", max(all_of_it - some, 0.1), 20.0, "20 MB", 1.0),
        ("arow, 2²⁴ columns", _wide(), arrays, "two arrays", 1 / 1.1),
    ):
        yield told(Contest(work, [ours], [limit], name, least, unit="MB"))

"""How far above the run the theorems' bounds lie, on real streams.

``python -m benchmarks.bounds`` measures every learner that suits the task on three streams a task and
writes ``BOUNDS.md``: bound/achieved of its tightest certificate against the best u in hindsight, 1
being a bound that is attained. ``--every`` certifies the learners on the first ``--rows`` rows of
every stream of both tasks instead, counts what held, what rounding hid and what was
violated, and writes that down beside it.
"""

import argparse
import platform
import shlex
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

import fenchel
from benchmarks.datasets import DataMissingError, datasets, named
from fenchel.certificates import Certificate, Hindsight
from fenchel.cli.build import build
from fenchel.evaluate import learners_for
from fenchel.learners import Learner
from fenchel.learners.certification import SecondReading, certify

PATH = Path(__file__).with_name("BOUNDS.md")
EVERY = "## On every stream"
FATES = ("held", "undecided by rounding", "violated")
STREAMS = {
    "binary": ("phishing", "sms_spam", "spambase"),
    "regression": ("abalone", "airfoil", "ccpp"),
}


def certified(
    text: str, task: str, X, y, past: Hindsight | None
) -> tuple[Learner, Hindsight, list[Certificate]]:
    """The learner after the stream, the hindsight to share, and all its certificates."""
    learner = build(text, task, certify=True)
    learner.learn_many(X, y)
    past = past or Hindsight(SecondReading(learner, (X, y)), learner.columns)
    return learner, past, certify(learner, None, (X, y), past)


def runs(task: str, name: str, rows: int):
    """Each learner's certificates on the first rows of a stream."""
    X, y = named(name).load()
    X, y = X[:rows], y[:rows]
    past = None
    for text in learners_for(task, X.shape[1]):
        try:
            learner, past, found = certified(text, task, X, y, past)
        except (ValueError, FloatingPointError) as error:
            print(f"{name} {text}: {error}", file=sys.stderr)
            continue
        yield text, learner, found


def tightest(learner: Learner, found: list[Certificate]) -> Certificate | None:
    try:
        return learner.engine.headline(found)
    except ValueError:
        return None


def cell(c: Certificate | None) -> str:
    """bound/achieved, and whose."""
    if c is None or not np.isfinite(c.bound):
        return "–"
    ratio = f"{c.ratio:.3g}" if np.isfinite(c.ratio) else "achieved ≤ 0"
    return f"{ratio} ({c.theorem}, {c.equation})"


def ratios(task: str, rows: int) -> str:
    """A line a learner, a column a stream."""
    lines: dict[str, list[str]] = {}
    for k, name in enumerate(STREAMS[task]):
        for text, learner, found in runs(task, name, rows):
            cells = lines.setdefault(text, ["–"] * len(STREAMS[task]))
            cells[k] = cell(tightest(learner, found))
            print(name, text, cells[k], file=sys.stderr, flush=True)
    head = ["learner", *STREAMS[task]]
    body = [[f"`{text}`", *cells] for text, cells in sorted(lines.items())]
    table = [head, ["---"] * len(head), *body]
    return f"## {task.capitalize()}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in table)


def every(rows: int) -> str:
    """How many certificates apply on every stream, and what became of them."""
    fates: dict[str, Counter[str]] = {}
    streams, wrong = 0, []
    for entry in datasets():
        if entry.task not in STREAMS:
            continue
        streams += 1
        began = time.perf_counter()
        for text, _, found in runs(entry.task, entry.name, rows):
            for c in found:
                if c.applies and c.kind != "printed":
                    fates.setdefault(c.theorem, Counter())[fate(c)] += 1
                    if c.violated:
                        wrong.append(f"{entry.name}, {text}: {c}")
        print(f"{entry.name}: {time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)
    every_fate = sum(fates.values(), Counter())
    lines = [
        f"| {' | '.join([name, str(each.total()), *(str(each[f]) for f in FATES)])} |"
        for name, each in sorted(fates.items())
    ]
    told = f"The first {rows:,} rows of each of {streams} streams: {every_fate.total():,} certificates "
    told += f"applied; {', '.join(f'{every_fate[f]:,} {f}' for f in FATES)}."
    head = f"| {' | '.join(['theorem', 'applied', *FATES])} |"
    table = "\n".join([head, "| --- " * (2 + len(FATES)) + "|", *lines])
    return f"{EVERY}\n\n{made()} {told}\n\n{table}\n" + "\n".join(wrong)


def fate(c: Certificate) -> str:
    """One of FATES."""
    return FATES[0] if c.holds else FATES[1] if c.undecided else FATES[2]


def made() -> str:
    command = shlex.join(["python", "-m", "benchmarks.bounds", *sys.argv[1:]])
    versions = f"fenchel {fenchel.__version__}, Python {platform.python_version()}"
    return f"Made by `{command}` with {versions}, NumPy {np.__version__}."


def report(rows: int) -> str:
    head = (
        "# Bounds that mean something\n\n"
        f"{made()} The first {rows:,} rows of each stream, raw features, default "
        "parameters. Each cell is bound/achieved of the tightest certificate against the best u in "
        "hindsight, and its theorem: 1 is a bound that is attained, – a learner that no theorem "
        "covers on this run, *achieved ≤ 0* a run that beat every u it was compared with."
    )
    return "\n\n".join([head, *(ratios(task, rows) for task in STREAMS)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=2000, help="rows of each stream")
    parser.add_argument("--every", action="store_true", help="every stream: count what held")
    chosen = parser.parse_args()
    before, _, counted = PATH.read_text().partition(EVERY) if PATH.exists() else ("", "", "")
    if chosen.every:
        PATH.write_text(before.rstrip() + "\n\n" + every(chosen.rows).rstrip() + "\n")
    else:
        rest = f"\n{EVERY}{counted}" if counted else ""
        PATH.write_text(report(chosen.rows) + rest)


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

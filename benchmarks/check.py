"""What became slower: ``make bench-check``, or ``make bench-check BEFORE=v0.1`` (or any commit).

The earlier tree is checked out beside this one; a process of each does the same works in turns, so that both
see the same machine at the same moments. A work whose median ratio is beyond SLOWER is named, and the command
ends with 1. What the earlier tree cannot do is left out, and said.

Unless a commit is named it is the last tag, and without a tag the one that ``check.json`` was measured
against. That file has the last measurement that was stored (``make bench-check STORE=1``): its ratios stand
beside those of today.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
STORED = HERE / "check.json"
SLOWER = 1.05
SINGLE = (
    "perceptron", "passive_aggressive", "gradient_descent", "arow", "adagrad", "second_order_perceptron",
    "normalized_adaptive_gradient", "scale_invariant_adagrad", "dual_averaging:l1=1e-4", "coin_betting",
    "auto",
)  # fmt: skip


def works() -> dict[str, Callable[[], object]]:
    """{name: what to do}, each some 20 ms to 2 s."""
    import numpy as np

    sys.path.append(str(ROOT))  # the works are this tree's; the package is that of PYTHONPATH
    from benchmarks.speed import one_pass, text_like
    from fenchel import learners

    sparse = text_like(100_000)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 30))
    narrow = X, np.sign(X @ rng.standard_normal(30))
    wide = rng.standard_normal((1_000, 500)), np.sign(rng.standard_normal(1_000))
    found = {
        f"sparse {name}": one_pass(name, *sparse) for name in SINGLE[:-1] if "order" not in name
    }
    found |= {f"dense {name}": one_pass(name, *narrow) for name in SINGLE}
    found["full arow, 500 columns"] = one_pass("arow:diagonal=no", *wide)
    found["auto of numbers"] = lambda: learners.auto("regression").learn_many(
        X, X @ np.arange(30.0)
    )
    dicts = [{f"w{j}": v for j, v in enumerate(x)} for x in X[:2_000, :10].tolist()]

    def one_by_one(name: str) -> None:
        learner = learners.from_specification(name)
        for x in dicts:
            learner.learn_one(x, x["w0"] > 0.0)
            learner.predict_one(x)

    for name in ("gradient_descent:loss=logistic", "auto"):
        found[f"dicts, {name}"] = lambda name=name: one_by_one(name)
    return found


def worker() -> None:
    """Do the works that are named on standard input, and print the seconds of each."""
    known = works()
    print(json.dumps(sorted(known)), flush=True)
    for line in sys.stdin:
        begin = time.perf_counter()
        try:
            known[line.strip()]()
            print(time.perf_counter() - begin, flush=True)
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)


class RefusedError(Exception):
    """What cannot be compared: told in one line."""


class Compared(NamedTuple):
    """The median seconds of a work on both sides, and the median of their ratios."""

    before: float
    now: float
    ratio: float


class Side:
    """A process that works on one tree."""

    def __init__(self, tree: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "check.py"), "--worker"],
            env={**os.environ, "PYTHONPATH": str(tree / "src")},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._tree = tree
        self.works: list[str] = self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RefusedError(f"{self._tree}: its process ended, for the reason above")
        return json.loads(line)

    def do(self, work: str) -> float | str:
        """Seconds, or what went wrong."""
        assert self._process.stdin is not None
        print(work, file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(
    before: Path, now: Path, repeats: int, only: list[str], stored: dict[str, Any]
) -> dict[str, Compared]:
    """Print a table, with the ratios that were stored; return what was measured."""
    sides = Side(before), Side(now)
    found = {}
    print("| work | before | now | now/before | stored |\n|---|---:|---:|---:|---:|")
    for work in sides[1].works:
        if only and not any(part in work for part in only):
            continue
        first = [side.do(work) for side in sides]  # compiles
        if any(isinstance(seconds, str) for seconds in first):
            print(f"| {work} | {first[0]} | {first[1]} | left out | |", flush=True)
            continue
        pairs = [[side.do(work) for side in sides] for _ in range(repeats)]
        old, new = (median(times) for times in zip(*pairs, strict=True))
        found[work] = Compared(old, new, median(b / a for a, b in pairs))
        print(row(work, found[work], stored.get(work)), flush=True)
    for side in sides:
        side.close()
    return found


def row(work: str, found: Compared, stored: dict[str, float] | None) -> str:
    """The row of a work in the table."""
    old, new = (f"{1e3 * seconds:.1f} ms" for seconds in found[:2])
    known = "" if stored is None else f"{stored['ratio']:.3f}"
    slower = " slower" if found.ratio > SLOWER else ""
    return f"| {work} | {old} | {new} | {found.ratio:.3f}{slower} | {known} |"


def git(*arguments: str) -> str:
    """What git says of this tree; empty where it refuses."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit_of(named: str, stored: dict[str, Any]) -> str:
    """The commit to compare with: the one named, the last tag, or that of the stored measurement."""
    named = named or git("describe", "--tags", "--abbrev=0") or stored.get("before", "")
    if not named:
        raise RefusedError(
            "no tag, and no benchmarks/check.json: name a commit, as make bench-check BEFORE=v0.1"
        )
    found = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{named}^{{commit}}")
    if not found:
        raise RefusedError(f"{named}: there is no such commit, tag or folder here; check BEFORE")
    return found


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """The tree of a commit, beside this one for a while."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "before"
        add = ["git", "worktree", "add", "--quiet", "--detach", str(tree), commit]
        if subprocess.run(add, cwd=ROOT).returncode:
            raise RefusedError(f"{commit}: git did not check it out, for the reason above")
        try:
            yield tree
        finally:
            git("worktree", "remove", "--force", str(tree))


def machine() -> str:
    """This machine and its Python."""
    cpus = Path("/proc/cpuinfo")
    models = cpus.read_text().splitlines() if cpus.exists() else []
    named = [line.partition(":")[2].strip() for line in models if line.startswith("model name")]
    model = (named or [platform.processor() or platform.machine()])[0]
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def store(before: str, found: dict[str, Compared]) -> None:
    """Keep a measurement as the last one."""
    commit = git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    told = {"before": before, "commit": commit, "machine": machine()}
    works = {work: compared._asdict() for work, compared in found.items()}
    STORED.write_text(json.dumps({**told, "works": works}, indent=1) + "\n")


def check(given: argparse.Namespace) -> int:
    """Compare, print and store as was asked; 1 where something became slower."""
    if given.repeats < 1:
        raise RefusedError(f"--repeats {given.repeats}: it must be 1 or more")
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    folder = Path(given.before) if given.before and Path(given.before).is_dir() else None
    if folder is not None and not (folder / "src" / "fenchel").is_dir():
        raise RefusedError(
            f"{folder}: there is no src/fenchel in this folder; name a tree of fenchel"
        )
    if folder is not None and given.store:
        raise RefusedError("--store keeps the commit compared with: name one in place of a folder")
    if folder is not None:
        commit, tree = str(folder), nullcontext(folder.resolve())
    else:
        commit = commit_of(given.before, stored)
        tree = checked_out(commit)
    print(f"before: {commit}; now: {git('describe', '--always', '--dirty')}; on {machine()}")
    if stored:
        print(f"stored: {stored['commit']} against {stored['before']} on {stored['machine']}\n")
    with tree as before:
        found = compare(before, ROOT, given.repeats, given.works, stored.get("works", {}))
    if not found:
        raise RefusedError("no work was compared: leave the names out for all")
    if given.store:
        store(commit, found)
    slower = [work for work, compared in found.items() if compared.ratio > SLOWER]
    print(f"slower by more than {100 * (SLOWER - 1):.0f} %: {', '.join(slower) or 'nothing'}")
    return 1 if slower else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", default="", help="a commit, or the folder of a tree")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--store", action="store_true", help="keep what was measured in check.json")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "works", nargs="*", help="parts of the names of works; all if none is given"
    )
    given = parser.parse_args(arguments)
    if given.worker:
        worker()
        return 0
    try:
        return check(given)
    except RefusedError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

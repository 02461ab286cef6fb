"""What became slower: ``make bench-check BEFORE=v0.1`` (or any commit).

The earlier tree is checked out beside this one; a process of each does the same works in turns, so that both
see the same machine at the same moments. A work whose median ratio is beyond SLOWER is named, and the command
ends with 1. What the earlier tree cannot do is left out, and said.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
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


class Side:
    """A process that works on one tree."""

    def __init__(self, tree: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "check.py"), "--worker"],
            env={**os.environ, "PYTHONPATH": str(tree / "src")},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.works: list[str] = self._answer()

    def _answer(self):
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def do(self, work: str) -> float | str:
        """Seconds, or what went wrong."""
        assert self._process.stdin is not None
        print(work, file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(before: Path, now: Path, repeats: int, only: list[str]) -> list[str]:
    """Print a table; return the works that became slower."""
    sides = Side(before), Side(now)
    slower = []
    print("| work | before | now | now/before |\n|---|---:|---:|---:|")
    for work in sides[1].works:
        if only and not any(part in work for part in only):
            continue
        first = [side.do(work) for side in sides]  # compiles
        if any(isinstance(seconds, str) for seconds in first):
            print(f"| {work} | {first[0]} | {first[1]} | left out |", flush=True)
            continue
        pairs = [[side.do(work) for side in sides] for _ in range(repeats)]
        old, new = (1e3 * median(times) for times in zip(*pairs, strict=True))
        ratio = median(b / a for a, b in pairs)
        slower += [work] if ratio > SLOWER else []
        print(f"| {work} | {old:.1f} ms | {new:.1f} ms | {ratio:.3f} |", flush=True)
    for side in sides:
        side.close()
    return slower


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", help="a commit, or the folder of a tree")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "works", nargs="*", help="parts of the names of works; all if none is given"
    )
    given = parser.parse_args()
    if given.worker:
        worker()
        return 0
    if not given.before:
        parser.error(
            "--before: name the commit or the tree to compare with, as make bench-check BEFORE=v0.1"
        )
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(given.before)
        if not tree.is_dir():
            tree = Path(folder) / "before"
            add = ["git", "worktree", "add", "--quiet", "--detach", str(tree), given.before]
            subprocess.run(add, cwd=ROOT, check=True)
        try:
            slower = compare(tree, ROOT, given.repeats, given.works)
        finally:
            if tree.is_relative_to(folder):
                subprocess.run(
                    ["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True
                )
    print(f"slower by more than 5 %: {', '.join(slower) or 'nothing'}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())

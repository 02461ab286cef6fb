"""``auto``, untuned, beside the best in hindsight of many settings of each linear peer, and of trees.

``python -m benchmarks.quality --tuned`` (with ``--nonlinear`` for River's trees and forests too) plays the
first 30,000 rows of every stream to ``auto`` and writes ``TUNED.md``. The peers' figures are stored ones
(``python -m benchmarks.tuned_peers``, ``python -m benchmarks.nonlinear --measure``).
"""

import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel

import fenchel
from benchmarks import nonlinear, tuned_peers
from benchmarks.datasets import Dataset, Task, datasets
from benchmarks.quality import HALVES, halves, number, table
from benchmarks.tuned_peers import ROWS, TASKS, in_blocks, losses_of
from fenchel import learners

PATH = Path(__file__).with_name("TUNED.md")
PEERS = {"vowpal": "Vowpal Wabbit", "sklearn": "scikit-learn", "river": "River, linear"}
BOTH = "Vowpal Wabbit and scikit-learn at once"
TREES = "River's trees and forests"
LEVEL = 0.05


@dataclass(frozen=True)
class Best:
    """The best setting of a peer in hindsight, and how chance would explain the difference."""

    name: str
    error: float
    seconds: float
    p_value: float | None = None


@dataclass(frozen=True)
class Result:
    """One stream: ``auto`` and the best of each peer; ``early`` is its error on the rows that trees saw."""

    name: str
    task: Task
    half: str
    rows: int
    auto: float
    seconds: float
    early: float
    peers: dict[str, Best]
    trees: Best | None

    def holds(self, peer: str) -> bool | None:
        """Whether ``auto`` is at least as good; None where the peer has no figure."""
        if peer == BOTH:
            told = [self.holds("vowpal"), self.holds("sklearn")]
            return None if None in told else all(told)
        if peer == TREES:
            return None if self.trees is None else self.early <= self.trees.error
        return self.auto <= self.peers[peer].error if peer in self.peers else None


def measure(entry: Dataset, stored: dict, trees: dict) -> Result:
    X, y = entry.load()
    X, y = X[:ROWS], y[:ROWS]
    learners.auto(entry.task).learn_many(X[:200], y[:200])  # compiled by now
    learner, began = learners.auto(entry.task), time.process_time()
    margins = learner.learn_many(X, y)
    seconds = time.process_time() - began
    told = margins if entry.task == "regression" else learner.decode_many(margins)
    losses = losses_of(entry.task, y, told)
    first = slice(nonlinear.ROWS)
    early = float(losses_of(entry.task, y[first], told[first]).mean())
    found = stored.get(entry.name, {})
    peers = {
        peer: best_of(found[peer], in_blocks(losses))
        for peer in PEERS
        if found.get(peer, {}).get("best")
    }
    grown = {k: v for k, v in trees.get(entry.name, {"peers": {}})["peers"].items() if v}
    tree = min(grown, key=lambda k: grown[k]["error"], default=None)
    best_tree = None if tree is None else Best(tree, grown[tree]["error"], grown[tree]["seconds"])
    half = halves(entry.task)[entry.name]
    auto = float(losses.mean())
    return Result(
        entry.name, entry.task, half, len(y), auto, seconds, early, peers, best_tree
    )  # fmt: skip


def best_of(peer: dict, mine: list[float]) -> Best:
    """The peer's best, and the paired test on the mean losses of the same 100 blocks of rows."""
    told = peer["settings"][peer["best"]]
    differ = np.asarray(mine) - np.asarray(peer["blocks"])
    p_value = float(ttest_rel(mine, peer["blocks"]).pvalue) if differ.any() else 1.0
    return Best(peer["best"], told["error"], told["seconds"], p_value)


def shown(mine: float, best: Best | None) -> str:
    """A rival's error and setting; whether the difference is more than chance."""
    if best is None:
        return "-"
    mark = ""
    if best.p_value is not None and best.p_value < LEVEL:
        mark = " ▲" if mine < best.error else " ▼"
    return f"{number(best.error)}{mark} `{best.name}`"


def counts(results: list[Result], rivals: list[str]) -> str:
    lines = []
    for part in (*TASKS, "all"):
        for half in (*HALVES, "all"):
            own = [r for r in results if part in (r.task, "all") and half in (r.half, "all")]
            cells = []
            for rival in rivals:
                known = [held for held in (r.holds(rival) for r in own) if held is not None]
                cells.append(f"{sum(known)} of {len(known)}")
            lines.append([part, half, *cells])
    return table(["task", "half", *(PEERS.get(rival, rival) for rival in rivals)], lines)


def section(task: str, results: list[Result], with_trees: bool) -> str:
    head = [
        "stream",
        "half",
        "rows",
        "auto",
        *PEERS.values(),
        "auto, CPU µs a row",
        "Vowpal Wabbit's",
    ]
    if with_trees:
        head += [f"auto, first {nonlinear.ROWS:,}", TREES]
    lines = []
    for r in sorted((r for r in results if r.task == task), key=lambda r: r.name):
        won = r.holds(BOTH)
        auto = f"**{number(r.auto)}**" if won else number(r.auto)
        vowpal = r.peers.get("vowpal")
        times = [f"{1e6 * r.seconds / r.rows:.1f}"]
        times += [f"{1e6 * vowpal.seconds / r.rows:.1f}" if vowpal else "-"]
        rivals = [shown(r.auto, r.peers.get(peer)) for peer in PEERS]
        line = [r.name, r.half, str(r.rows), auto, *rivals, *times]
        if with_trees:
            line += [number(r.early), shown(r.early, r.trees)]
        lines.append(line)
    return f"## {task.capitalize()}\n\n{table(head, lines)}"


def report(results: list[Result], made: dict, with_trees: bool) -> Iterator[str]:
    packages = ", ".join(f"{name} {version}" for name, version in made["packages"].items())
    rivals = [*PEERS, BOTH, *([TREES] if with_trees else [])]
    command = "python -m benchmarks.quality --tuned" + (" --nonlinear" if with_trees else "")
    yield (
        "# Beside tuned peers\n\n"
        f"Made by `{command}` with fenchel {fenchel.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}; the peers' figures are stored ones (`{made['command']}`; {packages}). "
        f"First {ROWS:,} rows of each stream, each predicted before it is learned; the share of mistakes, "
        "or the squared error over that of the best constant.\n\n"
        "`auto` has no setting. Of each peer the setting that was best in hindsight on that very stream "
        "is shown: of 28 of Vowpal Wabbit (losses × learning rates × power_t, plain SGD, `--ftrl`, "
        "`--coin`, `--freegrad`, `--OjaNewton`), of 12 of scikit-learn's SGD, perceptron and "
        "passive-aggressive ones (24 up to 500 columns: features as they are, and behind a running "
        "StandardScaler; long streams in blocks of up to ten rows), of 8 of River's linear models, where "
        "it can be run to the end. A dash is a stream not measured. `benchmarks/tuned_peers.json` has "
        "every setting. ▲: `auto` is better by more than chance, ▼: the peer is (paired t-test on the "
        f"mean losses of {tuned_peers.BLOCKS} blocks of rows, level {LEVEL}). Bold: at least as good as both "
        "Vowpal Wabbit and scikit-learn. Vowpal Wabbit's seconds include start and reading text."
    )
    yield f"At least as good as the best in hindsight of\n\n{counts(results, rivals)}"
    worse = [
        f"{r.name} ({PEERS[p]}, {number(r.auto)} against {number(b.error)})"
        for r in results
        for p, b in r.peers.items()
        if r.auto > b.error and b.p_value is not None and b.p_value < LEVEL
    ]
    yield f"Worse by more than chance: {', '.join(worse) or 'nowhere'}."
    yield from (section(task, results, with_trees) for task in TASKS)


def write(with_trees: bool, only: list[str]) -> None:
    """Play the streams and write the table; of single sets only print it."""
    stored, trees = tuned_peers.stored(), nonlinear.stored()["streams"] if with_trees else {}
    results = []
    for task in TASKS:
        for entry in datasets(task):
            if not only or entry.name in only:
                results.append(measure(entry, stored["streams"], trees))
                r = results[-1]
                told = {p: (number(b.error), b.name) for p, b in r.peers.items()}
                print(f"{r.name:<20}{number(r.auto):>8} {told}", file=sys.stderr, flush=True)
    text = "\n\n".join(report(results, stored["made"], with_trees)) + "\n"
    if only:
        print(text)
    else:
        PATH.write_text(text)

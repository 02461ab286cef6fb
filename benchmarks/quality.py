"""How well ``auto`` learns in one pass, against its own experts and against the peers.

``python -m benchmarks.quality`` plays every stream to ``auto``, joins the stored figures of the
peers (``python -m benchmarks.peer_figures``) and writes ``QUALITY.md``; ``--sets`` only prints the
named ones. ``--tuned`` compares it with the best of many settings of each peer instead,
``--nonlinear`` with trees and forests too, and writes ``TUNED.md``. Errors are progressive, each row
predicted before it is learned: the share of mistakes for classes, the squared error over that of the
best constant for regression.
"""

import argparse
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fenchel
from benchmarks import peer_figures
from benchmarks.datasets import DataMissingError, Dataset, Task, datasets
from fenchel import learners
from fenchel.learners import Mixture

PATH = Path(__file__).with_name("QUALITY.md")
VOWPAL = {
    "binary": ("vowpal hinge", "vowpal logistic"),
    "multiclass": ("vowpal oaa", "vowpal oaa wide"),
    "regression": ("vowpal squared", "vowpal coin"),
}
HALVES = ("chosen on", "held out")
Errors = dict[str, float]


@dataclass(frozen=True)
class Result:
    """What one stream gave."""

    name: str
    task: Task
    half: str
    auto: float
    experts: Errors
    peers: Errors

    @property
    def vowpal(self) -> list[float]:
        return [self.peers.get(peer, np.inf) for peer in VOWPAL[self.task]]

    @property
    def others(self) -> Errors:
        return {p: e for p, e in self.peers.items() if p.startswith(("river", "sklearn"))}


def halves(task: Task) -> dict[str, str]:
    """The half of every set: experts were chosen on every other one in the order of names."""
    names = sorted(entry.name for entry in datasets(task))
    return {name: HALVES[k % 2] for k, name in enumerate(names)}


def error_of(task: Task, mixture: Mixture, margins: NDArray, y: NDArray) -> float:
    if task == "regression":
        return float(np.sum((margins - y) ** 2) / spread(y))
    return float(np.mean(mixture.decode_many(margins) != y))


def spread(y: NDArray) -> float:
    """The squared error of the best constant."""
    return float(np.sum((y - y.mean()) ** 2))


def expert_errors(task: Task, mixture: Mixture, y: NDArray) -> Errors:
    """The experts' own errors, from what the mixture has charged them with."""
    losses, active = mixture.engine.blend.hedge.losses, mixture.engine.blend.hedge.active > 0.0
    scale = spread(y) / 2.0 if task == "regression" else len(y)
    named = zip(mixture.engine.expert_names, losses / scale, active, strict=True)
    return {short(name): float(loss) for name, loss, on in named if on}


def short(name: str) -> str:
    return name.removeprefix("one_against_rest:learner=")


def measure(entry: Dataset, peers: dict) -> Result:
    """Play one stream to ``auto``."""
    X, y = entry.load()
    mixture = learners.auto(entry.task)
    auto = error_of(entry.task, mixture, mixture.learn_many(X, y), y)
    measured = {
        peer: figure["error"]
        for peer, figure in peers[entry.name]["peers"].items()
        if figure["error"] is not None and figure["rows"] == len(y)
    }
    experts = expert_errors(entry.task, mixture, y)
    return Result(entry.name, entry.task, halves(entry.task)[entry.name], auto, experts, measured)


# ── the report ──────────────────────────────────────────────────────────────────────────────────


def number(error: float) -> str:
    return f"{error:.4f}" if error < 100 else "diverges" if np.isinf(error) else f"{error:.0e}"


def best_of(errors: Errors) -> str:
    """The least error, and whose it is."""
    if not errors:
        return "-"
    name = min(errors, key=errors.__getitem__)
    return f"{number(errors[name])} `{name}`"


def table(head: list[str], lines: list[list[str]]) -> str:
    ruled = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in ruled)


def against_peers(task: Task, results: list[Result]) -> str:
    head = ["set", "half", "auto", "best expert", *VOWPAL[task], "best of River, scikit-learn"]
    lines = []
    for r in results:
        won = r.auto <= min(r.vowpal)
        auto = f"**{number(r.auto)}**" if won else number(r.auto)
        vowpal = [number(error) for error in r.vowpal]
        lines.append([r.name, r.half, auto, best_of(r.experts), *vowpal, best_of(r.others)])
    return table(head, lines)


def wins(task: Task, results: list[Result]) -> str:
    """How often ``auto`` is at least as good, in each half and in all."""
    rivals = [*VOWPAL[task], "the better of the two", "best of River, scikit-learn", "best expert"]
    lines = []
    for half in (*HALVES, "all"):
        part = [r for r in results if half in (r.half, "all")]
        counts = [sum(r.auto <= rival for r, rival in zip(part, column, strict=True)) for column in
                  zip(*(rivals_of(r) for r in part), strict=True)] if part else []  # fmt: skip
        means = [float(np.mean([r.auto for r in part]))]
        means += [float(np.mean([r.vowpal[k] for r in part])) for k in range(len(VOWPAL[task]))]
        lines.append([half, str(len(part)), *map(str, counts), " / ".join(map(number, means))])
    means_of = " / ".join(["auto", *VOWPAL[task]])
    return table(["half", "sets", *rivals, f"mean error: {means_of}"], lines)


def rivals_of(r: Result) -> list[float]:
    others = min(r.others.values(), default=np.inf)
    return [*r.vowpal, min(r.vowpal), others, min(r.experts.values())]


def every_expert(results: list[Result]) -> str:
    names = list(dict.fromkeys(name for r in results for name in r.experts))
    lines = [[r.name, *(number(r.experts[n]) if n in r.experts else "-" for n in names)]
             for r in results]  # fmt: skip
    return table(["set", *(f"`{name}`" for name in names)], lines)


def report(results: list[Result], made: dict) -> Iterator[str]:
    packages = ", ".join(f"{name} {version}" for name, version in made["packages"].items())
    yield (
        "# One pass, nothing to choose\n\n"
        f"Made by `{command()}` with fenchel {fenchel.__version__}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}. The peers' figures are stored ones: "
        f"{packages} (`python -m benchmarks.peer_figures`); they have their defaults and the raw "
        "features, or scaled ones where their name says so.\n\n"
        "Errors are progressive: each row is predicted before it is learned, in one pass. The share "
        "of mistakes for classes; for regression the squared error over that of the best constant. "
        "Auto is in bold where it is at least as good as the better of Vowpal Wabbit's defaults. "
        "Experts are measured inside auto, on features in units of their own size.\n\n"
        "Experts and mixing were chosen on every other set in the order of names (*chosen on*); the "
        "others are *held out*: they were measured along the way but decided nothing, save that "
        "`eta=0.125` and the last target joined regression when sets of both halves asked for it "
        "(both improve the half chosen on, too)."
    )
    for task in VOWPAL:
        part = sorted((r for r in results if r.task == task), key=lambda r: r.name)
        yield f"## {task.capitalize()}\n\n{wins(task, part)}\n\n{against_peers(task, part)}"
        yield f"### Each expert of auto, {task}\n\n{every_expert(part)}"


def command() -> str:
    return " ".join(["python -m benchmarks.quality", *sys.argv[1:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=[], help="only print these data sets")
    parser.add_argument("--tuned", action="store_true", help="beside tuned peers: TUNED.md")
    parser.add_argument("--nonlinear", action="store_true", help="with --tuned: beside trees too")
    chosen = parser.parse_args()
    if chosen.tuned or chosen.nonlinear:
        from benchmarks import tuned  # which takes its tables from here

        tuned.write(chosen.nonlinear, chosen.sets)
        return
    figures = peer_figures.stored()
    results = []
    for entry in datasets():
        if entry.task in VOWPAL and (not chosen.sets or entry.name in chosen.sets):
            results.append(measure(entry, figures["streams"]))
            r = results[-1]
            vowpal = " ".join(map(number, r.vowpal))
            print(f"{r.name:<20}{number(r.auto):>8}  vowpal {vowpal}", file=sys.stderr, flush=True)
    if not chosen.sets:
        PATH.write_text("\n\n".join(report(results, figures["made"])) + "\n")


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

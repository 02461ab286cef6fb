"""Adaptive filters on real signals: fenchel with its defaults, padasip with its best step of a grid.

``python -m benchmarks.filters`` measures the mean squared error of the outputs, each made before its
primary sample was learned from, and the time of each, and writes ``FILTERS.md``. Names given as arguments
choose signals and only print.
"""

import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import padasip
from numpy.typing import NDArray

import fenchel
from benchmarks.datasets import DataMissingError, named
from benchmarks.filter_variants import VARIANTS, errors_of
from fenchel.estimators import AdaptiveFilter

PATH = Path(__file__).with_name("FILTERS.md")

# What each signal is filtered for, how long the filter is, and the offset and unit of its samples.
TASKS = {
    "foetal_ecg": ("cancel the mother's heart: thoracic lead → abdominal lead", 16, 0.0, 1.0),
    "speech_echo": ("cancel the echo: far voice → microphone", 64, 0.0, 1.0),
    "ecg": ("predict the next sample, in mV", 16, 1024.0, 200.0),
    "sunspots": ("predict the next month", 16, 0.0, 1.0),
}
# The grids of padasip's steps: LMS relative to the mean ‖x‖², NLMS and RLS (forgetting) absolute.
GRIDS = {
    "LMS": [2.0 ** -(k / 2) for k in range(-6, 13)],
    "NLMS": [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 1.5],
    "RLS": [0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 1.0],
}
# With 64 taps padasip's RLS takes most of a minute for one step.
LONG_GRID = [0.999, 0.9999, 1.0]
# Each beside those of padasip's that cost as much; ``auto`` beside all of them.
OURS = {
    "auto": ("LMS", "NLMS", "RLS"),
    "recursive_least_squares": ("RLS",),
    "p_norm_lms": ("LMS", "NLMS"),
    "vovk_azoury_warmuth": ("RLS",),
}
MOST = 1.05


@dataclass(frozen=True)
class Result:
    """The errors on one signal."""

    name: str
    ours: dict[str, float]
    theirs: dict[str, tuple[float, float]]
    seconds: dict[str, float]  # of a sample, by filter, ours and theirs
    variants: dict[str, dict[str, float]]

    def ratio(self, learner: str, variant: str | None = None) -> float:
        """Our error, or that of a variant, over the least of the family's."""
        error = self.variants[learner][variant] if variant else self.ours[learner]
        return error / min(self.theirs[kind][0] for kind in OURS[learner])

    def speed(self, learner: str) -> float:
        """How many times as fast as the fastest of the family; ``auto``: as running all three."""
        theirs = [self.seconds[kind] for kind in OURS[learner]]
        return (sum(theirs) if learner == "auto" else min(theirs)) / self.seconds[learner]


def signals(name: str) -> tuple[NDArray, NDArray]:
    _, _, offset, unit = TASKS[name]
    reference, primary = named(name).load()
    return (reference - offset) / unit, (primary - offset) / unit


def best_of_grid(kind: str, X: NDArray, y: NDArray) -> tuple[float, float, float]:
    """padasip's least error over the grid, its step, and the least time of a run."""
    grid = LONG_GRID if kind == "RLS" and X.shape[1] > 32 else GRIDS[kind]
    scale = np.mean(np.sum(X * X, axis=1)) if kind == "LMS" else 1.0
    found, seconds = [], np.inf
    for step in grid:
        with np.errstate(all="ignore"):
            one = getattr(padasip.filters, f"Filter{kind}")(X.shape[1], step / scale, w="zeros")
            began = time.process_time()
            error = float(np.mean(one.run(y, X)[1] ** 2))
            seconds = min(seconds, time.process_time() - began)
        found.append((error if np.isfinite(error) else np.inf, step))
    return *min(found), seconds


def least_time(run: Callable[[], object]) -> float:
    """The least processor time of three runs."""
    times = []
    for _ in range(3):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


def lagged(reference: NDArray, taps: int) -> NDArray:
    silent = np.concatenate([np.zeros(taps - 1), reference])
    return np.lib.stride_tricks.sliding_window_view(silent, taps)[:, ::-1]


def measure(name: str) -> Result:
    taps = TASKS[name][1]
    reference, primary = signals(name)
    ours, seconds = {}, {}
    for learner in OURS:

        def run(learner: str = learner) -> NDArray:
            return AdaptiveFilter(learner, taps=taps).run(reference, primary).error

        ours[learner] = float(np.mean(run() ** 2))
        seconds[learner] = least_time(run)
    X = lagged(reference, taps)
    theirs = {}
    for kind in GRIDS:
        *theirs[kind], seconds[kind] = best_of_grid(kind, X, primary)
    per_sample = {which: total / len(primary) for which, total in seconds.items()}
    return Result(name, ours, theirs, per_sample, errors_of(X, primary))


def row(r: Result) -> str:
    theirs = [f"{error:.4g} ({step:.3g})" for error, step in r.theirs.values()]
    ratios = [f"{r.ratio(one):.3f}{'' if r.ratio(one) <= MOST else ' **no**'}" for one in OURS]
    return f"| {' | '.join([r.name, str(TASKS[r.name][1]), *theirs, *ratios])} |"


def speed_row(r: Result) -> str:
    times = [f"{1e6 * r.seconds[which]:.2f}" for which in (*GRIDS, *OURS)]
    speeds = [f"{r.speed(one):.1f} ×" for one in OURS]
    return f"| {' | '.join([r.name, *times, *speeds])} |"


HEAD = (
    "| signal | taps | padasip LMS (step) | padasip NLMS (step) | padasip RLS (forgetting) "
    "| `auto` ÷ best of the three | `recursive_least_squares` ÷ RLS "
    "| `p_norm_lms` ÷ best of LMS, NLMS | `vovk_azoury_warmuth` ÷ RLS |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)
SPEEDS = (
    f"| signal | {' | '.join((*GRIDS, *(f'`{one}`' for one in OURS)))} "
    f"| {' | '.join(f'`{one}`' for one in OURS)} |\n|---{'|---:' * (len(GRIDS) + 2 * len(OURS))}|"
)


def report(results: list[Result]) -> Iterator[str]:
    yield "# Adaptive filters"
    yield (
        f"Made by `python -m benchmarks.filters` with fenchel {fenchel.__version__}, padasip "
        f"{version('padasip')}, NumPy {np.__version__}, Python {platform.python_version()}.\n\n"
        "Mean squared error over the whole signal, each output made before its primary sample was\n"
        "learned from. fenchel's filters have their defaults; padasip's start from zero weights and\n"
        "have their best step of a grid, chosen after the fact by this very error. LMS steps are in\n"
        "units of one over the mean ‖x‖². Taps are the same for all; delay is 0 for cancelling and 1\n"
        "for prediction."
    )
    yield "\n".join(f"- {name}: {told[0]}" for name, told in TASKS.items())
    yield "\n".join([HEAD, *map(row, results)])
    behind = [
        f"`{one}` on {r.name} ({r.ratio(one):.2f} ×)"
        for one in OURS
        for r in results
        if r.ratio(one) > MOST
    ]
    within = [one for one in OURS if all(r.ratio(one) <= MOST for r in results)]
    told = "Within 5 % of padasip's best on every signal: " + ", ".join(f"`{o}`" for o in within)
    yield f"{told}. More than 5 % behind: {', '.join(behind)}." if behind else f"{told}."
    yield (
        "## Time of a sample\n\n"
        "Microseconds of processor time, the least of all runs: padasip's, then ours; and how many\n"
        "times as fast ours are as the fastest of padasip's beside which they stand above. `auto` runs\n"
        "12 filters; it is set beside the three of padasip's together, each with one step of its grid."
    )
    yield "\n".join([SPEEDS, *map(speed_row, results)])
    yield (
        "## Variants that are not in the package\n\n"
        "Each a default for all signals; its error over the least of padasip's family, as above. In\n"
        "`p_norm_lms` a step is η/X_T² with the largest level X_T² = max ‖x_t‖² so far, a level that\n"
        "fades is max(λ·X_{t−1}², ‖x_t‖²); in `vovk_azoury_warmuth` a memory that fades is\n"
        "A_t = λ·A_{t−1} + x_t·x_tᵀ."
    )
    yield "\n".join(
        [
            f"| instead of | variant | {' | '.join(r.name for r in results)} |",
            f"|---|---|{'---:|' * len(results)}",
            *(
                variant_row(learner, one, results)
                for learner in VARIANTS
                for one in VARIANTS[learner]
            ),
        ]
    )
    yield (
        "A variant without a **no** would be as good a default on these signals. Where x_t is not\n"
        "counted ahead the method is recursive least squares with a small ridge: it is not the\n"
        "Vovk-Azoury-Warmuth forecaster, and the bounds of Section 4 do not speak of it. A\n"
        "memory or level that fades gives up the bound against one filter for the whole signal."
    )


def variant_row(learner: str, variant: str, results: list[Result]) -> str:
    ratios = [r.ratio(learner, variant) for r in results]
    told = [f"{ratio:.3f}{'' if ratio <= MOST else ' **no**'}" for ratio in ratios]
    return f"| `{learner}` | {variant} | {' | '.join(told)} |"


def main() -> None:
    chosen = sys.argv[1:]
    results = []
    for name in chosen or TASKS:
        results.append(measure(name))
        print(row(results[-1]), flush=True)
    if not chosen:
        PATH.write_text("\n\n".join(report(results)) + "\n")


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

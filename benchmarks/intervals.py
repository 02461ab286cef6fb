"""Coverage and width of intervals: around fixed forecasts, and around ``auto`` on the regression streams.

``python -m benchmarks.intervals`` writes ``INTERVALS.md``; ``--quick`` only prints those around the fixed
forecasts. The widths that they are compared with are the best of 18 tuned settings of five published
methods, each chosen in hindsight on its stream.
"""

import argparse
import platform
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import fenchel
from benchmarks.datasets import DataMissingError, datasets
from benchmarks.loaders import data_folder
from benchmarks.quality import table
from fenchel import Schema, learners
from fenchel.certificates.coverage import coverage_bounds
from fenchel.loops.coverage import cover, new_coverage

PATH = Path(__file__).with_name("INTERVALS.md")
BURN_IN = 300
TUNED = {
    ("elec2", "ar"): (0.904, 0.0942),
    ("elec2", "theta"): (0.898, 0.0664),
    ("elec2", "prophet"): (0.899, 0.365),
    ("climate", "ar"): (0.899, 5.32),
    ("climate", "theta"): (0.895, 6.03),
    ("climate", "prophet"): (0.893, 7.23),
}
FILES = {
    "elec2": ("elec2_demand.csv", "elec2_test"),
    "climate": ("climate.csv", "daily-climate_test"),
}


def forecasts() -> Iterator[tuple[str, str, NDArray, NDArray]]:
    folder = data_folder() / "interval_forecasts"
    for name, (targets, stem) in FILES.items():
        y = pd.read_csv(folder / targets).iloc[:, -1].to_numpy(float)
        for method in ("ar", "theta", "prophet"):
            found = np.load(folder / f"{stem}.{method}.npz")["forecasts"].ravel().astype(float)
            yield name, method, y, found


def around_forecasts() -> str:
    lines = []
    for name, method, y, forecast in forecasts():
        radii, certified = [], []
        for sign in (-1.0, 1.0):
            side, radius = new_coverage(), np.empty(len(y))
            cover(side, sign * (y - forecast), np.zeros(len(y)), np.ones(1), 0.05, radius)
            radii.append(radius)
            certified += coverage_bounds(side, 0.05, "side")
        inside = (y >= forecast - radii[0]) & (y <= forecast + radii[1])
        coverage, width = inside[BURN_IN:].mean(), (radii[0] + radii[1])[BURN_IN:].mean()
        known = TUNED[name, method]
        bounds = " / ".join(f"{c.bound:.4f}" for c in certified)
        lines.append([
            f"{name}, {method}", f"{coverage:.3f}", f"{width:.4g}", f"{known[0]:.3f}", f"{known[1]:.4g}",
            f"{width / known[1]:.3f}", bounds, "hold" if all(c.holds for c in certified) else "VIOLATED",
        ])  # fmt: skip
    head = [
        "forecasts",
        "coverage",
        "width",
        "tuned: coverage",
        "width",
        "ratio",
        "bounds of the gaps",
        "certificates",
    ]
    return table(head, lines)


def around_auto() -> str:
    lines = []
    for entry in sorted(datasets("regression"), key=lambda e: e.name):
        X, y = entry.load()
        learner = learners.interval(learners.auto("regression"))
        learner.learn_many(X, y)
        found, certified = learner.covered(), learner.certificates()
        share = found["width"] / (y.max() - y.min())
        holds = "hold" if all(c.holds for c in certified) else "VIOLATED"
        lines.append([entry.name, f"{len(y):,}", f"{found['coverage']:.4f}", f"{share:.4f}", holds])
    return table(["set", "rows", "coverage", "width over the range", "certificates"], lines)


def fried() -> str:
    frame = pd.read_csv(data_folder() / "fried" / "fried.csv.gz")
    label = frame.columns[-1]
    y = frame[label].to_numpy(float)
    lines = []
    for told, cross in (("columns alone", ()), ("with all products of two columns", ("*,*",))):
        schema = Schema(label=label, cross=cross)
        learner = learners.interval(learners.auto("regression", schema=schema), coverage=0.95)
        learner.learn_many(frame)
        found = learner.covered()
        lines.append(
            [told, f"{found['coverage']:.4f}", f"{100 * found['width'] / (y.max() - y.min()):.1f}"]
        )
    return table(["features", "coverage", "width, % of the range"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="only print those around fixed forecasts"
    )
    if parser.parse_args().quick:
        print(around_forecasts())
        return
    parts = [
        "# Intervals, nothing to choose",
        f"Made by `python -m benchmarks.intervals` with fenchel {fenchel.__version__}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}.",
        "## Around fixed forecasts, target 0.90",
        f"After {BURN_IN} rounds. The certificates bound the gap of each side: by the barrier, "
        "by the conjugate.",
        around_forecasts(),
        "## Around auto on the regression streams, target 0.90",
        "From the first round on.",
        around_auto(),
        "## Fried, target 0.95",
        "CapyMOA publishes a width of 27.4 % at coverage 0.9625 for its AdaPI.",
        fried(),
    ]
    PATH.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

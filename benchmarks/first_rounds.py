"""How soon ``auto`` is as good as its best expert: the regret to it after 16, 32, 64, … rounds.

``python -m benchmarks.first_rounds`` writes ``FIRST_ROUNDS.md`` and draws ``docs/_static/first_rounds.svg``.
Of each stream the first 30,000 rows. Regret is what ``auto`` has lost so far, less what the expert has lost
that is the best by then: mistakes, or squared errors in units of the target's variance, so that 1 is what one
row of the best constant costs. Below 0 the mixture is ahead of every expert.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import DataMissingError, Dataset, datasets
from benchmarks.quality import table
from fenchel import learners
from fenchel.report.plot import Axis, Series, draw

PATH = Path(__file__).with_name("FIRST_ROUNDS.md")
PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "first_rounds.svg"
ROWS = 30_000
ROUNDS = [2**k for k in range(4, 15)]
TASKS = ("binary", "multiclass", "regression")


def regrets(entry: Dataset) -> dict[int, float]:
    """The regret to the best expert after so many rounds, and after the last."""
    X, y = (part[:ROWS] for part in entry.load())
    learner, lost, begin, found = learners.auto(entry.task), 0.0, 0, {}
    numbers = entry.task == "regression"
    unit = float(np.var(y)) if numbers else 1.0
    for end in [*(t for t in ROUNDS if t < len(y)), len(y)]:
        margins = learner.learn_many(X[begin:end], y[begin:end])
        lost += float(np.sum(losses(learner, margins, y[begin:end], numbers)))
        hedge = learner.engine.blend.hedge
        best = float(hedge.losses[hedge.active > 0.0].min()) * (2.0 if numbers else 1.0)
        found[end], begin = (lost - best) / unit, end
    return found


def losses(learner: learners.Learner, margins: NDArray, y: NDArray, numbers: bool) -> NDArray:
    return (margins - y) ** 2 if numbers else learner.decode_many(margins) != y


def picture(found: dict[str, dict[int, float]]) -> str:
    """The largest regret of the streams of classes, and their quartiles."""
    rounds = [t for t in ROUNDS if sum(t in each for each in found.values()) >= 5]
    there = [[each[t] for each in found.values() if t in each] for t in rounds]
    lines = [("largest", 1.0), ("upper quartile", 0.75), ("median", 0.5), ("lower quartile", 0.25)]
    named = [Series(name, rounds, [float(np.quantile(r, q)) for r in there]) for name, q in lines]
    title = "Mistakes of auto beyond its best expert, streams of classes"
    return draw(title, Axis("rounds", log=True), Axis("mistakes"), named)


def main() -> None:
    lines, classes = [], {}
    for task in TASKS:
        for entry in sorted(datasets(task), key=lambda e: e.name):
            found = regrets(entry)
            if task != "regression":
                classes[entry.name] = found
            cells = [f"{found[t]:.1f}" if t in found else "" for t in ROUNDS]
            last = max(found)
            lines.append([entry.name, *cells, f"{found[last]:.1f} ({last:,})"])
            print(*lines[-1], flush=True)
    head = ["stream", *(f"{t:,}" for t in ROUNDS), "last (rows)"]
    PATH.write_text(
        "# The first rounds\n\n"
        + (__doc__ or "").split("\n\n", 1)[1]
        + "\n"
        + table(head, lines)
        + "\n"
    )
    PICTURE.write_text(picture(classes) + "\n")


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

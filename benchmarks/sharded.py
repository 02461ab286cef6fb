"""What merging costs in quality: ``python -m benchmarks.sharded [--learner SPEC] [SET]…`` prints the table.

80 % of each set, mixed by a fixed seed, is learned by one machine, or in shards that are merged; the error is
that on the other 20 %, without learning (``freeze``): mistakes, or the squared error over the variance.
"""

import argparse

import numpy as np

from benchmarks.datasets import named
from fenchel import learners, merge

SETS = ("a9a", "w8a", "magic04", "letter", "cal_housing", "abalone")
SEED = 1


def fresh(specification, task):
    if specification == "auto":
        return learners.auto(task=task)
    return learners.from_specification(specification)


def learned(make, X, y, shards, rounds):
    """One machine where there is one shard; else every round merges what the shards made of the last."""
    start = None
    for _ in range(rounds):
        parts = []
        for rows in np.array_split(np.arange(len(y)), shards):
            learner = make() if start is None else start.copy()
            learner.learn_many(X[rows], y[rows])
            parts.append(learner)
        start = parts[0] if shards == 1 else merge(parts, start)
    return start.freeze()


def error_of(learner, X, y):
    found = learner.predict_many(X)
    if learner.task != "regression":
        return float(np.mean(found != y))
    return float(np.mean((found - y) ** 2) / np.var(y))


def measure(name, specification):
    dataset = named(name)
    X, y = dataset.load()
    mixed = np.random.default_rng(SEED).permutation(len(y))
    X, y, cut = X[mixed], np.asarray(y)[mixed], int(0.8 * len(y))

    def make():
        return fresh(specification, dataset.task)

    cells = [(1, 1), (8, 1), (32, 1), (8, 3), (32, 3)]
    return [error_of(learned(make, X[:cut], y[:cut], *cell), X[cut:], y[cut:]) for cell in cells]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--learner", default="auto")
    arguments.add_argument("sets", nargs="*", default=SETS)
    given = arguments.parse_args()
    print("| set | one machine | 8 shards | 32 shards | 8, three rounds | 32, three rounds |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in given.sets or SETS:
        one, *others = measure(name, given.learner)
        cells = [f"{found:.4f} ({found / one - 1.0:+.1%})" for found in others]
        print(f"| {name} | {one:.4f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

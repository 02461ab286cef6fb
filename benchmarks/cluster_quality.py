"""What merging costs in quality: shards learned apart, on the ten largest streams.

80 % of each set, mixed by a fixed seed, is learned by one machine, or in shards that are merged; the error is
that on the other 20 %, without learning (``freeze``): mistakes, or the squared error over the variance.
"""

import numpy as np

from benchmarks.datasets import named
from fenchel import learners, merge
from fenchel.cluster.training import JUDGES, SAMPLE
from fenchel.learners import for_task
from fenchel.rows import Block, validate

SETS = (
    "kddcup_attacks", "mnist", "w8a", "a9a", "adult", "casp_protein", "elec2", "beijing_pm25",
    "cal_housing", "magic04",
)  # fmt: skip
LEARNERS = {
    "binary": (
        "arow", "adagrad", "normalized_adaptive_gradient", "passive_aggressive", "perceptron",
        "second_order_perceptron", "soft_confidence_weighted", "ftrl_proximal", "gradient_descent",
    ),
    "regression": (
        "vovk_azoury_warmuth", "vovk_azoury_warmuth:diagonal=yes", "adagrad",
        "normalized_adaptive_gradient", "scale_invariant_adagrad", "coin_betting",
    ),
    "multiclass": (),
}  # fmt: skip
CELLS = ((1, 1), (8, 1), (32, 1), (8, 3), (32, 3))  # shards, rounds
SEED = 1


def fresh(specification, task):
    if specification == "auto":
        return learners.auto(task=task)
    name, _, _ = specification.partition(":")
    given = for_task.asked(name, {}, task)
    made = learners.from_specification(specification)
    return made.set_params(**given) if given else made


def learned(make, X, y, shards, rounds):
    """One machine where there is one shard; else every round merges what the shards made of the last."""
    start = make()
    if shards > 1:  # as ``fenchel.cluster`` begins
        first = slice(0, len(y) // shards)
        start.settle_block(Block(validate.as_rows(X[first]), y[first]))
    for _ in range(rounds):
        parts = []
        for rows in np.array_split(np.arange(len(y)), shards):
            learner = start.copy()
            learner.learn_many(X[rows], y[rows])
            parts.append(learner)
        start = parts[0] if shards == 1 else merge(parts, start)
        if shards > 1:  # as ``fenchel.cluster`` chooses
            some = np.array_split(np.arange(len(y)), shards)[:: -(-shards // JUDGES)]
            rows = np.concatenate([part[: SAMPLE // len(some)] for part in some])
            start.judge_block(Block(validate.as_rows(X[rows]), y[rows]))
    return start.freeze()


def error_of(learner, X, y):
    found = learner.predict_many(X)
    if learner.task != "regression":
        return float(np.mean(found != y))
    return float(np.mean((found - y) ** 2) / np.var(y))


def mixed(name, rows):
    """At most so many rows, mixed, and the task."""
    dataset = named(name)
    X, y = dataset.load()
    chosen = np.random.default_rng(SEED).permutation(len(y))[:rows]
    return X[chosen], np.asarray(y)[chosen], dataset.task


def measure(specification, X, y, task):
    """The errors of all cells."""
    cut = int(0.8 * len(y))

    def make():
        return fresh(specification, task)

    return [error_of(learned(make, X[:cut], y[:cut], *cell), X[cut:], y[cut:]) for cell in CELLS]


def table(figures):
    """Lines of Markdown of ``{set: {"rows": N, "errors": {learner: [...]}}}``."""
    head = "| set | learner | one machine | 8 shards | 32 shards | 8, three rounds | 32, three rounds |"
    yield from (head, "|---|---|---:|---:|---:|---:|---:|")
    for name, found in figures.items():
        for learner, (one, *others) in found["errors"].items():
            cells = [f"{error:.4f} ({_change(error, one)})" for error in others]
            told = f"{name} ({found['rows']:,})"
            yield f"| {told} | {learner} | {one:.4f} | {' | '.join(cells)} |"


def _change(error, one):
    return f"{error / one - 1.0:+.1%}" if one else "–"

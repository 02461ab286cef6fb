"""A generated click stream: 300,000 rows, 1 % positives, 2,000 sites × 500 ads whose pairs matter.

``python -m benchmarks.clicks`` plays it to ``auto``, to single learners of the package and to Vowpal Wabbit's
``--ftrl``, without and with the cross of site and ad, and prints the area under the curve and the log loss
of the probabilities given before each label.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks import vowpal
from benchmarks.probability_peers import area, log_loss, sigmoid
from benchmarks.quality import table
from fenchel import learners

ROWS, SITES, ADS, SEED = 300_000, 2_000, 500, 7
SINGLE = (
    "ftrl_proximal:loss=logistic",
    "ftrl_proximal:alpha=0.5,loss=logistic",  # as Vowpal Wabbit's
    "coin_betting:loss=logistic",
    "adagrad:loss=logistic",
)


def clicks(rows: int = ROWS) -> tuple[NDArray, NDArray, NDArray]:
    """Sites, ads and labels ±1; sites and ads are as frequent as words are, by Zipf's law."""
    rng = np.random.default_rng(SEED)
    site = rng.choice(SITES, rows, p=zipf(SITES))
    ad = rng.choice(ADS, rows, p=zipf(ADS))
    of_site, of_ad = 0.6 * rng.normal(size=SITES), 0.6 * rng.normal(size=ADS)
    of_pair = 0.9 * rng.normal(size=(SITES, ADS))
    logits = of_site[site] + of_ad[ad] + of_pair[site, ad]
    chance = sigmoid(logits - 5.25)
    return site, ad, np.where(rng.random(rows) < chance, 1.0, -1.0)


def zipf(count: int) -> NDArray:
    weights = 1.0 / (1.0 + np.arange(count)) ** 0.8
    return weights / weights.sum()


def one_hot(*columns: NDArray) -> sparse.csr_array:
    """One column for each value of each column, those of a column side by side."""
    parts, width = [], 0
    for column in columns:
        values, numbers = np.unique(column, return_inverse=True)
        parts.append(numbers + width)
        width += len(values)
    indices = np.stack(parts, axis=1).ravel()
    count = len(columns[0])
    ends = np.arange(0, count * len(columns) + 1, len(columns))
    return sparse.csr_array((np.ones(len(indices)), indices, ends), shape=(count, width))


def played(X: sparse.csr_array, y: NDArray) -> list[list[str]]:
    """The lines of one table."""
    lines = []
    for name in ("auto", *SINGLE):
        learner = learners.from_specification(name)
        follow = learner.follow_calibration()
        chances = follow(learner.learn_many(X, y), (y > 0) * 2.0 - 1.0, None)[:, 1]
        lines.append([f"`{name}`", f"{area(y, chances):.4f}", f"{log_loss(y, chances):.5f}"])
        print(*lines[-1], file=sys.stderr, flush=True)
    with vowpal.text_file(X, y) as text:
        found = vowpal.progressive_predictions(text, "--loss_function logistic --ftrl -b 22")[0]
    lines.append(["vowpal --ftrl", f"{area(y, found):.4f}", f"{log_loss(y, sigmoid(found)):.5f}"])
    return lines


def main() -> None:
    site, ad, y = clicks()
    print(f"{len(y):,} rows, {np.mean(y > 0):.2%} positive")
    for told, columns in (("without", (site, ad)), ("with", (site, ad, site * ADS + ad))):
        print(f"\n{told} the cross\n")
        print(table(["learner", "area", "log loss"], played(one_hot(*columns), y)))


if __name__ == "__main__":
    main()

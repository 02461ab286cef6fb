"""Probabilities of the peers over one binary stream: log loss and area under the curve, progressive.

``python -m benchmarks.probability_peers`` plays every binary stream and Criteo's sample to Vowpal Wabbit
(its logistic loss at its default and at eight learning rates, and ``--ftrl``), to River's logistic
regression (scaled) and to scikit-learn's SGD, and stores what they predicted before each label in
``probability_peers.json``. A probability of 0 or 1 is held at 1e-15, for every peer alike.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from river import linear_model
from river.preprocessing import StandardScaler
from scipy import sparse
from scipy.stats import rankdata
from sklearn.linear_model import SGDClassifier

from benchmarks import peers, vowpal
from benchmarks.datasets import DataMissingError, Dataset, datasets
from benchmarks.readers import Matrix

PATH = Path(__file__).with_suffix(".json")
RATES = (0.03125, 0.0625, 0.125, 0.25, 1.0, 2.0, 4.0, 8.0)
SMALLEST = 1e-15


def log_loss(y: NDArray, chances: NDArray) -> float:
    """The mean −ln of the probability given to what came."""
    told = np.where(y > 0, chances, 1.0 - chances)
    return float(-np.mean(np.log(np.clip(told, SMALLEST, 1.0))))


def area(y: NDArray, scores: NDArray) -> float:
    """The share of pairs of a positive and a negative row that are in order; a tie is half."""
    ranks, positive = rankdata(scores), y > 0
    pairs = float(positive.sum()) * float((~positive).sum())
    return float((ranks[positive].sum() - positive.sum() * (positive.sum() + 1) / 2) / pairs)


def figure(y: NDArray, chances: NDArray, scores: NDArray | None = None) -> dict:
    scores = chances if scores is None else scores
    return {"log_loss": log_loss(y, chances), "auc": area(y, scores), "rows": len(y)}


def sigmoid(margins: NDArray) -> NDArray:
    return np.exp(-np.logaddexp(0.0, -margins))


def vowpal_figures(X: Matrix, y: NDArray) -> Iterator[tuple[str, dict]]:
    named = {"vowpal": "", **{f"vowpal rate {rate}": f" -l {rate}" for rate in RATES}}
    named["vowpal ftrl"] = " --ftrl"
    with vowpal.text_file(X, y) as text:
        for name, more in named.items():
            found = vowpal.progressive_predictions(text, "--loss_function logistic" + more)[0]
            yield name, figure(y, sigmoid(found), found)


def scikit_figures(X: Matrix, y: NDArray, timed: bool) -> Iterator[tuple[str, dict]]:
    """In blocks, like the stored figures of its errors."""
    block = 1 if timed and len(y) < 20_000 else -(-len(y) // peers.MOST_SCIKIT_CALLS)
    model, margins = SGDClassifier(loss="log_loss", shuffle=False), np.zeros(len(y))
    for begin in range(0, len(y), block):
        rows = slice(begin, begin + block)
        if begin:
            margins[rows] = model.decision_function(X[rows])
        model.partial_fit(X[rows], y[rows], classes=[-1.0, 1.0])
    yield "sklearn logistic", figure(y, sigmoid(margins), margins)


def river_figures(X: Matrix, y: NDArray) -> Iterator[tuple[str, dict]]:
    values_a_row = X.nnz / len(y) if sparse.issparse(X) else X.shape[1]
    rows = min(len(y), int(peers.MOST_RIVER_WORK / (10 + values_a_row)))
    model = StandardScaler() | linear_model.LogisticRegression()
    chances, labels = np.full(rows, 0.5), y[:rows] > 0
    given = peers.dictionaries(X[:rows])
    for t, (row, label) in enumerate(zip(given, labels.tolist(), strict=True)):
        chances[t] = model.predict_proba_one(row)[True]
        model.learn_one(row, label)
    yield "river logistic scaled", figure(y[:rows], chances)


def stored() -> dict:
    return json.loads(PATH.read_text()) if PATH.exists() else {}


def replay(name: str, timed: bool, X: Matrix, y: NDArray, found: dict) -> None:
    """Play one stream to every peer that has no figure yet."""
    mine = found.setdefault(name, {"rows": len(y), "peers": {}})["peers"]
    for first, play in (
        ("vowpal", lambda: vowpal_figures(X, y)),
        ("sklearn logistic", lambda: scikit_figures(X, y, timed)),
        ("river logistic scaled", lambda: river_figures(X, y)),
    ):
        if first not in mine:
            mine |= dict(play())
            PATH.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def streams(chosen: list[str]) -> Iterator[Dataset]:
    return (e for e in datasets("binary") if not chosen or e.name in chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=[], help="only these data sets")
    chosen = parser.parse_args()
    found = stored()
    for entry in streams(chosen.sets):
        print(entry.name, file=sys.stderr, flush=True)
        replay(entry.name, entry.order == "time", *entry.load(), found)


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing

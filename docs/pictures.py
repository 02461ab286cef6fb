"""The pictures of README and home page. ``python docs/pictures.py`` draws them.

``run.svg``: scikit-learn's handwritten digits in their order, each predicted before its label is seen; the
share of mistakes among the last 100 rows.

``regret.svg``: Vovk-Azoury-Warmuth on scikit-learn's diabetes data, raw targets: after T rounds, the regret
against the best u in hindsight of those T rounds, and the bound a/2·‖u‖² + Y²/2·Σ x_tᵀA_t⁻¹x_t for the same
u.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from fenchel import learners
from fenchel.report.claims import EmbeddedData, forecaster
from fenchel.report.plot import Axis, Series, draw

STATIC = Path(__file__).parent / "_static"
MILLION = 1e6
WINDOW = 100


def run() -> str:
    """The share of mistakes along a stream of digits, as SVG."""
    X, y = load_digits(return_X_y=True)
    named = {
        "auto, nothing chosen": learners.auto("multiclass"),
        "one Perceptron a class": learners.one_against_rest(learners.perceptron()),
    }
    rounds = np.arange(WINDOW, len(y) + 1, 20)
    found = []
    for name, learner in named.items():
        wrong = learner.decode_many(learner.learn_many(X, y)) != y
        sums = np.concatenate([[0], np.cumsum(wrong)])
        shares = 100.0 * (sums[rounds] - sums[rounds - WINDOW]) / WINDOW
        found.append(Series(name, rounds, shares))
    title = "Handwritten digits, learned as they arrive"
    return draw(title, Axis("rows so far"), Axis(f"mistakes in the last {WINDOW} rows, %"), found)


def picture() -> str:
    """Regret and bound along the stream, as SVG."""
    diabetes = EmbeddedData().numbers()[0]
    regret, bound, _ = forecaster.curves(forecaster.followed(diabetes))
    scaled = [
        Series(one.name, one.x, [value / MILLION for value in one.y]) for one in (regret, bound)
    ]
    title = "Measured regret of Vovk-Azoury-Warmuth stays under its proven bound"
    return draw(title, Axis("rounds", log=True), Axis("half squared loss, millions"), scaled)


if __name__ == "__main__":
    STATIC.mkdir(exist_ok=True)
    for name, drawn in (("run", run), ("regret", picture)):
        (STATIC / f"{name}.svg").write_text(drawn() + "\n", encoding="utf-8")
        print(STATIC / f"{name}.svg")

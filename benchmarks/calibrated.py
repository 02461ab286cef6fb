"""Whether scikit-learn's calibration finds anything to gain over the probabilities of ``auto``.

``python -m benchmarks.calibrated`` writes ``CALIBRATED.md``: of the six largest binary sets 20,000 rows
each (``--rows N``), drawn by a seed, four fifths to fit and one to score. ``OnlineClassifier("auto")``
by itself, and inside ``CalibratedClassifierCV`` with a sigmoid and with isotonic regression: one model
of all rows, its calibration learned from three folds (``ensemble=False``, since five models are better
than one for another reason). Log loss of the last fifth; a gain is what the better calibration takes off
it.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

from benchmarks import probability_peers
from fenchel.estimators import OnlineClassifier

PATH = Path(__file__).with_name("CALIBRATED.md")
SETS = ["kddcup_attacks", "w8a", "a9a", "adult", "elec2", "magic04"]
METHODS = ["sigmoid", "isotonic"]


def losses(entry, rows):
    X, y = entry.load()
    drawn = np.random.default_rng(0).permutation(len(y))[:rows]
    X, y = X[drawn], (y[drawn] > 0).astype(int)
    cut = int(0.8 * len(y))
    models = [OnlineClassifier("auto")]
    models += [
        CalibratedClassifierCV(OnlineClassifier("auto"), method=m, cv=3, ensemble=False)
        for m in METHODS
    ]
    fitted = (model.fit(X[:cut], y[:cut]) for model in models)
    return [log_loss(y[cut:], model.predict_proba(X[cut:]), labels=[0, 1]) for model in fitted]


def main(rows):
    text = "# Calibration\n\n" + (__doc__ or "").split("\n\n", 1)[1] + "\n"
    text += "| set | auto | sigmoid | isotonic | gain |\n|---|---:|---:|---:|---:|\n"
    for entry in sorted(probability_peers.streams(SETS), key=lambda e: SETS.index(e.name)):
        found = losses(entry, rows)
        gain = 1.0 - min(found[1:]) / found[0]
        cells = [entry.name, *(f"{value:.5f}" for value in found), f"{gain:+.2%}"]
        print(*cells, flush=True)
        text += "| " + " | ".join(cells) + " |\n"
    PATH.write_text(text)


if __name__ == "__main__":
    main(int(sys.argv[sys.argv.index("--rows") + 1]) if "--rows" in sys.argv else 20_000)

"""Raw, unscaled public data never drives a learner to NaN or to an infinite weight."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import CASES, PLAIN

from fenchel import learners
from real_data import real_streams

pytestmark = pytest.mark.skipif(PLAIN, reason="too many rows for plain Python")

ROWS = 1000
MOST_FULL = 300  # columns of a full matrix
TAPS = 16
REGRESSION = {"passive_aggressive": "epsilon_insensitive"} | dict.fromkeys(
    (
        "scale_invariant_p_norm",
        "scale_invariant_adagrad",
        "coin_betting",
        "scinol",
        "freegrad",
    ),
    "absolute",
)


def streams(task):
    """(name, X, y) of every stream as rows and targets of this task, ±1 for two classes."""
    if task == "binary":
        yield from real_streams("binary", rows=ROWS)
        for name, X, y in real_streams("multiclass", rows=ROWS):
            classes, counts = np.unique(y, return_counts=True)
            yield name, X, np.where(y == classes[counts.argmax()], 1.0, -1.0)
    else:
        yield from real_streams("regression", rows=ROWS)
        for name, reference, desired in real_streams("signal", rows=ROWS):
            windows = np.lib.stride_tricks.sliding_window_view(reference, TAPS)
            yield name, windows, desired[TAPS - 1 :]


@pytest.fixture(scope="module")
def loaded():
    return {task: list(streams(task)) for task in ("binary", "regression")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_weights_and_margins_stay_finite(case, loaded):
    for task in case.tasks:
        chosen = dict(case.fixed)
        if task == "regression" and case.losses:
            chosen["loss"] = REGRESSION.get(case.name, "squared")
        for name, X, y in loaded[task]:
            if case.full and X.shape[1] > MOST_FULL:
                continue
            rows = 100 if case.full and X.shape[1] > 50 else ROWS
            learner = learners.from_parameters(case.name, chosen)
            margins = learner.learn_many(sp.csr_array(X[:rows]), y[:rows])
            assert np.isfinite(margins).all(), (name, task)
            assert np.isfinite(learner.weights()).all(), (name, task)
            assert np.isfinite(learner.bias), (name, task)

"""``auto`` in other units, on real sets: the same bits for powers of two, the same up to rounding else."""

import numpy as np
import pytest

from fenchel import learners
from real_data import real_streams

# The sets on which other units once changed predictions, by up to a fifth of the largest.
SETS = {"compactiv": "regression", "airfoil": "regression", "splice": "binary"}
ROWS = 1500
LAGS = 12


def predictions(task, X, y, factors):
    return learners.auto(task).learn_many(np.ascontiguousarray(X * factors), y)


def real(name):
    task = SETS[name]
    ((_, X, y),) = real_streams(task, name, rows=ROWS)
    return task, X.toarray() if hasattr(X, "toarray") else np.asarray(X), y


def sunspots():
    """Each month from the twelve before it: integers and tenths, with many ties."""
    from benchmarks.loaders import DataMissingError, data_folder

    try:
        path = data_folder() / "sunspots" / "monthly-sunspots.csv"
    except DataMissingError as missing:
        pytest.skip(str(missing))
    series = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=1)[: ROWS + LAGS]
    X = np.lib.stride_tricks.sliding_window_view(series, LAGS)[:-1]
    return "regression", X, series[LAGS:]


@pytest.mark.parametrize("name", [*SETS, "sunspots"])
def test_units_change_nothing(name):
    task, X, y = sunspots() if name == "sunspots" else real(name)
    rng = np.random.default_rng(0)
    plain = predictions(task, X, y, np.ones(X.shape[1]))
    twos = 2.0 ** rng.integers(-30, 31, X.shape[1])
    assert np.array_equal(predictions(task, X, y, twos), plain)
    others = 10.0 ** rng.uniform(-6.0, 6.0, X.shape[1])
    apart = np.abs(predictions(task, X, y, others) - plain).max() / np.abs(plain).max()
    assert apart <= 1e-6

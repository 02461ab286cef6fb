import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from fenchel.estimators import EXPECTED_FAILED_CHECKS, OnlineClassifier, OnlineRegressor

BATTERY = Path(__file__).with_name("battery.py")


def test_every_tenth_learner_passes_the_whole_battery():
    """``python tests/estimators/battery.py`` runs all."""
    done = subprocess.run(
        [sys.executable, str(BATTERY), "10"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith(" 0 failures")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        OnlineClassifier("arow"),
        OnlineRegressor("p_norm_lms"),
        OnlineClassifier(),
        OnlineRegressor(),
    ],
    ids=["arow", "p_norm_lms", "auto of classes", "auto of numbers"],
)
def test_compiled_too(estimator):
    assert SkipTestWarning is not None
    check_estimator(estimator, expected_failed_checks=EXPECTED_FAILED_CHECKS)


@pytest.mark.parametrize("learner", ["arow", "vovk_azoury_warmuth", "auto"])
def test_learning_goes_on_after_a_mapped_pickle(learner, tmp_path):
    X, y = np.random.default_rng(0).standard_normal((60, 5)), np.arange(60.0) % 7
    made = OnlineRegressor(learner) if learner != "arow" else OnlineClassifier(learner)
    y = y if learner != "arow" else y > 3.0
    made.fit(X, y)
    joblib.dump(made, tmp_path / "made.joblib")
    mapped = joblib.load(tmp_path / "made.joblib", mmap_mode="r")
    np.testing.assert_array_equal(mapped.predict(X), made.predict(X))
    mapped.partial_fit(X, y)
    np.testing.assert_array_equal(mapped.predict(X), made.partial_fit(X, y).predict(X))

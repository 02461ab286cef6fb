import os
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from fenchel.estimators import OnlineClassifier, OnlineRegressor

BATTERY = Path(__file__).with_name("battery.py")


def test_every_learner_passes_the_whole_battery():
    done = subprocess.run(
        [sys.executable, str(BATTERY)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith(" 0 failures")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", [OnlineClassifier("arow"), OnlineRegressor("p_norm_lms")])
def test_compiled_too(estimator):
    assert SkipTestWarning is not None
    check_estimator(estimator)

"""The examples of adaptive filters, on signals that are always there."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "filters"


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("FENCHEL_DATA", "/nowhere")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, "signals", raising=False)
    yield lambda name: runpy.run_path(str(EXAMPLES / f"{name}.py"))
    sys.modules.pop("signals", None)


def test_the_echo_and_the_noise_are_cancelled(run):
    echo, noise = run("echo"), run("noise")
    assert np.mean(echo["left"] ** 2) < 0.2 * np.mean(echo["microphone"] ** 2)
    assert np.mean(noise["child"] ** 2) < 0.2 * np.mean(noise["belly"] ** 2)


def test_the_system_is_found_within_its_bound(run):
    example = run("system")
    np.testing.assert_allclose(example["system"].coef_[:6], example["ROOM"], atol=0.1)
    assert example["filtering"].holds
    regret = example["system"].regret(example["ROOM"], example["played"], example["output"])
    assert regret == pytest.approx(example["filtering"].achieved)


def test_prediction_is_better_than_repeating(run):
    example = run("prediction")
    assert np.mean(example["error"] ** 2) < 0.5 * np.mean(example["steps"] ** 2)

"""The examples of adaptive filters, on signals that are always there."""

import gzip
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "filters"


@pytest.fixture
def run(monkeypatch):
    monkeypatch.delenv("FENCHEL_DATA", raising=False)
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


def test_a_made_up_signal_is_said_to_be_one_and_what_would_give_the_recording(
    run, monkeypatch, capsys, tmp_path
):
    run("signals")["heart"]()
    needed = "ecg_mitbih208/ecg_mlii_adc.txt.gz"
    assert capsys.readouterr().err == (
        f"a made-up signal: set FENCHEL_DATA to a folder with {needed}\n"
    )
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path))
    run("signals")["heart"]()
    assert capsys.readouterr().err == f"a made-up signal: {tmp_path} has no {needed}\n"
    (tmp_path / needed).parent.mkdir()
    with gzip.open(tmp_path / needed, "wt") as file:
        file.write("1024\n1224\n")
    np.testing.assert_allclose(run("signals")["heart"](), [0.0, 1.0])
    assert capsys.readouterr().err == ""

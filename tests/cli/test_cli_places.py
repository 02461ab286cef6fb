"""No command destroys what it was given, and nothing that was there is lost on a full disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.cli_helpers import run

ROWS = "a,y\n0.5,1\n-1.0,0\n2.0,1\n-0.5,0\n"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(ROWS)
    return str(path)


@pytest.fixture
def model(tmp_path, data):
    path = str(tmp_path / "m.fenchel")
    run("train", data, "--learner", "perceptron", "--save", path, "--quiet")
    return path


def refused_and_unchanged(files, *command):
    before = [Path(file).read_bytes() for file in files]
    run(*command, status=2)
    assert [Path(file).read_bytes() for file in files] == before


@pytest.mark.parametrize("option", ["--json", "--predictions"])
def test_resumed_model_is_not_overwritten_by_text(data, model, option):
    refused_and_unchanged([model, data], "train", data, "--resume", model, option, model)


def test_two_outputs_are_not_one_file(data, tmp_path):
    out = str(tmp_path / "out")
    refused_and_unchanged([data], "train", data, "--save", out, "--json", out)
    assert not os.path.exists(out)


@pytest.mark.parametrize("option", ["--save", "--json", "--predictions"])
def test_data_is_not_overwritten(data, option):
    refused_and_unchanged([data], "train", data, option, data)


def test_a_model_is_no_text_for_standard_output(data):
    refused_and_unchanged([data], "train", data, "--save", "-")


def fenchel(*command, **given):
    return subprocess.run(
        [sys.executable, "-m", "fenchel", *command], capture_output=True, text=True, **given
    )


def test_standard_input_is_not_overwritten(data):
    with open(data) as file:
        done = fenchel("train", "-", "--format", "csv", "--save", data, stdin=file)
    assert done.returncode == 2
    assert "this is what is read" in done.stderr
    assert Path(data).read_text() == ROWS


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is full")
def test_full_standard_output_is_no_traceback(data, model):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fenchel", "predict", model, data],
            stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("No space left") or "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_closed_standard_output_is_no_traceback(data, model):
    shell = f"{sys.executable} -m fenchel predict {model} {data} >&-"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "standard output" in done.stderr


def test_predictions_stay_where_new_ones_cannot_be_written(data, model, tmp_path, monkeypatch):
    out = tmp_path / "p"
    out.write_text("earlier")
    from fenchel.cli import results

    def failing(label):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(results, "shown", failing)
    run("predict", model, data, "--output", str(out), status=1)
    assert out.read_text() == "earlier"
    assert len(list(tmp_path.glob(".fenchel-*"))) == 0


def test_a_model_that_another_process_goes_on_with_is_refused(data, model):
    from fenchel.cli.places import ModelClaim

    holder = ModelClaim(model)
    done = run("train", data, "--resume", model, "--save", model, status=1)
    assert "another process goes on with it" in done.stderr
    run("train", data, "--resume", model, "--save", model + "2", "--quiet")
    del holder

"""``fenchel export``, ``explain``, ``diff``, and what ``inspect`` tells programs and readers."""

import json
import subprocess
import sys

import pytest
from cli_helpers import run, write_lines

ROWS = ["size,color,y"] + [
    f"{k % 7},{'red' if k % 3 else 'blue'},{'yes' if k % 7 + 2 * (k % 3 > 0) > 4 else 'no'}"
    for k in range(200)
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_lines(folder / "d.csv", ROWS)
    for name, spec in (("auto", "auto"), ("plain", "perceptron"), ("arow", "arow")):
        run("train", folder / "d.csv", "--learner", spec, "--save", folder / name, "--quiet")
    return folder


def test_an_export_predicts_as_the_command_does(place):
    run("export", place / "auto", "--to", "python", "--output", place / "m.py")
    with open(place / "d.csv") as rows:
        command = [sys.executable, "-I", "-S", place / "m.py"]
        done = subprocess.run(command, stdin=rows, capture_output=True, text=True, check=True)
    assert done.stdout == run("predict", place / "auto", place / "d.csv", "--quiet").stdout


def test_a_learner_that_is_not_linear_is_refused_unless_its_weights_are_asked_for(place):
    told = run("export", place / "arow", "--to", "sql", status=1).stderr
    assert "arow predicts as its next round would" in told
    assert "--weights" in told
    assert "AS prediction" in run("export", place / "arow", "--to", "sql", "--weights").stdout


def test_contributions_add_up_to_the_margin(place):
    for model in ("auto", "plain", "arow"):
        told = run("explain", place / model, place / "d.csv", "--json").stdout.splitlines()
        assert len(told) == 200
        for line in map(json.loads, told):
            assert sum(line["contributions"].values()) == pytest.approx(line["margin"], abs=1e-9)
            if model == "plain":
                assert line["is_exact"]
                assert (line["margin"] > 0.0) == (line["prediction"] == line["output"])
    text = run("explain", place / "plain", place / "d.csv", "--top", "1").stdout
    assert text.startswith("row 1: ")
    assert "others together" in text


def test_what_changed_between_two_models(place):
    write_lines(place / "more.csv", [ROWS[0], "9,green,yes", "9,green,no"])
    run(
        "train",
        place / "more.csv",
        "--resume",
        place / "plain",
        "--save",
        place / "later",
        "--quiet",
    )
    said = run("diff", place / "plain", place / "later").stdout
    assert "rounds      200 → 202" in said
    assert "color=green" in said
    told = json.loads(run("diff", place / "plain", place / "later", "--json").stdout)
    assert told["weights"][0]["before"] != told["weights"][0]["after"]
    assert "No weight differs." in run("diff", place / "plain", place / "plain").stdout


def test_features_are_ranked_by_the_evidence_they_carried(place):
    assert "evidence: |weight|·Σ|x|" in run("inspect", place / "auto").stdout
    said = run("inspect", place / "plain", "--data", place / "d.csv").stdout
    assert "at its usual size" in said
    told = json.loads(run("inspect", place / "auto", "--json").stdout)
    shares = [each["evidence"] for each in told["weights"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0)


def test_a_model_card(place):
    card = run("inspect", place / "auto", "--card", "--data", place / "d.csv").stdout
    assert card.startswith("# Model card: auto\n")
    for part in ("| learner | `auto` |", "| color | category |", "## Certificate", "| error |"):
        assert part in card, part


def test_labels_alone_are_said_and_options_of_the_file_refused(tmp_path):
    model, file = tmp_path / "m", tmp_path / "model.py"
    run("train", "breast_cancer", "--learner", "perceptron", "--save", model, "--quiet")
    said = run("export", model, "--to", "python", "--output", file).stderr
    assert "labels alone; fenchel predict --proba has them" in said
    done = subprocess.run([sys.executable, file, "--proba"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "takes no options" in done.stderr

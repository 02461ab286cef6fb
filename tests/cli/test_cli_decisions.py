"""Probabilities, intervals, scores and the test of a model, on the command line."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from fenchel.cli.app import main

RNG = np.random.default_rng(2)


def run(*arguments):
    done = CliRunner().invoke(main, [str(a) for a in arguments])
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def files(tmp_path):
    X = RNG.normal(size=(120, 2))
    label = np.where(X @ [2.0, -1.0] + RNG.normal(size=120) > 0.0, "yes", "no")
    number = X @ [2.0, -1.0] + RNG.normal(size=120)
    for name, y in (("classes", label), ("numbers", number)):
        rows = [[f"r{k}", *x, target] for k, (x, target) in enumerate(zip(X, y, strict=True))]
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["key", "a", "b", "y"], *rows])
    return tmp_path


def trained(folder, name, *options):
    model = folder / "m.fenchel"
    common = ("--label", "y", "--id", "key", "--save", model, "--quiet")
    run("train", folder / f"{name}.csv", "--learner", options[0], *common, *options[1:])
    return model


def test_predictions_come_with_what_was_asked_for(files):
    model = trained(files, "classes", "arow")
    asked = ("--id", "--proba", "--margin", "--top", 1, "--output", files / "p.csv", "--quiet")
    run("predict", model, files / "classes.csv", *asked)
    with (files / "p.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["id"] == "r0"
    assert {"prediction", "margin", "proba:yes", "proba:no", "class:1", "chance:1"} <= set(rows[0])
    assert float(rows[0]["proba:yes"]) + float(rows[0]["proba:no"]) == pytest.approx(1.0)


def test_a_dear_miss_is_avoided(files):
    model = trained(files, "classes", "arow")
    said = {}
    for miss in (1, 1000):
        out = files / f"{miss}.txt"
        run("predict", model, files / "classes.csv", "--cost", 1, miss, "--output", out, "--quiet")
        said[miss] = out.read_text().split()
    positive = max(set(said[1000]), key=said[1000].count)
    assert said[1000].count(positive) > said[1].count(positive)


@pytest.mark.parametrize("costs", [("-1", "1"), ("0", "0"), ("nan", "1"), ("1", "inf")])
@pytest.mark.parametrize("command", ["predict", "test"])
def test_costs_that_decide_nothing_are_refused(files, command, costs):
    model = trained(files, "classes", "arow")
    arguments = [command, str(model), str(files / "classes.csv"), "--cost", *costs]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert "finite numbers of 0 or more, and not both 0" in done.output


def test_intervals_are_trained_and_predicted_as_json_lines(files):
    model = trained(files, "numbers", "normalized_lms", "--interval", 0.8, "--task", "regression")
    out = files / "p.jsonl"
    run("predict", model, files / "numbers.csv", "--interval", 0.8, "--output", out, "--quiet")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 120
    assert all(row["lower"] <= row["upper"] for row in rows)


def test_a_model_is_tested_without_learning(files):
    model = trained(files, "classes", "arow", "--metric", "log_loss", "--metric", "auc")
    before = model.read_bytes()
    report, figures = files / "t.html", files / "t.json"
    run("test", model, files / "classes.csv", "--json", figures, "--report", report, "--quiet")
    found = json.loads(figures.read_text())
    assert found["rounds"] == 120
    assert {"error", "log_loss", "auc", "brier", "ece", "f1"} <= set(found["metrics"])
    assert found["metrics"]["error"] < 0.4
    assert report.read_text().count("<svg") == 4
    assert model.read_bytes() == before


def test_a_metric_of_another_task_is_refused(files):
    done = CliRunner().invoke(
        main,
        [
            "train",
            str(files / "classes.csv"),
            "--label",
            "y",
            "--learner",
            "arow",
            "--metric",
            "r2",
        ],
    )
    assert done.exit_code == 2
    assert "is for regression" in done.output


def test_weights_of_classes_are_for_learning_and_not_for_the_score(files):
    figures, predictions = files / "f.json", files / "p.txt"
    options = ["--class-weight", "balanced", "--metric", "error", "--metric", "recall"]
    trained(files, "classes", "arow", *options, "--json", figures, "--predictions", predictions)
    with open(files / "classes.csv", newline="") as lines:
        labels = [row["y"] for row in csv.DictReader(lines)]
    told = predictions.read_text().splitlines()
    wrong = sum(label != said for label, said in zip(labels, told, strict=True))
    (score,) = json.loads(figures.read_text())["learners"]
    assert wrong == score["mistakes"]
    assert score["loss"] == score["error"] == pytest.approx(wrong / len(labels), rel=1e-12)
    assert score["metrics"]["error"] == pytest.approx(wrong / len(labels), rel=1e-12)


def test_balanced_classes_are_for_classes(files):
    figures = files / "f.json"
    trained(
        files,
        "classes",
        "arow",
        "--class-weight",
        "balanced",
        "--metric",
        "recall",
        "--json",
        figures,
    )
    assert json.loads(figures.read_text())["learners"][0]["metrics"]["recall"] > 0.5
    done = CliRunner().invoke(
        main,
        ["train", str(files / "numbers.csv"), "--label", "y", "--learner", "lms", "--task", "regression",
         "--class-weight", "balanced"],
    )  # fmt: skip
    assert done.exit_code == 2

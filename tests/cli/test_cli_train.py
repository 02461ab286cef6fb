"""``fenchel train``: what it says, what it writes."""

import json

import numpy as np
import pytest
from cli_helpers import run, text_lines, write_lines
from sklearn.datasets import load_breast_cancer, load_diabetes

from fenchel import Learner, learners
from fenchel.cli.sources import Data, begin
from fenchel.cli.tasks import GUESS_ROWS, guess_task
from fenchel.streams import from_arrays


def test_a_run_tells_task_classes_table_and_totals() -> None:
    said = run("train", "breast_cancer", "--learner", "arow").stderr
    assert "binary (guessed from the labels)" in said
    assert "malignant is −1, benign is +1" in said
    lines = said.splitlines()
    assert [line.split()[2] for line in lines if line.endswith("30") and "." in line] == [
        "1", "2", "4", "8", "16", "32", "64", "128", "256", "512"
    ]  # fmt: skip
    assert "best constant  0.372583 (always benign)" in said
    assert max(map(len, lines)) <= 80


def test_the_table_is_the_progressive_loss(tmp_path) -> None:
    run("train", "breast_cancer", "--learner", "arow", "--json", tmp_path / "j", "--quiet")
    found = json.loads((tmp_path / "j").read_text())
    X, y = load_breast_cancer(return_X_y=True)
    margins = learners.arow().learn_many(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    (entry,) = found["learners"]
    assert found["rounds"] == 569
    assert found["features"] == 30
    assert found["task"] == "binary"
    assert found["best_constant_loss"] == pytest.approx(np.mean(y == 0))
    assert entry["spec"] == "arow"
    assert entry["mistakes"] == int(np.sum(signs * margins <= 0))
    assert entry["margin_errors"] == int(np.sum((signs * margins > 0) & (signs * margins < 1)))
    assert entry["updates"] == entry["mistakes"] + entry["margin_errors"]
    assert entry["error"] == entry["loss"] == pytest.approx(entry["mistakes"] / 569)


def test_regression_is_guessed_and_scored_by_squares(tmp_path) -> None:
    said = run(
        "train", "diabetes", "--learner", "vovk-azoury-warmuth", "--json", tmp_path / "j"
    ).stderr
    X, y = load_diabetes(return_X_y=True)
    margins = learners.vovk_azoury_warmuth().learn_many(X, y)
    found = json.loads((tmp_path / "j").read_text())
    assert "regression (guessed from the labels)" in said
    assert found["learners"][0]["loss"] == pytest.approx(np.mean((margins - y) ** 2))
    assert found["learners"][0]["mistakes"] is None
    assert found["best_constant_loss"] == pytest.approx(np.var(y))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (("0", "1"), "0 is −1, 1 is +1"),
        (("-1", "1"), "-1 and 1"),
        (("2", "1"), "2 is −1, 1 is +1"),
        (("false", "true"), "false is −1, true is +1"),
        (("ham", "spam"), "ham is −1, spam is +1"),
    ],
)
def test_labels_of_any_coding_are_recognised_and_told(tmp_path, labels, classes) -> None:
    rows = [f"{x},{labels[x > 0]}" for x in (-1, 2, 3, -4)]
    data = write_lines(tmp_path / "d.csv", ["x,kind", *rows])
    assert f"classes        {classes}" in run("train", data, "--learner", "perceptron").stderr
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m")
    predicted = run("predict", tmp_path / "m", data, "--quiet").stdout.split()
    assert predicted == [labels[x > 0] for x in (-1, 2, 3, -4)]


def test_predictions_are_those_from_before_the_label(tmp_path) -> None:
    data = write_lines(tmp_path / "d.vw", ["1 | a", "1 | a", "-1 | b", "-1 | a"])
    run("train", data, "--learner", "perceptron", "--predictions", tmp_path / "p")
    assert (tmp_path / "p").read_text().split() == ["-1", "1", "1", "1"]


def test_standard_input(tmp_path) -> None:
    said = run("train", "-", "--format", "vw", "--learner", "perceptron",
               stdin="1 | a\n-1 | b\n1 | a\n").stderr  # fmt: skip
    assert "rounds         3" in said


def test_passes_hold_every_tenth_row_out(tmp_path) -> None:
    lines = text_lines(100, "binary")
    data = write_lines(tmp_path / "d.vw", lines)
    options = ["--learner", "perceptron", "--passes", "2", "--json", tmp_path / "j"]
    said = run("train", data, *options, "--save", tmp_path / "m").stderr
    assert "pass 2         loss" in said
    assert "10 rows held out" in said
    found = json.loads((tmp_path / "j").read_text())
    assert found["rounds"] == 90
    assert found["held_out"]["rounds"] == 10
    # The same learner, told only the other rows, twice.
    kept = [line for k, line in enumerate(lines) if k % 10 != 9]
    data = write_lines(tmp_path / "kept.vw", kept * 2)
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "twice")
    once, twice = (Learner.load(tmp_path / name) for name in ("m", "twice"))
    assert once.rounds == twice.rounds == 180
    assert {k: v for k, v in once.weights().items() if v} == {
        k: v for k, v in twice.weights().items() if v
    }


def test_checkpoints_are_saved_at_the_very_round(tmp_path, monkeypatch) -> None:
    saved = []
    monkeypatch.setattr("fenchel.cli.models.save", lambda learner, *_: saved.append(learner.rounds))
    data = write_lines(tmp_path / "d.vw", text_lines(50, "binary"))
    run(
        "train", data, "--learner", "perceptron", "--save", tmp_path / "m", "--checkpoint-every", 20
    )
    assert saved == [20, 40, 50]


def test_bad_lines_can_be_skipped(tmp_path) -> None:
    data = write_lines(tmp_path / "d.svm", ["1 1:1", "1 oops", "-1 2:1", "1 3:nan"])
    said = run("train", data, "--learner", "perceptron", "--on-error", "skip").stderr
    assert "skipped        2 lines" in said
    assert "d.svm:2:3" in said


def test_importance_counts_in_the_average_loss(tmp_path) -> None:
    data = write_lines(tmp_path / "d.vw", ["1 3.0 | a", "1 1.0 | a"])
    run("train", data, "--learner", "perceptron", "--task", "binary", "--json", tmp_path / "j")
    (entry,) = json.loads((tmp_path / "j").read_text())["learners"]
    assert entry["loss"] == 0.75
    assert entry["error"] == 0.5


def test_shuffling_embedded_data_is_repeatable(tmp_path) -> None:
    runs = []
    for seed in (1, 1, 2):
        run("train", "wine", "--learner", "perceptron", "--shuffle", seed, "--json", tmp_path / "j")
        runs.append(json.loads((tmp_path / "j").read_text())["learners"][0]["mistakes"])
    assert runs[0] == runs[1] != runs[2]


def test_quiet_says_nothing(tmp_path) -> None:
    done = run("train", "breast_cancer", "--learner", "perceptron", "--quiet",
               "--save", tmp_path / "m")  # fmt: skip
    assert done.output == ""


def test_a_row_without_a_label_is_predicted_where_it_stands(tmp_path) -> None:
    lines = {
        "d.vw": "| a\n1 | a\n-1 | b\n| a\n| b\n1 | a\n",
        "d.csv": "a,b,y\n1,0,\n1,0,1\n0,1,-1\n1,0,\n0,1,\n1,0,1\n",
        "d.jsonl": '{"a":1}\n{"a":1,"y":1}\n{"b":1,"y":-1}\n{"a":1}\n{"b":1}\n{"a":1,"y":1}\n',
    }
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
        options = ["--learner", "perceptron:intercept=no", "--predictions", tmp_path / "p"]
        assert "rounds         3" in run("train", tmp_path / name, *options).stderr
        assert (tmp_path / "p").read_text() == "\n-1\n\n1\n-1\n1\n", name
        assert "label is missing" in run("train", tmp_path / name, status=1).stderr


def test_words_as_labels_may_be_missing_too(tmp_path) -> None:
    data = write_lines(tmp_path / "d.vw", ["spam | a", "| a", "ham | b", "| a"])
    run("train", data, "--learner", "perceptron", "--predictions", tmp_path / "p")
    assert (tmp_path / "p").read_text().split("\n") == ["", "spam", "spam", "spam", ""]
    data = write_lines(tmp_path / "none.vw", ["| a", "| b"])
    told = run("train", data, "--predictions", tmp_path / "p", status=1).stderr
    assert "none of the first 2 rows has a label" in told


def test_the_task_is_guessed_alike_from_a_file_and_from_a_slow_pipe() -> None:
    blocks = [from_labels([2.0]), from_labels([2.0, 3.0]), from_labels([4.5] * 2000)]
    first, rest = begin(Data("-", iter(blocks)), quiet=True, rows=GUESS_ROWS)
    assert guess_task(first.labels[:GUESS_ROWS]) == "regression"
    assert [len(block) for block in rest] == [2003]


def from_labels(labels):
    return next(iter(from_arrays(np.ones((len(labels), 1)), np.array(labels))))


def test_a_round_that_decided_nothing_shows_no_prediction(tmp_path) -> None:
    data = write_lines(tmp_path / "d.vw", ["spam | a", "ham | b", "ham | b"])
    said = run("train", data, "--learner", "perceptron", "--predictions", tmp_path / "p").stderr
    first = next(line for line in said.splitlines() if line.split()[2:3] == ["1"])
    assert first.split() == ["1.000000", "1.000000", "1", "spam", "–", "1"]
    assert (tmp_path / "p").read_text().split("\n")[0] == ""

"""Losses asked for on the command line: what they are called, and which learners take them."""

import numpy as np
import pytest
from cli_helpers import run, write_lines


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    numbers, counts = X @ [1.0, -2.0], rng.poisson(np.exp(0.5 + 0.5 * X[:, 0]))
    for name, y in (("numbers", numbers), ("counts", counts)):
        rows = [f"{a:.4f},{b:.4f},{label:g}" for (a, b), label in zip(X, y, strict=True)]
        write_lines(tmp_path / f"{name}.csv", ["a,b,y", *rows])
    return tmp_path


def test_without_learners_those_that_take_the_loss_compete(files) -> None:
    said = run("compare", files / "counts.csv", "--task", "count", "--quiet").stdout
    assert "normalized_adaptive_gradient" in said
    assert "coin_betting" not in said
    said = run("compare", "breast_cancer", "--loss", "logistic", "--quiet").stdout
    assert "coin_betting" in said
    assert "auto" not in said


def test_a_quantile_is_named_by_its_level(files) -> None:
    told = run("train", files / "numbers.csv", "--task", "quantile", "--save", files / "m").stderr
    assert "auto:task=regression,loss=quantile:0.5" in told
    same = (
        "--task",
        "regression",
        "--learner",
        "normalized_adaptive_gradient:loss=quantile:0.9",
    )
    assert "gradient:loss=quantile:0.9" in run("train", files / "numbers.csv", *same).stderr


@pytest.mark.parametrize("wrong", ["quantile:1.5", "quantile:0", "quantile:much", "quantile:nan"])
@pytest.mark.parametrize("command", ["train", "compare"])
def test_levels_lie_between_0_and_1(files, command, wrong) -> None:
    for task in ((), ("--task", "quantile"), ("--task", "regression")):
        told = run(command, files / "numbers.csv", *task, "--loss", wrong, status=2).stderr
        assert "the level lies between 0 and 1" in told


def test_a_learner_without_a_choice_of_loss_is_refused_for_its_task(files) -> None:
    count = ("train", files / "counts.csv", "--task", "count")
    told = run(*count, "--learner", "arow", status=2).stderr
    assert "arow is for two classes: --task count needs a learner of numbers" in told
    assert "leave --loss out" not in told
    told = run(*count, "--learner", "vovk_azoury_warmuth", status=2).stderr
    assert "vovk_azoury_warmuth has a loss of its own: --task count needs" in told
    named = ("--loss", "hinge", "--learner", "arow")
    assert "leave --loss out" in run("train", "breast_cancer", *named, status=2).stderr

"""Quantiles and counts are told in the loss of their task, wherever numbers are told."""

import json

import numpy as np
import pytest
from cli_helpers import run, write_lines

RNG = np.random.default_rng(4)
X = RNG.normal(size=(1500, 2))
Y = X @ [1.0, -2.0] + np.exp(X[:, 0] / 2.0) * RNG.normal(size=1500)
COUNTS = RNG.poisson(np.exp(0.5 + 0.5 * X[:, 0]))
TAU = 0.9
LEARNERS = ("--learner", "normalized_adaptive_gradient", "--learner", "ftrl_proximal")
QUANTILE = ("--task", "quantile", "--loss", f"quantile:{TAU}")


def pinball(predicted, y):
    return np.maximum(TAU * (y - predicted), (TAU - 1.0) * (y - predicted))


def deviance(predicted, y):
    predicted = np.maximum(predicted, 5e-324)
    logs = np.log(np.maximum(y, 1.0)) - np.log(predicted)
    return 2.0 * (np.where(y > 0, y * logs, 0.0) - y + predicted)


@pytest.fixture
def files(tmp_path):
    for name, y in (("numbers", Y), ("counts", COUNTS)):
        rows = [f"{a:.4f},{b:.4f},{float(label)!r}" for (a, b), label in zip(X, y, strict=True)]
        write_lines(tmp_path / f"{name}.csv", ["a,b,y", *rows])
    return tmp_path


CASES = {
    "numbers": (QUANTILE, pinball, Y, float(np.sort(Y)[int(TAU * 1500) - 1]), f"quantile:{TAU}"),
    "counts": (("--task", "count"), deviance, COUNTS, float(COUNTS.mean()), "poisson"),
}


@pytest.mark.parametrize("name", CASES)
def test_training_tells_the_loss_of_the_task(files, name) -> None:
    task, loss, y, constant, metric = CASES[name]
    out, figures, model = files / "p.txt", files / "f.json", files / "m"
    some = ("--learner", "normalized_adaptive_gradient", "--save", model, "--horizon", "rest")
    told = run("train", files / f"{name}.csv", *task, *some, "--json", figures).stderr
    run("train", files / f"{name}.csv", *task, *some[:2], "--predictions", out, "--quiet")
    predicted = np.array(out.read_text().split(), float)
    found = json.loads(figures.read_text())
    losses = loss(predicted, y)
    (learner,) = found["learners"]
    assert learner["loss"] == pytest.approx(losses.mean(), rel=1e-9)
    assert learner["metrics"][metric] == pytest.approx(losses.mean(), rel=1e-9)
    assert found["recent"]["loss"] == pytest.approx(losses[-1000:].mean(), rel=1e-9)
    assert found["best_constant_loss"] == pytest.approx(loss(constant, y).mean(), rel=1e-9)
    assert found["previous_label_loss"] == pytest.approx(loss(y[:-1], y[1:]).mean(), rel=1e-9)
    assert found["frozen"] < found["best_constant_loss"]
    assert f"always {constant:.6g}" in told
    assert "squared" not in told
    tested = run("test", model, files / f"{name}.csv", "--json", figures, "--quiet").stdout
    found = json.loads(figures.read_text())
    run("predict", model, files / f"{name}.csv", "--output", out, "--quiet")
    losses = loss(np.array(out.read_text().split(), float), y)
    assert found["metrics"][metric] == pytest.approx(losses.mean(), rel=1e-9)
    assert found["best_constant_loss"] == pytest.approx(loss(constant, y).mean(), rel=1e-9)
    assert tested.splitlines()[2].startswith(metric)


def test_shards_and_intervals_tell_it_too(files) -> None:
    learner = ("--learner", "normalized_adaptive_gradient")
    told = run("train", files / "numbers.csv", *QUANTILE, *learner, "--interval", "0.8").stderr
    assert f"(quantile:{TAU})" in told
    told = run("train", files / "counts.csv", "--task", "count", *learner, "--workers", "1").stderr
    assert "(Poisson deviance, of the first round)" in told


def test_learners_of_several_losses_are_told_in_squared_errors(files) -> None:
    one, other = (
        f"normalized_adaptive_gradient:loss={loss}" for loss in ("squared", "quantile:0.9")
    )
    task = ("--task", "regression", "--json", "-", "--quiet", "--metric", "squared")
    told = run("compare", files / "numbers.csv", *task, "--learner", one, "--learner", other)
    for entry in json.loads(told.stdout)["learners"]:
        assert entry["loss"] == pytest.approx(entry["metrics"]["squared"], rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_comparing_tells_the_loss_of_the_task(files, name) -> None:
    task, loss, y, constant, metric = CASES[name]
    report, data = files / "r.html", files / f"{name}.csv"
    said = run("compare", data, *task, *LEARNERS, "--report", report).stdout
    assert metric in said.splitlines()[2]
    assert f"always {constant:.6g}, loss {loss(constant, y).mean():.6f}" in said
    assert "squared" not in said
    assert "squared" not in report.read_text()
    told = json.loads(run("compare", data, *task, *LEARNERS, "--json", "-", "--quiet").stdout)
    for entry in told["learners"]:
        assert entry["loss"] == pytest.approx(entry["metrics"][metric], rel=1e-9)

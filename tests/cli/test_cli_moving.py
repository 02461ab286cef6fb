"""``train`` and ``compare`` on streams that change: horizons, forgetting, what JSON tells."""

import json
from pathlib import Path

import numpy as np
import pytest
from cli_helpers import run


@pytest.fixture
def moving(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1200, 3))
    y = np.where((X @ [1.0, 1.0, 0.0]) * np.where(np.arange(1200) < 600, 1.0, -1.0) > 0.0, 1, 0)
    lines = [
        "a,b,c,y",
        *(f"{r[0]:.3f},{r[1]:.3f},{r[2]:.3f},{label}" for r, label in zip(X, y, strict=True)),
    ]
    path = tmp_path / "moving.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def figures(*arguments):
    return json.loads(run(*arguments, "--json", "-", "--quiet").stdout)


def test_json_tells_both_uses_and_the_change(moving):
    told = figures("train", moving, "--learner", "arow")
    assert told["next_round"] == told["learners"][0]["loss"]
    assert told["frozen"] > 0.0
    assert 0.3 < told["previous_label"] < 0.7
    assert 550 < told["changes"][0]["since"] < 700
    assert set(told["changes"][0]["moved"]) <= {"a", "b", "c"}


def test_a_horizon_is_harder_and_forgetting_helps(moving):
    now, late = (
        figures("train", moving, "--learner", "arow", *more)["learners"][0]["loss"]
        for more in ((), ("--horizon", "100"))
    )
    forgets = figures("train", moving, "--learner", "arow", "--half-life", "50")
    assert now < late
    assert forgets["learners"][0]["loss"] < now


def test_wrong_horizons_and_half_lives_are_refused(moving):
    assert "neither a number" in run("train", moving, "--horizon", "soon", status=2).stderr
    assert "needs --learner" in run("train", moving, "--half-life", "50", status=2).stderr


TWO = ("--learner", "arow", "--learner", "perceptron", "--learner", "passive_aggressive")


def test_compare_ranks_by_the_use_asked_for(moving):
    result = run("compare", moving, *TWO, "--horizon", "rest", "--json", "-", "--quiet")
    told = json.loads(result.stdout)
    assert told["horizon"] == "rest"
    frozen = [entry["frozen"] for entry in told["learners"]]
    assert frozen == sorted(frozen)
    assert all(entry["next_round"] == entry["loss"] for entry in told["learners"])
    best = told["learners"][0]["spec"]
    alone = figures("train", moving, "--learner", best, "--horizon", "rest")
    assert alone["frozen"] == frozen[0]
    said = run("compare", moving, *TWO, "--horizon", "rest").stdout
    assert "previous label: loss" in said
    assert "frozen on the rows ahead" in said
    assert f"Use {best}: share of mistakes {frozen[0]:.6f} frozen" in " ".join(said.split())
    assert "sign test" not in said
    assert "p =" not in said


def test_metrics_beside_frozen_use_are_told_to_be_of_the_next_round(moving, tmp_path):
    rest = ("--horizon", "rest", "--metric", "log_loss")
    report = tmp_path / "r.html"
    said = run("compare", moving, *TWO, *rest, "--report", report).stdout
    assert "next round" in said.splitlines()[4]
    assert "frozen on the rows ahead" in " ".join(said[said.index("Use") :].split())
    assert "no test" in report.read_text()
    told = figures("compare", moving, *TWO, *rest)
    assert told["metrics_of"] == "next round"
    assert [entry["frozen"] for entry in told["learners"]] == sorted(
        entry["frozen"] for entry in told["learners"]
    )
    assert "(next round)" in run("train", moving, "--learner", "arow", *rest).stderr
    assert "(next round)" not in run("train", moving, "--learner", "arow", *rest[2:]).stderr


def test_the_previous_label_is_told_where_labels_come_late(moving, tmp_path):
    lines = Path(moving).read_text().splitlines()
    waits = tmp_path / "waits.csv"
    rows = [f"{t % 5},{line}" for t, line in enumerate(lines[1:])]
    waits.write_text("\n".join([f"wait,{lines[0]}", *rows]))
    told = figures("train", waits, "--learner", "arow", "--delay", "wait")
    assert 0.3 < told["previous_label"] < 0.7
    assert told["previous_label_loss"] == told["previous_label"]

"""``train`` and ``compare`` on streams that change: horizons, forgetting, what JSON tells."""

import json

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


def test_compare_ranks_by_the_use_asked_for(moving):
    result = run(
        "compare", moving, "--learner", "arow", "--learner", "perceptron", "--horizon", "rest"
    )
    assert "previous label: loss" in result.stdout
    assert "frozen on the rows ahead" in result.stdout

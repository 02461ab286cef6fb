"""``--certify``: what the theorems promised, beside what the run achieved."""

import json

import pytest
from cli_helpers import run, text_lines, write_lines

KEYS = {"theorem", "achieved", "bound", "slack", "holds", "verdict", "comparator"}


def certificates(file):
    return {e["spec"]: e["certificate"] for e in json.loads(file.read_text())["learners"]}


def test_train_tells_every_theorem_and_the_regret(tmp_path) -> None:
    done = run("train", "breast_cancer", "--learner", "perceptron", "--certify",
               "--json", tmp_path / "j")  # fmt: skip
    (found,) = certificates(tmp_path / "j").values()
    assert set(found) == KEYS
    assert found["holds"] is True
    assert found["achieved"] + found["slack"] == pytest.approx(found["bound"])
    assert found["theorem"].startswith("Corollary 2")
    lines = done.stderr.splitlines()
    assert max(map(len, lines)) <= 80
    (heading,) = (line for line in lines if line.startswith("theorem "))
    assert heading.split() == ["theorem", "achieved", "bound", "slack", "holds"]
    assert any(line.startswith("Lemma 1, general") and line.endswith("yes") for line in lines)
    assert "against the best u in hindsight" in done.stderr
    assert "a linear model fitted to all 569 rows" in " ".join(done.stderr.split())
    live = [line.split() for line in lines if line.endswith((" Corollary 2", " Lemma 1"))]
    assert [int(row[2]) for row in live] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert all(float(row[3]) <= float(row[4]) for row in live)


def test_what_was_asked_for_by_name_is_told_quietly_too(tmp_path) -> None:
    options = ("--learner", "perceptron", "--certify", "--quiet")
    done = run("train", "breast_cancer", *options)
    first, *others = filter(None, done.stderr.splitlines())
    assert first.split() == ["theorem", "achieved", "bound", "slack", "holds"]
    assert "against the best u in hindsight" in done.stderr
    assert not any(line.startswith(("task", "rounds", "learner")) for line in others)
    assert run("train", "breast_cancer", *options, "--json", tmp_path / "j").stderr == ""


def test_a_mixture_says_that_its_regret_is_not_defined() -> None:
    said = run("train", "breast_cancer", "--learner", "hedge:experts=perceptron+arow", "--certify")
    assert "not defined: hedge has no single loss" in said.stderr
    assert max(map(len, said.stderr.splitlines())) <= 80


def test_compare_certifies_each_learner(tmp_path) -> None:
    learners = ("perceptron", "arow", "hedge:experts=perceptron+arow", "coin-betting")
    chosen = [word for name in learners for word in ("--learner", name)]
    done = run("compare", "breast_cancer", *chosen, "--certify", "--json", tmp_path / "j")
    found = certificates(tmp_path / "j")
    assert found.pop("coin-betting") is None
    assert all(set(c) == KEYS and c["holds"] for c in found.values())
    assert found[learners[2]]["theorem"].startswith("AdaHedge")
    assert "no theorem covers coin-betting" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_rows_are_kept_or_read_again_alike(tmp_path, monkeypatch, task) -> None:
    """A short file is kept, a longer one read again: the same certificates, cut anywhere."""
    data = write_lines(tmp_path / "d.vw", text_lines(150, task))
    names = ["gradient-descent", "scale-invariant-adagrad"]
    chosen = [word for name in names for word in ("--learner", name)]
    run("compare", data, *chosen, "--task", task, "--certify", "--json", tmp_path / "kept")
    from fenchel.cli import certify, sources

    opened = sources.open_stream
    monkeypatch.setattr(sources, "open_stream", lambda *a, **k: opened(*a, **k, block_rows=16))
    monkeypatch.setattr(certify, "MOST_HELD", 0)
    run("compare", data, *chosen, "--task", task, "--certify", "--json", tmp_path / "again")
    kept, again = certificates(tmp_path / "kept"), certificates(tmp_path / "again")
    for name in names:
        assert kept[name]["theorem"] == again[name]["theorem"]
        assert kept[name]["achieved"] == pytest.approx(again[name]["achieved"], rel=1e-4)
        assert kept[name]["bound"] == pytest.approx(again[name]["bound"], rel=1e-4)


def test_standard_input_is_kept_as_far_as_there_is_room(tmp_path, monkeypatch) -> None:
    lines = "".join(f"{line}\n" for line in text_lines(150, "binary"))
    options = ("--format", "vw", "--learner", "perceptron", "--certify", "--json", tmp_path / "j")
    run("train", "-", *options, stdin=lines)
    (whole,) = certificates(tmp_path / "j").values()
    assert whole["holds"] is True
    from fenchel.cli import certify, sources

    opened = sources.open_stream
    monkeypatch.setattr(sources, "open_stream", lambda *a, **k: opened(*a, **k, block_rows=16))
    monkeypatch.setattr(certify, "MOST_HELD", 2500)
    said = run("train", "-", *options, stdin=lines).stderr
    (first,) = certificates(tmp_path / "j").values()
    assert "of the first " in said
    assert "- cannot be read twice" in said
    assert first["holds"] is True
    assert first["achieved"] < whole["achieved"]


def test_a_certificate_is_of_one_pass_from_the_start() -> None:
    run("train", "breast_cancer", "--certify", "--passes", "2", status=2)
    run("train", "breast_cancer", "--certify", "--resume", "model", status=2)

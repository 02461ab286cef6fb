"""``fenchel compare``: the table, the figures, the advice."""

import json

import pytest
from cli_helpers import run, text_lines, write_lines

from fenchel.evaluate import learners_for

THREE = ("--learner", "perceptron", "--learner", "arow", "--learner", "passive-aggressive")


def test_named_learners_side_by_side(tmp_path) -> None:
    done = run("compare", "breast_cancer", *THREE, "--json", tmp_path / "j")
    found = json.loads((tmp_path / "j").read_text())
    assert {entry["spec"] for entry in found["learners"]} == {
        "perceptron", "arow", "passive-aggressive"
    }  # fmt: skip
    errors = [entry["error"] for entry in found["learners"]]
    assert errors == sorted(errors)
    assert set(found) == {
        "data", "task", "rounds", "features", "best_constant_loss", "previous_label_loss",
        "learners", "horizon",
    }  # fmt: skip
    assert set(found["learners"][0]) == {
        "spec", "loss", "error", "mistakes", "margin_errors", "updates", "seconds", "metrics"
    }  # fmt: skip
    assert f"Use {found['learners'][0]['spec']}: " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_each_figure_is_that_of_the_learner_alone(tmp_path) -> None:
    run("compare", "wine", "--shuffle", "1", *THREE, "--json", tmp_path / "all")
    for entry in json.loads((tmp_path / "all").read_text())["learners"]:
        spec = entry["spec"]
        run("train", "wine", "--shuffle", "1", "--learner", spec, "--json", tmp_path / "one")
        (alone,) = json.loads((tmp_path / "one").read_text())["learners"]
        for key in ("loss", "error", "mistakes", "margin_errors", "updates"):
            assert alone[key] == entry[key], (spec, key)


def test_advice_says_when_a_difference_could_be_chance() -> None:
    same = ("--learner", "perceptron", "--learner", "p-norm-perceptron:p=2")
    assert "made the same mistakes" in run("compare", "breast_cancer", *same).stdout
    apart = ("--learner", "perceptron", "--learner", "arow")
    assert "hardly chance (sign test, p < 0.0001)" in run("compare", *apart).stdout


def test_regression(tmp_path) -> None:
    learners = ("--learner", "lms", "--learner", "vovk-azoury-warmuth")
    done = run("compare", "diabetes", *learners, "--json", tmp_path / "j")
    assert "Use vovk-azoury-warmuth: average squared loss" in done.stdout
    assert "(z-test" in done.stdout
    found = json.loads((tmp_path / "j").read_text())
    assert found["task"] == "regression"
    assert found["learners"][0]["error"] is None


def test_json_alone_goes_to_standard_output() -> None:
    done = run("compare", "breast_cancer", "--learner", "perceptron", "--json", "-", "--quiet")
    assert json.loads(done.stdout)["rounds"] == 569


def test_a_stream_that_says_nothing_is_called_that(tmp_path) -> None:
    data = write_lines(tmp_path / "d.vw", ["1 | a", "1 | a", "-1 | a", "1 | a", "1 | a"])
    said = run("compare", data, "--learner", "perceptron").stdout
    assert "no better than the best constant" in " ".join(said.split())


def test_the_same_learner_twice_is_wrong_use() -> None:
    run("compare", "--learner", "arow", "--learner", "arow", status=2)


def test_full_matrices_stay_out_where_columns_are_many(tmp_path) -> None:

    assert "arow:diagonal=no" in learners_for("binary", 30)
    assert "arow:diagonal=no" not in learners_for("binary", 1000)
    assert "vovk_azoury_warmuth" in learners_for("regression", 30)
    assert "vovk_azoury_warmuth:diagonal=yes" in learners_for("regression", 1000)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_every_suitable_learner_can_be_built(task) -> None:
    from fenchel.cli.build import build

    for text in learners_for(task, 30):
        assert build(text, task).task == task


def test_many_blocks(tmp_path, monkeypatch) -> None:
    """Progress lines, and the same result as in one block."""
    data = write_lines(tmp_path / "d.vw", text_lines(200, "binary"))
    learners = ("--learner", "perceptron", "--learner", "arow", "--task", "binary")
    run("compare", data, *learners, "--json", tmp_path / "one")
    from fenchel.cli import sources

    opened = sources.open_stream
    monkeypatch.setattr(sources, "open_stream", lambda *a, **k: opened(*a, **k, block_rows=16))
    said = run("compare", data, *learners, "--json", tmp_path / "many").stderr
    assert "rounds, best so far: " in said
    one, many = (json.loads((tmp_path / name).read_text()) for name in ("one", "many"))
    for entry in (*one["learners"], *many["learners"]):
        del entry["seconds"]
    assert one == many

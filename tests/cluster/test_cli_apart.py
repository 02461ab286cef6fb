"""``fenchel train --workers`` and ``fenchel merge``."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from fenchel import Learner

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_helpers import run


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    for k in range(2):
        X = rng.normal(size=(60, 2)).round(3)
        lines = [f"{a - 2 * b:.3f} 1:{a} 2:{b}\n" for a, b in X]
        (tmp_path / f"part-{k}.svm").write_text("".join(lines))
    return tmp_path


def test_processes_learn_what_merged_models_know(files):
    learner = ("--learner", "vovk_azoury_warmuth", "--task", "regression", "--quiet")
    for k in range(2):
        run("train", files / f"part-{k}.svm", *learner, "--save", files / f"{k}.fenchel")
    run("merge", files / "0.fenchel", files / "1.fenchel", "--save", files / "m.fenchel")
    saved = "--save", files / "w.fenchel", "--json", files / "w.json"
    run("train", files / "part-*.svm", *learner, "--workers", 2, *saved)
    merged, apart = (Learner.load(files / name) for name in ("m.fenchel", "w.fenchel"))
    assert apart.rounds == 120
    np.testing.assert_array_equal(apart.weights(), merged.weights())
    assert len(json.loads((files / "w.json").read_text())["shards"]) == 2


def test_several_files_need_workers(files):
    told = run("train", files / "part-0.svm", files / "part-1.svm", status=2).stderr
    assert "several files are for shards learned apart: say --workers N." in told


def test_what_is_for_one_process_is_refused(files):
    told = run("train", files / "part-0.svm", "--workers", 2, "--certify", status=2).stderr
    assert "--certify is for one process: certificates speak of one run." in told


def test_a_file_that_is_not_there_is_named(files):
    told = run("train", files / "other-*.svm", "--workers", 2, status=1).stderr
    assert "other-*.svm: there is no such file" in told


def test_a_first_file_without_rows_is_passed_over(files):
    (files / "empty.svm").write_text("")
    learner = "--learner", "lms", "--workers", 1
    told = run("train", files / "empty.svm", files / "part-0.svm", *learner).stderr
    assert "task           regression" in told
    assert "60 rows" in told


def test_files_without_any_rows_are_refused(files):
    (files / "empty.svm").write_text("")
    told = run("train", files / "empty.svm", "--workers", 1, status=1).stderr
    assert "empty.svm: there are no rows; give at least one" in told


def test_figures_have_the_shape_of_one_process(files):
    learner, found = ("--learner", "lms", "--quiet", "--json"), []
    for data, *more in (["part-0.svm"], ["part-0.svm", "--workers", 1]):
        run("train", files / data, *more, *learner, files / "f.json")
        found.append(json.loads((files / "f.json").read_text()))
    one, apart = found
    assert {"polish", "rounds_learned", "shards", "skipped"} == apart.keys() - one.keys()
    assert list(apart)[: len(one)] == list(one)
    assert list(apart["learners"][0]) == list(one["learners"][0])
    for key in ("data", "task", "rounds", "features", "next_round"):
        assert apart[key] == one[key]
    assert apart["learners"][0]["loss"] == one["learners"][0]["loss"]
    assert apart["best_constant_loss"] is None


def test_queries_are_learned_apart(tmp_path):
    rows = "3 qid:{0} 1:1\n1 qid:{0} 1:0\n2 qid:{1} 1:1 2:3\n1 qid:{1} 2:1\n"
    for k in range(2):
        (tmp_path / f"part-{k}.svm").write_text(rows.format(2 * k, 2 * k + 1))
    asked = "--task", "ranking", "--learner", "arow", "--quiet", "--json", tmp_path / "f.json"
    run("train", tmp_path / "part-*.svm", "--workers", 1, *asked)
    found = json.loads((tmp_path / "f.json").read_text())
    assert found["task"] == "ranking"
    assert found["rounds"] == 8
    assert found["learners"][0]["auc"] == 0.75


def test_what_is_read_is_not_written_to(files):
    data, before = files / "part-*.svm", (files / "part-1.svm").read_bytes()
    told = run("train", data, "--workers", 1, "--save", files / "part-1.svm", status=2).stderr
    assert "part-1.svm: this is what is read; name another file." in told
    assert (files / "part-1.svm").read_bytes() == before


def test_a_model_that_goes_on_reads_as_options_say(files):
    begun, named = files / "m.fenchel", files / "named.csv"
    named.write_text("x,y\n1,2\n3,4\n")
    run("train", named, "--learner", "lms", "--quiet", "--save", begun)
    more = "train", named, "--workers", 1, "--resume", begun
    assert "--index-base is for svmlight" in run(*more, "--index-base", 0, status=2).stderr
    assert "no such column ('z')" in run(*more, "--ignore", "z", status=1).stderr

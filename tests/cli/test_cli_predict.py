"""``fenchel predict``: one line a row, as the learner itself would predict."""

import polars as pl
import pytest
from cli_helpers import run, text_lines, write_lines
from sklearn.datasets import load_diabetes

from fenchel import Learner


def test_predictions_are_the_learners(tmp_path) -> None:
    data = write_lines(tmp_path / "d.vw", text_lines(80, "binary"))
    run("train", data, "--learner", "arow", "--save", tmp_path / "m")
    unseen = write_lines(tmp_path / "new.vw", text_lines(40, "binary", seed=9))
    predicted = run("predict", tmp_path / "m", unseen, "--quiet").stdout.split()
    learner = Learner.load(tmp_path / "m")
    expected = []
    for line in unseen.read_text().splitlines():
        entries = (entry.split(":") for entry in line.split("|f ")[1].split())
        row = {f"f^{name}": float(value) for name, value in entries}
        expected.append(str(int(learner.predict_one(row))))
    assert predicted == expected
    assert len(set(predicted)) == 2


@pytest.mark.parametrize("learner", ["scale_invariant_adagrad", "p_norm_lms"])
def test_rows_do_not_influence_each_other(tmp_path, learner) -> None:
    """Columns never seen count in their own row, not in their neighbours'."""
    data = write_lines(tmp_path / "d.vw", text_lines(50, "regression"))
    task = ("--task", "regression")
    run("train", data, "--learner", learner, *task, "--save", tmp_path / "m")
    rows = text_lines(30, "binary", seed=5, words=2000)
    together = write_lines(tmp_path / "new.vw", rows)
    whole = run("predict", tmp_path / "m", together, "--quiet").stdout.split()
    for k in (0, 7, 29):
        alone = write_lines(tmp_path / "one.vw", rows[k : k + 1])
        assert run("predict", tmp_path / "m", alone, "--quiet").stdout.split() == [whole[k]]


def test_labels_are_not_needed(tmp_path) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,kind", "1,spam", "-1,ham"])
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m")
    bare = write_lines(tmp_path / "bare.csv", ["x", "3", "-3"])
    for file in (bare, write_lines(tmp_path / "e.csv", ["x,kind", "3,", "-3,?"])):
        assert run("predict", tmp_path / "m", file).stdout.split() == ["spam", "ham"]


def test_labels_that_are_words_are_not_looked_at(tmp_path) -> None:
    data = write_lines(tmp_path / "w.vw", ["spam | a b", "ham | c", "spam | a"])
    run("train", data, "--learner", "arow", "--quiet", "--save", tmp_path / "m")
    assert run("predict", tmp_path / "m", data).stdout.split() == ["spam", "ham", "spam"]


def test_output_to_a_file(tmp_path) -> None:
    run("train", "diabetes", "--learner", "lms", "--save", tmp_path / "m")
    run("predict", tmp_path / "m", "diabetes", "--output", tmp_path / "p")
    lines = (tmp_path / "p").read_text().splitlines()
    learner = Learner.load(tmp_path / "m")
    row = dict(zip(learner.names, load_diabetes().data[7], strict=True))
    assert len(lines) == 442
    assert float(lines[7]) == learner.predict_one(row)


def test_classes_by_name(tmp_path) -> None:
    run("train", "wine", "--shuffle", "1", "--learner", "arow", "--save", tmp_path / "m")
    found = set(run("predict", tmp_path / "m", "wine").stdout.split())
    assert found <= {"class_0", "class_1", "class_2"}
    assert len(found) > 1


def test_a_model_that_knows_no_feature_of_the_data_is_told(tmp_path) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,kind", "1,spam", "-1,ham"])
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m")
    other = write_lines(tmp_path / "other.csv", ["z", "3", "-3"])
    told = run("predict", tmp_path / "m", other)
    assert len(told.stdout.split()) == 2
    assert "knows none of its features" in told.stderr
    assert "knows none" in run("predict", tmp_path / "m", other, "--quiet").stderr
    some = write_lines(tmp_path / "some.csv", ["z,x", "3,", "-3,1"])
    told = run("predict", tmp_path / "m", some, "--quiet").stderr
    assert "some.csv: the column z is not known to" in told
    assert "knows none" not in told


def test_columns_that_are_not_there_are_told(tmp_path) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,z,job,kind", "1,2,cook,spam", "-1,3,cook,ham"])
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m")
    fewer = write_lines(tmp_path / "fewer.csv", ["X,z", "1,2"])
    told = run("predict", tmp_path / "m", fewer, "--quiet")
    assert "there is no column job, x, which" in told.stderr
    assert len(told.stdout.split()) == 1


def test_columns_of_json_lines_that_no_row_has_are_told(tmp_path) -> None:
    rows = (
        '{"x": 1, "job": "cook", "seen": "2024-01-02", "in": {"u": 3, "v": [1, 2]}, "y": 1}',
        '{"x": -1, "z": 3, "job": "guard", "y": 0}',
    )
    data = write_lines(tmp_path / "d.jsonl", rows)
    kinds = ("--date", "seen", "--learner", "perceptron")
    run("train", data, *kinds, "--save", tmp_path / "m")
    assert run("predict", tmp_path / "m", data, "--quiet").stderr == ""
    (tmp_path / "none.jsonl").write_text("")
    assert run("predict", tmp_path / "m", tmp_path / "none.jsonl").stderr == ""
    fewer = ('{"x": 1, "new": {"w": "a"}}', '{"in": {"u": null}, "job": "cook", "y": 1}')
    told = run("predict", tmp_path / "m", write_lines(tmp_path / "f.jsonl", fewer), "--quiet")
    assert "there is no column in.v.0, in.v.1, seen, z, which" in told.stderr
    assert "the column new.w is not known to" in told.stderr
    assert len(told.stdout.split()) == 2
    hashed = run("train", data, *kinds, "--bits", "10", "--save", tmp_path / "h")
    hashed = run("predict", tmp_path / "h", tmp_path / "f.jsonl", "--quiet")
    assert "there is no column seen, which" in hashed.stderr


def test_columns_are_not_missed_where_there_is_no_row(tmp_path) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,kind", "1,spam", "-1,ham"])
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m")
    (tmp_path / "none.csv").write_text("")
    told = run("predict", tmp_path / "m", tmp_path / "none.csv")
    assert (told.stdout, told.stderr) == ("", "")


def test_options_of_the_training_that_another_format_has_no_use_for(tmp_path) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,kind", "1,spam", "-1,ham"])
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m")
    words = write_lines(tmp_path / "d.vw", ["| x:3", "| x:-3"])
    assert run("predict", tmp_path / "m", words).stdout.split() == ["spam", "ham"]
    numbers = write_lines(tmp_path / "d.svm", ["1 1:3"])
    run("train", data, "--bits", "4", "--learner", "perceptron", "--save", tmp_path / "hashed")
    for model in ("m", "hashed"):
        refused = run("predict", tmp_path / model, numbers, status=1).stderr
        assert "features have names" in refused


def test_identifiers_that_nobody_named(tmp_path) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,k,y", "1,r1,spam", "-1,r2,ham"])
    run("train", data, "--ignore", "k", "--learner", "perceptron", "--save", tmp_path / "m")
    told = run("predict", tmp_path / "m", data, "--id", status=2)
    assert told.stdout == ""
    assert "knows of no identifier" in told.stderr


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_columns_named_by_mistake_are_refused_before_learning(tmp_path, form) -> None:
    frame = pl.DataFrame({"x": [1, -1], "k": ["r1", "r2"], "y": ["spam", "ham"]})
    data = tmp_path / f"d.{form}"
    getattr(frame, f"write_{form}")(data)
    train = ("train", data, "--learner", "perceptron")
    assert "no such column ('nope')" in run(*train, "--cross", "x,nope", status=1).stderr
    assert "no such column ('z*')" in run(*train, "-q", "xz", status=1).stderr
    told = run(*train, "--id", "y", status=1).stderr
    assert "the last column, otherwise the label, is the identifier" in told
    assert "name the label's column with --label" in told

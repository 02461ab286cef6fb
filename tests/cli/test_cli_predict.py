"""``fenchel predict``: one line a row, as the learner itself would predict."""

import json

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


# ── labels beside the rows ──────────────────────────────────────────────────────────────────────

ROWS = [(k % 7 - 3, "spam" if (k % 7 - 3) * (1 if k % 5 else -1) > 0 else "ham") for k in range(60)]


def labelled(tmp_path, form, rows=ROWS):
    """The same rows in a format, and a model that has learned from them."""
    frame = pl.DataFrame({"x": [x for x, _ in rows], "kind": [label for _, label in rows]})
    data = tmp_path / f"d.{form}"
    if form in ("svm", "vw"):
        entry = {"svm": "1:{}", "vw": "| x:{}"}[form]
        numbers = {"spam": 1, "ham": -1, None: ""}
        lines = [f"{numbers[label]} {entry.format(x)}".lstrip() for x, label in rows]
        return write_lines(data, lines)
    write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    write[form](data)
    return data


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "svm", "vw"])
def test_labels_in_the_data_tell_the_metrics_and_change_no_prediction(tmp_path, form) -> None:
    data = labelled(tmp_path, form)
    label = ("--label", "kind") if form in ("csv", "jsonl", "parquet") else ()
    run("train", data, *label, "--learner", "perceptron", "--save", tmp_path / "m")
    run("test", tmp_path / "m", data, "--json", tmp_path / "j", "--quiet")
    error = json.loads((tmp_path / "j").read_text())["metrics"]["error"]
    told = run("predict", tmp_path / "m", data)
    assert f"error          {error:.6f}" in told.stderr
    assert 0.0 < error < 1.0
    quiet = run("predict", tmp_path / "m", data, "--quiet")
    assert quiet.stdout == told.stdout
    assert "error" not in quiet.stderr


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "vw"])
def test_metrics_are_of_the_rows_that_have_a_label(tmp_path, form) -> None:
    data = labelled(tmp_path, form)
    label = () if form == "vw" else ("--label", "kind")
    run("train", data, *label, "--learner", "perceptron", "--save", tmp_path / "m")
    whole = run("predict", tmp_path / "m", data)
    some = labelled(
        tmp_path, form, [(x, label if k % 2 else None) for k, (x, label) in enumerate(ROWS)]
    )
    told = run("predict", tmp_path / "m", some)
    assert told.stdout == whole.stdout
    assert "labelled       30 of 60 rows" in told.stderr
    assert "log loss" in told.stderr
    none = labelled(tmp_path, form, [(x, None) for x, _ in ROWS])
    told = run("predict", tmp_path / "m", none)
    assert told.stdout == whole.stdout
    assert "error" not in told.stderr


def test_labels_that_cannot_be_read_stop_nothing(tmp_path) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,y", *(f"{x},{x * 2.0}" for x, _ in ROWS)])
    run("train", data, "--task", "regression", "--learner", "lms", "--save", tmp_path / "m")
    whole = run("predict", tmp_path / "m", data)
    assert "squared" in whole.stderr
    for wrong in ("soon", "inf", "1e999"):
        lines = data.read_text().splitlines()
        lines[7] = lines[7].split(",")[0] + "," + wrong
        for more in ((), ("--on-error", "skip")):
            told = run("predict", tmp_path / "m", write_lines(tmp_path / "e.csv", lines), *more)
            assert told.stdout == whole.stdout
            assert "squared" not in told.stderr


def test_lines_that_are_skipped_keep_labels_in_their_place(tmp_path) -> None:
    data = labelled(tmp_path, "csv")
    run("train", data, "--label", "kind", "--learner", "perceptron", "--save", tmp_path / "m")
    whole = run("predict", tmp_path / "m", data)
    lines = data.read_text().splitlines()
    bad = write_lines(tmp_path / "bad.csv", [*lines[:9], "1,2,3,4", *lines[9:]])
    told = run("predict", tmp_path / "m", bad, "--on-error", "skip")
    assert told.stdout == whole.stdout
    assert "log loss" in whole.stderr
    assert whole.stderr.strip() in told.stderr


def test_labels_tell_the_metrics_without_other_columns_that_were_named(tmp_path) -> None:
    lines = ["x,k,w,kind", *(f"{x},r{n},1,{label}" for n, (x, label) in enumerate(ROWS))]
    named = ("--id", "k", "--weight", "w", "--label", "kind")
    data = write_lines(tmp_path / "d.csv", lines)
    run("train", data, *named, "--learner", "perceptron", "--save", tmp_path / "m")
    fewer = write_lines(tmp_path / "fewer.csv", ["x,kind", *(f"{x},{label}" for x, label in ROWS)])
    assert "log loss" in run("predict", tmp_path / "m", fewer).stderr


def test_labels_of_another_kind_are_no_labels(tmp_path) -> None:
    data = labelled(tmp_path, "csv")
    run("train", data, "--label", "kind", "--learner", "perceptron", "--save", tmp_path / "m")
    zeros = write_lines(tmp_path / "z.jsonl", [f'{{"x": {x}, "kind": 0}}' for x, _ in ROWS])
    told = run("predict", tmp_path / "m", zeros)
    assert told.stdout == run("predict", tmp_path / "m", data).stdout
    assert "error" not in told.stderr

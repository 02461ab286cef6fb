"""The obvious wrong things: one line on standard error, the right exit status, no traceback."""

import os

import pytest
from cli_helpers import run, run_elsewhere, write_lines

from fenchel.cli import main
from fenchel.streams.errors import EXPLANATIONS, Argument

GOOD = ["1 1:1", "-1 2:1", "1 1:2"]


@pytest.fixture
def data(tmp_path):
    return write_lines(tmp_path / "good.svm", GOOD)


@pytest.fixture
def model(data, tmp_path):
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m", "--quiet")
    return tmp_path / "m"


def _refused(*arguments, **options) -> str:
    """The one line that a refusal ends with."""
    *_, line = run(*arguments, "--quiet", status=1, **options).stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("name", "lines", "options", "what"),
    [
        ("none.svm", None, [], "there is no such file; check the path"),
        ("empty.svm", [], [], "there are no rows"),
        ("d.svm", ["1 1:1", "1 1:x"], [], "d.svm:2:5: the value is not a number"),
        ("d.svm", ["1 0:1"], [], "--index-base 0"),
        ("d.csv", ["x,y", "1,a", "2,b"], ["--label", "z"], "name the label's column: x, y"),
        ("d.csv", ["x,y", "1,a", "b,b"], [], "with --categorical"),
        ("d.csv", ["41,cook,low", "52,lawyer,high"], [],
         "d.csv:1: the first line looks like a row, not a header ('41'); add a header, or say which "
         "it is: --header or --no-header"),
        ("d.csv", ["a,b,a", "b,a,b"], [], "rename one of them, or say --no-header if"),
        ("d.data", GOOD, [], "the format cannot be told from the name"),
        ("d.vw", ["1 | a", "2 | b", "3 | c"], ["--task", "binary"],
         "row 3: the label 3 is a third class"),
        ("d.vw", ["1 | a", "2.5 | b", "3.1 | c"], ["--task", "binary"],
         "row 3: the label 3.1 looks like regression; use --task regression"),
        ("d.vw", ["1 | a", "2 | b", "2.5 | b", "3 | c"], ["--task", "multiclass"],
         "the label 2.5 looks like regression"),
        ("d.csv", ["x,y", "1,a", "2,b"], ["--task", "regression", "--learner", "lms"],
         "the label a is not a number; use --task binary"),
    ],
)  # fmt: skip
def test_refused_data(tmp_path, name, lines, options, what) -> None:
    if lines is not None:
        write_lines(tmp_path / name, lines)
    learner = [] if "--learner" in options else ["--learner", "perceptron"]
    line = _refused("train", tmp_path / name, *learner, *options)
    assert what in line
    assert line.startswith(str(tmp_path / name))


def test_lines_left_out_are_told_with_options_too(tmp_path) -> None:
    bad = write_lines(tmp_path / "bad.svm", ["1 0:1"])
    assert "declare --index-base 0 if" in _refused("train", bad, "--on-error", "skip")
    some = write_lines(tmp_path / "some.svm", [*GOOD, "1 0:1"])
    said = run("train", some, "--learner", "perceptron", "--on-error", "skip").stderr
    assert "declare --index-base 0 if" in said


def test_every_argument_that_a_remedy_names_is_an_option() -> None:
    words = [word for told in EXPLANATIONS.values() for word in told.remedy]
    named = {word.name for word in words if isinstance(word, Argument)}
    assert named == {"index_base", "categorical", "label", "on_error", "quotes"}
    for command in ("train", "predict", "compare"):
        assert named <= {option.name for option in main.commands[command].params}


def test_a_folder_is_no_data(tmp_path) -> None:
    assert "this is a directory" in _refused("train", tmp_path)


def test_refused_models(tmp_path, data, model) -> None:
    assert "is not a fenchel model" in _refused("predict", data, data)
    assert "cannot be read" in _refused("predict", tmp_path / "none", data)
    named = write_lines(tmp_path / "d.vw", ["1 | a", "-1 | b"])
    assert "features have numbers" in _refused("predict", model, named)
    assert "features have numbers" in _refused("train", named, "--resume", model)
    from fenchel import models

    models.write(tmp_path / "other", {}, {"something": "else"})
    assert "holds no learner" in _refused("predict", tmp_path / "other", data)
    assert "holds no learner" in run("inspect", tmp_path / "other", status=1).stderr


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--learner", "arrow"], "did you mean arow?"),
        (["--learner", "nothing-like-it-xyz"], "see `fenchel learners`"),
        (["--learner", "arow:q=1"], "arow has no parameter 'q': it has r, diagonal, form"),
        (["--learner", "arow:r=-1"], "r=-1 must be a positive number"),
        (["--learner", "arow:r"], "write key=value"),
        (["--learner", "arow:r="], "'r=' in 'arow:r=' has no value"),
        (["--learner", "auto:"], "'auto:' lacks a parameter: write name, or name:key=value"),
        (["--learner", "arow:r=1,"], "'arow:r=1,' lacks a parameter"),
        (["--learner", "arow:r=1,r=2"], "r is given twice"),
        (["--learner", "hedge:experts=arow:+perceptron"], "'arow:' lacks a parameter"),
        (["--learner", ""], "there is no learner ''"),
        (["--learner", "arow:r=abc"], "must be a positive number"),
        (["--learner", "hedge"], "write hedge:experts=arow+perceptron, say"),
        (["--learner", "hedge:experts=arow,perceptron"], "join learners by +"),
        (["--learner", "perceptron", "--task", "regression"], "perceptron is for binary"),
        (["--learner", "perceptron", "--loss", "hinge"], "has a loss of its own"),
        (["--learner", "adagrad", "--loss", "nonsense"], "choose one of hinge"),
        (["--loss", "hinge"], "name one with --learner"),
        (["--label", "x"], "in svmlight the label comes first"),
        (["--bits", "5"], "svmlight has numbers"),
        (["--bits", "99"], "--bits"),
        (["--no-header"], "for csv, not svmlight"),
        (["--categorical", "x"], "names a column; svmlight has none"),
        (["--ignore", "x"], "names a column; svmlight has none"),
        (["--text", "x:words=2-1"], "words=2-1 in 'x:words=2-1': give a range"),
        (["--shuffle", "1"], "files are read in their order"),
        (["--checkpoint-every", "5"], "needs --save"),
        (["--passes", "2", "--predictions", "p"], "of one pass"),
        (["--save", "/nowhere/m"], "there is no such folder"),
        (["--format", "xml"], "xml"),
        (["--resume", "m", "--learner", "arow"], "as saved"),
        (["--resume", "m", "--time-budget", "2"], "as saved"),
        (["--resume", "m", "--half-life", "100"], "as saved"),
    ],
)
def test_wrong_use(data, options, what) -> None:
    assert what in " ".join(run("train", data, *options, status=2).stderr.split())


def test_labels_of_another_kind_than_the_models(tmp_path, model) -> None:
    words = write_lines(tmp_path / "d.csv", ["x,y", "1,ham", "2,spam"])
    run("train", words, "--learner", "perceptron", "--save", tmp_path / "w", "--quiet")
    numbers = write_lines(tmp_path / "n.jsonl", ['{"x":1,"y":0}', '{"x":2,"y":1}'])
    line = _refused("train", numbers, "--resume", tmp_path / "w")
    assert "the label 0 is of another kind than ham" in line
    digits = write_lines(tmp_path / "n.csv", ["x,y", "1,0", "2,1"])  # a column of words, now too
    assert "third class beside ham" in _refused("train", digits, "--resume", tmp_path / "w")
    third = write_lines(tmp_path / "t.csv", ["x,y", "1,eggs"])
    line = _refused("train", third, "--resume", tmp_path / "w")
    assert "third class beside ham and spam; use the labels that the model knows" in line


def test_what_is_read_is_not_written_over(tmp_path, data, model) -> None:
    before = data.read_bytes(), model.read_bytes()
    for option in ("--save", "--predictions", "--json"):
        assert "name another file" in run("train", data, option, data, status=2).stderr
        assert "this is a directory" in run("train", data, option, tmp_path, status=2).stderr
    for read in (data, model):
        told = run("predict", model, data, "--output", read, status=2).stderr
        assert "name another file" in told
    assert "name another file" in run("compare", data, "--report", data, status=2).stderr
    assert (data.read_bytes(), model.read_bytes()) == before


def test_a_format_that_the_name_does_not_tell(tmp_path) -> None:
    assert "say it with --format: svmlight" in _refused("train", write_lines(tmp_path / "d", ["1"]))


def test_wrong_use_of_other_commands() -> None:
    run("compare", "--json", "/nowhere/j", status=2)
    run("predict", "m", "d", "--output", "/nowhere/p", status=2)
    run("nonsense", status=2)
    run("train", status=2)
    run("predict", "m", status=2)
    run("inspect", "m", "--top", "-1", status=2)


def test_no_traceback_in_a_real_process(tmp_path) -> None:
    done = run_elsewhere("train", tmp_path / "none.svm")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("data", "options", "status"),
    [
        ("good.svm", ("--learner", "arrow"), 2),
        ("good.svm", ("--learner", "arow:r=-1"), 2),
        ("bad.svm", ("--learner", "perceptron"), 1),
        ("none.svm", (), 1),
    ],
)
def test_an_error_stands_alone_even_where_nothing_is_compiled_yet(
    tmp_path, data, options, status
) -> None:
    write_lines(tmp_path / "good.svm", GOOD)
    write_lines(tmp_path / "bad.svm", ["1 1:x"])
    environment = {**os.environ, "FENCHEL_CACHE_DIR": str(tmp_path / "cache")}
    environment["NUMBA_OPT"] = "0"  # what is compiled here is thrown away
    done = run_elsewhere("train", tmp_path / data, *options, env=environment)
    assert done.returncode == status
    assert "compiling" not in done.stderr


def test_a_refused_run_leaves_the_saved_model_alone(tmp_path, model) -> None:
    before = model.read_bytes()
    bad = write_lines(tmp_path / "bad.svm", [*GOOD, "oops"])
    run("train", bad, "--learner", "arow", "--save", model, status=1)
    assert model.read_bytes() == before

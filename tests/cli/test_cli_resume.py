"""Save, load, continue equals never having stopped: the same file, byte for byte."""

import pytest
from cli_helpers import run, run_elsewhere, text_lines, write_lines

from fenchel import Learner

ROWS = 60


def _halves(tmp_path, lines, split):
    first = write_lines(tmp_path / "first.vw", lines[:split])
    return first, write_lines(tmp_path / "second.vw", lines[split:])


@pytest.mark.parametrize("bits", [(), ("--bits", "6")], ids=["names", "hashed"])
@pytest.mark.parametrize(
    ("task", "learner"),
    [
        ("binary", "arow"),
        ("binary", "winnow"),  # depends on the number of columns
        ("binary", "scale_invariant_adagrad"),  # on its root
        ("regression", "vovk_azoury_warmuth"),
        ("multiclass", "perceptron"),  # classes appear along the way
        ("multiclass", "max_margin:learner=perceptron"),
    ],
)
def test_resuming_is_exact_at_every_kind_of_split(tmp_path, task, learner, bits) -> None:
    lines = text_lines(ROWS, task)
    options = ("--task", task, "--learner", learner, *bits, "--quiet", "--save")
    run("train", write_lines(tmp_path / "all.vw", lines), *options, tmp_path / "whole")
    for split in (1, 2, 23, ROWS - 1):
        first, second = _halves(tmp_path, lines, split)
        run("train", first, *options, tmp_path / "half")
        run("train", second, "--resume", tmp_path / "half", "--save", tmp_path / "both", "--quiet")
        assert (tmp_path / "both").read_bytes() == (tmp_path / "whole").read_bytes(), split


@pytest.mark.parametrize("task", ["binary", "regression", "multiclass"])
def test_resuming_the_mixture_is_exact(tmp_path, task) -> None:
    """Also past the number of columns at which it gives its full matrices up."""
    lines = text_lines(150, task)
    options = ("--task", task, "--quiet", "--save")
    run("train", write_lines(tmp_path / "all.vw", lines), *options, tmp_path / "whole")
    for split in (1, 70, 149):
        first, second = _halves(tmp_path, lines, split)
        run("train", first, *options, tmp_path / "half")
        run("train", second, "--resume", tmp_path / "half", "--save", tmp_path / "both", "--quiet")
        assert (tmp_path / "both").read_bytes() == (tmp_path / "whole").read_bytes(), split


def test_resuming_in_another_process_is_exact(tmp_path) -> None:
    lines = text_lines(ROWS, "binary")
    first, second = _halves(tmp_path, lines, 31)
    whole = write_lines(tmp_path / "all.vw", lines)
    run("train", whole, "--learner", "arow", "--quiet", "--save", tmp_path / "whole")
    for arguments in (
        ("train", first, "--learner", "arow", "--save", tmp_path / "half"),
        ("train", second, "--resume", tmp_path / "half", "--save", tmp_path / "both"),
    ):
        done = run_elsewhere(*arguments)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "both").read_bytes() == (tmp_path / "whole").read_bytes()


def test_resuming_reads_the_data_as_before(tmp_path) -> None:
    """The label's column is remembered: it must not become a feature."""
    rows = ["kind,x", "spam,1", "ham,-1"]
    data = write_lines(tmp_path / "d.csv", rows)
    run("train", data, "--label", "kind", "--learner", "perceptron", "--save", tmp_path / "m")
    run("train", data, "--resume", tmp_path / "m", "--save", tmp_path / "m")
    assert set(Learner.load(tmp_path / "m").weights()) == {"x"}
    assert "label: kind" in run("inspect", tmp_path / "m").stdout
    assert run("predict", tmp_path / "m", data).stdout.split() == ["spam", "ham"]

"""Text from models and files on a terminal: shown, never obeyed; one line stays one line."""

import pytest

from cli.cli_helpers import run
from fenchel import learners, models
from fenchel.cli.output import printable

WILD = ["\x1b[31mred", "two\nlines", "bell\x07", "\u202eturned", "\x9b2J"]


def visible(text):
    return not any(unsafe in text for unsafe in ("\x1b", "\x07", "\x9b", "\u202e", "\r"))


@pytest.mark.parametrize("name", WILD)
def test_names_and_labels_are_escaped(tmp_path, name):
    learner = learners.perceptron()
    learner.learn_one({name: 1.0}, name)
    learner.learn_one({name: -1.0, "b": 2.0}, "other")
    learner.save(tmp_path / "m")
    done = run("inspect", str(tmp_path / "m"))
    assert visible(done.output)
    assert printable(name) in done.output


def test_a_label_of_two_lines_is_one_line(tmp_path):
    learner = learners.perceptron()
    learner.learn_one({"a": 1.0}, "x\ny")
    learner.learn_one({"a": -1.0}, "z")
    learner.save(tmp_path / "m")
    (tmp_path / "d.csv").write_text("a\n1\n-1\n")
    done = run("predict", str(tmp_path / "m"), str(tmp_path / "d.csv"), "--quiet")
    assert len(done.stdout.splitlines()) == 2
    assert "x\\ny" in done.stdout


def test_a_lone_surrogate_does_not_stop_inspect(tmp_path):
    learner = learners.perceptron()
    learner.learn_one({"a": 1.0}, "\ud800")
    learner.learn_one({"a": -1.0}, "b")
    learner.save(tmp_path / "m")
    done = run("inspect", str(tmp_path / "m"))
    assert "\\ud800" in done.output


@pytest.mark.parametrize(
    "changed", [{"rounds": [1]}, {"labels": 3}, {"parameters": 7}, {"columns": {}}]
)
def test_a_description_that_is_none_is_one_line(tmp_path, changed):
    learners.perceptron().save(tmp_path / "m")
    arrays, metadata = models.read(tmp_path / "m")
    models.write(tmp_path / "m", arrays, {**metadata, **changed})
    done = run("inspect", str(tmp_path / "m"), "--top", "0", status=1)
    assert len(done.stderr.splitlines()) == 1

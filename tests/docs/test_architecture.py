"""The architecture page names only what exists, and its walks are those that the code takes."""

import re
import runpy
import sys
import threading
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import fenchel

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "fenchel"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`([\w/]+\.py):([\w.]+)`", PAGE)))
FILES = sorted(set(re.findall(r"`([\w/]+\.py)[:`]", PAGE)))
PICTURE = runpy.run_path(str(ROOT / "docs" / "architecture_picture.py"))
ROOMS = {file.parent.name for file in SOURCE.glob("*/__init__.py")}
COMPILED = ("loops/", "regularizers/", "losses/", "rules/", "streams/svmlight.py")


@pytest.mark.parametrize("file", FILES)
def test_every_file_exists(file):
    assert (SOURCE / file).is_file()


@pytest.mark.parametrize(("file", "name"), NAMES, ids=":".join)
def test_every_name_exists(file, name):
    found = import_module(
        "fenchel." + file.removesuffix(".py").replace("/", ".").replace(".__init__", "")
    )
    for attribute in name.split("."):
        found = getattr(found, attribute)


def test_every_room_is_in_the_table_and_in_the_picture():
    table = PAGE.partition("## The rooms")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`(?=[^\n]*\|[^\n]*\|)", table)) >= ROOMS
    assert {box.name for box in PICTURE["ROOMS"]} == ROOMS | {"mirror.py"}


def test_the_picture_is_as_drawn():
    assert PICTURE["PICTURE"].read_text(encoding="utf-8") == PICTURE["picture"]() + "\n"


def walk(heading):
    """The names of a walk, in its order; inside compiled code no call is seen."""
    steps = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0].partition("\n\nWith ")[0]
    names = re.findall(r"`([\w/]+\.py):([\w.]+)`", steps)
    assert names, heading
    return {(file, name) for file, name in names if not file.startswith(COMPILED)}


def called(function):
    """What of the package is called, by file and name."""
    seen = set()

    def note(frame, event, argument):
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(SOURCE):
            seen.add((file.relative_to(SOURCE).as_posix(), frame.f_code.co_qualname))

    function()  # compiling is not part of the walk
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return seen | {(file, name.rpartition(".")[0]) for file, name in seen}  # with their classes


def test_a_file_through_train(tmp_path):
    from click.testing import CliRunner

    from fenchel.cli.app import main

    data = tmp_path / "rows.svm"
    data.write_text("1 1:1 3:2\n-1 2:1\n" * 20)
    arguments = ["train", str(data), "--learner", "arow", "--save", str(tmp_path / "m"), "--quiet"]
    seen = called(lambda: CliRunner().invoke(main, arguments, catch_exceptions=False))
    assert walk("A file through `fenchel train`") - seen == set()


def test_a_dict_through_learn_one():
    def examples():
        learner = fenchel.learners.perceptron()
        for label in (True, False, True, False):
            learner.learn_one({"free": 1.0, "money": 2.0}, label)

    assert walk("A dict through `learn_one`") - called(examples) == set()


def test_an_array_through_fit():
    from fenchel.estimators import OnlineClassifier

    X = np.random.default_rng(0).normal(size=(50, 3))
    seen = called(lambda: OnlineClassifier("perceptron").fit(X, X[:, 0] > 0))
    assert walk("An array through `OnlineClassifier.fit`") - seen == set()

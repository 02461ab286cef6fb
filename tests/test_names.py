"""One name, one meaning: no two public classes share a name, nor do modules where that confuses.

And public docstrings open with what a thing is or does, in plain English.
"""

import ast
import inspect
import pkgutil
import re
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

import fenchel

SOURCE = Path(__file__).parents[1] / "src" / "fenchel"
FILES = sorted(SOURCE.rglob("*.py"))

# Module names that stand for a role which every room may have.
ROLES = {"__init__", "protocol", "errors", "base"}
# Any other shared name needs a reason.
SHARED = {
    "calibration": "a learner's part and its compiled loop",
    "coverage": "a compiled loop, and the certificates of what it covered",
    "max_margin": "a learner's engine and its compiled loop",
    "multitask": "a learner's engine and its compiled loop",
    "regression": "learners of numbers, and the losses that they take",
    "rows": "the room and its one container",
    "export": "the room, and the command that writes what it makes",
    "learners": "the room, and the command that lists what is in it",
    "replay": "rounds run again, and the command that does so with a server's log",
    "reproduce": "a page, and the command that writes it",
    "serve": "the room, and the command that starts a server",
    "schema": "the room and its one class",
    "models": "the file format, and the command line's use of it",
}


def shared(places):
    """The names that have several places, each with these."""
    found = defaultdict(list)
    for name, place in places:
        found[name].append(place.relative_to(SOURCE).as_posix())
    return {name: where for name, where in found.items() if len(where) > 1}


def public_classes():
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, file


def modules_and_rooms():
    yield from ((file.stem, file) for file in FILES if file.stem not in ROLES)
    yield from ((file.parent.name, file.parent) for file in FILES if file.stem == "__init__")


def test_no_two_public_classes_share_a_name():
    assert shared(public_classes()) == {}


def test_modules_share_a_name_only_for_a_reason():
    unexplained = {n: where for n, where in shared(modules_and_rooms()).items() if n not in SHARED}
    assert unexplained == {}


def test_every_reason_is_needed():
    assert set(SHARED) == set(shared(modules_and_rooms()))


def test_shared_names_are_found():
    once, twice = ("Rows", SOURCE / "a.py"), [("Block", SOURCE / f"{k}.py") for k in "ab"]
    assert shared([once, *twice]) == {"Block": ["a.py", "b.py"]}


# The command line is described by its commands.
ROOMS = ["fenchel"] + [
    f"fenchel.{room.name}"
    for room in pkgutil.iter_modules(fenchel.__path__)
    if room.ispkg and not room.name.startswith("_") and room.name != "cli"
]


def public_docstrings(room):
    """The docstrings of a room, its public names and their public members."""
    module = import_module(room)
    yield room, inspect.getdoc(module)
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        yield name, inspect.getdoc(value)
        if inspect.isclass(value):
            members = vars(value).items()
            yield from ((f"{name}.{m}", inspect.getdoc(v)) for m, v in members if m[0] != "_")


@pytest.mark.parametrize("room", ROOMS)
def test_public_docstrings_are_plain(room):
    for name, text in public_docstrings(room):
        opening = re.match(r"(what|which|where|who|whose|whom)\b", text or "", re.IGNORECASE)
        assert not opening, f"{name} opens with {opening[0]!r}: say what it is or does"
        metaphor = re.search(r"\b(doors?|told)\b", text or "")
        assert not metaphor, f"{name} has {metaphor[0]!r}: use a plain word"

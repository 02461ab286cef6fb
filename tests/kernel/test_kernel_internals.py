"""What the compiler layer uses of Numba and CPython that they do not promise is listed, all of it."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import fenchel
from fenchel._numba import internals
from fenchel._numba.choice import FAST
from fenchel._numba.internals import ATTRIBUTES, CPYTHON, NUMBA, OPTIONS, is_checked, names

HOUSE = Path(fenchel.__file__).parent
LAYER = HOUSE / "_numba"
INTERNAL = re.compile(r"(numba\.(?!types$|extending\.)|llvmlite)")
PUBLIC_OPTIONS = {"nogil", "error_model"}


def nodes(folder: Path, *left_out: Path) -> Iterator[ast.AST]:
    """Every node of the sources in a folder."""
    for file in folder.rglob("*.py"):
        if not any(file.is_relative_to(other) for other in left_out):
            yield from ast.walk(ast.parse(file.read_text()))


def imports(folder: Path, *left_out: Path) -> set[str]:
    """Everything that is imported, with its module."""
    found = set()
    for node in nodes(folder, *left_out):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return found


def attributes(folder: Path, *left_out: Path) -> set[str]:
    """The names after dots, and those that are defined in classes."""
    found = set()
    for node in nodes(folder, *left_out):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ClassDef):
            found |= {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            given = [each.targets for each in node.body if isinstance(each, ast.Assign)]
            found |= {name.id for targets in given for name in targets}
    return found


def own(folder: Path) -> set[str]:
    """Names of functions here, and of what is stored in objects."""
    found = set()
    for node in nodes(folder):
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


def texts(folder: Path, *left_out: Path) -> set[str]:
    """Every string, and the keys of dicts among them."""
    constants = (node for node in nodes(folder, *left_out) if isinstance(node, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)}


def test_the_rest_of_the_house_knows_neither_numba_nor_llvmlite():
    assert not {name for name in imports(HOUSE, LAYER) if re.match("(numba|llvmlite)", name)}


def test_every_import_of_an_internal_is_listed():
    assert {name for name in imports(LAYER) if INTERNAL.match(name)} == names(NUMBA)


def test_internals_are_used_in_the_fast_way_alone():
    assert not {name for name in imports(LAYER, LAYER / "fast") if INTERNAL.match(name)}
    rest = attributes(LAYER, LAYER / "fast") - own(LAYER)
    assert not {name for name in rest if re.match("_[a-z]", name)}
    assert not rest & {"overloads", "entry_point"}
    assert not texts(LAYER, LAYER / "fast", LAYER / "internals.py") & names(OPTIONS)


def test_every_attribute_that_begins_with_an_underscore_is_listed():
    used = attributes(LAYER / "fast")
    assert names(ATTRIBUTES) <= used
    underscored = {name for name in used if re.match("_[a-zA-Z]", name)}
    assert underscored - own(LAYER / "fast") <= names(ATTRIBUTES)


def test_every_option_of_the_compiler_is_listed():
    dicts = [node for node in nodes(LAYER / "fast") if isinstance(node, ast.Dict)]
    keys = {key.value for node in dicts for key in node.keys if key is not None}
    assert keys - PUBLIC_OPTIONS == names(OPTIONS)


def test_every_c_function_of_python_is_listed():
    pattern = re.compile(r"_?Py[A-Z]\w*_\w+")
    used = {text for text in texts(LAYER, LAYER / "internals.py") if pattern.fullmatch(text)}
    assert used == names(CPYTHON)


@pytest.mark.skipif(not FAST, reason="this release of Numba was not checked, or shall not be used")
@pytest.mark.parametrize("name", sorted(names(NUMBA)))
def test_what_is_listed_is_there_in_a_checked_release(name):
    module, _, attribute = name.rpartition(".")
    assert hasattr(import_module(module), attribute) or import_module(name)


@pytest.mark.parametrize(
    ("version", "checked"),
    [("0.62.0", True), ("0.68.1", True), ("0.6.8", False), ("0.99.0rc1", False), ("1.0", False)],
)
def test_checked_releases_go_by_the_minor_version(version, checked):
    assert is_checked(version, internals.CHECKED_NUMBA) == checked

"""Every public name has a docstring and a place in the reference, every learner a page."""

import inspect
import pkgutil
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import fenchel
from fenchel.learners import CATALOGUE

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS))

from fenchel_docs.public import DATA, entry

REFERENCE = (DOCS / "reference.md").read_text(encoding="utf-8")
# The command line is documented by its commands.
PACKAGES = ["fenchel"] + [
    f"fenchel.{found.name}"
    for found in pkgutil.iter_modules(fenchel.__path__)
    if found.ispkg and not found.name.startswith("_") and found.name != "cli"
]
PACKAGES = [name for name in PACKAGES if getattr(import_module(name), "__all__", None)]
NAMES = [(package, name) for package in PACKAGES for name in import_module(package).__all__]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_public_package_is_in_the_reference(package):
    assert re.search(rf"^```\{{public-names\}} {re.escape(package)}$", REFERENCE, re.MULTILINE)


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_a_public_name_is_described(package, name):
    value = getattr(import_module(package), name)
    assert entry(package, name, value) or inspect.ismodule(value) or name in CATALOGUE
    value = getattr(value, "py_func", value)  # of a compiled one
    if inspect.isroutine(value) or inspect.isclass(value):
        assert inspect.getdoc(value), f"{package}.{name} has no docstring"
    elif not inspect.ismodule(value) and not name.startswith("__"):
        assert f"{package}.{name}" in DATA, f"describe {package}.{name} in fenchel_docs.public"


def test_every_learner_has_a_page():
    pages = {page.stem for page in (DOCS / "learners").glob("*.md")}
    assert pages == set(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_page_of_a_learner_has_its_parts(name):
    page = (DOCS / "learners" / f"{name}.md").read_text(encoding="utf-8")
    assert f"```{{learner}} {name}\n" in page
    for heading in ("## When it wins", "## When it loses"):
        section = page.partition(f"{heading}\n")[2].partition("\n## ")[0]
        assert len(section.split()) >= 10, f"{name}: {heading} says little"
    docstring = inspect.getdoc(CATALOGUE[name].build)
    assert ">>>" in docstring

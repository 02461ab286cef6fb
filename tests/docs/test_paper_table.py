"""The paper-to-code table and the errata name only what exists, and leave nothing out."""

import ast
import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from fenchel.certificates import THEOREMS

ROOT = Path(__file__).parents[2]
PAPER = json.loads((ROOT / "docs" / "paper.json").read_text(encoding="utf-8"))
RATIOS = json.loads((ROOT / "docs" / "paper_ratios.json").read_text(encoding="utf-8"))
ROWS = [row for rows in PAPER.values() for row in rows]
ERRATA = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")


def resolve(name):
    """The object of a dotted name: as much of it as is a module, then attributes."""
    module, _, attribute = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(resolve(module), attribute)


@cache
def functions_of(file):
    return {
        node.name for node in ast.parse((ROOT / file).read_text()).body if hasattr(node, "name")
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["place"])
def test_what_a_row_names_exists(row):
    assert row["code"]
    assert row["tests"]
    for name in row["code"]:
        assert resolve(name) is not None
    for test in row["tests"]:
        file, _, function = test.partition("::")
        assert function in functions_of(file), test


def test_every_statement_of_the_paper_has_a_row():
    text = " ".join(row["place"] for row in ROWS)
    numbers = {int(n) for n in re.findall(r"\((\d+)\)", text)}
    numbers |= {
        n for a, b in re.findall(r"\((\d+)\)–\((\d+)\)", text) for n in range(int(a), int(b))
    }
    assert numbers == set(range(1, 30))
    for name in ("Algorithm 1", "Theorem 1", *(f"Lemma {n}" for n in range(1, 6)),
                 *(f"Corollary {n}" for n in range(1, 5))):  # fmt: skip
        assert name in text, name


def test_every_inequality_was_seen_where_it_is_not_vacuous():
    """Right within 100 times of left on at least one run, and never below it."""
    claims = [claim for row in ROWS for claim in row.get("claims", [])]
    assert len(set(claims)) == len(claims) >= 35
    for claim in claims:
        assert 1.0 - 1e-9 <= RATIOS[claim]["ratio"] <= 100.0, claim


def test_every_theorem_of_the_package_is_in_the_table_or_not_of_the_paper():
    elsewhere = (
        "AdaGrad",
        "AROW",
        "Adaptive exponentiated gradient",
        "Implicit updates",
        "Frequent directions",
    )
    claims = {claim for row in ROWS for claim in row.get("claims", [])}
    for theorem in THEOREMS:
        printed = theorem.name.endswith("as printed")
        assert theorem.name in claims or theorem.name.startswith(elsewhere) or printed, theorem.name


def test_every_erratum_shows_a_check_that_exists():
    sections = re.split(r"^## (?=E\d\d)", ERRATA, flags=re.MULTILINE)[1:]
    assert [section[:3] for section in sections] == [f"E{n:02}" for n in range(1, 23)]
    for section in sections:
        checks = re.findall(r"tests/\S+::\w+", section)
        assert checks, section[:3]
        for check in checks:
            file, _, function = check.partition("::")
            assert function in functions_of(file), check


def test_lemma_4_holds():
    rng = np.random.default_rng(0)
    for _ in range(50):
        r = float(np.exp(rng.uniform(-3.0, 3.0)))
        X = rng.standard_t(2.0, size=(int(rng.integers(1, 40)), int(rng.integers(1, 6))))
        diagonals = 1.0 + np.cumsum(X**2, axis=0) / r
        sums = float(np.sum(X**2 / diagonals))
        assert sums <= r * float(np.log1p(np.sum(X**2, axis=0) / r).sum()) * (1.0 + 1e-12)

"""Crosses of many rows at once against the schema's own of one."""

import numpy as np
import pytest

from fenchel.schema.crosses import Feature, crossed
from fenchel.streams.cross_products import Crosses
from fenchel.streams.intern_table import add_all, empty_table
from fenchel.streams.names import Names, joined

COLUMNS, KINDS = ["a", "b", "n", "t"], ["category", "category", "number", "text"]
SPECS = [
    [("a", "b")],
    [("a", "n"), ("n", "n")],
    [("categories", "categories")],
    [("*", "*")],
    [("t", "t"), ("a", "t", "n")],
    [("*", "*", "*")],
]


def drawn(seed):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(8):
        row = [Feature("a", "category", (f"a={rng.integers(3)}",), 1.0)]
        row += [Feature("b", "category", (f"b=x{rng.integers(2)}",), 1.0)] * int(rng.integers(2))
        row += [Feature("n", "number", ("n",), float(rng.integers(1, 4)))] * int(rng.integers(2))
        words = rng.choice(["red", "big", "été"], int(rng.integers(4)), replace=False)
        row += [Feature("t", "text", (f"t={w}",), float(rng.integers(1, 3))) for w in words]
        rows.append(row)
    return rows


def arrays(rows):
    names = list(dict.fromkeys(e.name for row in rows for e in row))
    table, _ = add_all(empty_table(), *joined(names))
    numbers = [names.index(e.name) for row in rows for e in row]
    indptr = np.cumsum([0, *map(len, rows)])
    values = np.array([e.value for row in rows for e in row], float)
    return (indptr, np.array(numbers, np.int64), values), table


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("seed", range(10))
def test_named_crosses(spec, seed):
    rows = drawn(seed)
    given, table = arrays(rows)
    (indptr, numbers, values), table = Crosses(spec, None).added(given, table, COLUMNS, KINDS)
    at = table.offsets
    words = [table.text[at[k] : at[k + 1]].tobytes().decode() for k in range(int(table.used[0]))]
    for t, row in enumerate(rows):
        found = [(words[numbers[k]], values[k]) for k in range(indptr[t], indptr[t + 1])]
        expected = [(e.name, e.value) for e in crossed(row, spec)[len(row) :]]
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_hashed_crosses(spec):
    rows, names = drawn(99), Names(bits=20)
    given, table = arrays(rows)
    (indptr, numbers, values), _ = Crosses(spec, 20).added(given, table, COLUMNS, KINDS)
    for t, row in enumerate(rows):
        found = [(numbers[k], values[k]) for k in range(indptr[t], indptr[t + 1])]
        expected = [(names.of_parts(e.parts), e.value) for e in crossed(row, spec)[len(row) :]]
        assert sorted(found) == sorted(expected)

"""Rows in the order of their columns: compiled against Python's own sort."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel.streams.row_order import order_rows

COLUMNS = st.integers(0, 40) | st.integers(0, 2**32 - 1)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(COLUMNS, max_size=90), max_size=5))
def test_any_rows(rows):
    values = np.random.default_rng(len(rows)).normal(size=sum(map(len, rows)))
    indptr = np.cumsum([0, *map(len, rows)])
    expected = []
    for columns, (a, b) in zip(rows, pairwise(indptr), strict=True):
        found = {}
        for column, value in sorted(zip(columns, values[a:b], strict=True), key=lambda p: p[0]):
            found[column] = found[column] + value if column in found else value
        expected.append(list(found.items()))
    indices = np.array([c for row in rows for c in row], np.uint32)
    kept = order_rows(indptr, indices, values)
    assert kept == indptr[-1]
    cells = list(zip(indices.tolist(), values.tolist(), strict=True))
    assert [cells[a:b] for a, b in pairwise(indptr)] == expected

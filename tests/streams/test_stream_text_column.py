"""Texts to features: the compiled column against the kind's own definition."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel.schema import Text
from fenchel.streams.intern_table import empty_table
from fenchel.streams.names import joined
from fenchel.streams.text_column import features_of_texts

KINDS = [
    Text(),
    Text(words=(1, 2), counts=False),
    Text(words=(2, 3), lower=False, shortest=1),
    Text(words=(0, 0), letters=(2, 4)),
    Text(words=(1, 1), letters=(3, 3), shortest=3),
]


def compiled(texts, kind):
    data, offsets = joined(["" if text is None else text for text in texts])
    present = np.array([text is not None for text in texts])
    indptr, numbers, values, names = features_of_texts(
        data.copy(), offsets[:-1], offsets[1:], present, "b", kind, empty_table()
    )
    at = names.offsets
    words = [names.text[at[k] : at[k + 1]].tobytes().decode() for k in range(int(names.used[0]))]
    rows = pairwise(indptr)
    return [
        [(words[n], v) for n, v in zip(numbers[a:b], values[a:b], strict=True)] for a, b in rows
    ]


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.none() | st.text(max_size=40), max_size=6))
def test_any_texts(kind, texts):
    texts = [None if t is None else t.encode("utf-8", "ignore").decode() for t in texts]
    expected = [[] if text is None else kind.features("b", text) for text in texts]
    assert compiled(texts, kind) == expected


def test_many_words_make_the_tables_grow():
    texts = [" ".join(f"w{i}" for i in range(a, a + 3000)) for a in range(0, 9000, 1000)]
    assert compiled(texts, Text()) == [Text().features("b", text) for text in texts]

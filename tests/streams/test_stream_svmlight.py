"""svmlight text, against scikit-learn's reader and by hand."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from stream_helpers import read, rows_of, text_stream

from fenchel.streams import BadInput


@pytest.mark.parametrize("zero_based", [True, False])
def test_same_rows_as_scikit_learn(zero_based: bool) -> None:
    generator = np.random.default_rng(1)
    X = sparse.random(300, 80, density=0.1, random_state=2, format="csr")
    X.data *= 10.0 ** generator.integers(-30, 30, len(X.data))
    y = generator.normal(size=300)
    groups = np.sort(generator.integers(0, 40, 300))
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=zero_based, query_id=groups, comment="made up")
    file.seek(0)
    theirs, labels, theirs_groups = load_svmlight_file(
        file, n_features=80, zero_based=zero_based, query_id=True
    )
    stream = text_stream(file.getvalue(), "svmlight", index_base=0 if zero_based else 1)
    (block,) = stream
    np.testing.assert_array_equal(block.indptr, theirs.indptr)
    np.testing.assert_array_equal(block.indices, theirs.indices)
    np.testing.assert_array_equal(block.values, theirs.data)
    np.testing.assert_array_equal(block.labels, labels)
    np.testing.assert_array_equal(block.groups, theirs_groups)
    assert stream.names is None
    assert stream.columns == theirs.indices.max() + 1


def test_blanks_comments_and_line_ends() -> None:
    text = (
        "\ufeff+1  1:2\t3:-.5   # a comment 7:8\r\n\r\n# only a comment\n   \n-1 qid:7 2:1e3#c\n0"
    )
    assert read(text, "svmlight") == [(1.0, [(0, 2.0), (2, -0.5)]), (-1.0, [(1, 1e3)]), (0.0, [])]


def test_zeros_are_dropped_yet_ordered() -> None:
    assert read("1 1:0 2:-0.0 3:1e-400 4:5\n", "svmlight") == [(1.0, [(3, 5.0)])]
    with pytest.raises(BadInput, match="increase"):
        read("1 2:0 2:5\n", "svmlight")


def test_the_largest_index() -> None:
    stream = text_stream("1 4294967294:1\n", "svmlight", index_base=0)
    (block,) = stream
    assert block.indices.tolist() == [4294967294]
    assert stream.columns == 4294967295


@pytest.mark.parametrize("threads", [1, 2])
def test_many_numbers_that_are_hard_to_round(threads: int) -> None:
    texts = [f"{k}.{k}e-320" for k in range(1, 2000)] + ["9007199254740993.00000000000000001"] * 9
    lines = "".join(f"{text} 1:1 2:-{text}\n" for text in texts)
    rows = read(lines, "svmlight", chunk_bytes=3000, threads=threads)
    assert rows == [(float(text), [(0, 1.0), (1, -float(text))]) for text in texts]


def test_rows_to_predict_need_no_label() -> None:
    text = "1 1:2\n3:4\nqid:3 3:4\n\n"
    assert read(text, "svmlight", labelled=False) == [
        (None, [(0, 2.0)]),
        (None, [(2, 4.0)]),
        (None, [(2, 4.0)]),
    ]


def test_groups_are_whole() -> None:
    (block,) = text_stream("1 qid:99999999999999999 1:1\n1 1:1\n", "svmlight")
    assert block.groups is not None
    assert block.groups.tolist() == [99999999999999999, -1]


def test_index_base_is_checked_over_the_whole_stream() -> None:
    text = "1 1:1\n" * 5000 + "1 0:1\n"
    with pytest.raises(BadInput) as refused:
        rows_of(text_stream(text, "svmlight", chunk_bytes=1000))
    assert (refused.value.line, refused.value.column) == (5001, 3)
    assert "index_base=0" in str(refused.value)

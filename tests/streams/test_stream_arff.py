"""ARFF: what the header declares, rows dense and sparse, quotes and comments."""

import pytest
from stream_helpers import read, text_stream

from fenchel.streams import BadInput

HEADER = """% people
@RELATION people
@ATTRIBUTE 'the age' NUMERIC
@attribute job {cook, 'sea captain'}
@attribute said string
@attribute class {no, yes}
@data
"""


def test_columns_are_what_the_header_says() -> None:
    text = HEADER + "41,cook,'Hello, you',no\n% a comment\n?,'sea captain',\"O'Neil\",yes\n"
    first, second = read(text, "arff")
    assert (first[0], dict(first[1])) == (
        "no", {"the age": 41.0, "job=cook": 1.0, "said=hello": 1.0, "said=you": 1.0},
    )  # fmt: skip
    assert second[0] == "yes"
    assert dict(second[1])["job=sea captain"] == 1.0


def test_sparse_rows_leave_out_zeros_and_first_levels() -> None:
    rows = read(
        HEADER.replace("@attribute said string\n", "") + "{0 5, 2 yes}\n{1 'sea captain'}\n", "arff"
    )
    assert [(label, dict(row)) for label, row in rows] == [
        ("yes", {"the age": 5.0, "job=cook": 1.0}),
        ("no", {"job=sea captain": 1.0}),
    ]


@pytest.mark.parametrize("chunk", [40, 1 << 20])
def test_a_bad_cell_is_found_by_its_line(chunk: int) -> None:
    with pytest.raises(BadInput) as refused:
        read(HEADER + "41,cook,hi,no\nold,cook,hi,no\n", "arff", chunk_bytes=chunk)
    assert (refused.value.line, refused.value.value) == (9, "old")


def test_headers_that_are_none() -> None:
    with pytest.raises(BadInput, match="a type that is not read"):
        read("@attribute a relational\n@data\n", "arff")
    with pytest.raises(BadInput, match="there is no @data"):
        read("@attribute a numeric\n", "arff")


def test_the_label_may_be_another_column() -> None:
    stream = text_stream(HEADER + "41,cook,hi,no\n", "arff", label="the age")
    assert next(iter(stream)).labels.tolist() == [41.0]

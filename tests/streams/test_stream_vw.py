"""Vowpal Wabbit text: what a line means, names kept or hashed."""

from __future__ import annotations

import pytest
from stream_helpers import read, rows_of, text_stream

from fenchel.streams import BadInput, Names


@pytest.mark.parametrize(
    ("line", "label", "features"),
    [
        ("1 | a b:2", 1.0, [("a", 1.0), ("b", 2.0)]),
        ("-1 |words a b:2 |more a", -1.0, [("words^a", 1.0), ("words^b", 2.0), ("more^a", 1.0)]),
        (
            "0.5 |scaled:3 a b:2 |plain a",
            0.5,
            [("scaled^a", 3.0), ("scaled^b", 6.0), ("plain^a", 1.0)],
        ),
        ("1 |n a:0 b:-1e-3", 1.0, [("n^b", -1e-3)]),
        ("1 |n a a:2 b a", 1.0, [("n^a", 4.0), ("n^b", 1.0)]),
        ("1 |", 1.0, []),
        ("1 |a|b c", 1.0, [("b^c", 1.0)]),
        ("1 |été naïve:2", 1.0, [("été^naïve", 2.0)]),
        ("1 2 0.3 'tag |n 1_000:1 nan", 1.0, [("n^1_000", 1.0), ("n^nan", 1.0)]),
        ("\t 1\t|n\ta \r", 1.0, [("n^a", 1.0)]),
    ],
)
def test_lines(line: str, label: float, features: list[tuple[str, float]]) -> None:
    assert read(line, "vw") == [(label, features)]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_sum_that_is_not_finite(threads: int) -> None:
    with pytest.raises(BadInput, match="input:1: from here on, values of one name") as refused:
        read("1 | b\n1 | a:1e308 a:1e308\n", "vw", threads=threads)
    assert refused.value.file == "input"


def test_importance_and_tags() -> None:
    (block,) = text_stream("1 2.5 'first|n a\n1 | a\n0 0 last|n a\n1 'mid |n a\n", "vw")
    assert block.importance is not None
    assert block.importance.tolist() == [2.5, 1.0, 0.0, 1.0]
    assert block.ids == ["first", "", "last", "mid"]


def test_no_importance_no_tag() -> None:
    (block,) = text_stream("1 | a\n\n-1 | b\n", "vw")
    assert block.importance is None
    assert block.ids is None


def test_rows_to_predict_need_no_label() -> None:
    assert read("|n a\n1 |n b\ntag|n c\n", "vw", labelled=False) == [
        (None, [("n^a", 1.0)]),
        (None, [("n^b", 1.0)]),
        (None, [("n^c", 1.0)]),
    ]


def test_labels_of_rows_to_predict_are_not_looked_at() -> None:
    text = "spam | a\nham 2.5 'one | b\nnan two| c\nthree| d\n'four |e\n"
    stream = text_stream(text, "vw", labelled=False)
    (block,) = stream
    assert [len(row) for _, row in rows_of(stream)] == [1, 1, 1, 1, 0]
    assert block.labels is None
    assert block.ids == ["", "one", "two", "three", "four"]


@pytest.mark.parametrize("line", ["spam", "spam a b", "spam x | a", "spam 1 0 more | a"])
def test_lines_to_predict_are_refused_for_anything_else(line: str) -> None:
    with pytest.raises(BadInput, match=r"no bar|importance|too many words"):
        read(f"{line}\n", "vw", labelled=False)


def test_hashes_as_vowpal_wabbit_does() -> None:
    names = Names(bits=18)
    # Published values of --audit at 18 bits.
    assert names.column("123456789") == 249109
    assert names.column("has_car") == 36073
    assert names.column("gender^男") == 27805
    assert names.column("interest^篮球") == 61583
    assert names.column("age^42") == 165243
    stream = text_stream("1 | 123456789 has_car |gender 男 |interest 篮球 |age 42\n", "vw", bits=18)
    (block,) = stream
    assert block.indices.tolist() == [249109, 36073, 27805, 61583, 165243]
    assert stream.columns == 1 << 18
    assert stream.names is not None
    assert stream.names.name(27805) == "gender^男"


def test_names_that_share_a_column_are_added_up() -> None:
    stream = text_stream("1 | a b c d:5\n", "vw", bits=1)
    assert rows_of(stream) == [(1.0, [("a", 1.0), ("b", 7.0)])]
    assert stream.names is not None
    assert stream.names.collisions == 1


def test_an_existing_table_is_continued() -> None:
    names = Names()
    names.column("n^b")
    stream = text_stream("1 |n a b\n", "vw", names=names)
    (block,) = stream
    assert block.indices.tolist() == [1, 0]
    assert stream.names is names


def test_names_of_refused_lines_are_not_added() -> None:
    stream = text_stream("1 | a\n1 | bad c:x\n1 | b c a\n", "vw", on_error="skip")
    rows_of(stream)
    assert stream.names is not None
    assert [stream.names.name(k) for k in range(stream.columns)] == ["a", "b", "c"]

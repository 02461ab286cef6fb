"""JSON lines: features of an object, one level of nesting, labels."""

from __future__ import annotations

import pytest
from stream_helpers import read, rows_of, text_stream

from fenchel.streams import BadInput


def test_objects() -> None:
    text = (
        '{"label": 1, "age": 41, "job": "cook", "car": {"doors": 5, "kind": "van", "new": true}}\n'
        '\n{"age": 0, "no": false, "none": null, "yes": true, "y": 2, "label": -1.5}\n'
    )
    car = [("car.doors", 5.0), ("car.kind=van", 1.0), ("car.new", 1.0)]
    assert read(text, "jsonl") == [
        (1.0, [("age", 41.0), ("job=cook", 1.0), *car]),
        (-1.5, [("yes", 1.0), ("y", 2.0)]),
    ]


def test_label_keys() -> None:
    assert read('{"y": true, "a": 1}\n{"y": false}\n', "jsonl") == [(1.0, [("a", 1.0)]), (0.0, [])]
    assert read('{"t": "x", "y": 1}\n', "jsonl", label="t") == [("x", [("y", 1.0)])]
    assert read('{"y": 1, "a": 1}\n{"a": 2}', "jsonl", labelled=False, label="y") == [
        (None, [("a", 1.0)]),
        (None, [("a", 2.0)]),
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_labels_are_of_one_kind(threads: int) -> None:
    text = '{"y": "no", "a": 1}\n' * 40 + '{"y": 1, "a": 1}\n' * 40
    stream = text_stream(text, "jsonl", chunk_bytes=100, threads=threads, on_error="skip")
    assert len(rows_of(stream)) == 40
    assert stream.skipped.count == 40
    with pytest.raises(BadInput) as refused:
        read(text, "jsonl", chunk_bytes=100, threads=threads)
    assert (refused.value.line, refused.value.column) == (41, 2)


def test_whole_numbers_of_any_size() -> None:
    value = 9007199254740993
    assert read(f'{{"y": 1, "a": {value}}}', "jsonl") == [(1.0, [("a", float(value))])]


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ('{"x": {"u": 7}, "u": "v", "y": 0}', 17, "in the column u: 'v' is not a number;"),
        ('{"u": 7, "x": {"u": "v"}, "y": 0}', 16, "in the column x.u: 'v' is not a number;"),
        ('{"n": [1, 2], "s": "u", "u": "v", "y": 0}', 25, "in the column u: 'v' is not"),
        ('{"u": "v", "u": "w", "y": 0}', 12, "in the column u: 'w' is not"),
        ('{"é": "\\"u\\":", "\\u0075": "a b, c", "y": 0}', 17, "in the column u: 'a b, c' is not"),
        ('{"u": [{"u": 1}, "v"], "x": {}, "y": 0}', 2, "in the column u: "),
        ('{"v": [3, 4], "s": [5, "t"], "u": 1, "y": {"u": 2}}', 38, "label is not a number or"),
        ('{"u": 1, "x": {"y": 2}}', 1, "the label is missing;"),
    ],
)
def test_errors_name_the_column_and_show_its_own_value(
    line: str, column: int, message: str
) -> None:
    text = '{"x": {"u": 7}, "u": 3, "y": 1}\n' + line + "\n"
    with pytest.raises(BadInput) as refused:
        read(text, "jsonl")
    assert f"input:2:{column}: " in str(refused.value)
    assert message in str(refused.value)

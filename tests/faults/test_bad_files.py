"""Bad files: every reader refuses with the file, the line, the column and a remedy."""

from __future__ import annotations

import io
from typing import Any

import pytest

from fenchel.streams import BadInput, open_stream

GOOD = {
    "svmlight": "1 1:1 2:0.5\n",
    "vw": "1 |n a b:0.5\n",
    "csv": "1,0.5,x,1\n",
    "jsonl": '{"y": 1, "a": 1, "b": "x"}\n',
}
HEADER = {"csv": "a,b,c,y\n"}

# format, the bad line, the column of the mistake, part of what is said
TABLE = [
    ("svmlight", "1 1:1 2", 7, "no colon"),
    ("svmlight", "1 1:1 2 3:1", 7, "no colon"),
    ("svmlight", "1 1::2", 5, "one colon too many"),
    ("svmlight", "1 1:2:3", 6, "one colon too many"),
    ("svmlight", "1 :2", 3, "not a whole number"),
    ("svmlight", "1 1:", 5, "not a number"),
    ("svmlight", "1 1: 2:1", 5, "not a number"),
    ("svmlight", "1 1_000:1", 3, "not a whole number"),
    ("svmlight", "1 1:1_000", 5, "not a number"),
    ("svmlight", "1 a:1", 3, "not a whole number"),
    ("svmlight", "1 -1:1", 3, "not a whole number"),
    ("svmlight", "1 +1:1", 3, "not a whole number"),
    ("svmlight", "1 1.5:1", 3, "not a whole number"),
    ("svmlight", "1 1:nan", 5, "not finite"),
    ("svmlight", "1 1:inf", 5, "not finite"),
    ("svmlight", "1 1:-Infinity", 5, "not finite"),
    ("svmlight", "1 1:1e400", 5, "not finite"),
    ("svmlight", "1 1:0x10", 5, "not a number"),
    ("svmlight", "1 1:1,5", 5, "not a number"),
    ("svmlight", "1 1:x", 5, "not a number"),
    ("svmlight", "1 4294967295:1", 3, "above 4294967294"),
    ("svmlight", "1 4294967296:1", 3, "above 4294967294"),
    ("svmlight", "1 99999999999999999999999:1", 3, "above 4294967294"),
    ("svmlight", "1 0:1", 3, "index_base=0"),
    ("svmlight", "1 3:1 2:1", 7, "increase"),
    ("svmlight", "1 3:1 3:1", 7, "increase"),
    ("svmlight", "1:1 2:1", 1, "label is missing"),
    ("svmlight", "x 2:1", 1, "label is not a number"),
    ("svmlight", "nan 2:1", 1, "not finite"),
    ("svmlight", "1,2 2:1", 1, "label is not a number"),
    ("svmlight", "1 qid:x 2:1", 3, "query id"),
    ("svmlight", "1 qid: 2:1", 3, "query id"),
    ("svmlight", "1 qid:1.5 2:1", 3, "query id"),
    ("svmlight", "1 qid:9999999999999999999 2:1", 3, "query id"),
    ("svmlight", "1 2:1 qid:1", 7, "not a whole number"),
    ("svmlight", "1 1:1\0 2:1", 5, "not a number"),
    ("svmlight", "\0", 1, "label is not a number"),
    ("svmlight", "1 é:1", 3, "not a whole number"),
    ("vw", "1 a b", 1, "no bar"),
    ("vw", "1|n a", 1, "touches the bar"),
    ("vw", "|n a", 1, "label is missing"),
    ("vw", "'tag |n a", 1, "label is missing"),
    ("vw", "x |n a", 1, "label is not a number"),
    ("vw", "inf |n a", 1, "not finite"),
    ("vw", "1 x |n a", 3, "importance"),
    ("vw", "1 -2 |n a", 3, "importance"),
    ("vw", "1 1e400 |n a", 3, "not finite"),
    ("vw", "1 1 x |n a", 5, "too many words"),
    ("vw", "1 1 1 1 |n a", 7, "too many words"),
    ("vw", "1 'tag 1 |n a", 8, "too many words"),
    ("vw", "1 |n a::2", 8, "one colon too many"),
    ("vw", "1 |n a:2:3", 9, "one colon too many"),
    ("vw", "1 |:2 a", 4, "without a name"),
    ("vw", "1 |n a:", 8, "not a number"),
    ("vw", "1 |n: a", 6, "not a number"),
    ("vw", "1 |n a:x", 8, "not a number"),
    ("vw", "1 |n a:1_000", 8, "not a number"),
    ("vw", "1 |n é:nan", 8, "not finite"),
    ("vw", "1 |n a:inf", 8, "not finite"),
    ("vw", "1 |n a:1e400", 8, "not finite"),
    ("vw", "1 |n:1e300 a:1e300", 12, "not finite"),
    ("vw", "1 |n a\0b", 7, "NUL"),
    ("vw", "1 |n\0 b", 5, "NUL"),
    ("vw", b"1 |n a \xff\xfe", 8, "not UTF-8"),
    ("vw", b"1 |\xff b", 4, "not UTF-8"),
    ("vw", "1 |n " + "a" * 70_000, 6, "more than 65535 bytes"),
    ("csv", "1,2", 4, "too few cells"),
    ("csv", "1,2,x,1,5", 9, "too many cells"),
    ("csv", '1,2,"x"y,1', 8, "quote in the wrong place"),
    ("csv", "1,z,x,1", 3, "text in a column of numbers"),
    ("csv", "1,1_000,x,1", 3, "text in a column of numbers"),
    ("csv", "1,0x10,x,1", 3, "text in a column of numbers"),
    ("csv", "1,inf,x,1", 3, "not finite"),
    ("csv", "1, 1e400,x,1", 4, "not finite"),
    ("csv", '1,"-inf",x,1', 3, "not finite"),
    ("csv", "1,2,x,", 7, "label is missing"),
    ("csv", "1,2,x,?", 7, "label is missing"),
    ("csv", "1,2,x,nan", 7, "label is missing"),
    ("csv", "1,2,x,yes", 7, "label of text"),
    ("csv", "1,2,x,inf", 7, "not finite"),
    ("csv", "1,2,x\0y,1", 6, "NUL"),
    ("csv", '1,2,"x\0y",1', 7, "NUL"),
    ("csv", b"1,2,\xff,1", 5, "not UTF-8"),
    ("csv", "1,2," + "x" * 70_000 + ",1", 5, "more than 65535 bytes"),
    ("jsonl", '{"y": 1, "a" 1}', 14, "malformed JSON"),
    ("jsonl", '{"y": 1, "a":: 1}', 14, "malformed JSON"),
    ("jsonl", '{"y": 1, "a": 1_000}', 16, "malformed JSON"),
    ("jsonl", '{"y": 1, "a": NaN}', 15, "malformed JSON"),
    ("jsonl", '{"y": 1, "a": Infinity}', 15, "malformed JSON"),
    ("jsonl", '{"y": 1, "a": 1e400}', 15, "not finite"),
    ("jsonl", '{"y": 1, "a": 1' + "0" * 400 + "}", 10, "not finite"),
    ("jsonl", '{"y": 1, "a": 1', 16, "malformed JSON"),
    ("jsonl", '{"y": 1} {"y": 1}', 10, "malformed JSON"),
    ("jsonl", "[1, 2]", 1, "not an object"),
    ("jsonl", '{"a": 1}', 1, "label is missing"),
    ("jsonl", '{"a": 1, "y": null}', 10, "label is missing"),
    ("jsonl", '{"a": 1, "y": "x"}', 10, "labels of text"),
    ("jsonl", '{"a": 1, "y": [1]}', 10, "label is not a number"),
    ("jsonl", '{"y": 1, "a": "x"}', 10, "'x' is not a number"),
    ("jsonl", '{"y": 1, "a": "\0"}', 16, "malformed JSON"),
    ("jsonl", b'{"y": 1, "a": "\xff"}', 16, "not UTF-8"),
]


def identity(case: Any) -> str | None:
    return case[:30] if isinstance(case, str) else None


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""], ids=["lf", "crlf", "none"])
@pytest.mark.parametrize(("format", "line", "column", "what"), TABLE, ids=identity)
def test_refused_with_its_place(
    format: str, line: str | bytes, column: int, what: str, end: bytes, record_property: Any
) -> None:
    bad = line.encode() if isinstance(line, str) else line
    good, header = GOOD[format].encode(), HEADER.get(format, "").encode()
    text = b"\xef\xbb\xbf" + header + good * 3 + b"\n" + bad + end
    place = len(header.splitlines()) + 5
    stream = open_stream(io.BytesIO(text), format=format, chunk_bytes=64)
    with pytest.raises(BadInput, match=what) as refused:
        list(stream)
    assert (refused.value.file, refused.value.line) == ("input", place)
    assert refused.value.column == column
    message = str(refused.value)
    assert message.startswith(f"input:{place}:{column}: ")
    assert "\n" not in message
    assert "; " in message
    assert len(message) < 250

    text += b"" if end else b"\n"
    stream = open_stream(io.BytesIO(text + good * 2), format=format, on_error="skip")
    assert sum(len(block) for block in stream) == 5
    assert stream.skipped.count == 1
    assert stream.skipped.messages == [message]
    record_property("bad lines refused with their place, and skipped", 1)


def test_an_open_quote_swallows_the_rest_and_says_where_it_opened() -> None:
    text = 'a,b,y\n1,"2,3\n1,2,3\n'
    with pytest.raises(BadInput, match="never closed") as refused:
        list(open_stream(io.BytesIO(text.encode()), format="csv"))
    assert (refused.value.line, refused.value.column) == (2, 3)


@pytest.mark.parametrize("format", GOOD)
def test_ten_messages_are_kept(format: str) -> None:
    text = HEADER.get(format, "") + GOOD[format] + "?\0\n" * 5000 + GOOD[format]
    stream = open_stream(io.BytesIO(text.encode()), format=format, on_error="skip", chunk_bytes=999)
    assert sum(len(block) for block in stream) == 2
    assert stream.skipped.count == len(stream.skipped) == 5000
    assert len(stream.skipped.messages) == 10
    first = 2 + len(HEADER.get(format, "").splitlines())
    assert [m.split(":")[1] for m in stream.skipped.messages] == [str(first + k) for k in range(10)]

"""The same rows whatever the chunks, the threads and the blocks; bounded memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_helpers import read, rows_of, text_stream

from fenchel.streams import BadInput, open_stream

TEXTS = {
    "svmlight": "\ufeff1 qid:1 3:4 7:1e-3\r\n\n# c\n-1 1:2 # é\n0\n2 1:1 2:2 3:3 4:4 5:5\n1 9:1",
    "vw": "\ufeff1 2 'été|né a b:2\n\n-1 | c d\r\n1 |né b |x a:3 a\n0 | é:1e-3",
    "csv": '\ufeffa,"b\nb",y\r\n1,"x\r\n""é""",no\n\n ?,y,yes\n2,"a,b",no\n0,y,yes\n3,é,no',
    "jsonl": '\ufeff{"y": 1, "a": "é"}\n\n{"y": 0, "b": {"c": 2}}\r\n{"y": 1, "a": 3, "d": 0}',
}
BAD = {
    "svmlight": TEXTS["svmlight"] + "\n1 x\n1 2:1\n1 3:3 2:2\n" + "z\n" * 12 + "1 1:1\n",
    "vw": TEXTS["vw"] + "\n1 | q:x\n1 |n r\nno bar\n" + "z |\n" * 12 + "1 | s\n",
    "csv": TEXTS["csv"] + '\nq,"r,s\n1,2,3,4\n"1,2",no\n' + "z\n" * 12 + "3,t,no\n",
    "jsonl": TEXTS["jsonl"]
    + '\n{"y": 1, "q": }\n{"y": 1, "r": 1}\n[]\n'
    + "z\n" * 12
    + '{"y": 2}\n',
}


@pytest.mark.parametrize("format", TEXTS)
@settings(max_examples=60, deadline=None)
@given(chunk=st.integers(1, 120), threads=st.sampled_from([1, 2, 3]), rows=st.integers(1, 5))
def test_any_chunk_size(format: str, chunk: int, threads: int, rows: int) -> None:
    options = {"chunk_bytes": chunk, "threads": threads, "block_rows": rows}
    assert read(TEXTS[format], format, **options) == read(TEXTS[format], format)


@pytest.mark.parametrize("format", BAD)
@settings(max_examples=60, deadline=None)
@given(chunk=st.integers(1, 200), threads=st.sampled_from([1, 2]))
def test_any_chunk_size_with_bad_lines(format: str, chunk: int, threads: int) -> None:
    whole = text_stream(BAD[format], format, on_error="skip")
    parts = text_stream(BAD[format], format, on_error="skip", chunk_bytes=chunk, threads=threads)
    assert rows_of(parts) == rows_of(whole)
    assert parts.skipped.messages == whole.skipped.messages
    assert len(parts.skipped) == len(whole.skipped) >= 13
    assert len(parts.skipped.messages) == 10


@pytest.mark.parametrize("format", BAD)
@pytest.mark.parametrize("chunk", [1, 50, 1 << 20])
def test_rows_before_a_bad_line_are_delivered(format: str, chunk: int) -> None:
    stream = iter(text_stream(BAD[format], format, chunk_bytes=chunk))
    rows = 0
    try:
        for block in stream:
            rows += len(block)
    except BadInput as refused:
        message = str(refused)
    assert rows == len(read(TEXTS[format], format))
    skipped = text_stream(BAD[format], format, on_error="skip")
    rows_of(skipped)
    assert message == skipped.skipped.messages[0]


def test_each_pass_counts_anew() -> None:
    stream = text_stream("1 1:1\nx\n", "svmlight", on_error="skip")
    for _ in range(3):
        assert len(rows_of(stream)) == 1
        assert stream.skipped.count == 1


def test_tags_and_weights_follow_their_rows() -> None:
    text = "".join(f"{k} {k + 2} 't{k}| a:{k + 1}\n" for k in range(50))
    seen = []
    for block in text_stream(text, "vw", chunk_bytes=64, block_rows=3):
        assert len(block) <= 3
        assert block.importance is not None
        assert block.ids is not None
        assert block.labels is not None
        seen += list(zip(block.labels, block.importance, block.ids, strict=True))
    assert seen == [(float(k), k + 2.0, f"t{k}") for k in range(50)]


@pytest.mark.parametrize("format", ["svmlight", "vw", "csv", "jsonl"])
def test_a_line_of_50_megabytes(format: str) -> None:
    count = 5_000_000 if format != "jsonl" else 4_000_000
    if format == "svmlight":
        text = b"1 " + b" ".join(b"%d:1" % k for k in range(1, count + 1)) + b"\n-1 1:1\n"
        expected = count
    elif format == "vw":
        text = b"1 | " + b"a:1 bb:2 " * (count // 2) + b"\n1 | a\n"
        expected = 2
    elif format == "csv":
        text = b"a,y\n1,0" + b" " * 50_000_000 + b"\n2,1\n"
        expected = 1
    else:
        text = b'{"y": 1, "a": 1' + b" " * 50_000_000 + b'}\n{"y": 1, "a": 2}\n'
        expected = 1
    (block,) = text_stream(text, format)
    assert block.indptr[1] == expected
    assert len(block) == 2


MEASURE = """
import resource, sys
from fenchel.streams import open_stream
rows = sum(len(block) for block in open_stream(sys.argv[1], threads=2))
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize("format", ["svm", "vw", "csv"])
def test_memory_does_not_grow_with_the_file(format: str, tmp_path: Path) -> None:
    line = {
        "svm": b"1 " + b" ".join(b"%d:0.25" % k for k in range(1, 60)) + b"\n",
        "vw": b"1 | " + b" ".join(b"name%d:0.25" % k for k in range(1, 60)) + b"\n",
        "csv": b",".join(b"0.%d" % k for k in range(1, 80)) + b"\n",
    }[format]

    def peak(copies: int) -> int:
        path = tmp_path / f"a.{format}"
        path.write_bytes(line * copies)
        command = [sys.executable, "-c", MEASURE, str(path)]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        rows, kilobytes = map(int, done.stdout.split())
        assert rows == copies
        return kilobytes

    small = 8_000_000 // len(line)
    peak(10)  # compile and cache first
    assert peak(10 * small) - peak(small) < 20_000


def test_the_reader_is_closed_when_a_pass_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes(b"1 1:1\n" * 100_000)
    for _ in range(20):
        for _block in open_stream(path, chunk_bytes=1000, threads=2):
            break

"""Where bytes come from: compression, pipes, standard input; errors of the file itself."""

from __future__ import annotations

import bz2
import fcntl
import gzip
import io
import os
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import pytest
import zstandard
from stream_helpers import read, rows_of, text_stream

from fenchel.streams import BadInput, open_stream

TEXT = b"".join(b"%d 1:%d 7:0.5\n" % (k % 2, k + 1) for k in range(3000))
COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.svm.{kind}"
    path.write_bytes(COMPRESS[kind](TEXT[:3000]) + COMPRESS[kind](TEXT[3000:]))
    expected = read(TEXT, "svmlight")
    stream = open_stream(path, chunk_bytes=5000)
    assert rows_of(stream) == expected
    assert rows_of(stream) == expected
    assert read(path.read_bytes(), "svmlight") == expected  # known by its first bytes


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("cut", [0.0, 0.05, 0.5, 0.99])
def test_compressed_and_cut(kind: str, cut: float, tmp_path: Path) -> None:
    path = tmp_path / f"a.svm.{kind}"
    data = COMPRESS[kind](TEXT)
    path.write_bytes(data[: int(cut * len(data))])
    with pytest.raises(BadInput, match="ends too early") as refused:
        rows_of(open_stream(path, chunk_bytes=5000))
    assert refused.value.file == str(path)
    assert refused.value.line is not None


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_and_flipped(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.svm.{kind}"
    compressor = zstandard.ZstdCompressor(write_checksum=True)
    data = bytearray(compressor.compress(TEXT) if kind == "zst" else COMPRESS[kind](TEXT))
    for place in range(0, len(data), max(len(data) // 12, 1)):
        data[place] ^= 0x10
        path.write_bytes(data)
        try:
            rows = rows_of(open_stream(path))
        except BadInput:
            pass
        else:  # a few bits mean nothing: the time in a header, padding
            assert rows == read(TEXT, "svmlight")
        data[place] ^= 0x10


@pytest.mark.parametrize("kind", COMPRESS)
def test_damage_after_a_whole_member(kind: str) -> None:
    whole = COMPRESS[kind](TEXT)
    assert read(whole + bytes(512), "svmlight") == read(TEXT, "svmlight")  # padding of archives
    for rest in (b"no member", whole[:1] + b"?" + whole[2:], whole[: len(whole) // 2]):
        with pytest.raises(BadInput, match=r"data is damaged|ends too early"):
            read(whole + rest, "svmlight")


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_a_plain_file_that_is_not_what_its_name_says(size: int, tmp_path: Path) -> None:
    path = tmp_path / "a.svm.gz"
    path.write_bytes(b"1 1:1\n"[:size])
    with pytest.raises(BadInput):
        rows_of(open_stream(path))


def test_an_open_file_and_a_reader_without_seek(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes(b"junk" + TEXT)
    expected = read(TEXT, "svmlight")
    with path.open("rb") as file:
        file.seek(4)
        stream = open_stream(file, format="svmlight")
        assert rows_of(stream) == expected
        assert rows_of(stream) == expected
        assert not file.closed

    class OnlyRead:
        def __init__(self) -> None:
            self.file = io.BytesIO(TEXT)

        def read(self, size: int) -> bytes:
            return self.file.read(min(size, 100))

    stream = open_stream(OnlyRead(), format="svmlight")
    assert rows_of(stream) == expected
    with pytest.raises(BadInput, match="read only once"):
        rows_of(stream)


def test_a_growing_pipe_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "pipe.svm"
    os.mkfifo(path)
    seen = threading.Event()

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            pipe.write(b"1 1:1\n1 2:2\n0 3")
            assert seen.wait(20)  # the first rows arrive while the pipe is open
            pipe.write(b":3\n0 4:4")

    writer = threading.Thread(target=write)
    writer.start()
    blocks = []
    for block in open_stream(path):
        blocks.append(len(block))
        seen.set()
    writer.join()
    assert blocks[0] == 2
    assert sum(blocks) == 4


def test_a_compressed_pipe_is_followed() -> None:
    """What a few bytes expand to arrives at once, though the writer is silent after them."""
    out, into = os.pipe()
    packer = zlib.compressobj(wbits=31)
    os.write(into, packer.compress(b"1 1:1\n" * 1_000_000) + packer.flush(zlib.Z_SYNC_FLUSH))
    seen = 0
    with io.FileIO(out) as pipe:
        for block in open_stream(pipe, format="svmlight", threads=1):
            seen += len(block)
            if seen == 1_000_000:
                os.write(into, packer.flush())
                os.close(into)
    assert seen == 1_000_000


def test_a_pipe_whose_descriptor_is_a_large_number_is_followed() -> None:
    """A process with a thousand open files gets such numbers."""
    resource = pytest.importorskip("resource", reason="descriptors are counted on Unix alone")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit <= 2_000:
        pytest.skip(f"at most {limit} files may be open here")
    small, into = os.pipe()
    out = fcntl.fcntl(small, fcntl.F_DUPFD, 2_000)
    os.close(small)
    os.write(into, b"1 1:1\n")
    os.close(into)
    with io.FileIO(out) as pipe:
        assert sum(map(len, open_stream(pipe, format="svmlight", threads=1))) == 1


def test_a_pass_can_be_left_while_the_pipe_is_silent(tmp_path: Path) -> None:
    path = tmp_path / "pipe.svm"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    os.write(writer, b"1 1:1\n")
    blocks = iter(open_stream(path, threads=2))
    assert len(next(blocks)) == 1
    start = time.monotonic()
    blocks.close()
    assert time.monotonic() - start < 2
    os.write(writer, b"1 1:1\n")
    os.close(writer)


def test_standard_input() -> None:
    code = (
        "from fenchel.streams import open_stream\n"
        "s = open_stream('-', format='svmlight')\n"
        "print(sum(len(b) for b in s))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=TEXT, capture_output=True, check=True)
    assert done.stdout.strip() == b"3000"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.svm").mkdir()
    for path, what in [
        (tmp_path / "none.svm", "no such file"),
        (tmp_path / "folder.svm", "directory"),
        (Path("/dev/null"), "device"),
        (Path("a\0b"), "not a path"),
    ]:
        with pytest.raises(BadInput, match=what):
            rows_of(open_stream(path, format="svmlight"))


def test_the_format_must_be_known(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(TEXT)
    with pytest.raises(BadInput, match=r"say it with format=…: svmlight, vw"):
        open_stream(path)
    for options in ({"format": "xml"}, {"index_base": 2}, {"on_error": "x"}, {"threads": 0}):
        with pytest.raises(ValueError, match=r"must be|counts from 0 or 1"):
            open_stream(path, **options)


@pytest.mark.parametrize("format", ["svmlight", "vw", "jsonl", "csv"])
@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b" \r\n\r\n", b"\xef\xbb\xbf\n"])
def test_nothing_in_it(format: str, data: bytes) -> None:
    stream = text_stream(data, format)
    assert list(stream) == []
    assert stream.columns == 0


def test_utf16_is_named() -> None:
    with pytest.raises(BadInput, match="UTF-16"):
        read("1 1:1\n".encode("utf-16"), "svmlight")


def test_what_is_no_place_to_read_from(tmp_path: Path) -> None:
    for given in (None, 3, b"1 1:1", {"a": [1]}):
        what = rf"source is a {type(given).__name__}: give a path, '-' or an open binary file"
        with pytest.raises(ValueError, match=what):
            open_stream(given, format="svmlight")
    (tmp_path / "a.svm").write_bytes(TEXT)
    with (
        (tmp_path / "a.svm").open() as file,
        pytest.raises(ValueError, match="open as text: open it with mode 'rb', or give its path"),
    ):
        open_stream(file)

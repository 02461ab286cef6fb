"""Files that are wrong as files: bombs, endless lines, dying pipes, full disks, devices, folders."""

import bz2
import gzip
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from cli.cli_helpers import run, run_elsewhere, write_lines
from fenchel import models
from fenchel.streams import BadInput, open_stream

BOMBS = Path(__file__).with_name("bombs.py")
SIZE = 1 << 28  # of a bomb, plain
BLOCK = 45_899_235  # zeros that bzip2 packs into one block


def of_zstd(unit: bytes, blocks: int = 64) -> bytes:
    compressor = zstandard.ZstdCompressor().compressobj()
    block = unit * ((1 << 24) // len(unit))
    return b"".join([*(compressor.compress(block) for _ in range(blocks)), compressor.flush()])


def of_gzip(unit: bytes) -> bytes:
    block = gzip.compress(unit * ((1 << 24) // len(unit)), 1)
    return block * (SIZE >> 24)


def of_bzip2(unit: bytes) -> bytes:
    return bz2.compress(unit * (BLOCK // len(unit))) * (SIZE // BLOCK)


PACK = {"gz": of_gzip, "bz2": of_bzip2, "zst": of_zstd}
LONG = 50_000_000


def read_limited(path: Path, format: str, mebibytes: int, *options: str) -> str:
    """What reading the file comes to within so much memory."""
    command = [sys.executable, str(BOMBS), str(path), format, str(mebibytes), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is set as on Linux")
@pytest.mark.parametrize("kind", PACK)
def test_bombs_are_defused(kind, tmp_path, record_property):
    """A file of kilobytes that expands without a line end is refused in bounded memory."""
    path = tmp_path / f"bomb.svm.{kind}"
    path.write_bytes(PACK[kind](b"\0"))
    assert path.stat().st_size < SIZE / 100
    said = read_limited(path, "svmlight", 200)
    assert said.startswith(f"{path}:1: a line of more than 67108864 bytes; ")
    record_property("decompression bombs read in bounded memory", 1)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is set as on Linux")
def test_what_expands_to_lines_is_read_in_bounded_memory(tmp_path, record_property):
    path = tmp_path / "rows.svm.zst"
    path.write_bytes(of_zstd(b"1 1:1 2:2\n" * 100, blocks=10))
    assert path.stat().st_size < SIZE / 1000
    rows = 10 * ((1 << 24) // 1000) * 100
    assert read_limited(path, "svmlight", 100) == f"rows {rows} skipped 0"
    record_property("decompression bombs read in bounded memory", 1)


def long_lines() -> dict[str, tuple[bytes, bytes]]:
    entries = b"".join(b" %d:1" % k for k in range(1, 5_700_000))
    return {
        "svmlight": (b"1" + entries, b"1 1:1\n"),
        "vw": (b"1 |n" + b" ab:0.25" * (LONG // 8), b"1 |n a\n"),
        "csv": (b"1," + b"x" * LONG + b",1", b"1,x,1\n"),
        "jsonl": (b'{"y": 1, "a": "' + b"x" * LONG + b'"}', b'{"y": 1, "a": 1}\n'),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is set as on Linux")
def test_a_line_of_50_megabytes(tmp_path, record_property):
    """Read where it makes sense, refused with its place where it cannot be data."""
    for format, (line, good) in long_lines().items():
        path = tmp_path / f"long.{format}"
        header = b"a,b,y\n" if format == "csv" else b""
        path.write_bytes(header + good + line + b"\n" + good)
        assert len(line) >= LONG
        if format in ("svmlight", "vw"):
            assert read_limited(path, format, 600, "skip") == "rows 3 skipped 0", format
        else:  # a name of 50 MB
            place = "3:3" if format == "csv" else "2:10"
            said = read_limited(path, format, 600)
            what = "a name of more than 65535 bytes" if format == "csv" else "in the column a: 'xxx"
            assert said.startswith(f"{path}:{place}: {what}")
            assert len(said) < 1000
        record_property("lines of 50 MB read or refused in bounded memory", 1)


@pytest.mark.parametrize("format", ["svmlight", "vw", "csv", "jsonl", "parquet", "arrow"])
def test_folders_devices_and_missing_files(format, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path, what in [
        (tmp_path, "this is a directory"),
        (Path("/dev/zero"), "this is a device"),
        (Path("/dev/full"), "this is a device"),
        (tmp_path / "none", "there is no such file"),
        (tmp_path / "loop", "Too many levels of symbolic links"),
    ]:
        with pytest.raises(BadInput, match=what) as refused:
            list(open_stream(path, format=format))
        assert str(refused.value).startswith(f"{path}: ")


# Named, since a test's name may hold neither raw bytes nor the hour that gzip writes into its header.
LINES = b"1 1:1\n" * 1000
LEFT_BY_THE_KILLED = {
    "half a value": (b"1 1:1\n1 2:", "2:5: the value is not a number"),
    "a label": (b"1 1:1\n1 ", None),
    "gzip without its tail": (gzip.compress(LINES)[:-9], "the gzip data ends too early"),
    "gzip's first bytes": (gzip.compress(LINES)[:30], "the gzip data ends too early"),
    "bzip2 without its tail": (bz2.compress(LINES)[:-9], "the bzip2 data ends too early"),
    "zstd without its tail": (zstandard.compress(LINES)[:-1], "the zstd data ends too early"),
    "nothing": (b"", "there are no rows"),
}


@pytest.mark.parametrize("left", LEFT_BY_THE_KILLED)
def test_a_pipe_whose_writer_is_killed(left, tmp_path, record_property):
    written, what = LEFT_BY_THE_KILLED[left]
    pipe = tmp_path / "pipe.svm"
    os.mkfifo(pipe)
    code = (
        "import os, signal, sys\n"
        "pipe = os.open(sys.argv[1], os.O_WRONLY)\n"
        "os.write(pipe, bytes.fromhex(sys.argv[2]))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with subprocess.Popen([sys.executable, "-S", "-c", code, str(pipe), written.hex()]) as writer:
        if what is None:
            run("train", pipe, "--learner", "perceptron", "--quiet")
        else:
            done = run("train", pipe, "--learner", "perceptron", "--quiet", status=1)
            assert what in done.stderr
            assert done.stderr.startswith(str(pipe))
            assert done.stderr.count("\n") == 1
        assert writer.wait() == -signal.SIGKILL
    record_property("pipes whose writer was killed", 1)


ROWS = ["1 1:1", "-1 2:1", "1 1:2"] * 20


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("option", ["--predictions", "--json", "--save"])
def test_a_full_disk_is_said(option, tmp_path):
    data = write_lines(tmp_path / "d.svm", ROWS)
    done = run("train", data, "--learner", "perceptron", option, "/dev/full", "--quiet", status=1)
    assert done.stderr.startswith("/dev/full: ")
    assert done.stderr.count("\n") == 1
    if option != "--save":
        assert "No space left on device" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_predictions_to_a_full_disk(tmp_path):
    data = write_lines(tmp_path / "d.svm", ROWS)
    run("train", data, "--learner", "perceptron", "--save", tmp_path / "m", "--quiet")
    done = run("predict", tmp_path / "m", data, "--output", "/dev/full", "--quiet", status=1)
    assert done.stderr.startswith("/dev/full: No space left on device")


def test_a_model_that_outgrows_the_disk_leaves_the_old_one(tmp_path):
    few, many = tmp_path / "few.svm", tmp_path / "many.svm"
    write_lines(few, ROWS)
    write_lines(many, [f"1 {k + 1}:1" for k in range(5000)])
    run("train", few, "--learner", "perceptron", "--save", tmp_path / "m", "--quiet")
    before = (tmp_path / "m").read_bytes()

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    arguments = ("--resume", tmp_path / "m", "--save", tmp_path / "m", "--quiet")
    done = run_elsewhere("train", many, *arguments, preexec_fn=limit)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{tmp_path / 'm'}: File too large: not saved")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "m").read_bytes() == before
    assert models.read_metadata(tmp_path / "m")["rounds"] == len(ROWS)
    assert sorted(os.listdir(tmp_path)) == ["few.svm", "m", "many.svm"]


def test_skipped_lines_are_counted_and_ten_are_shown(tmp_path):
    lines = [line for k in range(25) for line in (f"1 1:{k}", f"-1 2:x{k}")]
    data = write_lines(tmp_path / "d.svm", lines)
    done = run("train", data, "--learner", "perceptron", "--on-error", "skip")
    assert "skipped        25 lines" in done.stderr
    shown = [line for line in done.stderr.splitlines() if "the value is not a number" in line]
    assert [line.strip().split(": ")[0] for line in shown] == [
        f"{data}:{2 * k + 2}:6" for k in range(10)
    ]
    compared = run("compare", data, "--learner", "perceptron", "--on-error", "skip")
    assert "25 lines" in compared.stderr

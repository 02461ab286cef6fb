"""Model files that were damaged, forged or interrupted: refused in one line, or whole."""

import gzip
import json
import os
import pickle
import random
import subprocess
import sys
import time
import tracemalloc
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from fenchel import Learner, learners, models
from fenchel.models.header import BLANK, MAGIC, MAX_BYTES, seal

SAVER = Path(__file__).parents[1] / "models" / "saver.py"
READERS = {
    "read": models.read,
    "mapped": lambda path: models.read(path, mmap=True),
    "verify": models.verify,
    "header": models.read_metadata,
}


def refused(path, readers=READERS):
    """Every reader refuses the file in one line that names it."""
    for read in readers.values():
        with pytest.raises(models.ModelRefused) as refusal:
            read(path)
        message = str(refusal.value)
        assert message.startswith(f"{path}: ")
        assert message.isprintable()
        assert "; " in message
        assert len(message) < 300 + len(str(path))
    return message


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.fenchel"
    arrays = {"theta": np.array([0.5, -1.25, 3.0]), "seen": np.array([1, 2], np.uint32)}
    models.write(path, arrays, {"learner": "arow", "rounds": 2, "classes": ["no", "yes"]})
    return path


def test_every_truncation(small, request):
    size = small.stat().st_size
    for length in reversed(range(size)):
        os.truncate(small, length)
        refused(small)
    request.node.user_properties.append(("truncations refused", size))


def test_appended_bytes(small):
    whole = small.read_bytes()
    for tail in (b"\0", b" ", b"\n", b"\0" * 64, whole):
        small.write_bytes(whole + tail)
        refused(small)


def test_every_bit_of_a_small_model(small, request):
    whole = small.read_bytes()
    header_end = 8 + int.from_bytes(whole[:8], "little")
    without_header = {name: read for name, read in READERS.items() if name != "header"}
    for position in range(8 * len(whole)):
        with flipped(small, position):
            refused(small, READERS if position < 8 * header_end else without_header)
    assert small.read_bytes() == whole
    request.node.user_properties.append(("bit flips refused", 8 * len(whole)))


def test_random_bits_of_a_larger_model(tmp_path, request):
    path = tmp_path / "m.fenchel"
    random_bits = random.Random(20)
    weights = np.random.default_rng(20).normal(size=(40, 40))
    models.write(path, {"theta": weights, "active": weights > 0}, {"rounds": 1600})
    bits = 8 * path.stat().st_size
    for _ in range(2000):
        with flipped(path, random_bits.randrange(bits)):
            refused(path, {"read": models.read, "verify": models.verify})
    request.node.user_properties.append(("bit flips refused", 2000))


@contextmanager
def flipped(path, position):
    """The file with one bit flipped, in place: rewriting it each time would wait for the disk."""
    place, bit = position // 8, 1 << position % 8
    with open(path, "r+b", buffering=0) as file:
        original = os.pread(file.fileno(), 1, place)
        os.pwrite(file.fileno(), bytes([original[0] ^ bit]), place)
        yield
        os.pwrite(file.fileno(), original, place)


def safetensors_of_another(tensor=b'{"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}'):
    return len(tensor).to_bytes(8, "little") + tensor + bytes(8)


# Named, since a test's name may hold neither raw bytes nor the hour that gzip writes into its header.
OTHER_KINDS = {
    "empty": (b"", "is empty"),
    "one byte": (b"x", "is not a fenchel model"),
    "pickle": (pickle.dumps({"theta": [1.0]}), "is a pickle, which fenchel never loads"),
    "svmlight": (b"+1 1:0.5 2:0.25\n-1 3:1\n" * 10, "is not a fenchel model"),
    "csv": (b"label,a,b\n1,2,3\n" * 10, "is not a fenchel model"),
    "json": (json.dumps({"learner": "arow", "rounds": 10}).encode() * 9, "is not a fenchel model"),
    "gzip": (gzip.compress(safetensors_of_another()), "compressed with gzip; decompress it first"),
    "zip": (b"PK\x03\x04" + bytes(200), "is a zip archive"),
    "npy": (b"\x93NUMPY\x01\x00" + bytes(200), "is not a fenchel model"),
    "safetensors": (safetensors_of_another(), "is a safetensors file but not a fenchel model"),
    "zeros": (bytes(1000), "is not a fenchel model"),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_other_kinds_of_files(tmp_path, kind):
    content, what = OTHER_KINDS[kind]
    path = tmp_path / "m.fenchel"
    path.write_bytes(content)
    assert what in refused(path)


def test_what_is_not_a_file(tmp_path):
    os.mkfifo(tmp_path / "fifo")  # nobody writes to it: opening it must not wait
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "cannot be read (No such file or directory)" in refused(tmp_path / "missing")
    assert "cannot be read (Is a directory)" in refused(tmp_path)
    assert "cannot be read (Too many levels of symbolic links)" in refused(tmp_path / "loop")
    for path in (tmp_path / "fifo", "/dev/zero", "/dev/full", "/dev/null"):
        assert "is not a regular file" in refused(path)


def test_odd_names_stay_on_one_line(tmp_path):
    with pytest.raises(models.ModelRefused) as refusal:
        models.read(tmp_path / "two\nlines")
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("version", [b"3", b"17", b"999999"])
def test_newer_formats(small, version):
    small.write_bytes(small.read_bytes().replace(MAGIC + b"2", MAGIC + version))
    what = f"has format {version.decode()}, this fenchel reads formats up to 2; upgrade fenchel"
    assert what in refused(small)


@pytest.mark.parametrize("version", [b"", b"0", b"01x", b"-1", b"\xb2", b"9" * 5000])
def test_damaged_versions(small, version):
    small.write_bytes(small.read_bytes().replace(MAGIC + b"2", MAGIC + version))
    assert "its format version is damaged" in refused(small)


def forged(tensors, payload=bytes(8), field="model", model='"{}"', more="", align=64, length=None):
    """A file with right digests and any header: only its checks stand between it and the reader."""
    text = MAGIC + b'2","sha256":"' + BLANK.encode()
    text += b'","tensors_sha256":"' + sha256(payload).hexdigest().encode()
    text += f'","{field}":{model}{more}}}'.encode("utf-8", "surrogatepass")
    text += b"," * bool(tensors) + tensors.encode("latin-1") + b"}"
    text += b" " * (-(8 + len(text)) % align)
    length = len(text) if length is None else length
    return seal(length.to_bytes(8, "little") + text) + payload


def tensor(begin=0, end=8, shape="[1]", dtype='"F64"', name="a"):
    return f'"{name}":{{"dtype":{dtype},"shape":{shape},"data_offsets":[{begin},{end}]}}'


def two(first, second):
    return forged(f"{tensor(*first)},{tensor(*second, name='b')}", bytes(16))


BYTES = '"U8"'
DEEP = "[" * 100_000
HOSTILE = {
    "length of 2^63": forged(tensor(), length=2**63),
    "length of 2^64 - 1": forged(tensor(), length=2**64 - 1),
    "length of 0": forged(tensor(), length=0),
    "length within the digest": forged(tensor(), length=100),
    "length beyond the file": forged(tensor(), length=len(forged(tensor())) - 7),
    "unaligned header": forged(tensor(), align=1),
    "overlapping": two((0, 8), (0, 8)),
    "overlapping in part": forged(
        f"{tensor(0, 8, '[8]', dtype=BYTES)},{tensor(4, 12, '[8]', dtype=BYTES, name='b')}",
        bytes(12),
    ),
    "gap before": forged(tensor(8, 16), bytes(16)),
    "gap between": two((0, 8), (16, 24)),
    "out of order": two((8, 16), (0, 8)),
    "unclaimed tail": forged(tensor(), bytes(16)),
    "beyond the file": forged(tensor(0, 16, "[2]")),
    "a terabyte": forged(tensor(0, 2**40, f"[{2**37}]")),
    "negative begin": forged(tensor(-8, 0)),
    "negative end": forged(tensor(0, -8, "[-1]")),
    "end before begin": two((0, 8), (8, 0)),
    "offset of 2^64": forged(tensor(2**64, 2**64 + 8)),
    "offset of 5000 digits": forged(tensor(0, "9" * 5000)),
    "offset with a point": forged(tensor("0.0", "8.0")),
    "offset true": forged(tensor("false", "true", dtype='"U8"'), bytes(1)),
    "offset as text": forged(tensor('"0"', '"8"')),
    "offset NaN": forged(tensor("NaN", 8)),
    "three offsets": forged(tensor(0, "8,8")),
    "unknown dtype": forged(tensor(dtype='"F16"', shape="[4]")),
    "dtype of NumPy": forged(tensor(dtype='"O"')),
    "dtype not text": forged(tensor(dtype="8")),
    "shape too large": forged(tensor(shape="[2]")),
    "shape too small": forged(tensor(shape="[0]")),
    "shape negative": forged(tensor(shape="[-1,-1]")),
    "shape not a list": forged(tensor(shape="1")),
    "shape of text": forged(tensor(shape='"1"')),
    "shape overflows to one": forged(tensor(shape=f"[{2**32},{2**32},1]")),
    "shape overflows to the right size": forged(tensor(shape=f"[{2**63},2,1]")),
    "empty shape that overflows": forged(tensor(0, 0, f"[0,{2**61}]"), b""),
    "sizes of 4000 digits": forged(tensor(shape=f"[{'9' * 4000}]")),
    "a hundred thousand axes": forged(tensor(shape=f"[{'1,' * 99_999}1]")),
    "unaligned tensor": forged(tensor(0, 1, dtype='"U8"') + "," + tensor(1, 9, name="b"), bytes(9)),
    "no booleans": forged(tensor(0, 1, dtype='"BOOL"'), b"\2"),
    "repeated tensor": forged(f"{tensor(0, 0, '[0]')},{tensor()}"),
    "repeated __metadata__": forged(f'"__metadata__":{{}},{tensor()}'),
    "repeated field": forged('"a":{"dtype":"F64","dtype":"F64","shape":[1],"data_offsets":[0,8]}'),
    "repeated digest": forged(tensor(), more=f',"sha256":"{BLANK}"'),
    "repeated key in metadata": forged(tensor(), model=r'"{\"a\":1,\"a\":2}"'),
    "repeated key deep in metadata": forged(tensor(), model=r'"{\"b\":[{\"a\":1,\"a\":2}]}"'),
    "unknown field": forged(tensor(), more=',"pickle":"x"'),
    "unknown field of a tensor": forged(tensor()[:-1] + ',"order":"F"}'),
    "missing field of a tensor": forged('"a":{"dtype":"F64","shape":[1]}'),
    "tensor not described": forged('"a":null'),
    "control character in a name": forged(tensor(name=r"\u001b[31m")),
    "lone surrogate in a name": forged(tensor(name=r"\ud800")),
    "other digest of the tensors": forged(tensor()).replace(bytes(8), b"\1" + bytes(7)),
    "metadata not JSON": forged(tensor(), model='"{"'),
    "metadata not an object": forged(tensor(), model='"[]"'),
    "metadata not text": forged(tensor(), model="{}"),
    "metadata missing": forged(tensor(), model='"{}"', field="modal"),
    "integer of 5000 digits": forged(tensor(), model=f'"{{\\"a\\":{"9" * 5000}}}"'),
    "deep header": forged(f'"a":{DEEP}'),
    "deep metadata": forged(tensor(), model=f'"{{\\"a\\":{DEEP}"'),
    "deep objects": forged(tensor(), model='"' + r"{\"a\":" * 20_000 + '"'),
    "not UTF-8": forged(tensor(name="\xff")),
    "not JSON": forged('"a":'),
    "more after the object": forged(tensor() + "}{"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_are_refused_quickly_in_little_memory(tmp_path, name, record_property):
    path = tmp_path / "m.fenchel"
    path.write_bytes(HOSTILE[name])
    tensors_only = name in ("no booleans", "other digest of the tensors")
    readers = {"read": models.read} if tensors_only else READERS
    tracemalloc.start()
    try:
        started = time.process_time()
        refused(path, readers)
        assert time.process_time() - started < 1.0
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    record_property("hostile model headers refused", 1)


def test_forged_files_are_refused_for_their_header_only(tmp_path):
    (tmp_path / "m").write_bytes(forged(tensor()))
    arrays, metadata = models.read(tmp_path / "m")
    assert (arrays["a"].tolist(), metadata) == ([0.0], {})


def test_a_large_header_is_not_even_read(tmp_path):
    path = tmp_path / "m.fenchel"
    path.write_bytes(forged("", b"", length=MAX_BYTES))
    os.truncate(path, 4 * MAX_BYTES)
    tracemalloc.start()
    try:
        assert f"claims {MAX_BYTES + 8} bytes" in refused(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_header_longer_than_the_file_is_said(small):
    os.truncate(small, 200)
    assert "bytes of a file of 200 " in refused(small)


def run_saver(*arguments):
    command = [sys.executable, str(SAVER), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_killed_savers_leave_a_whole_model(tmp_path, request):
    result = run_saver("kill", tmp_path / "m.fenchel", 60, 10)
    assert result["during_a_save"] >= 10
    assert os.listdir(tmp_path) == ["m.fenchel"]  # and the next save cleared up behind them
    request.node.user_properties.append(("kills survived by saving", result["kills"]))


def test_two_processes_saving_to_one_path_leave_a_whole_model(tmp_path):
    result = run_saver("together", tmp_path / "m.fenchel", 50)
    assert result["last"] in (50, 1_000_050)
    assert result["seen"] > 2
    assert os.listdir(tmp_path) == ["m.fenchel"]


LIES = {  # what a file with right digests may say of its learner
    "no learner": {"learner": None},
    "another learner": {"learner": "nothing"},
    "parameters of another": {"parameters": {"p": 3.0}},
    "parameters that are none": {"parameters": 7},
    "a function for a part": {"parameters": {"domain": {"part": "check_regularizer"}}},
    "a module for a part": {"parameters": {"domain": {"part": "verbs"}}},
    "columns beyond the memory": {"columns": 10**15},
    "columns below zero": {"columns": -1},
    "half a column": {"columns": 1.5},
    "rounds of text": {"rounds": "many"},
    "names it has not": {"named": True},
    "labels without end": {"labels": ["x"] * 100_000},
    "labels that are none": {"labels": 3},
}


@pytest.mark.parametrize("name", LIES)
def test_metadata_that_contradicts_the_arrays(tmp_path, name, record_property):
    path = tmp_path / "m.fenchel"
    learner = learners.perceptron()
    learner.learn_many([[1.0, 0.0], [0.0, 2.0]], [1, -1])
    learner.save(path)
    arrays, metadata = models.read(path)
    models.write(path, arrays, {**metadata, **LIES[name]})
    tracemalloc.start()
    try:
        with pytest.raises(models.ModelRefused) as refusal:
            Learner.load(path)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert str(refusal.value).startswith(f"{path}: ")
    assert str(refusal.value).isprintable()
    record_property("models that contradict themselves refused", 1)

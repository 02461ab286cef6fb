"""What is written comes back: every kind of array, every metadata, bit for bit."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from fenchel import models

DTYPES = ["f8", "f4", "i8", "i4", "u8", "u4", "u1", "?"]
SHAPES = [(), (0,), (3, 0, 2), (1,), (7,), (2, 3, 5)]

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
json_values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
any_array = st.sampled_from([f"{order}{dtype}" for dtype in DTYPES for order in "<>"]).flatmap(
    lambda dtype: arrays_of.arrays(
        np.dtype(dtype), arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
    )
)
names = st.text(st.characters(exclude_categories=["C", "Z"])).filter("__metadata__".__ne__)


def same_bits(one, other):
    assert one.shape == other.shape
    assert one.dtype == other.dtype.newbyteorder("<")
    assert one.tobytes() == other.astype(one.dtype).tobytes()


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    arrays=st.dictionaries(names, any_array, max_size=5),
    metadata=st.dictionaries(st.text(), json_values, max_size=5),
)
def test_whatever_is_written_comes_back(tmp_path, arrays, metadata):
    path = tmp_path / "m.fenchel"
    models.write(path, arrays, metadata)
    for mmap in (False, True):
        found, described = models.read(path, mmap=mmap)
        assert found.keys() == arrays.keys()
        for name, array in arrays.items():
            same_bits(found[name], array)
        # Their text tells -0.0 from 0.0, NaN from None, True from 1 and keeps the order of keys.
        assert json.dumps(described) == json.dumps(metadata)
    assert json.dumps(models.read_metadata(path)) == json.dumps(metadata)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_and_shapes(tmp_path, dtype, shape):
    array = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    models.write(tmp_path / "m", {"a": array, "b": np.uint8(7)}, {})
    for mmap in (False, True):
        found, _ = models.read(tmp_path / "m", mmap=mmap)
        same_bits(found["a"], array)
        assert found["b"] == 7
        assert found["a"].flags.aligned
        assert found["a"].flags.c_contiguous
        assert found["a"].flags.writeable is not mmap


def test_layout_of_memory_does_not_matter(tmp_path):
    square = np.arange(12.0).reshape(3, 4)
    variants = [square, np.asfortranarray(square), square.astype(">f8"), square[::-1][::-1]]
    written = []
    for variant in variants:
        models.write(tmp_path / "m", {"b": variant, "a": np.ones(3, np.uint8)}, {"rounds": 1})
        written.append((tmp_path / "m").read_bytes())
    assert len(set(written)) == 1


def test_special_floats_keep_their_bits(tmp_path):
    values = [math.inf, -math.inf, -0.0, 5e-324, 0.1, 1e300, 1 / 3, math.nan]
    models.write(tmp_path / "m", {"a": np.array(values)}, {"values": values})
    found, described = models.read(tmp_path / "m")
    assert found["a"].tobytes() == np.array(values).tobytes()
    assert np.array(described["values"]).tobytes() == np.array(values).tobytes()


def test_mapped_arrays_outlive_a_new_save(tmp_path):
    path = tmp_path / "m"
    models.write(path, {"a": np.full(100_000, 1.0)}, {})
    mapped, _ = models.read(path, mmap=True)
    models.write(path, {"a": np.full(100_000, 2.0)}, {})
    assert (mapped["a"] == 1.0).all()
    with pytest.raises(ValueError, match="read-only"):
        mapped["a"][0] = 3.0


def test_header_is_the_safetensors_layout(tmp_path):
    models.write(tmp_path / "m", {"b": np.ones((2, 3)), "a": np.array(True)}, {"rounds": 1})
    raw = (tmp_path / "m").read_bytes()
    end = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:end])
    assert end % 64 == 0
    assert header["b"] == {"dtype": "F64", "shape": [2, 3], "data_offsets": [0, 48]}
    assert header["a"] == {"dtype": "BOOL", "shape": [], "data_offsets": [48, 49]}
    own = header["__metadata__"]
    assert (own["format"], own["format_version"], own["model"]) == ("fenchel", "2", '{"rounds":1}')
    assert own["sha256"] == models.verify(tmp_path / "m")
    assert len(raw) == end + 49


def test_the_safetensors_package_reads_the_tensors(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    arrays = {dtype: np.arange(6).reshape(2, 3).astype(dtype) for dtype in DTYPES}
    models.write(tmp_path / "m", arrays, {"rounds": 1})
    found = safetensors.load_file(tmp_path / "m")
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        same_bits(found[name], array)


@pytest.mark.parametrize(
    ("arrays", "metadata", "what"),
    [
        ({"a": np.array([None])}, {}, "array 'a' has dtype object; convert it to F64"),
        ({"a": np.array([1j])}, {}, "array 'a' has dtype complex128"),
        ({"a": np.array(["x"])}, {}, "array 'a' has dtype <U1"),
        ({"a": np.zeros(2, "f8,i4")}, {}, "array 'a' has dtype"),
        ({"a": np.zeros(2, np.float16)}, {}, "array 'a' has dtype float16"),
        ({"a": np.ma.masked_equal([1.0, 2.0], 1)}, {}, "array 'a' is masked; fill it"),
        ({"a": np.zeros((1,) * 33)}, {}, "array 'a' has 33 axes"),
        ({"__metadata__": np.zeros(1)}, {}, "an array has the name '__metadata__'"),
        ({"a\nb": np.zeros(1)}, {}, r"an array has the name 'a\\nb'"),
        ({3: np.zeros(1)}, {}, "an array has the name '3'"),
        ({}, {1: "x"}, "metadata has the key '1'; make it a string"),
        ({}, {"a": [{"b": {True: 1}}]}, r"metadata\['a'\]\[0\]\['b'\] has the key 'True'"),
        ({}, {"a": (1, np.int64(3))}, r"metadata\['a'\]\[1\] is of type int64"),
        ({}, {"a": 10**5000}, "metadata is not JSON"),
        ({}, {"a": "x" * (17 << 20)}, "header has .* bytes of 16 MiB; keep long tables as arrays"),
    ],
)
def test_refused_before_anything_is_written(tmp_path, arrays, metadata, what):
    with pytest.raises(models.ModelRefused, match=what) as refusal:
        models.write(tmp_path / "m", arrays, metadata)
    assert str(refusal.value).startswith(f"{tmp_path / 'm'}: not saved: ")
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_nested_too_deeply_to_be_written(tmp_path):
    metadata = {}
    for _ in range(65):
        metadata = {"inner": metadata}
    with pytest.raises(models.ModelRefused, match="deeper than 64 levels; flatten it"):
        models.write(tmp_path / "m", {}, metadata)
    models.write(tmp_path / "m", {}, metadata["inner"])
    assert models.read_metadata(tmp_path / "m") == metadata["inner"]


@given(st.lists(st.text(st.characters())))
def test_strings_come_back(strings):
    assert models.unpack_strings(*models.pack_strings(strings)) == strings


@pytest.mark.parametrize(
    ("text", "ends"),
    [(b"abc", [2]), (b"abc", [4]), (b"abc", [2, 1, 3]), (b"abc", [-1, 3]), (b"\xff", [1])],
)
def test_tables_of_strings_are_checked(text, ends):
    with pytest.raises(models.ModelRefused, match="a table of strings"):
        models.unpack_strings(np.frombuffer(text, np.uint8), np.array(ends))


def test_a_header_is_read_without_compiled_code(tmp_path):
    models.write(tmp_path / "m", {}, {"rounds": 5})
    code = """
import sys
from fenchel.models import read_metadata
print(read_metadata(sys.argv[1])["rounds"], "numba" in sys.modules)
"""
    command = [sys.executable, "-c", code, str(tmp_path / "m")]
    assert subprocess.check_output(command, text=True).split() == ["5", "False"]

"""Model files to arrays and metadata: nothing is believed before it was checked."""

from __future__ import annotations

import mmap as mapping
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import BufferedReader
from typing import Any

import numpy as np

from fenchel.models.errors import FROM_COPY, NOT_OURS, ModelRefused, StrPath, naming, shown
from fenchel.models.header import Header
from fenchel.models.sniff import header_of
from fenchel.models.tensors import DTYPES


def read(
    path: StrPath, *, mmap: bool = False, verify: bool = True
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read the arrays and the metadata of a model file, or raise ``ModelRefused``.

    With ``mmap`` the arrays are read-only views of the file, loaded page by page when touched.
    Without ``verify`` the tensors' digest is not recomputed; the header is always checked whole.

    >>> import tempfile, os
    >>> from fenchel.models import write
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "m.fenchel")
    ...     write(path, {"theta": np.array([0.5, -1.0])}, {"learner": "arow", "rounds": 2})
    ...     read(path)
    ({'theta': array([ 0.5, -1. ])}, {'learner': 'arow', 'rounds': 2})
    """
    with naming(path), _opened(path) as (file, header):
        arrays = _mapped(file, header) if mmap else _loaded(file, header)
        if verify:
            _check_digest(arrays.values(), header.tensors_digest)
        _check_booleans(arrays)
        return arrays, header.metadata


def read_metadata(path: StrPath) -> dict[str, Any]:
    """Read the metadata alone, from the header alone, which is checked whole."""
    with naming(path), _opened(path) as (_, header):
        return header.metadata


def verify(path: StrPath) -> str:
    """Recompute the digest over the whole file: return it in hexadecimal, or refuse the file."""
    with naming(path), _opened(path) as (file, header):
        _check_digest(_mapped(file, header).values(), header.tensors_digest)
        return header.digest


@contextmanager
def _opened(path: StrPath) -> Iterator[tuple[BufferedReader, Header]]:
    with open(path, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ModelRefused("is not a regular file; name a model file")
        yield file, header_of(file, status.st_size)


def _open_without_waiting(path: str, flags: int) -> int:
    # A FIFO without a writer would block for ever; regular files ignore the flag.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _loaded(file: BufferedReader, header: Header) -> dict[str, np.ndarray]:
    arrays = {}
    for name, dtype, shape, begin, end in header.tensors:
        array = np.empty(shape, DTYPES[dtype])
        if file.readinto(_as_bytes(array)) != end - begin:
            raise ModelRefused(f"shrank while it was read; {FROM_COPY}")
        arrays[name] = array
    return arrays


def _mapped(file: BufferedReader, header: Header) -> dict[str, np.ndarray]:
    try:
        pages = mapping.mmap(file.fileno(), header.file_size, access=mapping.ACCESS_READ)
    except ValueError as error:
        raise ModelRefused(f"shrank while it was read; {FROM_COPY}") from error
    return {
        name: np.ndarray(shape, DTYPES[dtype], pages, header.tensors_begin + begin)
        for name, dtype, shape, begin, _ in header.tensors
    }


def _check_digest(arrays: Iterable[np.ndarray], expected: str) -> None:
    digest = sha256()
    for array in arrays:
        digest.update(_as_bytes(array))
    if digest.hexdigest() != expected:
        raise ModelRefused(f"its tensors are damaged (digest differs); {FROM_COPY}")


def _check_booleans(arrays: dict[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        if array.dtype == bool and array.view(np.uint8).max(initial=0) > 1:
            raise ModelRefused(f"tensor {shown(name)} is not of booleans; {NOT_OURS}")


def _as_bytes(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data

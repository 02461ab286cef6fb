"""Arrays and metadata to a model file, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from fenchel.models import header
from fenchel.models.atomic import replacing
from fenchel.models.errors import ModelRefused, StrPath, naming, shown
from fenchel.models.metadata import to_json
from fenchel.models.tensors import DTYPES, MAX_AXES, Tensor

CHUNK = 1 << 20
CODES = {dtype: code for code, dtype in DTYPES.items()}


def write(path: StrPath, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> None:
    """Save arrays and metadata to one file, in place of what was there.

    The same content gives the same bytes. Until the new file is complete and on the disk, the
    previous one stays; a failure leaves it as it was. A symbolic link keeps pointing to its target.

    >>> write("m.fenchel", {"theta": np.array([1j])}, {})
    Traceback (most recent call last):
    fenchel.models.errors.ModelRefused: m.fenchel: not saved: array 'theta' has dtype complex128;
    convert it to F64, F32, I64, I32, U64, U32, U8 or BOOL
    """
    with naming(path):
        model, contents = _prepared(arrays, metadata)
        tensors = _laid_out(contents)
        size = _header_size(tensors, model)
    with replacing(path) as file:
        # The header comes last: its digest is of the bytes that were written, even if another
        # thread changes the arrays meanwhile.
        digest = sha256()
        file.seek(size)
        for array in contents.values():
            for chunk in _chunks(array):
                digest.update(chunk)
                file.write(chunk)
        file.seek(0)
        file.write(header.encode(tensors, model, digest.hexdigest()))


def _prepared(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]
) -> tuple[str, dict[str, np.ndarray]]:
    try:
        model = to_json(metadata)
        plain = {name: _plain(name, array) for name, array in arrays.items()}
    except ModelRefused as refusal:
        raise ModelRefused(f"not saved: {refusal}") from refusal.__cause__
    # Wide items first: each array then begins at a multiple of its items' size.
    return model, dict(sorted(plain.items(), key=lambda item: (-item[1].itemsize, item[0])))


def _plain(name: str, array: np.ndarray) -> np.ndarray:
    """The array in little-endian C order."""
    if not (isinstance(name, str) and name.isprintable() and name != "__metadata__"):
        raise ModelRefused(f"an array has the name {shown(str(name))}; choose another")
    if isinstance(array, np.ma.MaskedArray):
        raise ModelRefused(f"array {shown(name)} is masked; fill it")
    plain = np.asarray(array)
    dtype = plain.dtype.newbyteorder("<")
    if dtype not in CODES:
        *codes, last = DTYPES
        remedy = f"convert it to {', '.join(codes)} or {last}"
        raise ModelRefused(f"array {shown(name)} has dtype {plain.dtype}; {remedy}")
    if plain.ndim > MAX_AXES:
        raise ModelRefused(f"array {shown(name)} has {plain.ndim} axes; reshape it to {MAX_AXES}")
    return np.asarray(plain, dtype, order="C")


def _laid_out(contents: Mapping[str, np.ndarray]) -> list[Tensor]:
    tensors = []
    begin = 0
    for name, array in contents.items():
        end = begin + array.nbytes
        tensors.append(Tensor(name, CODES[array.dtype], array.shape, begin, end))
        begin = end
    return tensors


def _header_size(tensors: Sequence[Tensor], model: str) -> int:
    size = len(header.encode(tensors, model, header.BLANK))
    if size > header.MAX_BYTES:
        remedy = "keep long tables as arrays (pack_strings)"
        raise ModelRefused(f"not saved: its header has {size} bytes of 16 MiB; {remedy}")
    return size


def _chunks(array: np.ndarray) -> Iterator[bytes]:
    flat = array.reshape(-1).view(np.uint8)
    for begin in range(0, flat.size, CHUNK):
        yield flat[begin : begin + CHUNK].tobytes()

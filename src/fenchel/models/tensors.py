"""Tensors as a header describes them: kinds of numbers, shapes, places."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from fenchel.models.errors import NOT_OURS, ModelRefused, shown

MAX_AXES = 32
DTYPES: Mapping[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}


class Tensor(NamedTuple):
    """One array's description; its place counts from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def contiguous(fields: Mapping[str, Any]) -> list[Tensor]:
    """The tensors of a header; each must begin where the one before ends."""
    tensors: list[Tensor] = []
    due = 0
    for name, entry in fields.items():
        tensor = _described(name, entry)
        if tensor.begin != due:
            what = f"tensor {shown(name)} begins at {tensor.begin} where {due} is due"
            raise ModelRefused(f"{what}; {NOT_OURS}")
        tensors.append(tensor)
        due = tensor.end
    return tensors


def _described(name: str, entry: object) -> Tensor:
    match entry:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [begin, end], **other} if (
            not other
            and name.isprintable()
            and dtype in DTYPES
            and len(shape) <= MAX_AXES
            and all(_is_size(number) for number in (*shape, begin, end))
        ):
            itemsize = DTYPES[dtype].itemsize
            # NumPy multiplies the other sizes even where one is 0: they must not overflow.
            fits = _is_size(prod(size or 1 for size in shape) * itemsize)
            if fits and begin % itemsize == 0 and end - begin == prod(shape) * itemsize:
                return Tensor(name, dtype, tuple(shape), begin, end)
    raise ModelRefused(f"tensor {shown(name)} is described wrongly; {NOT_OURS}")


def _is_size(number: object) -> bool:
    return type(number) is int and 0 <= number < 1 << 62

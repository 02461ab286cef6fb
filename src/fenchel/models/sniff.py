"""The kind of a file, from its first bytes: a model of a known format, or something else."""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedReader

from fenchel.models import header
from fenchel.models.errors import FROM_COPY, ModelRefused
from fenchel.models.header import LENGTH_BYTES, MAGIC, Header

# One entry for each format that was ever released; all keep loading.
DECODERS: dict[int, Callable[[bytes, int], Header]] = {1: header.decode}

OTHER_KINDS = {
    b"\x80": "a pickle, which fenchel never loads; save the model again with fenchel",
    b"\x1f\x8b": "compressed with gzip; decompress it first",
    b"BZh": "compressed with bzip2; decompress it first",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; decompress it first",
    b"PK\x03\x04": "a zip archive (npz, or a model of another library); name a model file",
}


def header_of(file: BufferedReader, size: int) -> Header:
    """The header of an opened file of that size, which is left where the tensors begin."""
    start = file.read(LENGTH_BYTES + len(MAGIC) + 8)
    if not start[LENGTH_BYTES:].startswith(MAGIC):
        raise ModelRefused(_another_kind(start))
    decode = DECODERS[_version(start[LENGTH_BYTES + len(MAGIC) :])]
    end = LENGTH_BYTES + int.from_bytes(start[:LENGTH_BYTES], "little")
    if end > min(size, header.MAX_BYTES):
        what = f"its header claims {end} bytes of a file of {size} (at most {header.MAX_BYTES})"
        raise ModelRefused(f"{what}; {FROM_COPY}")
    file.seek(0)
    return decode(file.read(end), size)


def _version(text: bytes) -> int:
    digits, quote, _ = text.partition(b'"')
    version = int(digits) if quote and digits.isdigit() else 0
    newest = max(DECODERS)
    if version > newest:
        what = f"has format {version}, this fenchel reads formats up to {newest}"
        raise ModelRefused(f"{what}; upgrade fenchel")
    if version not in DECODERS:
        raise ModelRefused(f"its format version is damaged; {FROM_COPY}")
    return version


def _another_kind(start: bytes) -> str:
    head = start[LENGTH_BYTES:]
    if not start:
        return f"is empty; {FROM_COPY}"
    if head and MAGIC.startswith(head):
        return f"is cut short; {FROM_COPY}"
    if head.startswith(b'{"'):
        return "is a safetensors file but not a fenchel model; name a model file"
    for magic, kind in OTHER_KINDS.items():
        if start.startswith(magic):
            return f"is {kind}"
    return "is not a fenchel model; name a model file"

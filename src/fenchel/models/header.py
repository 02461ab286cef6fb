"""The header of format 1: the safetensors layout, with a digest over everything.

A file is eight bytes of header length (little-endian), the header (JSON, padded with spaces so that
the tensors begin at a multiple of 64 bytes), then the tensors' bytes (little-endian, C order), one
after another without gaps. ``__metadata__`` comes first, so that kind, version and digest have
fixed places:

``{"__metadata__":{"format":"fenchel","format_version":"1","sha256":"…","tensors_sha256":"…",…``

``tensors_sha256`` covers the tensors. ``sha256`` covers the length and the header, hence
``tensors_sha256`` too, with its own 64 digits read as zeros: one digest for every byte of the file,
and yet the header can be checked alone, without reading the tensors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from fenchel.models.errors import FROM_COPY, NOT_OURS, ModelRefused
from fenchel.models.metadata import from_json
from fenchel.models.tensors import Tensor, contiguous

LENGTH_BYTES = 8
ALIGNMENT = 64
MAX_BYTES = 16 << 20  # parsing a hostile header may take some thirty times its size
MAGIC = b'{"__metadata__":{"format":"fenchel","format_version":"'
DIGEST_AT = LENGTH_BYTES + len(MAGIC + b'1","sha256":"')
BLANK = "0" * 64
FIELDS = {"format", "format_version", "sha256", "tensors_sha256", "model"}


@dataclass(frozen=True)
class Header:
    """The contents of a header, checked: the tensors lie one after another and fill the file."""

    digest: str
    tensors_digest: str
    metadata: dict[str, Any]
    tensors: Sequence[Tensor]
    tensors_begin: int
    file_size: int


def encode(tensors: Sequence[Tensor], model: str, tensors_digest: str) -> bytes:
    """Length and header, sealed with the digest of both."""
    fields: dict[str, Mapping[str, Any]] = {
        "__metadata__": {
            "format": "fenchel",
            "format_version": "1",
            "sha256": BLANK,
            "tensors_sha256": tensors_digest,
            "model": model,
        }
    }
    for name, dtype, shape, begin, end in tensors:
        fields[name] = {"dtype": dtype, "shape": shape, "data_offsets": (begin, end)}
    text = json.dumps(fields, separators=(",", ":")).encode("ascii")
    text += b" " * (-(LENGTH_BYTES + len(text)) % ALIGNMENT)
    return seal(len(text).to_bytes(LENGTH_BYTES, "little") + text)


def seal(block: bytes) -> bytes:
    """The block of length and header with the digest of its other bytes in the digest's place."""
    before, after = block[:DIGEST_AT], block[DIGEST_AT + len(BLANK) :]
    digest = sha256(before + BLANK.encode() + after).hexdigest()
    return before + digest.encode() + after


def decode(block: bytes, file_size: int) -> Header:
    """The header in a block of length and header, all of it checked against the file's size."""
    if seal(block) != block:
        raise ModelRefused(f"its header is damaged (digest differs); {FROM_COPY}")
    if len(block) % ALIGNMENT:
        raise ModelRefused(f"its tensors begin at byte {len(block)}, unaligned; {NOT_OURS}")
    fields = from_json(block[LENGTH_BYTES:], "header")
    own = fields.pop("__metadata__")
    if own.keys() != FIELDS or not all(isinstance(value, str) for value in own.values()):
        raise ModelRefused(f"its header has other fields than format 1; {NOT_OURS}")
    tensors = contiguous(fields)
    announced = len(block) + (tensors[-1].end if tensors else 0)
    if announced != file_size:
        raise ModelRefused(f"has {file_size} bytes where its header says {announced}; {FROM_COPY}")
    return Header(
        digest=block[DIGEST_AT : DIGEST_AT + len(BLANK)].decode("ascii"),
        tensors_digest=own["tensors_sha256"],
        metadata=from_json(own["model"], "metadata"),
        tensors=tensors,
        tensors_begin=len(block),
        file_size=file_size,
    )

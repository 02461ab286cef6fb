"""Model files: named arrays and JSON metadata in one safe, checked, memory-mappable file."""

from fenchel.models.errors import ModelRefused
from fenchel.models.reading import read, read_metadata, verify
from fenchel.models.strings import pack_strings, unpack_strings
from fenchel.models.writing import write

__all__ = [
    "ModelRefused",
    "pack_strings",
    "read",
    "read_metadata",
    "unpack_strings",
    "verify",
    "write",
]

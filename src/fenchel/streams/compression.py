"""gzip, bzip2 and Zstandard, read piece by piece; a file that is cut or damaged is refused."""

from __future__ import annotations

import bz2
import zlib
from typing import Any

from fenchel.streams.errors import BadInput

PIECE = 1 << 15  # small: one piece may expand a thousandfold
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}


def compression_of(name: str, start: bytes) -> str | None:
    """How the bytes are compressed: what the name says, else what the first bytes say."""
    for suffix, kind in SUFFIXES.items():
        if name.lower().endswith(suffix):
            return kind
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)


def without_compression(name: str) -> str:
    """The file name less the suffix of its compression."""
    return next((name[: -len(s)] for s in SUFFIXES if name.lower().endswith(s)), name)


def _decompressor(kind: str, name: str) -> Any:
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    if kind == "bzip2":
        return bz2.BZ2Decompressor()
    try:
        import zstandard
    except ImportError:
        remedy = "install fenchel[zst], or decompress the file first"
        raise BadInput("reading zstd needs the package zstandard", remedy, file=name) from None
    return zstandard.ZstdDecompressor().decompressobj()


class Decompressed:
    """The plain bytes of a compressed stream, which may have several members in a row."""

    def __init__(self, kind: str, stream: Any, name: str) -> None:
        self._kind, self._stream, self._name = kind, stream, name
        self._decompressor = _decompressor(kind, name)
        self._piece = memoryview(bytearray(PIECE))
        self._plain = memoryview(b"")

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer as far as one piece goes; 0 at the end of the last member."""
        while not self._plain:
            size = self._stream.readinto(self._piece)
            if size == 0:
                self._check_whole()
                return 0
            self._plain = memoryview(self._expand(bytes(self._piece[:size])))
        size = min(len(buffer), len(self._plain))
        buffer[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size

    def _expand(self, piece: bytes) -> bytes:
        plain = []
        while piece:
            if self._decompressor.eof:
                piece = piece.lstrip(b"\0")  # padding between members, as tape archives leave
                if not piece:
                    break
                self._decompressor = _decompressor(self._kind, self._name)
            try:
                plain.append(self._decompressor.decompress(piece))
            except Exception as error:  # each library has its own class of error
                raise self._damaged(f"the {self._kind} data is damaged: {error}") from None
            piece = self._decompressor.unused_data if self._decompressor.eof else b""
        return b"".join(plain)

    def _check_whole(self) -> None:
        if not self._decompressor.eof:
            raise self._damaged(f"the {self._kind} data ends too early")

    def _damaged(self, what: str) -> BadInput:
        return BadInput(what, "fetch or compress the file again", file=self._name)

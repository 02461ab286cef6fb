"""gzip, bzip2 and Zstandard, read piece by piece; a file that is cut or damaged is refused."""

from __future__ import annotations

import bz2
import zlib
from typing import Any

from fenchel.streams.errors import BadInput

PIECE = 1 << 15  # compressed bytes read at a time
EXPANDED = 1 << 20  # plain bytes made at a time: a small file may expand without end
ZSTD_PIECE = 1 << 9  # zstd cannot be told to stop: so many bytes make 16 MiB at the most
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}


def compression_of(name: str, start: bytes) -> str | None:
    """The compression of the bytes: what the name says, else what the first bytes say."""
    for suffix, kind in SUFFIXES.items():
        if name.lower().endswith(suffix):
            return kind
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)


def without_compression(name: str) -> str:
    """The file name less the suffix of its compression."""
    return next((name[: -len(s)] for s in SUFFIXES if name.lower().endswith(s)), name)


class _Gzip:
    """zlib's decompressor with the interface of bz2's."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)
        self._stopped = False  # before the input was used up, or its last match written out

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._stopped

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        plain = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self._stopped = len(plain) == max_length
        return plain


class _Zstd:
    """zstandard's decompressor with the interface of bz2's; bounded by what it is given."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._waiting = memoryview(b"")

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def needs_input(self) -> bool:
        return not self._waiting

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + bytes(self._waiting)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if data:
            self._waiting = memoryview(data)
        piece, self._waiting = self._waiting[:ZSTD_PIECE], self._waiting[ZSTD_PIECE:]
        return bytes(self._inner.decompress(piece))


def _decompressor(kind: str, name: str) -> Any:
    if kind == "gzip":
        return _Gzip()
    if kind == "bzip2":
        return bz2.BZ2Decompressor()
    try:
        import zstandard
    except ImportError:
        remedy = "install fenchel[zst], or decompress the file first"
        raise BadInput("reading zstd needs the package zstandard", remedy, file=name) from None
    return _Zstd(zstandard.ZstdDecompressor().decompressobj())


class Decompressed:
    """The plain bytes of a compressed stream, which may have several members in a row.

    Memory stays bounded whatever the file expands to: each step makes no more than a piece.
    """

    def __init__(self, kind: str, stream: Any, name: str) -> None:
        self._kind, self._stream, self._name = kind, stream, name
        self._decompressor = _decompressor(kind, name)
        self._piece = memoryview(bytearray(PIECE))
        self._plain = memoryview(b"")

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer as far as one step goes; 0 at the end of the last member."""
        while not self._plain:
            data = b""
            if self._decompressor.eof:
                data = self._next_member()
                if not data:
                    return 0
                self._decompressor = _decompressor(self._kind, self._name)
            elif self._decompressor.needs_input:
                data = self._read()
                if not data:
                    raise self._damaged(f"the {self._kind} data ends too early")
            self._plain = memoryview(self._expand(data))
        size = min(len(buffer), len(self._plain))
        buffer[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size

    def _read(self) -> bytes:
        return bytes(self._piece[: self._stream.readinto(self._piece)])

    def _next_member(self) -> bytes:
        """The bytes after a member's end, without the padding that tape archives leave."""
        data = self._decompressor.unused_data.lstrip(b"\0")
        while not data and (piece := self._read()):
            data = piece.lstrip(b"\0")
        return bytes(data)

    def _expand(self, data: bytes) -> bytes:
        try:
            return bytes(self._decompressor.decompress(data, EXPANDED))
        except Exception as error:  # each library has its own class of error
            raise self._damaged(f"the {self._kind} data is damaged: {error}") from None

    def _damaged(self, what: str) -> BadInput:
        return BadInput(what, "fetch or compress the file again", file=self._name)

"""Files of this machine, and by fsspec those of any protocol: s3, gs, hdfs, http."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from glob import glob, has_magic
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from fenchel.streams import BadInput

END = 1 << 16  # bytes of each end of a file that stand for its content where no time is known


def is_remote(path: str) -> bool:
    """Whether a path has a protocol, such as s3://bucket/key."""
    return "://" in path


def _system(path: str) -> tuple[Any, str]:
    """The file system of a remote path, and the path there."""
    try:
        fsspec = import_module("fsspec")  # deferred: an extra
        system, inside = fsspec.core.url_to_fs(path)
    except ImportError as error:
        remedy = f"install fenchel[dask] and what fsspec asks for ({error})"
        raise BadInput("its protocol needs more packages", remedy, file=path) from None
    except ValueError as error:
        remedy = "name files: s3://, gs://, hdfs://, https:// or a path"
        raise BadInput(f"no files have such an address: {error}", remedy, file=path) from None
    return system, inside


def opened(path: str) -> Any:
    """Open a file for reading bytes."""
    if not is_remote(path):
        return open(path, "rb", buffering=0)
    system, inside = _system(path)
    return system.open(inside, "rb")


def size_of(path: str) -> int:
    """The size of a file in bytes."""
    if not is_remote(path):
        return os.path.getsize(path)
    system, inside = _system(path)
    return int(system.size(inside))


def state_of(path: str) -> dict[str, Any] | None:
    """What changes when a file does: its size, and its time or else a digest of its first and last bytes.

    None where only the workers see it.
    """
    if is_remote(path):
        return {"size": size_of(path), "ends": _digest_of_ends(path)}
    try:
        found = os.stat(path)
    except OSError:
        return None
    return {"size": found.st_size, "modified": found.st_mtime_ns}


def _digest_of_ends(path: str) -> str:
    with opened(path) as file:
        digest = sha256(file.read(END))
        file.seek(max(size_of(path) - END, 0))
        digest.update(file.read(END))
    return digest.hexdigest()


def named(place: Any) -> list[str]:
    """The files of a path or a pattern, in the order of their names."""
    path = os.fspath(place)
    if is_remote(path):
        system, inside = _system(path)
        magic = has_magic(inside) and not system.exists(inside)
        inner = sorted(system.glob(inside)) if magic else [inside] * bool(system.isfile(inside))
        found = [system.unstrip_protocol(file) for file in inner]
        if not found:
            raise BadInput("there is no such file", "check the path or the pattern", file=path)
        return found
    found = sorted(glob(path)) if has_magic(path) and not Path(path).exists() else [path]
    for file in found or [path]:
        if not Path(file).is_file():
            raise BadInput("there is no such file", "check the path or the pattern", file=file)
    return found


@contextmanager
def parquet_file(path: str) -> Iterator[Any]:
    """Open a Parquet file; those of this machine by Arrow itself."""
    from pyarrow import parquet  # deferred: an extra

    with ExitStack() as stack:
        place = stack.enter_context(opened(path)) if is_remote(path) else path
        yield stack.enter_context(parquet.ParquetFile(place))

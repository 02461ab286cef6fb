"""Replace a file by a complete one, or not at all, whatever dies meanwhile.

The new content goes to a temporary file beside the target, is forced to the disk, and takes the
target's name in one step. A writer holds a lock on its temporary file, so that the next writer can
tell what a killed process left behind from what is being written now, and clear it away.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from fenchel.models.errors import ModelRefused, StrPath, shown_path

if sys.platform != "win32":
    import fcntl


@contextmanager
def replacing(path: StrPath) -> Iterator[BinaryIO]:
    """A file to write; on leaving, it is what ``path`` names, or the failure changed nothing."""
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    try:
        _clear_leftovers(target.parent)
        with _temporary(target.parent) as temporary:
            with open(temporary, "r+b") as file:
                if mode is not None:
                    os.chmod(temporary, mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
    except OSError as error:
        what = f"{error.strerror or error}: not saved, what was there before is unchanged"
        raise OSError(error.errno, what, os.fspath(path)) from error
    _force_folder(target.parent)


def _mode(target: Path) -> int | None:
    """The permissions to keep; None where there is no file yet, and the umask decides."""
    try:
        mode = target.stat().st_mode
    except OSError:  # if more is wrong than a missing file, making the temporary one will show it
        return None
    if not stat.S_ISREG(mode):
        raise ModelRefused(f"{shown_path(target)}: not saved: is not a regular file; name another")
    return mode & 0o777


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    path, lock = _claimed(folder)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _claimed(folder: Path) -> tuple[Path, int | None]:
    """A new file that nobody else writes to or clears away, and the descriptor that locks it."""
    while True:
        path = folder / f".fenchel-{secrets.token_hex(8)}.tmp"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if sys.platform == "win32":  # an open file cannot be renamed there
            os.close(descriptor)
            return path, None
        with suppress(OSError):  # a file system without locks: nobody will clear anything away
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if path.exists():
            return path, descriptor
        os.close(descriptor)  # taken for a leftover just before it was locked


def _clear_leftovers(folder: Path) -> None:
    if sys.platform == "win32":
        return
    for path in folder.glob(".fenchel-*.tmp"):
        with suppress(OSError):  # being written, or gone already, or not ours to touch
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(descriptor)


def _force_folder(folder: Path) -> None:
    """Make the new name itself durable."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems cannot
            raise
    finally:
        os.close(descriptor)

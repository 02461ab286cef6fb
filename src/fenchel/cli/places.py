"""Places that commands write to: refused early where that is impossible, written whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import click

from fenchel.models import ModelRefused
from fenchel.models.atomic import replacing

if sys.platform != "win32":
    import fcntl

STANDARD = "-"  # standard input or output


def refuse_clashes(written: Mapping[str, str | None], read: Mapping[str, str | None]) -> None:
    """Refuse, before the work, files that would destroy each other or what is ``read``.

    Both are files by the options that name them; ``--save`` may name the model of ``--resume``.
    """
    seen: dict[Any, str] = {}
    for option, file in written.items():
        if not file:
            continue
        for other, source in read.items():
            if source and (option, other) != ("save", "resume") and _same(file, source):
                _refuse(option, f"{file}: this is what is read; name another file.")
        identity = _identity(file)
        if identity in seen:
            _refuse(option, f"{file}: --{seen[identity]} writes there; name another file.")
        seen[identity] = option


def refuse_unwritable(option: str, file: str | None) -> None:
    """Refuse, before the work, a place where no file can be put."""
    if not file or file == STANDARD:
        return
    place = Path(file)
    folder = Path(os.path.realpath(place)).parent
    if not folder.is_dir():
        _refuse(option, f"{file}: there is no such folder.")
    if place.is_dir():
        _refuse(option, f"{file}: this is a directory; name a file in it.")
    if _is_special(file):
        return
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        _refuse(option, f"{file}: nothing can be written there ({error.strerror}); name another.")


def refuse_standard_output(option: str, file: str | None) -> None:
    """Refuse - for what is no text."""
    if file == STANDARD:
        _refuse(option, "a model is a file: name one.")


def _refuse(option: str, message: str) -> None:
    raise click.BadParameter(message, param_hint=f"'--{option}'")


def _same(file: str, source: str) -> bool:
    """Whether a file to write is one to read; - stands for whatever standard input is."""
    try:
        target = os.stat(file) if file != STANDARD else os.fstat(1)
        origin = os.stat(source) if source != STANDARD else os.fstat(0)
    except OSError:
        return False
    regular = stat.S_ISREG(target.st_mode) and stat.S_ISREG(origin.st_mode)
    return regular and (target.st_dev, target.st_ino) == (origin.st_dev, origin.st_ino)


def _identity(file: str) -> Any:
    return file if file == STANDARD else os.path.realpath(file)


def _is_special(file: str) -> bool:
    """Whether it is there and no regular file: a pipe, a terminal, /dev/null."""
    try:
        return not stat.S_ISREG(os.stat(file).st_mode)
    except OSError:
        return False


@contextmanager
def written_whole(file: str) -> Iterator[TextIO]:
    """Open a file (or ``-``) for text; what was there stays until the new text is complete.

    What was written before Ctrl-C counts as complete.
    """
    if file == STANDARD or _is_special(file):
        with click.open_file(file, "w") as output:
            yield output  # type: ignore[misc]
        return
    stopped = None
    with replacing(file) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", newline="")
        try:
            yield text
        except KeyboardInterrupt as error:
            stopped = error
        text.flush()
        text.detach()
    if stopped is not None:
        raise stopped


class ModelClaim:
    """A model that this process goes on with, to save it in the same place: nobody else may meanwhile."""

    def __init__(self, path: str | None) -> None:
        self._path, self._held, self._lost = path, -1, False
        self.renew()
        self.check()

    def renew(self) -> None:
        """ModelClaim the file that is there now: saving has put another in its place."""
        if self._path is None or sys.platform == "win32":
            return
        try:
            fresh = os.open(self._path, os.O_RDONLY)
        except OSError:  # loading it will tell
            return
        try:
            fcntl.flock(fresh, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:  # or a file system without locks
            os.close(fresh)
            self._lost = isinstance(error, BlockingIOError)
            return
        if self._held >= 0:
            with suppress(OSError):
                os.close(self._held)
        self._held = fresh

    def release(self) -> None:
        """Let others have the file."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def check(self) -> None:
        """Refuse to go on where another process has claimed the file."""
        if self._lost:
            what = "another process goes on with it and will save it"
            raise ModelRefused(f"{self._path}: {what}; wait for it, or --save elsewhere")

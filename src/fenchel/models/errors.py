"""The errors of this room, and how they show what came from outside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

StrPath = str | os.PathLike[str]
FROM_COPY = "restore it from a copy"
NOT_OURS = "fenchel did not write it, do not trust it"


class ModelRefused(ValueError):  # noqa: N818 (a refusal, not a failure of fenchel)
    """A model file that is not loaded, or a model that is not saved: one line, with the remedy."""


class ModelUnreadable(ModelRefused, OSError):  # noqa: N818 (as its base)
    """A model file that cannot be read at all: missing, a directory, not permitted.

    >>> issubclass(ModelUnreadable, OSError), issubclass(ModelUnreadable, ValueError)
    (True, True)
    """


def shown(text: str, longest: int = 60) -> str:
    """Text from outside, fit for one line of an error: quoted, escaped and cut."""
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")


def shown_path(path: StrPath) -> str:
    """A file's name, fit for one line of an error."""
    name = os.fspath(path)
    return name if name.isprintable() else ascii(name)


@contextmanager
def naming(path: StrPath) -> Iterator[None]:
    """Put the file's name before every refusal; a file that cannot be read is refused too."""
    try:
        yield
    except ModelRefused as refusal:
        raise type(refusal)(f"{shown_path(path)}: {refusal}") from refusal.__cause__
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise ModelUnreadable(f"{shown_path(path)}: {what}; check the path") from error

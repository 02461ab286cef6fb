"""Files of compiled code that begin with their digest: machine code that was damaged ends the process."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

DIGEST = sha256().digest_size


def write(path: Path, content: bytes) -> None:
    """Put the content in place at once, its digest before it."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        unfinished.write_bytes(sha256(content).digest() + content)
        os.replace(unfinished, path)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def read(path: Path) -> bytes | None:
    """The content; None where there is no such file, or a damaged one, which is removed."""
    try:
        told = path.read_bytes()
    except OSError:
        return None
    content = told[DIGEST:]
    if sha256(content).digest() == told[:DIGEST]:
        return content
    remove(path)
    return None


def remove(path: Path) -> None:
    """Remove a file, where that is allowed."""
    with suppress(OSError):
        path.unlink()

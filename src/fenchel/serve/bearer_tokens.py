"""Bearer tokens with roles: read, learn, admin. Only their hashes are kept.

A token file has one token a line: its role, a blank, and the token's hash, ``scheme:salt:digest``. A token
written in plain is hashed in place when the server starts; without a role it is an admin's.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from pathlib import Path
from typing import NamedTuple

from fenchel.models.atomic import replacing

ROLES = ("read", "learn", "admin")  # each may do what those before it may
SCHEME = "blake2b"


class Hashed(NamedTuple):
    """A token at rest."""

    role: int
    salt: bytes
    digest: bytes


class Tokens:
    """The tokens of a server; without any, everybody is an admin."""

    def __init__(self, tokens: list[Hashed] | None) -> None:
        self._tokens = tokens

    @property
    def wanted(self) -> bool:
        """Whether a request needs a token."""
        return self._tokens is not None

    def role(self, token: bytes) -> int:
        """The role that a token gives, −1 for none; takes as long whichever it is."""
        if self._tokens is None:
            return ROLES.index("admin")
        found = -1
        for known in self._tokens:
            same = hmac.compare_digest(_digest(known.salt, token), known.digest)
            found = max(found, known.role) if same else found
        return found

    @classmethod
    def read(cls, path: Path | None) -> Tokens:
        """Read a token file; tokens in plain are replaced by their hashes there."""
        if path is None:
            return cls(None)
        lines = path.read_text(encoding="utf-8").splitlines()
        hashed = [_hashed(line, f"{path}:{k}") for k, line in enumerate(lines, 1)]
        tokens = [token for _, token in hashed if token is not None]
        if not tokens:
            raise ValueError(f"{path}: has no token; write one a line: admin TOKEN")
        if [line for line, _ in hashed] != lines:
            with replacing(path) as file:
                file.write("".join(f"{line}\n" for line, _ in hashed).encode())
            path.chmod(0o600)
        return cls(tokens)


def _hashed(line: str, place: str) -> tuple[str, Hashed | None]:
    """A line with its token hashed, and the token; comments and empty lines stay."""
    words = line.split()
    if not words or words[0].startswith("#"):
        return line, None
    role, token = words if len(words) == 2 else ("admin", words[0])
    if len(words) > 2 or role not in ROLES:
        raise ValueError(f"{place}: is no token; write read, learn or admin, and the token")
    parts = token.split(":")
    if parts[0] == SCHEME and len(parts) == 3:
        salt, digest = (bytes.fromhex(part) for part in parts[1:])
    else:
        salt = secrets.token_bytes(16)
        digest = _digest(salt, token.encode())
    kept = f"{role} {SCHEME}:{salt.hex()}:{digest.hex()}"
    return kept, Hashed(ROLES.index(role), salt, digest)


def _digest(salt: bytes, token: bytes) -> bytes:
    return hashlib.blake2b(token, salt=salt, digest_size=32).digest()

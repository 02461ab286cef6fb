"""Who may do what: the token of a request, and where a request without tokens may come from."""

from __future__ import annotations

from typing import Any

from fenchel.serve.refusals import Refused
from fenchel.serve.tokens import ROLES, Tokens

LOCAL = ("127.0.0.1", "localhost", "::1")
READ, LEARN, ADMIN = range(len(ROLES))
Scope = Any


class Gate:
    """Lets requests in, or refuses them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def check(self, scope: Scope, role: int) -> None:
        """Refuse a request that may not do what needs this role."""
        if not self._tokens.wanted:
            _refuse_other_sites(scope)
            return
        given = header(scope, b"authorization")
        scheme, _, token = given.partition(b" ")
        found = self._tokens.role(token.strip()) if scheme.lower() == b"bearer" else -1
        if found < 0:
            raise Refused(401, "a token is needed: send Authorization: Bearer TOKEN")
        if found < role:
            raise Refused(403, f"this token's role is {ROLES[found]}, {ROLES[role]} is needed")

    def admits(self, token: bytes, role: int) -> bool:
        """Whether a token alone, as on the line protocol, gives a role."""
        return self._tokens.role(token) >= role

    @property
    def wants_tokens(self) -> bool:
        """Whether requests need a token."""
        return self._tokens.wanted


def _refuse_other_sites(scope: Scope) -> None:
    """Without tokens, pages of other sites in a local browser must not reach the models.

    Such a page sends its own Origin, or, where its name was bent to this address, its own Host.
    """
    host = header(scope, b"host").decode("latin-1").lower()
    name = host[1 : host.find("]")] if host.startswith("[") else host.rpartition(":")[0] or host
    if name not in LOCAL:
        raise Refused(403, f"the host {host[:80]!r} is not this one: use localhost, or tokens")
    origin = header(scope, b"origin").decode("latin-1").lower()
    if origin and origin.partition("://")[2] != host:
        raise Refused(403, f"pages of {origin[:80]!r} may not use this server without a token")


def header(scope: Scope, name: bytes) -> bytes:
    """Return a header of a request, empty where it has none."""
    for key, value in scope["headers"]:
        if key == name:
            found: bytes = value
            return found
    return b""


def refuse_public(host: str, tokens: Tokens) -> None:
    """Refuse to listen on an address that others reach, unless they need a token."""
    if host not in LOCAL and not tokens.wanted:
        raise ValueError(
            f"--host {host}: others could reach the models; give --token-file, or listen on 127.0.0.1"
        )

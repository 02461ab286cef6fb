"""Who may do what: the token of a request, and where a request without tokens may come from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from fenchel.serve.bearer_tokens import ROLES, Tokens
from fenchel.serve.refusals import Refused

LOCAL = ("127.0.0.1", "localhost", "::1")
READ, LEARN, ADMIN = range(len(ROLES))
Headers = Mapping[bytes, bytes]


class Gate:
    """Lets requests in, or refuses them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def check(self, headers: Headers, role: int) -> None:
        """Refuse a request that may not do what needs this role."""
        if not self._tokens.wanted:
            _refuse_other_sites(headers.get(b"host", b""), headers.get(b"origin", b""))
            return
        given = headers.get(b"authorization", b"")
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


def _refuse_other_sites(host: bytes, origin: bytes) -> None:
    """Without tokens, pages of other sites in a local browser must not reach the models.

    Such a page sends its own Origin, or, where its name was bent to this address, its own Host.
    """
    if not _is_local(host):
        raise Refused(403, f"the host {host[:80]!r} is not this one: use localhost, or tokens")
    if origin and origin.lower().partition(b"://")[2] != host.lower():
        raise Refused(403, f"pages of {origin[:80]!r} may not use this server without a token")


@lru_cache(maxsize=64)
def _is_local(host: bytes) -> bool:
    """Whether a Host header names this machine.

    >>> _is_local(b"localhost:8850"), _is_local(b"[::1]:8850"), _is_local(b"example.org")
    (True, True, False)
    """
    name = host.decode("latin-1").lower()
    if name.startswith("["):
        return name[1 : name.find("]")] in LOCAL
    return (name.rpartition(":")[0] or name) in LOCAL


def refuse_public(host: str, tokens: Tokens) -> None:
    """Refuse to listen on an address that others reach, unless they need a token."""
    if host not in LOCAL and not tokens.wanted:
        raise ValueError(
            f"--host {host}: others could reach the models; give --token-file, or listen on 127.0.0.1"
        )

"""Addresses of live sources: ``tail:logs/*.jsonl``, ``redis://host/stream``, ``kafka://host/topic``."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("tail", "redis", "rediss", "kafka")
STARTS = ("start", "end")


def is_address(place: object) -> bool:
    """Whether a place is one where messages keep arriving.

    >>> is_address("tail:logs/*.jsonl"), is_address("kafka://localhost/clicks"), is_address("a.csv")
    (True, True, False)
    """
    if not isinstance(place, str):
        return False
    scheme, colon, rest = place.partition(":")
    return bool(colon) and scheme in SCHEMES and (scheme == "tail" or rest.startswith("//"))


class Address(NamedTuple):
    """A live source: where the broker is, the name of stream, topic or files, and parameters."""

    scheme: str
    host: str
    name: str
    parameters: dict[str, str]
    text: str

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address, or raise ``ValueError``.

        >>> address = Address.parse("kafka://localhost:9092/clicks?order=strict")
        >>> address.host, address.name, address.parameters
        ('localhost:9092', 'clicks', {'order': 'strict'})
        """
        scheme, _, rest = text.partition(":")
        if scheme == "tail":
            if not rest:
                raise ValueError(f"{text}: name the files behind tail:, as in tail:logs/*.jsonl")
            return cls(scheme, "", rest, {}, text)
        parts = urlsplit(text)
        name = unquote(parts.path.strip("/"))
        if not parts.netloc or not name or "/" in name:
            what = "topic" if scheme == "kafka" else "stream"
            raise ValueError(f"{text}: give {scheme}://HOST/{what.upper()}, with one {what}")
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
        start = parameters.get("from", "start")
        if start not in STARTS:
            raise ValueError(f"{text}: from={start}; choose start or end")
        return cls(scheme, parts.netloc, name, parameters, text)

    @property
    def key(self) -> str:
        """The name under which a model file keeps the marks: no host, which may move, and no password.

        >>> Address.parse("redis://:secret@localhost/clicks").key
        'redis:clicks'
        """
        return f"{'redis' if self.scheme == 'rediss' else self.scheme}:{self.name}"

    @property
    def shown(self) -> str:
        """The address without what stands before @, which may be a password."""
        if self.scheme == "tail":
            return self.text
        return f"{self.scheme}://{self.host.rpartition('@')[2]}/{self.name}"

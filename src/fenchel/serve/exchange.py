"""Bodies in and out of an ASGI server: bounded, and one line for errors."""

from __future__ import annotations

from typing import Any

from fenchel.serve.messages import Fault, encode
from fenchel.serve.refusals import Refused
from fenchel.serve.settings import Limits

JSON = (b"content-type", b"application/json")
LINES = b"application/x-ndjson"


class Gone(Exception):  # noqa: N818
    """The client has closed the connection: there is nobody to answer."""


async def read_body(receive: Any, limits: Limits) -> bytes:
    """Read a whole body, or refuse one that is too large; the protocol sees to slow ones."""
    body, more = await read_piece(receive)
    if more:
        pieces, size = [body], len(body)
        while more:
            body, more = await read_piece(receive)
            pieces.append(body)
            size += len(body)
            if size > limits.body:
                break
        body = b"".join(pieces)
    if len(body) > limits.body:
        raise Refused(413, f"the body has more than {limits.body} bytes: send a stream of lines")
    return body


async def read_piece(receive: Any) -> tuple[bytes, bool]:
    """Read the next piece of a body, and whether more comes."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Gone
    return message.get("body", b""), message.get("more_body", False)


async def respond(
    send: Any, status: int, body: bytes, headers: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    """Send a whole answer in JSON."""
    size = (b"content-length", b"%d" % len(body))
    start = {"type": "http.response.start", "status": status, "headers": [JSON, size, *headers]}
    await send(start)
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Any, refusal: Refused) -> None:
    """Send a refusal."""
    await respond(send, refusal.status, encode(Fault(refusal.error)), refusal_headers(refusal))


def refusal_headers(refusal: Refused) -> tuple[tuple[bytes, bytes], ...]:
    """The headers that go with a status."""
    if refusal.status in (429, 503):
        return ((b"retry-after", b"1"),)
    return ((b"www-authenticate", b"Bearer"),) if refusal.status == 401 else ()

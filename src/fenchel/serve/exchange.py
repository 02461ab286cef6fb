"""Bodies in and out of an ASGI server: bounded, with patience for slow clients, and one line for errors."""

from __future__ import annotations

import asyncio
from typing import Any

from fenchel.serve.gate import header
from fenchel.serve.messages import Fault, encode
from fenchel.serve.refusals import Refused
from fenchel.serve.settings import Limits

JSON = (b"content-type", b"application/json")
LINES = b"application/x-ndjson"


class Gone(Exception):  # noqa: N818
    """The client has closed the connection: there is nobody to answer."""


async def read_body(scope: Any, receive: Any, limits: Limits) -> bytes:
    """Read a whole body, or refuse one that is too large or takes too long."""
    announced = header(scope, b"content-length")
    if announced and int(announced) > limits.body:
        raise Refused(413, f"the body has {int(announced)} bytes, {limits.body} are the most")
    body, more = await read_piece(receive, limits)
    if not more:
        return body
    pieces, size = [body], len(body)
    while more:
        body, more = await read_piece(receive, limits)
        pieces.append(body)
        size += len(body)
        if size > limits.body:
            raise Refused(
                413, f"the body has more than {limits.body} bytes: send a stream of lines"
            )
    return b"".join(pieces)


async def read_piece(receive: Any, limits: Limits) -> tuple[bytes, bool]:
    """Read the next piece of a body, and whether more comes."""
    try:
        async with asyncio.timeout(limits.patience):
            message = await receive()
    except TimeoutError:
        raise Refused(408, f"no more of the body came for {limits.patience:g} seconds") from None
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

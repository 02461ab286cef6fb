"""The requests that both clients send, as data; what the answers mean; when to try again."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from fenchel.client.errors import ServerRefused

AGAIN = (429, 503)  # statuses that may pass
LONGEST_PAUSE = 5.0  # seconds
LINES = {"content-type": "application/x-ndjson"}

Row = Mapping[str, Any] | list[float]


@dataclass(frozen=True)
class Call:
    """One request: sent again where it failed on its way, if that changes nothing."""

    method: str
    path: str
    content: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    repeatable: bool = True


def call(method: str, name: str | None, rest: str = "", body: Any = None) -> Call:
    """A request about a model, or about all."""
    path = "/models" if name is None else f"/models/{quote(name, safe='')}{rest}"
    content = None if body is None else json.dumps(body).encode()
    return Call(method, path, content, {} if body is None else {"content-type": "application/json"})


def create(name: str, learner: str, task: str, schema: Mapping[str, Any]) -> Call:
    """Make a model; not repeated, since a second time it would be refused."""
    made = call("POST", name, "", {"learner": learner, "task": task, **schema})
    return Call(made.method, made.path, made.content, made.headers, repeatable=False)


def new_id() -> str:
    """Make an identifier that nobody else has."""
    return uuid.uuid4().hex


def learned(x: Row, y: Any, id: str | None, weight: float) -> dict[str, Any]:
    """The body of learn: a row without an identifier gets one."""
    return {"x": x, "y": y, "id": id or new_id(), "weight": weight}


def lines(name: str, verb: str, rows: Iterable[Mapping[str, Any]]) -> Call:
    """Many rows as a stream of lines; those that are learned or asked all have an identifier."""
    told = [dict(row) for row in rows]
    if verb in ("learn", "ask"):
        for row in told:
            row.setdefault("id", new_id())
    content = "".join(json.dumps(row) + "\n" for row in told).encode()
    return Call("POST", f"/models/{quote(name, safe='')}/{verb}", content, dict(LINES))


def understood(answer: httpx.Response) -> Any:
    """Read an answer; a refusal is raised."""
    if answer.status_code >= 400:
        try:
            error = answer.json()["error"]
        except (ValueError, KeyError, TypeError):
            error = answer.text[:200] or answer.reason_phrase
        raise ServerRefused(answer.status_code, error)
    kind = answer.headers.get("content-type", "")
    if kind.startswith("application/json"):
        return answer.json()
    if kind.startswith("application/x-ndjson"):
        return [json.loads(line) for line in answer.text.splitlines()]
    return answer.content or None


def pause(attempt: int, answer: httpx.Response | None) -> float:
    """Seconds to wait before the next attempt: what the server asks for, or twice as long each time."""
    asked = None if answer is None else answer.headers.get("retry-after")
    if asked is not None and asked.isdigit():
        return min(float(asked), LONGEST_PAUSE)
    return float(min(0.1 * 2**attempt, LONGEST_PAUSE))


def passes(call: Call, attempt: int, attempts: int, answer: httpx.Response | None) -> bool:
    """Whether to try again: the server was busy, or a repeatable request was lost on its way."""
    if attempt + 1 >= attempts:
        return False
    return answer.status_code in AGAIN if answer is not None else call.repeatable

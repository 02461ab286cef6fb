"""The blocking client."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import httpx

from fenchel.client import calls
from fenchel.client.calls import Call, Row


class Client:
    """Talks to a server.

    ``token`` is sent with every request; ``attempts`` is how often one is tried that fails on its way
    or meets a busy server. Other arguments go to ``httpx.Client``.
    """

    def __init__(
        self, url: str, token: str | None = None, *, attempts: int = 5, **options: Any
    ) -> None:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._attempts = attempts
        self._http = httpx.Client(
            **{"base_url": url, "headers": headers, "timeout": 60.0, **options}
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # ── models ──────────────────────────────────────────────────────────────────────────────────

    def models(self) -> list[dict[str, Any]]:
        """List all models."""
        found: list[dict[str, Any]] = (self._send(calls.call("GET", None)))["models"]
        return found

    def create(
        self, name: str, learner: str = "auto", task: str = "binary", **schema: Any
    ) -> dict[str, Any]:
        """Make a model; ``text``, ``categorical``, ``cross``, … say what its columns are."""
        return dict(self._send(calls.create(name, learner, task, schema)))

    def describe(self, name: str) -> dict[str, Any]:
        """Describe a model."""
        return dict(self._send(calls.call("GET", name)))

    def delete(self, name: str) -> None:
        """Delete a model."""
        self._send(calls.call("DELETE", name))

    def weights(self, name: str, top: int = 100) -> dict[str, Any]:
        """Return the largest weights by name, and the intercept."""
        return dict(self._send(calls.call("GET", name, f"/weights?top={int(top)}")))

    def download(self, name: str, path: str | PathLike[str]) -> None:
        """Write the model, as it is now, to a file."""
        Path(path).write_bytes(self._send(calls.call("GET", name, "/file")))

    def upload(self, name: str, path: str | PathLike[str]) -> dict[str, Any]:
        """Serve the model of a file under a name."""
        sent = calls.call("PUT", name, "/file")
        content = Path(path).read_bytes()
        return dict(self._send(Call(sent.method, sent.path, content)))

    # ── rows ────────────────────────────────────────────────────────────────────────────────────

    def predict(self, name: str, x: Row) -> dict[str, Any]:
        """Predict one row: its prediction, and probabilities or an interval where there are some."""
        return dict(self._send(calls.call("POST", name, "/predict", {"x": x})))

    def learn(
        self, name: str, x: Row, y: Any, id: str | None = None, weight: float = 1.0
    ) -> dict[str, Any]:
        """Learn one row; returns the prediction made before, and the row's place in the log."""
        body = calls.learned(x, y, id, weight)
        return dict(self._send(calls.call("POST", name, "/learn", body)))

    def ask(self, name: str, x: Row, id: str | None = None) -> dict[str, Any]:
        """Predict one row whose label comes later; returns its identifier too."""
        body = {"x": x, "id": id or calls.new_id()}
        return dict(self._send(calls.call("POST", name, "/ask", body)))

    def answer(self, name: str, id: str, y: Any, weight: float = 1.0) -> dict[str, Any]:
        """Give the label of a row that was asked about."""
        body = {"id": id, "y": y, "weight": weight}
        return dict(self._send(calls.call("POST", name, "/answer", body)))

    def many(self, name: str, verb: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Send many rows, as dicts of the verb's body; one answer for each, errors among them."""
        return list(self._send(calls.lines(name, verb, rows)))

    def _send(self, call: Call) -> Any:
        for attempt in range(self._attempts):
            answer: httpx.Response | None = None
            try:
                answer = self._http.request(
                    call.method, call.path, content=call.content, headers=call.headers
                )
                if not calls.passes(call, attempt, self._attempts, answer):
                    break
            except httpx.TransportError:
                if not calls.passes(call, attempt, self._attempts, None):
                    raise
            time.sleep(calls.pause(attempt, answer))
        assert answer is not None, "the last attempt answers or raises"
        return calls.understood(answer)

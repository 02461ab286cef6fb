"""Errors for what a server refused."""

from __future__ import annotations


class ServerRefused(ValueError):  # noqa: N818 (a refusal, not a failure)
    """A request that the server refused: the status of HTTP, and one line that says why."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(f"{error} (status {status})")
        self.status, self.error = status, error

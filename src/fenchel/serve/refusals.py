"""How the server says no: one line, with the status that HTTP has for it."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 (a refusal, not a failure of fenchel)
    """A request that is not fulfilled; nothing has changed."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status, self.error = status, error


def in_one_line(error: BaseException) -> str:
    """What an error says, fit for one line."""
    return " ".join(str(error).split())[:500]

"""Structured logs: one JSON object a line on standard error."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

import msgspec


def tell(event: str, level: str = "info", **facts: Any) -> None:
    """Write one event, and what there is to say of it."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    line = msgspec.json.encode({"time": f"{stamp}Z", "level": level, "event": event, **facts})
    sys.stderr.write(line.decode() + "\n")
    sys.stderr.flush()


class Telling(logging.Handler):
    """Tells what libraries log in the same form; a traceback is a field of its line."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one event."""
        facts = {"logger": record.name}
        if record.exc_info and record.exc_info[0] is not None:
            facts["traceback"] = logging.Formatter().formatException(record.exc_info)
        tell(record.getMessage(), level=record.levelname.lower(), **facts)

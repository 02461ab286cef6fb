"""Structured logs: one JSON object a line on standard error."""

from __future__ import annotations

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

"""Sockets to listen on."""

from __future__ import annotations

import socket


def listen(host: str, port: int, option: str) -> socket.socket:
    """A socket that listens, or an error that says on which address it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise ValueError(f"{host}:{port}: {error.strerror}; choose another {option}") from None
    made.listen(1024)
    return made

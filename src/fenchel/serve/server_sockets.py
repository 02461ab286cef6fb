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


def keep_alive(connection: socket.socket, seconds: int) -> None:
    """Have the system ask, after so many silent seconds, whether the other end is still there."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, seconds)

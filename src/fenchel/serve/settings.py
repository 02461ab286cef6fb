"""What a server is told: where it listens, and how much of anything it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

MEGABYTE = 1 << 20
DAY = 24 * 3600.0


@dataclass(frozen=True)
class Limits:
    """The most of everything, so that no client can make memory or disk grow without end."""

    body: int = 16 * MEGABYTE  # bytes of a request that is not a stream
    line: int = MEGABYTE  # bytes of one line of a stream
    upload: int = 1 << 30  # bytes of an uploaded model
    features: int = 100_000  # of one example
    models: int = 1000
    identifier: int = 200  # characters
    queue_rows: int = 20_000  # waiting for their turn, of one model
    queue_bytes: int = 64 * MEGABYTE
    questions: int = 100_000  # open at a time, of one model
    question_bytes: int = 256 * MEGABYTE
    question_age: float = 60 * DAY
    identifiers: int = 200_000  # remembered after they were learned
    identifier_age: float = 60 * DAY
    log_bytes: int = 1 << 30  # kept for `fenchel replay`, of one model
    log_age: float = 60 * DAY
    connections: int = 1000
    patience: float = 30.0  # seconds that a slow client may take for its next bytes


@dataclass(frozen=True)
class Snapshots:
    """When a model is saved: after so many rows, bytes of log, or seconds, whichever comes first."""

    rows: int = 200_000
    bytes: int = 64 * MEGABYTE
    seconds: float = 300.0


@dataclass(frozen=True)
class Settings:
    """Everything a server is told."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8850
    line_port: int | None = None
    line_model: str = "default"
    token_file: Path | None = None
    certificate: Path | None = None  # TLS: the certificate and its key, in PEM
    key: Path | None = None
    grace: float = 30.0  # seconds from SIGTERM to the end
    demo: bool = False
    sources: tuple[str, ...] = ()  # MODEL=ADDRESS each
    limits: Limits = field(default_factory=Limits)
    snapshots: Snapshots = field(default_factory=Snapshots)

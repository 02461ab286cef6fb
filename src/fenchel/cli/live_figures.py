"""Figures of a live run: rate, lag, recent loss; as lines, and for Prometheus."""

from __future__ import annotations

import time
from typing import Any

import click

from fenchel.cli.output import number, say
from fenchel.live import LiveTraining

FIGURES = {
    "messages": "Messages taken since the model's beginning",
    "refused": "Messages refused since the model's beginning",
    "rounds": "Rounds learned",
    "waiting": "Questions whose label has not come",
    "lag": "Messages (of files bytes) that have arrived and were not taken",
    "window_loss": "Average loss of the last 1000 rounds",
}


class LiveFigures:
    """Keeps the rate, and shows the rest."""

    def __init__(self, training: LiveTraining, every: float | None) -> None:
        self._training, self._every = training, every
        self._began = self._shown = time.monotonic()
        self._count = training.bookmark.messages
        self._lag: int | None = None  # as last asked for: an inbox is for one thread
        self._asked = 0.0

    def figures(self) -> dict[str, float | None]:
        """Give every figure by its name."""
        training = self._training
        return {
            "messages": training.bookmark.messages,
            "refused": training.bookmark.refused,
            "rounds": training.learner.rounds,
            "waiting": len(training.learner.tickets),
            "lag": self._lag,
            "window_loss": training.messages.window_loss,
        }

    def tick(self) -> None:
        """Print a line where one is due."""
        now = time.monotonic()
        if now - self._asked > min(self._every or 1.0, 1.0):
            self._lag, self._asked = self._training.inbox.lag(), now
        if self._every is None or now - self._shown < self._every:
            return
        found = self.figures()
        count = self._training.bookmark.messages
        rate = (count - self._count) / (now - self._shown)
        self._shown, self._count = now, count
        lag, loss = found["lag"], found["window_loss"]
        say(
            f"{now - self._began:8.1f} s  {count:,} messages  {rate:,.0f}/s  "
            f"lag {'?' if lag is None else format(int(lag), ',')}  "
            f"loss {'–' if loss is None else number(loss)}  refused {found['refused']:,}  "
            f"waiting {found['waiting']:,}"
        )


def serve_metrics(place: str, shown: LiveFigures) -> Any:
    """Answer Prometheus on ``[HOST:]PORT``; returns the server, to be shut down."""
    try:
        from prometheus_client import CollectorRegistry, start_http_server
        from prometheus_client.core import GaugeMetricFamily
        from prometheus_client.registry import Collector
    except ImportError:
        raise click.UsageError(
            "--metrics-port needs prometheus_client: pip install fenchel[serve]."
        ) from None
    host, _, port = place.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise click.UsageError(f"--metrics-port {place}: give PORT or HOST:PORT.")

    class _Figures(Collector):
        def collect(self) -> Any:
            for name, value in shown.figures().items():
                if value is not None:
                    yield GaugeMetricFamily(f"fenchel_live_{name}", FIGURES[name], value=value)

    registry = CollectorRegistry()
    registry.register(_Figures())
    return start_http_server(int(port), host or "127.0.0.1", registry)[0]

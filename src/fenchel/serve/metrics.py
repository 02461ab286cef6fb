"""What Prometheus is told: rates and latencies as they happen, the state of models when it asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, core, generate_latest
from prometheus_client.registry import Collector

from fenchel.serve.house import House

BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
family_of: Any = core.GaugeMetricFamily
# Figures by name: what they are, and which fact of a model.
STATES = {
    "rounds": ("Examples learned", "rounds"),
    "loss": ("Average progressive loss since the beginning", "loss"),
    "window_loss": ("Average progressive loss of the last 1000", "window_loss"),
    "baseline_loss": ("The same, of always saying the previous label", "baseline_loss"),
    "open_questions": ("Questions whose label has not come", "questions"),
    "log_position": ("Rows in the log", "position"),
}


class ModelStates(Collector):
    """The state of every model, read when the metrics are asked for."""

    def __init__(self, house: House) -> None:
        self._house = house

    def collect(self) -> Iterator[Any]:
        """Yield one family for each figure."""
        models = list(self._house.models.values())
        facts = [model.facts() for model in models]
        for name, (help, fact) in STATES.items():
            family = family_of(f"fenchel_{name}", help, labels=["model"])
            for one in facts:
                if (value := getattr(one, fact)) is not None:
                    family.add_metric([one.name], value)
            yield family
        log = family_of("fenchel_log_bytes", "Bytes of all logs kept", labels=["model"])
        waiting = family_of("fenchel_waiting_rows", "Rows in the queue", labels=["model"])
        for model in models:
            log.add_metric([model.name], model.folder.log_bytes)
            waiting.add_metric([model.name], model.writer.waiting_rows)
        yield from (log, waiting)


class Metrics:
    """The counters of one server."""

    def __init__(self, house: House) -> None:
        self.registry = CollectorRegistry()
        given: dict[str, Any] = {"registry": self.registry}
        self.registry.register(ModelStates(house))
        self.rows = Counter(
            "fenchel_rows", "Examples by model and verb", ["model", "verb"], **given
        )
        self.seconds = Histogram(
            "fenchel_request_seconds", "Time to answer", ["verb"], buckets=BUCKETS, **given
        )
        self.refused = Counter(
            "fenchel_refused", "Requests refused, by status", ["status"], **given
        )
        self.connections = Gauge("fenchel_line_connections", "Open line connections", **given)

    def text(self) -> bytes:
        """Everything, in Prometheus's format."""
        return generate_latest(self.registry)

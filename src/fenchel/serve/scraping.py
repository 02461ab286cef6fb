"""What Prometheus is told: rates and latencies as they happen, the state of models when it asks."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from prometheus_client import core, generate_latest
from prometheus_client.registry import Collector

from fenchel.serve.house import House

BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
gauge_of: Any = core.GaugeMetricFamily
counter_of: Any = core.CounterMetricFamily
histogram_of: Any = core.HistogramMetricFamily
# Figures by name: what they are, and which fact of a model.
STATES = {
    "rounds": ("Examples learned", "rounds"),
    "loss": ("Average progressive loss since the beginning", "loss"),
    "window_loss": ("Average progressive loss of the last 1000", "window_loss"),
    "baseline_loss": ("The same, of always saying the previous label", "baseline_loss"),
    "open_questions": ("Questions whose label has not come", "questions"),
    "log_position": ("Rows in the log", "position"),
}


class ServerMetrics(Collector):
    """The counts of one server, kept as plain numbers: a request has no time for more."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.rows: Counter[tuple[str, str]] = Counter()  # by model and verb
        self.refused: Counter[int] = Counter()  # by status
        self._times: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: Counter[str] = Counter()
        self.connections = 0
        self.sources: Sequence[Any] = ()
        self._registry = core.CollectorRegistry()
        self._registry.register(self)

    def observe(self, verb: str, seconds: float) -> None:
        """Count one request and the time it took."""
        self._times[verb][bisect_left(BUCKETS, seconds)] += 1
        self._seconds[verb] += seconds  # type: ignore[assignment]

    def count_refused(self, status: int) -> None:
        """Count one refusal."""
        self.refused[status] += 1

    def text(self) -> bytes:
        """Everything, in Prometheus's format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Any]:
        """Yield every family of figures."""
        yield from self._of_requests()
        yield from self._of_models()
        if self.sources:
            yield from self._of_sources()

    def _of_sources(self) -> Iterator[Any]:
        by = {"labels": ["source"]}
        messages = counter_of("fenchel_messages", "Messages taken from a live source", **by)
        refused = counter_of("fenchel_messages_refused", "Messages that were not learned", **by)
        lag = gauge_of("fenchel_source_lag", "Messages (of files bytes) waiting there", **by)
        for source in self.sources:
            messages.add_metric([source.told], source.messages)
            refused.add_metric([source.told], source.refused)
            if source.lag is not None:
                lag.add_metric([source.told], source.lag)
        yield from (messages, refused, lag)

    def _of_requests(self) -> Iterator[Any]:
        rows = counter_of("fenchel_rows", "Examples by model and verb", labels=["model", "verb"])
        for (model, verb), count in self.rows.items():
            rows.add_metric([model, verb], count)
        refused = counter_of("fenchel_refused", "Requests refused, by status", labels=["status"])
        for status, count in self.refused.items():
            refused.add_metric([str(status)], count)
        times = histogram_of("fenchel_request_seconds", "Time to answer", labels=["verb"])
        for verb, counts in self._times.items():
            ends = [*map(str, BUCKETS), "+Inf"]
            buckets = list(zip(ends, accumulate(counts), strict=True))
            times.add_metric([verb], buckets, self._seconds[verb])
        yield from (rows, refused, times)
        yield gauge_of("fenchel_line_connections", "Open line connections", self.connections)

    def _of_models(self) -> Iterator[Any]:
        models = list(self._house.models.values())
        facts = [model.facts() for model in models]
        for name, (help, fact) in STATES.items():
            family = gauge_of(f"fenchel_{name}", help, labels=["model"])
            for one in facts:
                if (value := getattr(one, fact)) is not None:
                    family.add_metric([one.name], value)
            yield family
        log = gauge_of("fenchel_log_bytes", "Bytes of all logs kept", labels=["model"])
        waiting = gauge_of("fenchel_waiting_rows", "Rows in the queue", labels=["model"])
        for model in models:
            log.add_metric([model.name], model.folder.log_bytes)
            waiting.add_metric([model.name], model.writer.waiting_rows)
        yield from (log, waiting)

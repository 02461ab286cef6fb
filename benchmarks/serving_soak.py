"""A server under load for some minutes: memory and latency while snapshots and compaction run.

``python -m benchmarks.serving_soak --minutes 30`` prints one line a minute and a verdict. Rows with
identifiers are learned, some are asked about and answered, at a fixed rate; the log is kept small, so that
it is compacted.
"""

import argparse
import http.client
import json
import random
import statistics
import threading
import time

from benchmarks.serving_load import MODEL, Served, row, served

LINE = (
    "minute {minute:5.1f}: {rows:7,} rows, {memory:6.1f} MB, median {p50:6.2f} ms, 99 % {p99:7.2f} ms, "
    "{snapshots} snapshots, {log:.1f} MB of log"
)
CLIENTS, RATE = 4, 100.0  # requests a second of each client


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30.0)
    minutes = parser.parse_args().minutes
    small = ("--snapshot-rows", "5000", "--keep-log-bytes", "2000000")
    with served(*small) as server:
        load = Load(server, time.monotonic() + 60 * minutes)
        found = []
        while time.monotonic() < load.end:
            time.sleep(min(60.0, max(1.0, load.end - time.monotonic())))
            found.append(load.told())
            print(LINE.format(**found[-1]), flush=True)
        load.join()
        grown = found[-1]["memory"] - found[len(found) // 3]["memory"]
        print(
            f"memory grew by {grown:.1f} MB over the last two thirds; {load.failed} requests failed"
        )


class Load:
    """Clients at a fixed rate, and what they see."""

    def __init__(self, server: Served, end: float) -> None:
        self._server, self.end = server, end
        self._began, self._took, self._rows, self.failed = time.monotonic(), [], 0, 0
        self._threads = [threading.Thread(target=self._run, args=[k]) for k in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _run(self, number: int) -> None:
        chance = random.Random(number)
        line = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        count = 0
        while time.monotonic() < self.end:
            count += 1
            name, x, y = f"{number}-{count}", row(chance), chance.choice((1, -1))
            if count % 5:
                self._post(line, "learn", {"id": name, "x": x, "y": y})
            else:
                self._post(line, "ask", {"id": name, "x": x})
                self._post(line, "answer", {"id": name, "y": y})
            time.sleep(1 / RATE)

    def _post(self, line: http.client.HTTPConnection, verb: str, body: dict) -> None:
        began = time.perf_counter()
        line.request("POST", f"/models/{MODEL}/{verb}", json.dumps(body))
        answer = line.getresponse()
        answer.read()
        self._took.append((time.perf_counter() - began) * 1e3)
        self._rows += 1
        self.failed += answer.status != 200

    def told(self) -> dict:
        took, self._took = sorted(self._took), []
        folder = self._server.folder / MODEL
        return {
            "minute": (time.monotonic() - self._began) / 60,
            "rows": self._rows,
            "memory": self._server.memory(),
            "p50": statistics.median(took),
            "p99": took[int(0.99 * len(took))],
            "snapshots": sum(told["event"] == "snapshot" for told in self._server.said),
            "log": sum(file.stat().st_size for file in folder.glob("*.log")) / 1e6,
        }

    def join(self) -> None:
        for thread in self._threads:
            thread.join()


if __name__ == "__main__":
    main()

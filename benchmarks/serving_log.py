"""A server's log two ways: our append-only file with group commit, and SQLite in WAL mode, synchronous=FULL.

``python -m benchmarks.serving_log`` writes batches of records (400 bytes each) to the disk of the current
folder, both ways in turn, each batch durable before the next.
"""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fenchel.serve import log

RECORD = b"x" * 400
BATCHES = 150


def ours(folder: Path) -> Callable[[int], None]:
    file, position = log.Log(folder / "log"), 0

    def write(count: int) -> None:
        nonlocal position
        payload = b"\n".join([RECORD] * count)
        file.append([log.Record(position, 0, count, log.LEARN, payload)])
        file.sync()
        position += count

    return write


def sqlite(folder: Path) -> Callable[[int], None]:
    base = sqlite3.connect(folder / "log.db", isolation_level=None)
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("PRAGMA synchronous=FULL")
    base.execute("CREATE TABLE log (position INTEGER PRIMARY KEY, payload BLOB)")

    def write(count: int) -> None:
        base.execute("BEGIN")
        base.executemany("INSERT INTO log (payload) VALUES (?)", [(RECORD,)] * count)
        base.execute("COMMIT")

    return write


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        ways = {"file": ours(Path(folder)), "SQLite": sqlite(Path(folder))}
        print(
            "records a batch | way    | median ms | 99 % ms | CPU µs a record | records/s at the median"
        )
        for count in (1, 16, 64, 512):
            took: dict[str, list[float]] = {name: [] for name in ways}
            spent = dict.fromkeys(ways, 0.0)
            for _ in range(BATCHES):
                for name, write in ways.items():
                    began, cpu = time.perf_counter(), time.process_time()
                    write(count)
                    took[name].append(time.perf_counter() - began)
                    spent[name] += time.process_time() - cpu
            for name, times in took.items():
                middle, last = statistics.median(times), sorted(times)[int(0.99 * len(times))]
                cpu = spent[name] / BATCHES / count * 1e6
                print(f"{count:15} | {name:6} | {middle * 1e3:9.2f} | {last * 1e3:7.1f} | "
                      f"{cpu:15.1f} | {count / middle:,.0f}")  # fmt: skip


if __name__ == "__main__":
    main()

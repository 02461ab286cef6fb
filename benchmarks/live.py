"""Live sources against a file: rows a second of the same lines, and the memory while a backlog waits.

``python -m benchmarks.live`` starts a redis-server and librdkafka's mock cluster on this machine and learns
the same lines from a file, from a file that is followed, from a stream and from a topic; ``--write`` puts the
table into benchmarks/LIVE.md.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
from tests.live.brokers import MockKafka, RedisServer

from fenchel import learners, live
from fenchel.evaluate import progressive
from fenchel.streams import open_stream

SPECIFICATIONS = {"arow": learners.arow, "auto": learners.auto}
KAFKA = 20_000  # lines: the mock keeps 5 MB of a partition


def lines_of(format, count):
    random = np.random.default_rng(1)
    words = random.zipf(1.3, (count, 12)) % 5000
    values = random.normal(1.0, 1.0, words.shape).round(3)
    for row, value in zip(words.tolist(), values.tolist(), strict=True):
        features = {f"w{w}": v for w, v in zip(row, value, strict=True)}
        label = int(1 in row)
        if format == "jsonl":
            yield json.dumps({"label": label, **features})
        else:
            yield f"{label} | " + " ".join(f"{name}:{v}" for name, v in features.items())


def peak():
    """The most memory that this process had resident, in MB; counted anew from now on."""
    told = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


def timed(source, format, build):
    """Seconds of the CPU a million rows, rows a second, and by how many MB memory rose meanwhile."""
    learner = build()
    peak()
    before, began, busy = peak(), time.perf_counter(), time.process_time()
    if ":" in source:
        live.learn(source, learner, format=format)
    else:
        progressive(learner, open_stream(source, format=format))
    took, busy = time.perf_counter() - began, time.process_time() - busy
    return 1e6 * busy / learner.rounds, learner.rounds / took, peak() - before


def best(*given):
    return min(timed(*given) for _ in range(2))


HEAD = """# Live sources, measured

`python -m benchmarks.live --rows {rows} --write`, Python {python}, load average {load:.1f} at the end.
Rows of 12 features, learned from a file, from the same file followed, from a Redis stream and from a topic of
librdkafka's mock cluster (of fewer lines, and a file of as many). The share is that of the CPU time of this
process, which other jobs on the machine disturb less than the clock; the better of two runs each. The target
is 60 % of the file for Redis.

| messages | learner | source | µs CPU a row | of the file | rows/s by the clock | MB more |
|---|---|---|---:|---:|---:|---:|
"""


def tell(format, name, found):
    """Print the rows of the table, and return them."""
    rows = ""
    for source, (busy, rate, memory) in found.items():
        share = found["file"][0] / busy
        rows += f"| {format} | {name} | {source} | {busy:.2f} | {share:.0%} | {rate:,.0f} | {memory:.0f} |\n"
    print(rows, end="", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=80_000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    count, table = given.rows, ""
    with tempfile.TemporaryDirectory() as folder:
        redis = RedisServer(folder)
        kafka = MockKafka("jsonl", "vw")
        try:
            for format in ("jsonl", "vw"):
                lines = list(lines_of(format, count if format == "vw" else count // 8))
                file = Path(folder) / f"a.{format}"
                file.write_text("".join(f"{line}\n" for line in lines))
                short = Path(folder) / f"short.{format}"
                short.write_text("".join(f"{line}\n" for line in lines[:KAFKA]))
                redis.add(format, lines)
                kafka.add(format, lines[:KAFKA])
                for name, build in SPECIFICATIONS.items():
                    timed(str(short), format, build)  # whatever is to be compiled, now
                    sources = {"file": str(file), "tail": f"tail:{file}",
                               "redis": redis.address(format)}  # fmt: skip
                    table += tell(
                        format, name, {k: best(v, format, build) for k, v in sources.items()}
                    )
                    sources = {"file": str(short), "kafka": kafka.address(format)}
                    table += tell(
                        format, name, {k: best(v, format, build) for k, v in sources.items()}
                    )
        finally:
            kafka.kill()
            redis.kill()
    if given.write:
        told = {"rows": count, "python": platform.python_version(), "load": os.getloadavg()[0]}
        Path(__file__).with_name("LIVE.md").write_text(HEAD.format(**told) + table)


if __name__ == "__main__":
    main()

"""Throughput and latency of ``fenchel serve`` on this machine, which client and server share.

``python -m benchmarks.serving`` takes about two minutes. wrk sends single requests, hey those
at a fixed rate; streams and lines come
from a socket of this process. The peer is Vowpal Wabbit's own daemon, run from its Python wheel: the same
lines over the same kind of socket.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from benchmarks.serving_load import (
    FEATURES,
    MODEL,
    Served,
    by_hey,
    by_wrk,
    free_port,
    pipelined,
    row,
    served,
)

SECONDS = 8
LINES = 200_000
DAEMON = """
import vowpalwabbit
options = "--daemon --foreground --quiet --num_children 1 --port {port}".split()
vowpalwabbit.Workspace(arg_list=options).run_parser()
"""


def main() -> None:
    chance = random.Random(0)
    x = row(chance, 5)
    with served() as server:
        predict = by_wrk(server, "predict", {"x": x}, 32, SECONDS)
        _tell("predict, one example a request, by wrk", predict)
        learn = by_wrk(server, "learn", {"x": x, "y": 1}, 64, SECONDS)
        _tell("learn, durable, one example a request, by wrk", learn)
        half = by_hey(server, "learn", {"x": x, "y": 1}, learn["rate"] / 2, SECONDS)
        print(f"learn at half that rate, {half['rate']:,.0f}/s, by hey: "
              f"median {half['p50']:.1f} ms, 99 % {half['p99']:.1f} ms")  # fmt: skip
        for verb in ("predict", "learn"):
            rate, busy = _stream(server, verb, chance)
            print(f"JSON lines, {verb}, 10 features: {rate:,.0f} examples/s; "
                  f"{busy:,.0f} for each second of the server's CPU")  # fmt: skip
        text, before = _lines(chance), server.seconds()
        ours = LINES / min(pipelined(server.line_port, text) for _ in range(3))
        busy = 3 * LINES / (server.seconds() - before)
        print(f"lines of Vowpal Wabbit, {FEATURES} features, learned and durable: {ours:,.0f} examples/s; "
              f"{busy:,.0f} for each second of the server's CPU")  # fmt: skip
    seconds, cpu = (min(each) for each in zip(*(_by_daemon(text) for _ in range(3)), strict=True))
    theirs, their_busy = LINES / seconds, LINES / cpu
    print(f"the same lines to Vowpal Wabbit's daemon: {theirs:,.0f} examples/s, ratio {ours / theirs:.1f}; "
          f"{their_busy:,.0f} for each second of its CPU, ratio {busy / their_busy:.1f}")  # fmt: skip


def _tell(what: str, found: dict[str, float]) -> None:
    print(f"{what}: {found['rate']:,.0f}/s, median {found['p50']:.1f} ms, 99 % {found['p99']:.1f} ms; "
          f"{found['per_cpu_second']:,.0f} for each second of the server's CPU")  # fmt: skip


def _stream(server: Served, verb: str, chance: random.Random) -> tuple[float, float]:
    """Examples a second of one stream, the best of three; and examples for each CPU second."""
    rows = [{"x": row(chance, 10), "y": chance.choice((1, -1))} for _ in range(60_000)]
    if verb == "predict":
        rows = [{"x": one["x"]} for one in rows]
    body = "".join(json.dumps(one) + "\n" for one in rows).encode()
    url = f"http://127.0.0.1:{server.port}/models/{MODEL}/{verb}"
    request = urllib.request.Request(url, body, {"content-type": "application/x-ndjson"})
    best, before = float("inf"), server.seconds()
    for _ in range(3):
        began = time.perf_counter()
        with urllib.request.urlopen(request, timeout=300) as answer:
            assert answer.read().count(b'"prediction"') == len(rows)
        best = min(best, time.perf_counter() - began)
    return len(rows) / best, 3 * len(rows) / (server.seconds() - before)


def _lines(chance: random.Random) -> bytes:
    some = [" ".join(f"f{k}:{v}" for k, v in row(chance).items()) for _ in range(2000)]
    return "".join(
        f"{chance.choice((1, -1))} | {chance.choice(some)}\n" for _ in range(LINES)
    ).encode()


def _by_daemon(text: bytes) -> tuple[float, float]:
    """Seconds on the wall, and of CPU, until a new daemon has answered every line."""
    port = free_port()
    daemon = subprocess.Popen(
        [sys.executable, "-c", DAEMON.format(port=port)], start_new_session=True
    )
    try:
        for _ in range(200):
            try:
                before = _group_seconds(daemon.pid)
                return pipelined(port, text), _group_seconds(daemon.pid) - before
            except ConnectionRefusedError:
                time.sleep(0.1)
        raise SystemExit("Vowpal Wabbit's daemon did not start")
    finally:
        os.killpg(daemon.pid, signal.SIGKILL)  # with the child that it answers from
        daemon.wait()


def _group_seconds(group: int) -> float:
    """CPU time so far of all processes of a group: the daemon answers from a child."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0
    return total / 100


if __name__ == "__main__":
    main()

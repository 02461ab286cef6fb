"""A served model under load: a server of its own, and clients over sockets."""

import json
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FEATURES, WORDS = 20, 1000
MODEL = "m"


class Served:
    """A server in a process of its own, with one model that knows all words already."""

    def __init__(self, folder: Path, learner: str = "arow", *options: str) -> None:
        command = [sys.executable, "-m", "fenchel", "serve", str(folder), "--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--line-port", "0", "--line-model", MODEL, *options],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.folder, self.said = folder, []
        told: dict = {}
        while told.get("event") != "serving":
            told = json.loads(self.process.stderr.readline())
        self.port = int(told["page"].rstrip("/").rpartition(":")[2])
        self.line_port = int(told["line_port"])
        threading.Thread(target=self._read, daemon=True).start()
        self.post("", {"learner": learner})
        everything = {f"f{k}": 1.0 for k in range(WORDS)}
        for y in (1, -1, 1, -1):
            self.post("/learn", {"x": everything, "y": y})

    def _read(self) -> None:
        for line in self.process.stderr:
            self.said.append(json.loads(line))

    def post(self, path: str, body: dict) -> dict:
        url = f"http://127.0.0.1:{self.port}/models/{MODEL}{path}"
        with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=300) as answer:
            return json.loads(answer.read())

    def memory(self) -> float:
        """Resident megabytes."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def seconds(self) -> float:
        """CPU time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


@contextmanager
def served(*options: str) -> Iterator[Served]:
    Path("build").mkdir(exist_ok=True)  # on the disk of the project, which is no memory
    with tempfile.TemporaryDirectory(dir="build") as folder:
        server = Served(Path(folder) / "models", "arow", *options)
        try:
            yield server
        finally:
            server.stop()


def row(chance: random.Random, count: int = FEATURES) -> dict[str, float]:
    return {f"f{k}": round(chance.random(), 3) for k in chance.sample(range(WORDS), count)}


def by_wrk(
    server: Served, verb: str, body: dict, connections: int, seconds: int
) -> dict[str, float]:
    """Requests a second and latencies by wrk, an independent client; its body is the same each time."""
    wrk = shutil.which("wrk")
    if wrk is None:
        raise SystemExit("the load test needs wrk: apt-get install wrk")
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(f"wrk.method = 'POST'\nwrk.body = '{json.dumps(body)}'\n")
        script.flush()
        before = server.seconds()
        command = [wrk, "-t1", f"-c{connections}", f"-d{seconds}", "--latency", "-s", script.name]
        url = f"http://127.0.0.1:{server.port}/models/{MODEL}/{verb}"
        out = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in out, out
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    count = int(re.search(r"(\d+) requests in", out)[1])
    return {"rate": rate, "p50": _ms(out, "50%"), "p99": _ms(out, "99%"),
            "per_cpu_second": count / max(server.seconds() - before, 0.01)}  # fmt: skip


def _ms(out: str, share: str) -> float:
    number, unit = re.search(rf"{share}\s+([\d.]+)(us|ms|s)\b", out).groups()
    return float(number) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]


def by_hey(
    server: Served, verb: str, body: dict, rate: float, seconds: int, connections: int = 32
) -> dict[str, float]:
    """Latencies at a rate that is held, by hey, an independent client."""
    hey = shutil.which("hey")
    if hey is None:
        raise SystemExit("the load test needs hey: apt-get install hey")
    url = f"http://127.0.0.1:{server.port}/models/{MODEL}/{verb}"
    held = ["-z", f"{seconds}s", "-c", str(connections), "-q", str(rate / connections)]
    command = [hey, *held, "-m", "POST", "-d", json.dumps(body), url]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"\[(\d+)\]\s+\d+ responses", out) == ["200"], out
    at = {
        share: 1e3 * float(re.search(rf"{share}% in ([\d.]+) secs", out)[1]) for share in (50, 99)
    }
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    return {"rate": rate, "p50": at[50], "p99": at[99]}


def pipelined(port: int, text: bytes, first: bytes = b"") -> float:
    """Seconds until every line of a text is answered, sent as fast as it is taken."""
    lines = text.count(b"\n")
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(first)
        began = time.perf_counter()
        sender = threading.Thread(target=line.sendall, args=[text])
        sender.start()
        count = 0
        while count < lines:
            data = line.recv(1 << 20)
            assert data, f"{count} answers to {lines} lines"
            count += data.count(b"\n")
        seconds = time.perf_counter() - began
        sender.join()
    return seconds


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])

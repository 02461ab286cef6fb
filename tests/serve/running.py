"""A server in a process of its own, on free ports."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx

PATIENCE = 120.0  # seconds: the machine may be busy, and something may be compiled


class Running:
    """A server that was started; what it said so far is in ``said``."""

    def __init__(self, folder, *options, environment=None):
        command = [sys.executable, "-m", "fenchel", "serve", str(folder), "--port", "0", *options]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
        )
        self.said, self._where = [], threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._where.wait(PATIENCE), self.said
        serving = [told for told in self.said if told.get("event") == "serving"]
        assert serving, self.said
        self.url = serving[0]["page"].rstrip("/")
        self.line_port = serving[0].get("line_port")

    def _read(self):
        for line in self.process.stderr:
            try:
                told = json.loads(line)
            except ValueError:
                told = {"event": line.strip()}
            self.said.append(told)
            if told.get("event") == "serving":
                self._where.set()
        self._where.set()

    def client(self, **given):
        return httpx.Client(base_url=self.url, timeout=PATIENCE, **given)

    def kill(self):
        self.process.kill()
        return self._ended()

    def stop(self):
        """End as an operator would; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def _ended(self):
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self.process.stderr.close()
        return status


@contextmanager
def running(folder: Path, *options, **given):
    server = Running(folder, *options, **given)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()

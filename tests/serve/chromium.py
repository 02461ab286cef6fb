"""Headless Chromium, led through its own pipes: open a page, evaluate expressions in it."""

import json
import os
import shlex
import subprocess
import time

import pytest

from report.browser import CHROMIUM


class Browser:
    """One page in a browser."""

    def __init__(self, folder, url, size="1200,900"):
        if CHROMIUM is None:
            pytest.skip("no Chromium here: install it (apt-get install chromium)")
        reading, their_end = os.pipe()
        their_start, writing = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                   f"--user-data-dir={folder}", f"--window-size={size}", "about:blank"]  # fmt: skip
        command = f"exec {shlex.join([CHROMIUM, *options])} 3<&{their_start} 4>&{their_end}"
        self.process = subprocess.Popen(
            ["bash", "-c", command],
            pass_fds=(their_start, their_end),
            stderr=subprocess.DEVNULL,
        )
        os.close(their_start)
        os.close(their_end)
        self._in, self._out, self._rest = reading, writing, b""
        self._number, self._session = 0, None
        self.events = []  # what the browser said without being asked
        target = self.ask("Target.createTarget", url=url)["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'")

    def ask(self, method, **parameters):
        """Send a command of the browser's protocol, and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                data = os.read(self._in, 1 << 16)
                assert data, "the browser has ended"
                self._rest += data
            line, _, self._rest = self._rest.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def value(self, expression):
        """What an expression is in the page."""
        told = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def wait(self, expression, seconds=60.0):
        """Wait until an expression is true, and return it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.value(expression):
                return found
            time.sleep(0.1)
        raise AssertionError(
            f"{expression} never came true: {self.value('document.body.innerText')}"
        )

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self._in)
        os.close(self._out)

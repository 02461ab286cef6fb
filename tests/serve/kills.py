"""A server killed at random instants under load, started again, killed again.

``python -m tests.serve.kills --kills 300`` prints JSON. The servers are forked children of one warm
process. After each kill the folder is examined: every row that a client was told of is there, none twice,
and the recovered model equals, byte for byte, one that learned the rows of the log one at a time.
"""

import argparse
import http.client
import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import deque
from pathlib import Path

import msgspec

from fenchel.cli.commands.serve import learner_for
from fenchel.learners import Learner
from fenchel.serve import log
from fenchel.serve.house import warm_up
from fenchel.serve.model_folder import ModelFolder
from fenchel.serve.model_state import State, decoded
from fenchel.serve.server import run
from fenchel.serve.settings import Limits, Settings, Snapshots

NAME, CLIENTS = "m", 4
SNAPSHOTS = Snapshots(rows=60, bytes=20_000, seconds=0.1)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def forked(folder, port, line_port):
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            given = {"port": port, "line_port": line_port, "line_model": NAME}
            run(Settings(folder, snapshots=SNAPSHOTS, **given), learner_for)
        finally:
            os._exit(0)
    return child


class Clients:
    """Several clients that send all the time, and remember what they were told."""

    def __init__(self, port, line_port, chance):
        self.port, self.line_port, self.chance = port, line_port, chance
        self.learned, self.lines = {}, set()  # acknowledged: id → position; names of lines
        self._unsure = []  # sent, but not acknowledged: sent again after the restart
        self._next = 0
        self._lock = threading.Lock()
        self.first = threading.Event()

    def _number(self):
        with self._lock:
            self._next += 1
            return self._next

    def run(self):
        self.first.clear()
        kinds = [self._learn] * (CLIENTS - 2) + [self._ask, self._lines]
        self._threads = [threading.Thread(target=self._until_killed, args=[k]) for k in kinds]
        for thread in self._threads:
            thread.start()

    def join(self):
        for thread in self._threads:
            thread.join()

    def _until_killed(self, kind):
        try:
            kind()
        except (OSError, http.client.HTTPException, ValueError):
            return

    def _post(self, connection, verb, body):
        connection.request("POST", f"/models/{NAME}/{verb}", json.dumps(body))
        return json.loads(connection.getresponse().read())

    def _row(self):
        return {f"w{self.chance.randrange(50)}": self.chance.random() for _ in range(4)}

    def _learn(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while True:
            with self._lock:
                body = self._unsure.pop() if self._unsure else None
            if body is None:
                body = {"id": f"a{self._number()}", "x": self._row(), "y": self.chance.randrange(2)}
            try:
                self.learned[body["id"]] = self._post(connection, "learn", body)["position"]
                self.first.set()
            except BaseException:
                with self._lock:
                    self._unsure.append(body)
                raise

    def _ask(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while True:
            name = f"q{self._number()}"
            self._post(connection, "ask", {"id": name, "x": self._row()})
            told = self._post(connection, "answer", {"id": name, "y": self.chance.randrange(2)})
            self.learned[name] = told["position"]

    def _lines(self):
        with socket.create_connection(("127.0.0.1", self.line_port), 60) as line:
            stream, ahead = line.makefile("rw"), deque()
            while True:  # handfuls of lines, several of them before their answers are read
                names = [f"L{self._number()}" for _ in range(self.chance.randrange(1, 20))]
                label = self.chance.randrange(2)
                stream.write("".join(f"{label} |f {name} w{len(name)}\n" for name in names))
                stream.flush()
                ahead.append(names)
                for name in ahead.popleft() if len(ahead) > self.chance.randrange(6) else ():
                    if not stream.readline().endswith("\n"):
                        return
                    self.lines.add(name)


class Oracle:
    """The model that learned the log row by row, and never stopped."""

    def __init__(self, folder):
        self.state = State(Learner.load(ModelFolder(folder).file(0, "fenchel")), Limits())
        self.lines = []

    def follow(self, folder):
        for record in ModelFolder(folder).all_records():
            if record.position < self.state.position:
                continue
            position = record.position
            for payload in self._rows(record):
                self.state.replay(log.Record(position, record.time, 1, record.kind, payload))
                position += 1

    def _rows(self, record):
        if record.kind == log.VW:
            rows = record.payload.splitlines(keepends=True)
            self.lines += [row.split()[2].decode() for row in rows]
            return rows
        return [msgspec.json.encode(e) for e in decoded(record.kind, record.rows, record.payload)]


def examine(folder, oracle, clients, spare):
    """Everything that was acknowledged is there once; the bytes are those of the oracle."""
    path = folder / NAME
    state, open_log, told = ModelFolder(path).recover(Limits())
    open_log.close()
    oracle.follow(path)
    done = state.memory.done.entries
    for name, position in clients.learned.items():
        assert done[name].position == position, f"{name} was acknowledged at {position}"
    assert len(oracle.lines) == len(set(oracle.lines)), "a line was learned twice"
    assert clients.lines <= set(oracle.lines), "an acknowledged line is missing"
    assert state.learner.rounds == len(done) + len(oracle.lines), "rows were lost or learned twice"
    state.learner.save(spare / "recovered")
    oracle.state.learner.save(spare / "oracle")
    assert (spare / "recovered").read_bytes() == (spare / "oracle").read_bytes()
    return len(told)


def campaign(kills, seed, folder):
    chance = random.Random(seed)
    served = folder / "served"
    warm_up(learner_for("arow", "binary"))
    clients = Clients(free_port(), free_port(), chance)
    torn, oracle, snapshots = 0, None, 0
    for done in range(kills):
        if done % 25 == 0:
            print(f"{done} kills survived", file=sys.stderr, flush=True)
        child = forked(served, clients.port, clients.line_port)
        while not answering(clients.port, child):  # another process has taken a port since
            clients.port, clients.line_port = free_port(), free_port()
            child = forked(served, clients.port, clients.line_port)
        if oracle is None:
            connection = http.client.HTTPConnection("127.0.0.1", clients.port, timeout=60)
            connection.request("POST", f"/models/{NAME}", json.dumps({"learner": "arow"}))
            assert connection.getresponse().status == 201
            oracle = Oracle(served / NAME)
        clients.run()
        clients.first.wait(60)
        time.sleep(chance.uniform(0.0, 0.3))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        clients.join()
        torn += examine(served, oracle, clients, folder)
        snapshots = len(ModelFolder(served / NAME).positions("fenchel"))
    return {"kills": kills, "rows": oracle.state.learner.rounds, "torn_ends": torn,
            "acknowledged": len(clients.learned) + len(clients.lines), "snapshots": snapshots}  # fmt: skip


def answering(port, child):
    """Wait until the server answers; whether it did, or ended instead."""
    for _ in range(6000):
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.01)
    raise AssertionError("the server did not start")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(campaign(given.kills, given.seed, Path(folder))))


if __name__ == "__main__":
    sys.exit(main())

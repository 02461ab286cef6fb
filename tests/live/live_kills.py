"""A live learner killed at random instants, its broker restarted under it, started again, killed again.

``python -m tests.live.live_kills --kills 200 --restarts 20`` prints JSON. Learners are forked children of
one warm process. In the end the model must equal, byte for byte, one that learned the messages one by one
without a fault, and every prediction and dead letter must have gone out once, in order.
"""

import argparse
import json
import math
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.live.brokers import MockKafka, RedisServer
from tests.live.live_streams import by_hand, contents, json_lines

from fenchel import Schema, learners, live, models

PIECE = 40  # messages that come before each kill
EVERY = 6  # messages between two checkpoints
SHARES = {"redis": 0.4, "kafka": 0.4, "tail": 0.2}


class Files:
    """A folder in place of a broker: the file is rotated instead of restarted."""

    def __init__(self, folder):
        self.folder, self._turned = folder, 0

    def address(self, name):
        return f"tail:{self.folder}/{name}*"

    def place(self, name):
        return str(self.folder / f"{name}.out")

    def add(self, name, lines):
        with open(self.folder / name, "a") as file:
            file.writelines(f"{line}\n" for line in lines)

    def all(self, name):
        return Path(self.place(name)).read_text().splitlines()

    def restart(self):
        for k in range(self._turned, 0, -1):
            os.replace(self.folder / f"clicks.{k}", self.folder / f"clicks.{k + 1}")
        os.replace(self.folder / "clicks", self.folder / "clicks.1")
        (self.folder / "clicks").touch()
        self._turned += 1

    def kill(self):
        pass


def broker_of(kind, folder):
    if kind == "tail":
        (folder / "files").mkdir()
        return Files(folder / "files")
    found = (
        RedisServer(folder) if kind == "redis" else MockKafka("clicks", "predictions", "letters")
    )
    found.place = found.address
    return found


def learner():
    made = learners.arow()
    made.schema = Schema(id="id", label="label")
    return made


class Chain:
    """One stream learned through many kills."""

    def __init__(self, kind, folder, messages, chance):
        folder.mkdir()
        self.kind, self.folder, self.chance = kind, folder, chance
        self.model = str(folder / "model")
        self.lines = json_lines(messages, seed=chance.randrange(1 << 30))
        self.added = 0
        self.broker = broker_of(kind, folder)

    def add(self, count):
        self.broker.add("clicks", self.lines[self.added : self.added + count])
        self.added += count

    def learn(self, drain):
        live.learn(
            self.broker.address("clicks"),
            learner(),
            save=self.model,
            drain=drain,
            checkpoint_every=EVERY,
            predictions=self.broker.place("predictions"),
            dead_letters=self.broker.place("letters"),
        )

    def fork(self, drain=False):
        child = os.fork()
        if child == 0:
            try:
                self.learn(drain)
            except BaseException as error:
                print(f"{self.kind}: {error!r}", file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        return child

    def kill(self, restart):
        """A learner, killed at a random instant; whether it had learned anything."""
        before = self.learned()
        self.add(PIECE)
        child = self.fork()
        if self.chance.random() < 0.7:  # on a busy machine it would else die before it has begun
            self.wait_for(before)
        time.sleep(self.chance.uniform(0.0, 0.15))
        if restart:
            self.broker.restart()
            time.sleep(self.chance.uniform(0.0, 0.3))
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert status == signal.SIGKILL, f"the learner failed with status {status}"
        return self.learned() > before

    def wait_for(self, before):
        """Wait, at most some seconds, for the learner's first checkpoint."""
        until = time.monotonic() + 10
        while self.learned() == before and time.monotonic() < until:
            time.sleep(0.005)

    def learned(self):
        if not os.path.exists(self.model):
            return 0
        models.verify(self.model)
        (place,) = models.read_metadata(self.model)["live"].values()
        return place["messages"]

    def finish(self):
        """Learn the rest, and compare everything with a run that had no fault."""
        self.add(len(self.lines))
        child = self.fork(drain=True)
        assert os.waitpid(child, 0)[1] == 0, "the last run failed"
        assert self.learned() == len(self.lines), "messages were lost or learned twice"
        oracle = self.folder / "oracle"
        by_hand(self.lines, learner()).save(oracle)
        assert contents(self.model) == contents(oracle), "another model than without a fault"
        plain = self.folder / "plain"
        plain.mkdir()
        twin = Chain.__new__(Chain)
        twin.broker, twin.model, twin.kind = Files(plain), str(plain / "model"), "tail"
        twin.broker.add("clicks", self.lines)
        twin.learn(drain=True)
        for name, key in (("predictions", "prediction"), ("letters", "reason")):
            sent = [json.loads(line) for line in self.broker.all(name)]
            once = [json.loads(line) for line in twin.broker.all(name)]
            assert [r[key] for r in sent] == [r[key] for r in once], f"{name} lost or repeated"
            ids = [r["id"] for r in sent]
            assert len(ids) == len(set(ids)), f"{name} repeated"
        return len(once)


def campaign(kills, restarts, seed, folder):
    chance = random.Random(seed)
    kinds = {k: s for k, s in SHARES.items() if k != "redis" or RedisServer.is_there()}
    scale = kills / sum(kinds.values())
    by_hand(json_lines(50), learner())  # whatever is to be compiled, now
    told = {"kills": 0, "restarts": 0, "mid-run": 0, "messages": 0, "kinds": sorted(kinds)}
    for kind, share in kinds.items():
        count = max(1, round(scale * share))
        turns = max(1, math.ceil(restarts * share / sum(kinds.values())))
        chain = Chain(kind, folder / kind, PIECE * (count + 1), chance)
        restarted = set(chance.sample(range(count), min(turns, count)))
        try:
            for k in range(count):
                told["mid-run"] += chain.kill(restart=k in restarted)
            chain.finish()
        finally:
            chain.broker.kill()
        told["kills"] += count
        told["restarts"] += len(restarted)
        told["messages"] += len(chain.lines)
        print(f"{kind}: {count} kills, {len(restarted)} restarts", file=sys.stderr, flush=True)
    return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(campaign(given.kills, given.restarts, given.seed, Path(folder))))


if __name__ == "__main__":
    sys.exit(main())

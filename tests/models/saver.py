"""Processes that save models again and again, killed or against one another, and what they leave.

``python saver.py kill PATH KILLS SEED`` or ``python saver.py together PATH SAVES``: prints JSON.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from fenchel import models


def save(path, rounds):
    # Models of two sizes: what is left of the one would show in the other.
    size = 300_000 if rounds % 2 else 1_000
    models.write(path, {"theta": np.full(size, float(rounds))}, {"rounds": rounds})


def check(path):
    arrays, metadata = models.read(path)
    rounds = metadata["rounds"]
    if not (arrays["theta"] == rounds).all():
        raise AssertionError(f"{path}: theta is not of round {rounds}")
    return rounds


def save_until_killed(path, rounds, acknowledge):
    while True:
        rounds += 1
        save(path, rounds)
        os.write(acknowledge, rounds.to_bytes(8, "little"))


def forked(work, *arguments):
    child = os.fork()
    if child == 0:
        try:
            work(*arguments)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return child


def kill(path, kills, seed):
    """Kill a saver at a random instant, again and again; the model must be the last or the next."""
    instants = random.Random(seed)
    save(path, 0)
    known, during_a_save, saves = 0, 0, 0
    for _ in range(kills):
        receiving, acknowledge = os.pipe()
        child = forked(save_until_killed, path, known, acknowledge)
        os.close(acknowledge)
        time.sleep(instants.uniform(0.0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with open(receiving, "rb") as pipe:
            acknowledged = pipe.read()
        last = int.from_bytes(acknowledged[-8:], "little") if acknowledged else known
        saves += last - known
        during_a_save += bool(list(Path(path).parent.glob(".fenchel-*.tmp")))
        known = check(path)
        if known not in (last, last + 1):
            raise AssertionError(f"{path}: has round {known} after round {last} was saved")
    save(path, known + 1)
    return {"kills": kills, "during_a_save": during_a_save, "saves": saves}


def together(path, saves):
    """Two processes save to one path while a third reads it: always a whole model."""

    def save_many(first):
        for rounds in range(first, first + saves):
            save(path, rounds)

    save(path, 0)
    running = {forked(save_many, first) for first in (1, 1_000_001)}
    reads, seen = 0, set()
    while running:
        seen.add(check(path))
        reads += 1
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            running.remove(child)
            if status:
                raise AssertionError(f"a saver failed with status {status}")
    return {"reads": reads, "seen": len(seen), "last": check(path)}


if __name__ == "__main__":
    command, path, *numbers = sys.argv[1:]
    result = {"kill": kill, "together": together}[command](path, *map(int, numbers))
    print(json.dumps(result))

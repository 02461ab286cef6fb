"""Readers beside a learner in threads, and children forked meanwhile: everybody sees a whole state."""

from __future__ import annotations

import os
import random
import select
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from attack.kinds import KINDS, X, rows_as_dicts
from fenchel import Learner

HANGS = 120.0  # seconds
MULTI = {"multi output", "multi task", "ranking"}


def learn_names(learner: Learner, y: Any, rounds: int) -> None:
    """Rows whose names, and classes, keep coming."""
    for t in range(rounds):
        row = {**rows_as_dicts(X)[t % len(X)], f"new{t}": 1.0}
        learner.learn_one(row, y[t % len(y)] if np.ndim(y) == 1 else y[t % len(y)].tolist())


def readers(learner: Learner) -> list[Callable[[], Any]]:
    """What others do with a learner that learns."""
    row = rows_as_dicts(X)[0]
    calls: list[Callable[[], Any]] = [
        learner.weights,
        lambda: learner.predict_one(row),
        lambda: learner.predict_many([row, row]),
        lambda: learner.copy().rounds,
        lambda: learner.nonzeros,
    ]
    if learner.engine.has_probabilities and learner.labels is not None:
        calls.append(lambda: learner.predict_proba_one(row))
    if hasattr(learner.engine, "shares"):
        calls.append(learner.shares)
    return calls


def beside(learner: Learner, learn: Callable[[], None]) -> int:
    """Run every reader in a thread until ``learn`` is done; how often they read."""
    done, failed, counts = threading.Event(), [], []

    def work(read: Callable[[], Any]) -> None:
        count = 0
        try:
            while not done.is_set():
                read()
                count += 1
        except BaseException as error:
            failed.append(error)
        counts.append(count)

    threads = [threading.Thread(target=work, args=(read,)) for read in readers(learner)]
    for thread in threads:
        thread.start()
    try:
        learn()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    if failed:
        raise failed[0]
    return sum(counts)


def forked_while(learner: Learner, y: Any, delay: float) -> None:
    """Fork while another thread learns: the child reads a whole state and learns on."""
    before = learner.rounds
    thread = threading.Thread(target=learn_names, args=(learner, y, 20))
    thread.start()
    threading.Event().wait(delay)
    told, tell = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is the point
        child = os.fork()
    if child == 0:
        learner.predict_one(rows_as_dicts(X)[0])
        learner.weights()
        rounds = learner.rounds
        learn_names(learner, y, 2)
        os.write(tell, bytes([before <= rounds and learner.rounds == rounds + 2]))
        os._exit(0)
    thread.join()
    ready, _, _ = select.select([told], [], [], HANGS)
    sound = bool(ready) and os.read(told, 1) == b"\x01"
    if not ready:
        os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(told)
    os.close(tell)
    assert sound, "a child that was forked while another thread learned hangs, or saw half a state"


def campaign(chance: random.Random, folder: Path, count: int) -> dict[str, int]:
    """So many learners, each read in threads while it learns; then forked while it learns."""
    reads = 0
    kinds = sorted(set(KINDS) - MULTI)
    for _ in range(count):
        make, y = KINDS[chance.choice(kinds)]
        learner = make()
        learn_names(learner, y, 3)
        reads += beside(learner, lambda learner=learner, y=y: learn_names(learner, y, 30))
        forked_while(learner, y, chance.uniform(0.0, 0.02))
    return {
        "readings beside a learner, all whole": reads,
        "forks while another thread learned": count,
    }

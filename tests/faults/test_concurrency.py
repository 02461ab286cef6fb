"""Threads: predictions while another thread learns, and compiling in several at once."""

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from fenchel import Learner, models
from fenchel.estimators import OnlineClassifier
from properties.learner_kinds import KINDS, stream

BLOCKS, ROWS = 150, 20


def read_while(learn, readers) -> list[set[bytes]]:
    """Run every reader in threads until ``learn`` is done; what each one saw."""
    seen: list[set[bytes]] = [set() for _ in readers]
    failures: list[BaseException] = []
    done = threading.Event()

    def work(k: int) -> None:
        try:
            while not done.is_set():
                seen[k].add(np.ascontiguousarray(readers[k]()).tobytes())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(readers))]
    for thread in threads:
        thread.start()
    try:
        learn()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not failures, failures
    return seen


@pytest.mark.parametrize("kind", ["perceptron", "hedge", "one_against_rest"])
def test_a_prediction_is_that_of_some_prefix(kind, tmp_path, record_property):
    X, y, weights = stream(KINDS[kind](), BLOCKS * ROWS)
    blocks = [slice(k * ROWS, (k + 1) * ROWS) for k in range(BLOCKS)]
    probe = X[:50]
    learner, twin = KINDS[kind](), KINDS[kind]()
    first = blocks[0]
    for one in (learner, twin):
        one.learn_many(X[first], y[first], weights[first])
    margins, weightings, saved = set(), set(), set()
    for block in blocks:
        if block is not first:
            twin.learn_many(X[block], y[block], weights[block])
        margins.add(np.ascontiguousarray(twin.decision_many(probe)).tobytes())
        weightings.add(np.ascontiguousarray(twin.weights()).tobytes())
        saved.add(twin.rounds)

    def save() -> np.ndarray:
        learner.save(tmp_path / "m")
        return np.array(models.read_metadata(tmp_path / "m")["rounds"])

    def learn() -> None:
        for block in blocks[1:]:
            learner.learn_many(X[block], y[block], weights[block])

    readers = [
        lambda: learner.decision_many(probe),
        lambda: learner.decision_many(probe),
        learner.weights,
        lambda: learner.copy().decision_many(probe),
        lambda: pickle.loads(pickle.dumps(learner)).decision_many(probe),
        save,
    ]
    seen = read_while(learn, readers)
    assert seen[0] | seen[1] | seen[3] | seen[4] <= margins
    assert seen[2] <= weightings
    assert {int(np.frombuffer(rounds, np.int64)[0]) for rounds in seen[5]} <= saved
    assert len(seen[0]) > 1
    assert Learner.load(tmp_path / "m").rounds in saved
    record_property("states seen by threads while another learned, all whole", sum(map(len, seen)))


def test_an_estimator_is_never_torn():
    X, y, _ = stream(KINDS["perceptron"](), BLOCKS * ROWS)
    X = X.toarray()
    blocks = [slice(k * ROWS, (k + 1) * ROWS) for k in range(BLOCKS)]
    model, twin = OnlineClassifier("perceptron"), OnlineClassifier("perceptron")
    model.partial_fit(X[blocks[0]], y[blocks[0]], classes=["x", "y"])
    whole = set()
    for block in blocks:
        twin.partial_fit(X[block], y[block], classes=["x", "y"])
        whole.add(twin.decision_function(X[:50]).tobytes())

    def learn() -> None:
        for block in blocks[1:]:
            model.partial_fit(X[block], y[block])

    seen = read_while(learn, [lambda: model.decision_function(X[:50])] * 3)
    assert set().union(*seen) <= whole


COLD = Path(__file__).with_name("cold_threads.py")


def test_several_threads_compile_at_once(tmp_path):
    """A cold cache, a learner and a reader in each thread: no crash, and the same answers."""
    environment = {**os.environ, "FENCHEL_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-X", "faulthandler", str(COLD)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == ["3", "threads"]

"""Threads that compile at the same time; each must end with what a thread alone would give."""

import io
import threading

import numpy as np

from fenchel import learners
from fenchel.streams import open_stream

X, Y = np.array([[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]]), [1, -1, 1]
START = threading.Barrier(3)
RESULTS: dict[str, object] = {}


def work(name, call):
    START.wait()
    RESULTS[name] = call()


def learn():
    learner = learners.perceptron()
    return [learner.learn_many(X, Y).tolist() for _ in range(2)][1]


def read():
    stream = open_stream(io.BytesIO(b"1 1:1 2:0.5\n-1 3:2\n"), format="svmlight", threads=2)
    return [block.values.tolist() for block in stream]


if __name__ == "__main__":
    calls = {"one": learn, "other": learn, "reader": read}
    threads = [threading.Thread(target=work, args=item) for item in calls.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert RESULTS["one"] == RESULTS["other"] == learn(), RESULTS
    assert RESULTS["reader"] == [[1.0, 0.5, 2.0]], RESULTS
    print(len(RESULTS), "threads")

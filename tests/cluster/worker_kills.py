"""Workers killed at random instants while they learn: ``python -m tests.cluster.worker_kills --kills 50``.

Every run must finish, and every model must equal, bit for bit, that of a run nobody disturbed. Prints JSON.
"""

import argparse
import json
import os
import random
import signal
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np

from fenchel import cluster

LEARNER = "adagrad:loss=logistic"
SHARDS = 20


def write(folder, rows):
    rng = np.random.default_rng(0)
    for k in range(SHARDS):
        picks = np.sort(rng.integers(1, 5_000, (rows, 20)), axis=1) + np.arange(20)
        labels = np.where(rng.random(rows) < 0.5, 1, -1)
        lines = [
            f"{y} " + " ".join(f"{j}:{(j * 7 % 13) / 13:.3f}" for j in row)
            for y, row in zip(labels, picks, strict=True)
        ]
        (folder / f"part-{k:02}.svm").write_text("\n".join(lines) + "\n")
    return str(folder / "part-*.svm")


def bits(learner):
    return {name: array.tobytes() for name, array in learner.state_arrays().items()}


class Killer(threading.Thread):
    """Kills a worker that is at work, at a random moment after a shard is done, until it is over."""

    def __init__(self, local, most, chance):
        super().__init__(daemon=True)
        self.local, self.most, self.chance = local, most, chance
        self.kills, self.over, self.progress = 0, threading.Event(), threading.Event()

    def run(self):
        while self.kills < self.most and not self.over.is_set():
            if not self.progress.wait(0.1):
                continue
            self.progress.clear()
            self.over.wait(self.chance.uniform(0.0, 0.5))
            known = self.local.scheduler.workers
            busy = [nanny.pid for nanny in list(self.local.workers.values()) if nanny.pid
                    and (state := known.get(nanny.worker_address)) and state.processing]  # fmt: skip
            if busy:
                with suppress(ProcessLookupError):
                    os.kill(self.chance.choice(busy), signal.SIGKILL)
                    self.kills += 1

    def see(self, training):
        self.progress.set()


def main():
    import dask
    from distributed import Client, LocalCluster

    # On a machine that is busy with other things workers take their time to start again.
    slow = ("deploy.lost-worker-timeout", "comm.timeouts.connect", "comm.timeouts.tcp")
    dask.config.set({f"distributed.{name}": "300 s" for name in slow})
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rows", type=int, default=5_000, help="of a shard")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    kills = runs = same = 0
    chance, began = random.Random(given.seed), time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        files = write(Path(place), given.rows)
        with ThreadPoolExecutor(1) as executor:
            wanted = bits(cluster.train(files, LEARNER, executor, rounds=2))
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
        with LocalCluster(**options, silence_logs=50) as local, Client(local) as client:
            while kills < given.kills:
                killer = Killer(local, given.kills - kills, chance)
                killer.start()
                found = cluster.train(files, LEARNER, client, rounds=2, tell=killer.see)
                killer.over.set()
                killer.join()
                kills, runs, same = kills + killer.kills, runs + 1, same + (bits(found) == wanted)
                print(f"{runs} runs, {kills} kills, {same} with the same bits", flush=True)
    seconds = round(time.perf_counter() - began, 1)
    print(json.dumps({"kills": kills, "runs": runs, "same bits": same, "seconds": seconds}))
    raise SystemExit(same != runs)


if __name__ == "__main__":
    main()

"""``fenchel train`` killed at random instants, resumed from what it left, killed again.

``python killer.py FOLDER KILLS SEED`` prints JSON. The command runs in forked children of one warm
process; a pipe tells which saves had returned when the child died.
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
from fenchel.cli import main
from fenchel.cli import models as saving

ROWS, EVERY = 60, 3
SPECIFICATIONS = ("arow", "hedge:experts=perceptron+arow", "one_against_rest:learner=perceptron")


def lines(seed: int) -> list[str]:
    """Text whose words keep arriving, of three classes for the last learner."""
    rng = np.random.default_rng(seed)
    words = [rng.zipf(1.3, 4) % 60 for _ in range(ROWS)]
    return [f"{1 + w[0] % 3 % (3 if seed == 2 else 2)} |f " + " ".join(f"w{k}" for k in w)
            for w in words]  # fmt: skip


def train(data: Path, model: Path, *options: str) -> None:
    main(
        ["train", str(data), "--save", str(model), "--quiet", *options],
        standalone_mode=False,
    )


def train_and_tell(acknowledge: int, *arguments: object) -> None:
    """Train in a child; every save that has returned is told."""
    save = saving.save

    def telling(learner, *rest):
        save(learner, *rest)
        os.write(acknowledge, learner.rounds.to_bytes(8, "little"))

    saving.save = telling
    train(*arguments)


def forked(*arguments: object) -> tuple[int, int]:
    receiving, acknowledge = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receiving)
            train_and_tell(acknowledge, *arguments)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    os.close(acknowledge)
    return child, receiving


class Chain:
    """One stream learned through as many kills as it takes; the end must be the end."""

    def __init__(self, folder: Path, number: int, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.model, self.rest = folder / "m", folder / "rest.vw"
        self.text = lines(number)
        task = "multiclass" if number == 2 else "binary"
        self.options = ("--learner", SPECIFICATIONS[number], "--task", task)
        self.whole = folder / f"whole-{number}"
        self.write(0)
        train(self.rest, self.whole, *self.options)
        every = ("--checkpoint-every", str(EVERY))
        train(self.rest, self.model, *self.options, *every)  # whatever is to be compiled, now
        started = time.perf_counter()
        child, receiving = forked(self.rest, self.model, *self.options, *every)
        assert os.waitpid(child, 0)[1] == 0
        os.close(receiving)
        self.seconds = time.perf_counter() - started
        assert self.model.read_bytes() == self.whole.read_bytes()
        self.start_over()

    def start_over(self) -> None:
        self.model.unlink(missing_ok=True)
        self.learned = 0

    def write(self, learned: int) -> None:
        self.rest.write_text("".join(f"{line}\n" for line in self.text[learned:]))

    def kill(self) -> dict[str, bool]:
        """One more run, killed unless it ends first; what came of it."""
        self.write(self.learned)
        options = ("--resume", str(self.model)) if self.learned else self.options
        every = ("--checkpoint-every", str(EVERY))
        child, receiving = forked(self.rest, self.model, *options, *every)
        time.sleep(self.chance.uniform(0.0, 1.2 * self.seconds))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        with open(receiving, "rb") as pipe:
            told = pipe.read()
        last = int.from_bytes(told[-8:], "little") if told else self.learned
        found = models.read_metadata(self.model)["rounds"] if self.model.exists() else 0
        if found:
            models.verify(self.model)
        if found not in (last, min(last + EVERY, ROWS)):
            raise AssertionError(f"has round {found} after round {last} was saved")
        if status not in (0, signal.SIGKILL):
            raise AssertionError(f"the command failed with status {status}")
        during = any(self.folder.glob(".fenchel-*.tmp"))
        self.learned = found
        ended = found == ROWS
        if ended:
            if self.model.read_bytes() != self.whole.read_bytes():
                raise AssertionError("resumed runs gave another model than one that never stopped")
            self.start_over()
        return {"killed": status == signal.SIGKILL, "during": during, "ended": ended}


def main_loop(folder: str, kills: int, seed: int) -> dict[str, int]:
    chance = random.Random(seed)
    done = {"killed": 0, "during": 0, "ended": 0}
    took = []
    for number in range(len(SPECIFICATIONS)):
        place = Path(folder) / str(number)
        place.mkdir()
        chain = Chain(place, number, chance)
        took.append(round(chain.seconds, 3))
        goal = kills * (number + 1) // len(SPECIFICATIONS)
        while done["killed"] < goal:
            for name, value in chain.kill().items():
                done[name] += value
    return {**done, "took": took}


if __name__ == "__main__":
    print(json.dumps(main_loop(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))

"""Signals whose handlers raise, at random instants: a learner is whole afterwards, and goes on."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from attack.kinds import KINDS, X, rows_as_dicts
from fenchel import Learner


class Interrupted(BaseException):
    """What the handler raises."""


def raise_interrupted(number: int, frame: Any) -> None:
    raise Interrupted


def whole_state(learner: Learner) -> str:
    """Everything that there is to a learner, as a text."""
    names = [] if learner.names is None else list(learner.names.first_columns().items())
    arrays = [(k, v.tobytes().hex()) for k, v in sorted(learner.state_arrays().items())]
    told = names[: learner.columns], learner.classes, learner.rounds, learner.columns, arrays
    return json.dumps([*told, learner.schema.to_json()], default=str)


def changes(y: Any, chance: random.Random, folder: Path) -> list[Callable[[Learner], Any]]:
    """What is interrupted: rows by name and by number, one and several, with new names, and saving."""
    at = chance.randrange(len(X) - 1)
    new = f"new{chance.randrange(10**6)}"
    dicts = [{**row, new: 1.0} for row in rows_as_dicts(X[at : at + 2])]
    one = y[at] if np.ndim(y) == 1 else y[at].tolist()
    one = one.item() if isinstance(one, np.generic) else one
    return [
        lambda learner: learner.learn_one(dicts[0], one),
        lambda learner: learner.learn_one(dicts[1], one, 0.5),
        lambda learner: learner.learn_many(dicts, y[at : at + 2]),
        lambda learner: learner.learn_many(rows_as_dicts(X), y),
        lambda learner: (learner.save(folder / "m"), learner.predict_one(dicts[1]))[1],
        lambda learner: learner.learn_one(rows_as_dicts(X)[at], one),
    ]


def interrupted(change: Callable[[], Any], after: float) -> bool:
    """Whether the signal came before the change was done."""
    before = signal.signal(signal.SIGALRM, raise_interrupted)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, max(after, 1e-6))
            change()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    except Interrupted:
        return True
    finally:
        signal.signal(signal.SIGALRM, before)
    return False


def campaign(chance: random.Random, folder: Path, count: int) -> dict[str, int]:
    """So many interrupts over all kinds of learners."""
    came = 0
    learners: dict[str, Learner] = {}
    while came < count:
        kind = chance.choice(sorted(KINDS))
        make, y = KINDS[kind]
        learner = learners.get(kind)
        if learner is None or learner.columns > 60:
            learner = make()
            learner.learn_many(rows_as_dicts(X), y)
        change = chance.choice(changes(y, chance, folder))
        before, after = learner.copy(), learner.copy()
        began = time.perf_counter()
        change(after)
        took = time.perf_counter() - began
        came += interrupted(partial(change, learner), chance.uniform(0.0, 1.1 * took))
        assert whole_state(learner) in (whole_state(before), whole_state(after)), kind
        learner.save(folder / "again")
        learner = Learner.load(folder / "again")
        assert whole_state(learner) in (whole_state(before), whole_state(after)), kind
        change(learner)
        learners[kind] = learner
    return {"interrupts of learners, whole afterwards": came}

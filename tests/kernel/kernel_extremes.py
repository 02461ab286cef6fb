"""Every sensible triple on rows, labels and importances at the ends of the floats (a script).

Prints {"loss × regularizer × rule": what is not finite, or null}.
"""

import json
import sys
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from fenchel import Learner
from kernel.kernel_product import COLUMNS, draw, name_of, sensible
from kernel.kernel_streams import Stream, task_of

ENTRIES = [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 5e-324, 1.7e308, -1.7e308, 1e154, 1e-160]
TARGETS = [0.0, 1.0, -1.0, 1e300, -1e300, 5e-324, 1.7e308, -1.7e308]
IMPORTANCES = [0.0, 1.0, 1.0, 1e300, 1e-300, 1.7e308]


def extreme_stream(task: str, rng: np.random.Generator, rows: int = 30) -> Stream:
    y = rng.choice([-1.0, 1.0], rows) if task == "binary" else rng.choice(TARGETS, rows)
    y = np.abs(y) if task == "count" else y
    return Stream(rng.choice(ENTRIES, (rows, COLUMNS)), y, rng.choice(IMPORTANCES, rows))


def not_finite(
    learner: Any, stream: Stream, sparse: bool = False, weights_too: bool = True
) -> str | None:
    """What is not finite after learning each row of a stream in turn, or None."""
    for t, (x, y, importance) in enumerate(zip(*stream, strict=True)):
        row = sp.csr_array(x.reshape(1, -1)) if sparse else x
        margin = learner.learn_many(row, [y], [importance])[0]
        state = {"margin": margin, **learner.state_arrays()}
        if weights_too:
            state["weights"] = learner.weights()
        for name, array in state.items():
            if not np.isfinite(array).all():
                parts = learner.loss, learner.regularizer, learner.rule
                return f"round {t} of {x}, {y}, {importance}: {name} is {array}; {parts}"
    return None


def verdict(triple: Any) -> str | None:
    rng = np.random.default_rng(crc32(name_of(triple).encode()))
    parts = draw(triple, rng)
    learner = Learner.of(*parts, intercept=bool(rng.integers(2)))
    try:
        return not_finite(learner, extreme_stream(task_of(parts[0]), rng))
    except ArithmeticError as error:  # Python's floats raise where compiled ones give NaN
        return f"{error!r}; {parts}"


if __name__ == "__main__":
    np.seterr(all="ignore")
    json.dump({name_of(triple): verdict(triple) for triple in sensible()}, sys.stdout)

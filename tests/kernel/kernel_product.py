"""Every sensible loss × regularizer × rule on a random stream, loop against oracle (a script).

Prints {"loss × regularizer × rule": what differs, or null}.
"""

import json
import sys
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from fenchel import Learner
from fenchel._numba import knows
from fenchel.regularizers import Whole, spread
from fenchel.regularizers.max_norm_scaled import dual_norm_of
from fenchel.rules import coefficient
from kernel.kernel_oracle import differences
from kernel.kernel_streams import KINDS, random_stream, task_of
from kernel.random_parts import margin_losses, random_part, regularizers, rules

COLUMNS = 4
Triple = tuple[type, type, type]


def asks(rule: type) -> list[Any]:
    """The verbs beyond the loss's that a rule asks of the regularizer, read off its code."""
    names = coefficient.table.implementation(rule).__code__.co_names
    return [verb for verb in (spread, dual_norm_of) if verb.__name__ in names]


def sensible() -> list[Triple]:
    """Every triple whose rule finds in the regularizer what it asks for."""
    return [
        (loss, f, rule)
        for loss, f, rule in product(margin_losses(), regularizers(), rules())
        if all(knows(verb, f) for verb in asks(rule))
    ]


def draw(triple: Triple, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """The three parts with random parameters."""
    loss, f, rule = (random_part(cls, rng, COLUMNS + 1) for cls in triple)
    if spread in asks(triple[2]) and hasattr(f, "domain"):
        f = f._replace(domain=Whole())  # a confidence is that of the unconstrained form
    return loss, f, rule


def name_of(triple: Triple) -> str:
    return " × ".join(cls.__name__ for cls in triple)


def verdict(triple: Triple) -> str | None:
    rng = np.random.default_rng(crc32(name_of(triple).encode()))
    parts = draw(triple, rng)
    stream = random_stream(KINDS[rng.integers(len(KINDS))], task_of(parts[0]), rng, columns=COLUMNS)
    learner = Learner.of(*parts, intercept=bool(rng.integers(2)))
    return differences(learner, stream, sp.csr_array(stream.X) if rng.integers(2) else stream.X)


if __name__ == "__main__":
    np.seterr(all="ignore")  # compiled code divides by zero silently too
    json.dump({name_of(triple): verdict(triple) for triple in sensible()}, sys.stdout)

"""A selection of triples that holds every part once, for the compiler (and a script without it).

As a script: prints {name: margins on every kind of stream}.
"""

import json
import sys
from collections import Counter
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from fenchel import Learner
from fenchel.losses import Squared
from fenchel.regularizers import Ball, Box, Euclidean, Orthant, Simplex, Whole
from fenchel.rules import Residual
from kernel.kernel_oracle import oracle_run
from kernel.kernel_product import COLUMNS, draw, name_of, sensible
from kernel.kernel_streams import KINDS, Stream, random_stream, task_of
from kernel.random_parts import regularizers


def selection() -> dict[str, tuple[Any, Any, Any]]:
    """One triple for each regularizer, its loss and rule the least used so far; then the domains."""
    used: Counter[type] = Counter()
    chosen = {}
    for f in regularizers():
        triples = [triple for triple in sensible() if triple[1] is f]
        triples.sort(key=lambda t: (used[t[2]], used[t[0]], name_of(t)))
        triple = next(t for t in triples if _stays_finite(name_of(t), _drawn(t)))
        used.update(triple)
        chosen[name_of(triple)] = _drawn(triple)
    for domain in (Ball(0.8), Box(-0.5, 0.8), Orthant(), Simplex(0.7)):
        name = f"Squared × Euclidean on {type(domain).__name__} × Residual"
        chosen[name] = Squared(), Euclidean(domain), Residual(0.3)
    return chosen


def _drawn(triple: Any) -> tuple[Any, Any, Any]:
    """The three parts with random parameters, on the whole space."""
    loss, part, rule = draw(triple, _rng(name_of(triple)))
    return loss, part._replace(domain=Whole()) if hasattr(part, "domain") else part, rule


def _stays_finite(name: str, parts: Any) -> bool:
    """Whether the steps fit the streams: one too large doubles the weights until they overflow."""
    with np.errstate(all="ignore"):
        return all(
            bool(np.all(np.abs(oracle_run(parts, *stream, learner.intercept).margins) < 1e100))
            for learner, stream, _ in runs(name, parts)
        )


def runs(name: str, parts: Any) -> list[tuple[Any, Stream, Any]]:
    """A learner and its rows for each kind of stream."""
    rng = _rng(name)
    made = []
    for kind in KINDS:
        stream = random_stream(kind, task_of(parts[0]), rng, rows=40, columns=COLUMNS)
        X = sp.csr_array(stream.X) if takes_sparse(name) else stream.X
        made.append((Learner.of(*parts, intercept=kind != "late"), stream, X))
    return made


def takes_sparse(name: str) -> bool:
    """Half of the triples take sparse rows; those of the domains, which other tests use, dense."""
    return " on " not in name and crc32(name.encode()) % 2 == 0


def _rng(name: str) -> np.random.Generator:
    return np.random.default_rng(crc32(name.encode()))


if __name__ == "__main__":
    np.seterr(all="ignore")
    margins = {
        name: [
            learner.learn_many(X, stream.y, stream.importance).tolist()
            for learner, stream, X in runs(name, parts)
        ]
        for name, parts in selection().items()
    }
    json.dump(margins, sys.stdout)

"""When full matrices are learned by blocks of rows, and how a stream is cut into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fenchel._numba import blas, knows
from fenchel._numba.jit import settled
from fenchel.loops import blocks
from fenchel.loops.online import ROUNDS, UPDATES
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import kept, sighted
from fenchel.rows import Rows
from fenchel.rules.protocol import fact

# Below so many columns row by row is as quick; so it is for a few rows, whatever the width.
LEAST_COLUMNS = 256
LEAST_ROWS = 16
# Rows of a block, and from how many columns on: the more columns, the more a reading of the matrix costs.
ROWS = ((768, 128), (0, 64))
# Rows that are learned one by one where a block stops at a row beyond the digits of its recursion.
ALONE = 8
# Rows whose labels are read together.
PART = 1024


def answers(parts: Any) -> bool:
    """Whether these parts have what blocks ask; the average and the ledger need each round by itself."""
    f, ruled = parts.regularizer, fact(parts.rule, "by_margin")
    alone = not (parts.average.kept or parts.ledger.kept)
    return bool(ruled and alone and knows(sighted, type(f)) and knows(kept, type(f)))


def suit(parts: Any, ours: bool) -> bool:
    """Whether these parts may be learned by blocks: where there are enough rows and columns."""
    return ours and answers(parts)


def are_wide(columns: int) -> bool:
    """Whether so many columns are learned by blocks here."""
    return columns >= LEAST_COLUMNS and blas.are_available()


def rows_of_block(columns: int) -> int:
    """The number of rows learned together."""
    return next(rows for least, rows in ROWS if columns >= least)


def decider(parts: Any, y: Array, importance: Array, margins: Array, counts: Any) -> Any:
    """A function that decides some rows of a block by the parts; see ``loops.blocks.decide_block``.

    One column of ``y`` and ``margins`` an output. It returns how many rows were decided, and how many of
    them are kept.
    """
    three, runs = (parts.loss, parts.regularizer, parts.rule), [blocks.decide_block]

    def decide(begin: int, end: int, G: Array, starts: Array, turns: Any) -> tuple[int, int]:
        amounts = importance if len(importance) == 1 else importance[begin:end]
        arguments = (*three, G, starts, y[begin:end], amounts, margins[begin:end], turns)
        done, kept_rows, updates = runs[-1](*arguments)
        if len(runs) == 1:  # compiled by now: from here on without a look at the types
            runs.append(settled(blocks.decide_block, arguments))
        counts[ROUNDS] += done
        counts[UPDATES] += updates
        return int(done), int(kept_rows)

    return decide


class Work:
    """Room for blocks of so many rows, columns and outputs."""

    def __init__(self, rows: int, columns: int, outputs: int) -> None:
        self.blas = blas.functions()
        self.X, self.G = np.empty((rows, columns + 1)), np.empty((rows, rows))
        self.starts, self.extra = np.empty((rows, outputs)), np.empty((outputs, rows))
        self.turns = blocks.turns_for(rows, outputs)
        self.places, self.ones = np.arange(rows), np.ones(rows)

    def learn(
        self, parts: Any, theta: Array, rotated: Array, rows: Rows, bias: float, given: Any
    ) -> tuple[int, int]:
        """Learn rows by products; ``given`` are targets, importance and where margins go.

        Returns how many rows were decided, and in how many of them weights moved.
        """
        f, count, turns = parts.regularizer, len(rows), self.turns
        X, G, starts = self.X[:count], self.G[:count, :count], self.starts[:count]
        blocks.end_waiting(f)
        blocks.fill_rows(rows.view, 0, bias, self.ones, self.places, X, count)
        blocks.look_block(f.a, f.factor, rotated, X, self.blas, G, starts)
        arguments: Any = (parts.loss, f, parts.rule, G, starts, *given, turns)
        done, kept_rows, updates = blocks.decide_block(*arguments)
        if kept_rows:
            Y, extra = self.X[:kept_rows], self.extra[:, :kept_rows]
            blocks.fill_rows(rows.view, 0, bias, turns.scales, turns.places, Y, kept_rows)
            blocks.keep_block(f.factor, theta, rotated, Y, turns, extra, self.blas)
            f.widest[0] = max(f.widest[0], rows.part(0, done).used_columns)
        return done, updates


def learn(
    parts: Any,
    rows: Rows,
    targets: Array,
    importance: Array,
    bias: float,
    columns: int,
    counts: Any,
    one_by_one: Callable[[int, int, Array], None],
) -> Array:
    """Learn sound rows by blocks; ``one_by_one(begin, end, margins)`` learns some row by row.

    A block ends early at a row that is far outside of what A knows: then a few rows go one by one.
    """
    f, size = parts.regularizer, min(len(rows), rows_of_block(columns))
    work, margins = Work(size, columns, 1), np.empty((len(rows), 1))
    theta, rotated, y = f.theta.reshape(1, -1), f.rotated.reshape(1, -1), targets.reshape(-1, 1)
    begin, alone = 0, ALONE
    while begin < len(rows):
        end, done = min(begin + size, len(rows)), 0
        if end - begin >= LEAST_ROWS:
            amounts = importance if len(importance) == 1 else importance[begin:end]
            given = y[begin:end], amounts, margins[begin:end]
            done, updates = work.learn(parts, theta, rotated, rows.part(begin, end), bias, given)
            counts[ROUNDS] += done
            counts[UPDATES] += updates
        begin += done
        alone = ALONE if done >= LEAST_ROWS else 2 * alone
        if begin < end:
            stop = min(begin + alone, len(rows))
            one_by_one(begin, stop, margins[begin:stop, 0])
            begin = stop
    return margins[:, 0]


def products(rows: Rows, w: Array, intercept: bool) -> Array:
    """⟨w, x⟩ of each row, some at a time: float32 rows are not copied to float64 all at once."""
    parts = [rows.part(i, min(i + PART, len(rows))) for i in range(0, max(len(rows), 1), PART)]
    found = [part.margins(w, intercept) for part in parts]
    return found[0] if len(found) == 1 else np.concatenate(found)


def can_read(f: Any, columns: int) -> bool:
    """Whether rows can be read by a block: once every column was touched."""
    return bool(np.all(np.diagonal(f.factor)[: columns + 1] != 0.0))


def read(f: Any, rows: Rows, bias: float, columns: int, what: str) -> Array:
    """The ``margins`` or ``spreads`` of sound rows of known columns, by blocks."""
    size, functions = min(len(rows), rows_of_block(columns)), blas.functions()
    margins, spreads = np.empty(len(rows)), np.empty(len(rows))
    X, ones, places = np.empty((size, columns + 1)), np.ones(size), np.arange(size)
    for begin in range(0, len(rows), size):
        end = min(begin + size, len(rows))
        some = X[: end - begin]
        blocks.fill_rows(rows.view, begin, bias, ones, places, some, end - begin)
        blocks.solve_block(f.factor, some, functions)
        blocks.read_block(f, some, margins[begin:end], spreads[begin:end])
    return spreads if what == "spreads" else margins

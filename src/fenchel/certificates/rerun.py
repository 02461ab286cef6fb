"""A stream read a second time, through the compiled loop once more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fenchel._numba.jit import suited
from fenchel.loops import loss_values, trace_rows
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.rows import Block


def targets_of(block: Block) -> Array:
    """The numbers that were learned from a block."""
    assert block.labels is not None, "rows to certify have targets"
    return block.labels


def losses(loss: Any, margins: Array, y: Array) -> tuple[Array, Array]:
    """ℓ and ℓ′ of each margin, whatever the loss."""
    values, slopes = np.empty(len(y)), np.empty(len(y))
    run = suited(loss_values, loss)
    run(loss, np.ascontiguousarray(margins), np.ascontiguousarray(y), values, slopes)
    return values, slopes


def traced(
    parts: Sequence[Any], blocks: Iterable[Block], columns: int, intercept: bool
) -> Iterator[tuple[Block, Array, Array]]:
    """Each block with the margins and coefficients of a fresh run of loss, regularizer and rule."""
    loss, f, rule = (state.start(part, columns + 1) for part in parts[:3])
    run, dimensions = suited(trace_rows, loss, f, rule), state.dimensions_of(f)
    seen = 0
    for block in blocks:
        seen = max(seen, block.rows.width)
        state.set_dimension(dimensions, seen + intercept)
        margins, coefficients = np.empty((2, len(block)))
        targets, bias = targets_of(block), float(intercept)
        run(loss, f, rule, block.rows.view, targets, block.amounts, bias, margins, coefficients)
        yield block, margins, coefficients

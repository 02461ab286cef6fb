"""The sums of a run against several u, by one more reading of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fenchel._kernel.state import Array
from fenchel.certificates.blocks import Block, losses, traced
from fenchel.certificates.drops import drops_of
from fenchel.certificates.runs import Sums
from fenchel.regularizers import NormalizedAdaptive


# A run that diverged has sums that are not finite, and certificates that do not apply.
@np.errstate(over="ignore", invalid="ignore")
def compare(
    sums: Sums,
    parts: Sequence[Any],
    blocks: Iterable[Block],
    columns: int,
    intercept: bool,
    candidates: Sequence[Array],
) -> list[Sums]:
    """The sums of a run with those of each candidate u, by one reading of the blocks.

    The run is repeated on the way: blocks that are not those it learned from are refused.
    """
    compared = [replace(sums) for _ in candidates]
    U = np.column_stack(candidates)
    count = pairs = 0.0
    first = columns
    firsts = np.zeros(columns + intercept)
    firsts[:intercept] = 1.0
    drops = drops_of(parts[1], intercept)
    for number, (block, margins, c) in enumerate(traced(parts, blocks, columns, intercept)):
        if number == 0:
            first = block.width
        count += len(c)
        pairs += float(c @ margins)
        if isinstance(parts[1], NormalizedAdaptive):
            block.note_firsts(firsts[intercept:])
        if drops is not None:
            drops.add(block, margins, c)
        predicted = block.margins(U, intercept)
        for k, with_u in enumerate(compared):
            _add(with_u, parts[0], block, margins, c, predicted[:, k])
    if count != sums.rounds or not np.isclose(pairs, sums.pairs, rtol=1e-6, atol=1e-9):
        raise ValueError(
            f"the stream is not the one that was learned: {count:g} rows with Σ⟨z, w⟩ = {pairs:.9g} "
            f"against {sums.rounds:g} rows with {sums.pairs:.9g}; give the same rows in their order"
        )
    dropped = sums.drops if drops is None else drops.total()
    for with_u in compared:
        with_u.grown = float(columns - first)
        with_u.firsts = firsts
        with_u.drops = dropped
    return compared


def _add(s: Sums, loss: Any, block: Block, margins: Array, c: Array, predicted: Array) -> None:
    """What one block adds to the sums of one u."""
    h = block.weights
    values, _ = losses(loss, predicted, block.targets)
    s.loss_u += float(h @ values)
    s.eta_loss_u += float(np.abs(c) @ values)
    s.pairs_u += float(c @ predicted)
    s.squares_u += float(h @ predicted**2)
    s.update_squares_u += float(predicted[c != 0.0] @ predicted[c != 0.0])
    s.apart_u += float(h @ (margins - predicted) ** 2)
    s.reach = max(s.reach, float(np.abs(margins).max(initial=0.0)))
    s.reach_u = max(s.reach_u, float(np.abs(predicted).max(initial=0.0)))

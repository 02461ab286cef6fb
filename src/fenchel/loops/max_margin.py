"""The compiled loops of the multiclass max-margin loss: Algorithm 1 over rows of R^{K×d}.

    scores      s_k = ⟨w_t, e_k·xᵀ⟩ for every class, f_t having seen e_k·xᵀ
    rival       ŷ = argmax_{k≠y} s_k
    z_t chosen  c·(e_y − e_ŷ)·xᵀ, by the same round as any row with target +1

The loss [1 − s_y + s_ŷ]₊ is the hinge of the pair's margin, so every regularizer and every rule of
two classes serves. f_t sees the pair's row and nothing else: in a round the entries of the other
classes stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel.loops.averages import bank, begin_round
from fenchel.loops.ledger import record, settle
from fenchel.loops.online import finite_margin
from fenchel.losses import rival
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import commit, look
from fenchel.rows.matrix_space import ClassRow, PairRow
from fenchel.rows.types import row_at
from fenchel.rules.protocol import coefficient


@helper
def _score(f: Any, x: Any, classes: int, stride: int, scores: Array) -> None:
    """s_k of every class."""
    for k in range(classes):
        row = ClassRow(x, np.uint64(k), np.uint64(stride), 0.0, x.importance)
        scores[k] = finite_margin(f, look(f, row), row)


@kernel
def learn_classes(
    loss: Any,
    f: Any,
    rule: Any,
    average: Any,
    ledger: Any,
    rows: Any,
    y: Array,
    importance: Array,
    bias: float,
    classes: int,
    stride: int,
    scores: Array,
    rivals: Any,
) -> None:
    """Learn from every sound row in turn; ``scores`` gets the s_k from before its label.

    ``rivals`` gets ŷ. While one class is known there is none, and nothing to learn.
    """
    last = importance.shape[0] - 1
    for t in range(y.shape[0]):
        x = row_at(rows, t, bias, importance[min(t, last)])
        _score(f, x, classes, stride, scores[t])
        if classes > 1:
            label = int(y[t])
            other = rival(scores[t][:classes], label)
            rivals[t] = other
            pair = PairRow(
                x, np.uint64(label), np.uint64(other), np.uint64(stride), 0.0, x.importance
            )
            begin_round(average, f, pair)
            view = look(f, pair)
            m = finite_margin(f, view, pair)
            c = coefficient(rule, loss, f, view, pair, m, 1.0)
            bank(average, f, view, pair)
            before = record(ledger, loss, f, view, pair, m, 1.0, c)
            commit(f, view, pair, c)
            settle(ledger, f, view, before, c)


@kernel
def decide_classes(
    f: Any, rows: Any, count: int, bias: float, classes: int, stride: int, scores: Array
) -> None:
    """The scores of every sound row as the next round would see them; nothing changes."""
    for t in range(count):
        _score(f, row_at(rows, t, bias, 1.0), classes, stride, scores[t])

"""Reading a learner without changing it: margins, confidences, weights; also of its average."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._kernel.compile import suited
from fenchel._kernel.state import Array
from fenchel.loops import Average, Averaged, read_weights, spread_rows


def readable(regularizer: Any, average: Any) -> Any:
    """What predictions are read from: the last weights, or their average."""
    return Averaged(regularizer, average) if isinstance(average, Average) else regularizer


def spreads(f: Any, rows: Any, count: int, bias: float) -> Array:
    """x·A⁻¹·x of each row."""
    out = np.empty(count)
    inner = f.regularizer if isinstance(f, Averaged) else f
    suited(spread_rows, inner)(inner, rows, count, bias, out)
    if np.isnan(out).any():
        raise ValueError(
            f"{type(inner).__name__} keeps no second-order information: confidences come with "
            "arow, second_order_perceptron, soft_confidence_weighted, vovk_azoury_warmuth"
        )
    return out


def weights(f: Any, slots: int, bias: float) -> Array:
    """The weight of each slot, the intercept's first."""
    out = np.zeros(slots)
    suited(read_weights, f)(f, np.zeros(1, np.uint32), np.zeros(1), bias, out)
    return out

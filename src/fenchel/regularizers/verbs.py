"""What a regularizer f_t answers in compiled code.

θ is a plain sum, so nothing needs touching between two visits of a coordinate: w_j is a function of
θ_j, a few numbers kept for j and a few scalars. A round is

    view = look(f, row)              f_t as this x_t makes it, nothing changed
    m = margin(f, view, row)         ⟨w_t, x_t⟩, a sum of product(f, view, slot, x)
    commit(f, view, row, c)          keep f_t, and θ ← θ + c·x by absorb for each coordinate

so that predicting, which only looks, changes nothing. A regularizer of your own needs ``weight``;
the others have defaults.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper, required_verb, verb
from fenchel._kernel.rows import (
    ZERO,
    entries,
    entry,
    length,
    saturated,
    slot,
    slot_of,
    sum_over,
    term,
    value_of,
)


@verb
def prepare(f: Any, row: Any) -> None:
    """Called before a learning round looks: put what is kept in order; no prediction changes."""


@verb
def look(f: Any, row: Any) -> float:
    """What the scalars of f_t are once x_t is seen, without changing f."""
    return 1.0


@required_verb
def weight(f: Any, view: Any, slot: Any, x: float) -> Any:
    """w_j = (∇f_t*(θ_t))_j in a round where x_j = x."""


@verb
def product(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j·x, computed so that neither overflows where the product does not."""
    return float(weight(f, view, slot, x) * x)


class Products(NamedTuple):
    """The sum that is the margin."""


@term.of(Products)
def _product(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(product(f, view, slot, x))


@verb
def margin(f: Any, view: Any, row: Any) -> float:
    """⟨w_t, x_t⟩, the intercept included; infinite or NaN where the sum overflows."""
    return sum_over(Products(), f, view, row)


@verb
def rescued_margin(f: Any, view: Any, row: Any) -> float:
    """The margin where the plain sum overflowed: held inside the finite floats, its sign right.

    Its terms are summed in units of the largest.
    """
    largest = 0.0
    for k in range(entries(row)):
        term = abs(product(f, view, slot_of(row, k), value_of(row, k)))
        largest = max(largest, saturated(term) if term == term else 0.0)
    total = 0.0
    for k in range(entries(row)):
        term = product(f, view, slot_of(row, k), value_of(row, k))
        total += saturated(term) / largest if term == term and largest > 0.0 else 0.0
    return saturated(total * largest)


@verb
def absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    """θ_j ← θ_j + coefficient·x, with what f keeps for coordinate j."""
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)


@helper
def absorb_row(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """Absorb each entry of the row, the intercept last."""
    for k in range(length(row)):
        absorb(f, view, slot(row, k), entry(row, k), coefficient)
    if row.bias != 0.0:
        absorb(f, view, ZERO, row.bias, coefficient)


@verb
def commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """Keep f_t, and θ ← θ + coefficient·x."""
    if coefficient != 0.0:
        absorb_row(f, view, row, coefficient)


@verb
def spread(f: Any, view: Any, row: Any) -> float:
    """x·A_t⁻¹·x, the confidence of a second-order prediction; NaN where there is none."""
    return float(np.nan)


@verb
def all_weights(f: Any, view: Any, out: Any) -> None:
    """Every weight of a round that touches no coordinate, slot by slot."""
    for j in range(out.shape[0]):
        out[j] = weight(f, view, j, 0.0)

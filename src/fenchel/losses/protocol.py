"""Everything that a loss ℓ(margin, y) can be asked.

Two verbs, in compiled code and in Python: ``value`` and ``derivative``. Then facts:

* ``task``: "binary" for labels ±1, "regression" for numbers, "multiclass" for class numbers;
* ``lipschitz``: L with |ℓ′| ≤ L, or None where the derivative is unbounded;
* ``family``: the loss by its name in a theorem ("hinge", "squared"), "" where none names it;
* ``prox(m, y, step)``: argmin over p of ℓ(p, y) + (p − m)²/(2·step), where the loss has kinks;
* ``probability(margins)``: the probability of the positive class, where the loss models one;
* ``mean(margins)``: the number that a margin predicts, where it is not the margin itself;
* ``counts``: whether labels must not be negative.

Three more verbs: ``flow``, where it has an answer, for updates that do not depend on how an importance is
split; ``proximal``, for updates that take the slope where they lead; and ``margin_for``, the margin that
predicts a label.
"""

from __future__ import annotations

from typing import Any

from fenchel._numba import required_verb, verb
from fenchel.rows.types import saturated

# Halvings of an interval of floats: more than there are between any two.
HALVINGS = 1100


@required_verb
def value(loss: Any, margin: float, y: float) -> Any:
    """ℓ(margin, y)."""


@required_verb
def derivative(loss: Any, margin: float, y: float) -> Any:
    """A derivative of ℓ(·, y) at the margin; at a kink the one the loss's docstring states."""


@required_verb
def flow(loss: Any, margin: float, y: float, reach: float) -> Any:
    """p(reach) of dp/ds = −ℓ′(p, y), p(0) = margin: where infinitely many small steps lead."""


@verb
def proximal(loss: Any, margin: float, y: float, reach: float) -> float:
    """The p with p = m − reach·ℓ′(p): argmin ℓ(p, y) + (p − m)²/(2·reach), at a kink the kink itself.

    p + reach·ℓ′(p) only grows, and p lies between m and the margin of an explicit step.
    """
    explicit = saturated(margin - reach * derivative(loss, margin, y))
    low, high = min(margin, explicit), max(margin, explicit)
    for _ in range(HALVINGS):
        p = low + 0.5 * (high - low)
        if p in (low, high):
            break
        if p - margin + reach * derivative(loss, p, y) > 0.0:
            high = p
        else:
            low = p
    return low + 0.5 * (high - low)


@verb
def margin_for(loss: Any, y: float) -> float:
    """The margin that predicts the number y: y itself, unless the loss has a ``mean``."""
    return y


def mean_of(loss: Any, margins: Any) -> Any:
    """The numbers that margins of this loss predict: themselves, unless the loss has a ``mean``."""
    told = getattr(loss, "mean", None)
    return margins if told is None else told(margins)


def counts_of(loss: Any) -> bool:
    """Whether the labels of this loss are counts, none of them negative."""
    return bool(getattr(loss, "counts", False))


def level_of(loss: Any) -> float | None:
    """Of which quantile the loss is; None where it is another."""
    level: float | None = getattr(loss, "level", None)
    return level


def shortest(number: float) -> str:
    """A parameter as users write it: no digit more than it needs.

    >>> shortest(2.0), shortest(0.9)
    ('2', '0.9')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def family_of(loss: Any) -> str:
    """The loss by its name in a theorem, "" where none names it."""
    return str(getattr(loss, "family", ""))

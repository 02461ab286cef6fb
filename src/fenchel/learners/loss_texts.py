"""Losses as users write them: a name, or a name with its parameter, ``quantile:0.9``."""

from __future__ import annotations

from typing import Any

from fenchel.losses import Huber, Quantile


def loss_of(text: str) -> Any:
    """Return the loss as typed: a name, or ``quantile:LEVEL`` and ``huber:DELTA`` as objects.

    >>> loss_of("quantile:0.9"), loss_of("hinge")
    (Quantile(tau=0.9), 'hinge')
    """
    name, _, level = text.partition(":")
    if name not in ("quantile", "huber") or not level:
        return text
    try:
        found = float(level)
    except ValueError:
        found = -1.0
    if name == "quantile" and not 0.0 < found < 1.0:
        raise ValueError(f"loss={text!r}: the level lies between 0 and 1, as in quantile:0.9")
    if not 0.0 < found < float("inf"):
        raise ValueError(f"loss={text!r}: give a number above 0, as in huber:2")
    return Quantile(tau=found) if name == "quantile" else Huber(delta=found)


def text_of(loss: Quantile | Huber) -> str:
    """Return what ``loss_of`` makes the loss of again.

    >>> text_of(Quantile(tau=0.5)), text_of(Huber(delta=2.0))
    ('quantile:0.5', 'huber:2')
    """
    name, parameter = (
        ("quantile", loss.tau) if isinstance(loss, Quantile) else ("huber", loss.delta)
    )
    short = f"{parameter:g}"
    return f"{name}:{short if float(short) == parameter else repr(parameter)}"

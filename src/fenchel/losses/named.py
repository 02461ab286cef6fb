"""Losses by the names that users type."""

from __future__ import annotations

from typing import Any

from fenchel.losses.hinge import Hinge, MulticlassHinge, SquaredHinge
from fenchel.losses.logistic import Logistic
from fenchel.losses.poisson import Poisson
from fenchel.losses.regression import Absolute, EpsilonInsensitive, Huber, Quantile, Squared
from fenchel.parts.state import is_part

BY_NAME: dict[str, type] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "logistic": Logistic,
    "squared": Squared,
    "absolute": Absolute,
    "epsilon_insensitive": EpsilonInsensitive,
    "quantile": Quantile,
    "huber": Huber,
    "poisson": Poisson,
    "max_margin": MulticlassHinge,
}


def with_parameter(text: str) -> Any:
    """Return the loss of a name with its parameter, as an object; any other text as it is.

    >>> with_parameter("quantile:0.9"), with_parameter("hinge")
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


def named(loss: Any) -> Any:
    """Return the loss of this name, or the loss object itself.

    >>> named("hinge")
    Hinge()
    >>> named(Huber(delta=2.0))
    Huber(delta=2.0)
    """
    loss = with_parameter(loss) if isinstance(loss, str) else loss
    if isinstance(loss, str):
        key = loss.replace("-", "_")
        if key not in BY_NAME:
            raise ValueError(f"loss={loss!r} is unknown: choose one of {', '.join(BY_NAME)}")
        return BY_NAME[key]()
    if not is_part(loss):
        raise ValueError(f"loss={loss!r} is neither a name nor a loss: try loss='hinge'")
    return loss

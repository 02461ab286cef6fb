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


def named(loss: Any) -> Any:
    """Return the loss of this name, or the loss object itself.

    >>> named("hinge")
    Hinge()
    >>> named(Huber(delta=2.0))
    Huber(delta=2.0)
    """
    if isinstance(loss, str):
        key = loss.replace("-", "_")
        if key not in BY_NAME:
            raise ValueError(f"loss={loss!r} is unknown: choose one of {', '.join(BY_NAME)}")
        return BY_NAME[key]()
    if not is_part(loss):
        raise ValueError(f"loss={loss!r} is neither a name nor a loss: try loss='hinge'")
    return loss

"""Losses ℓ(margin, y): value, derivative, Lipschitz constant or none."""

from fenchel.losses.hinge import Hinge, MaxMargin, SquaredHinge, rival
from fenchel.losses.logistic import Logistic
from fenchel.losses.named import BY_NAME, named
from fenchel.losses.regression import Absolute, EpsilonInsensitive, Huber, Quantile, Squared
from fenchel.losses.verbs import derivative, value

__all__ = [
    "BY_NAME",
    "Absolute",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "Logistic",
    "MaxMargin",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "derivative",
    "named",
    "rival",
    "value",
]

"""Losses ℓ(margin, y): value, derivative, Lipschitz constant or none."""

from fenchel.losses.hinge import Hinge, MulticlassHinge, SquaredHinge, rival
from fenchel.losses.logistic import Logistic
from fenchel.losses.named import BY_NAME, named, with_parameter
from fenchel.losses.poisson import Poisson
from fenchel.losses.protocol import derivative, value
from fenchel.losses.regression import Absolute, EpsilonInsensitive, Huber, Quantile, Squared

__all__ = [
    "BY_NAME",
    "Absolute",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "Logistic",
    "MulticlassHinge",
    "Poisson",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "derivative",
    "named",
    "rival",
    "value",
    "with_parameter",
]

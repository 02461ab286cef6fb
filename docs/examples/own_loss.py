"""
A loss of one's own
===================

The exponential loss, ``exp(−y·m)``: a NamedTuple and two verbs.
"""

from typing import NamedTuple

import numpy as np

from fenchel import Learner, regularizers, rules
from fenchel.losses import derivative, value


class Exponential(NamedTuple):
    lipschitz = None
    task = "binary"


@value.of(Exponential)
def exponential_value(loss, margin, y):
    return np.exp(-y * margin)


@derivative.of(Exponential)
def exponential_derivative(loss, margin, y):
    return -y * np.exp(-y * margin)


learner = Learner.of(Exponential(), regularizers.Euclidean(), rules.Subgradient(eta=0.1))
learner.learn_many([[1.0], [1.0]], [1, 1])
print(learner.weights())

"""
A regularizer of one's own
==========================

``f(w) = Σ |w_i|³/3``, whose conjugate is ``Σ ⅔·|θ_i|^{3/2}``. A regularizer is a NamedTuple and what its
verbs do; ``weight`` is all that the compiled loop needs.
"""

from typing import NamedTuple

import numpy as np

from fenchel import Learner, losses, rules
from fenchel.regularizers import SLOTS, check_regularizer, weight


class Cubic(NamedTuple):
    theta: np.ndarray = SLOTS

    def value(self, u):
        return np.sum(np.abs(u) ** 3) / 3

    def conjugate(self, theta):
        return np.sum(np.abs(theta) ** 1.5) / 1.5

    def gradient(self, theta):
        return np.sign(theta) * np.sqrt(np.abs(theta))


@weight.of(Cubic)
def cubic_weight(f, view, slot, x):
    return np.sign(f.theta[slot]) * np.sqrt(abs(f.theta[slot]))


# %%
# Random points tell whether the methods belong together, and whether the compiled weights are theirs.

check_regularizer(Cubic())

# %%
# It runs in the same compiled loop as the package's own.

learner = Learner.of(losses.Hinge(), Cubic(), rules.Subgradient(eta=0.5))
learner.learn_many([[4.0, 0.0], [0.0, 9.0]], [1, -1])
print(learner.weights())

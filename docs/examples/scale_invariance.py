"""
Units do not matter
===================

The paper's two scale-invariant learners predict the same whatever the units of the features; the
Perceptron does not.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from fenchel import learners

X, y = load_breast_cancer(return_X_y=True)
other_units = X * 10.0 ** np.random.default_rng(0).integers(-4, 5, size=X.shape[1])

for make in (
    learners.scale_invariant_p_norm,
    learners.scale_invariant_adagrad,
    learners.perceptron,
):
    margins, changed = make().learn_many(X, y), make().learn_many(other_units, y)
    mistakes = [int(np.sum((m > 0.0) != y)) for m in (margins, changed)]
    same = np.allclose(margins, changed, rtol=1e-9)
    print(
        f"{make.__name__:<24} mistakes {mistakes[0]:>3} and {mistakes[1]:>3}, same margins: {same}"
    )

"""A learner's own regularizer and rule, driven through ``MirrorDescent`` in plain NumPy."""

import numpy as np
from textbook_basics import Run

from fenchel import MirrorDescent, regularizers
from fenchel.losses import derivative, value


def is_mirror_descent(learner):
    """Whether the regularizer has the NumPy methods that Algorithm 1 asks for."""
    return hasattr(learner.regularizer, "conjugate")


def mirror_run(learner, X, y, importance):
    """Algorithm 1 with the learner's parts; X has the intercept's column."""
    descent = MirrorDescent(learner.regularizer, X.shape[1])
    step = STEPS[type(learner.rule).__name__]
    second_order = isinstance(
        learner.regularizer, (regularizers.FullQuadratic, regularizers.DiagonalQuadratic)
    )
    weights = np.zeros(X.shape)
    levels = []  # ‖x‖_* of the rounds so far, which the tuned rate looks at
    for t, x in enumerate(X):
        # Importance h puts h·x·xᵀ into A_t.
        descent.observe(x * np.sqrt(importance[t]) if second_order else x)
        weights[t] = descent.predict()
        levels.append(learner.regularizer.dual_norm(x) if hasattr(learner.rule, "level") else 0.0)
        m = weights[t] @ x
        descent.update(step(learner, m, y[t], x, importance[t], levels) * x)
    return Run((weights * X).sum(axis=1), weights, np.abs(weights * X).sum(axis=1))


def subgradient(learner, m, y, x, h, levels):
    return -learner.rule.eta * h * derivative(learner.loss, m, y)


def conservative(learner, m, y, x, h, levels):
    return learner.rule.eta * h * y if y * m <= 0.0 else 0.0


def passive_aggressive(learner, m, y, x, h, levels):
    if not x.any():
        return 0.0
    longest = value(learner.loss, m, y) / (x @ x)
    return -derivative(learner.loss, m, y) * min(learner.rule.C * h, longest)


def tuned_aggressive(learner, m, y, x, h, levels):
    if y * m >= 1.0 or levels[-1] == 0.0:
        return 0.0
    beta = learner.regularizer.strong_convexity
    return h * y * np.clip((max(levels) ** 2 - beta * y * m) / levels[-1] ** 2, 0.0, 1.0)


def normalized_residual(learner, m, y, x, h, levels):
    return learner.rule.eta * h * (y - m) / (x @ x) if x.any() else 0.0


STEPS = {
    "Subgradient": subgradient,
    "Aggressive": subgradient,
    "Conservative": conservative,
    "PassiveAggressive": passive_aggressive,
    "TunedAggressive": tuned_aggressive,
    "Target": lambda learner, m, y, x, h, levels: h * y,
    "Residual": lambda learner, m, y, x, h, levels: learner.rule.eta * h * (y - m),
    "NormalizedResidual": normalized_residual,
}

"""Losses ℓ(m, y) and a derivative, 0 at the kinks, by name: written anew for the audit."""

import numpy as np


def sigmoid(s):
    return 0.5 * (1.0 + np.tanh(0.5 * s))


def eps(m, y, epsilon=0.1):
    return np.maximum(np.abs(m - y) - epsilon, 0.0)


VALUES = {
    "hinge": lambda m, y: np.maximum(0.0, 1.0 - y * m),
    "squared_hinge": lambda m, y: 0.5 * np.maximum(0.0, 1.0 - y * m) ** 2,
    "logistic": lambda m, y: np.logaddexp(0.0, -y * m),
    "squared": lambda m, y: 0.5 * (y - m) ** 2,
    "absolute": lambda m, y: np.abs(y - m),
    "epsilon_insensitive": eps,
    "quantile": lambda m, y: 0.5 * np.abs(y - m),
    "huber": lambda m, y: np.where(np.abs(y - m) > 1.0, np.abs(y - m) - 0.5, 0.5 * (y - m) ** 2),
}
SLOPES = {
    "hinge": lambda m, y: np.where(y * m < 1.0, -y, 0.0),
    "squared_hinge": lambda m, y: -y * np.maximum(0.0, 1.0 - y * m),
    "logistic": lambda m, y: -y * sigmoid(-y * m),
    "squared": lambda m, y: m - y,
    "absolute": lambda m, y: np.sign(m - y),
    "epsilon_insensitive": lambda m, y: np.sign(m - y) * (eps(m, y) > 0.0),
    "quantile": lambda m, y: 0.5 * np.sign(m - y),
    "huber": lambda m, y: np.clip(m - y, -1.0, 1.0),
}
BINARY = ("hinge", "logistic", "squared_hinge")
REGRESSION = tuple(name for name in VALUES if name not in BINARY)


def lipschitz(loss):
    """L of the losses that have one: those that scale-invariant learners take."""
    return 0.5 if loss == "quantile" else 1.0

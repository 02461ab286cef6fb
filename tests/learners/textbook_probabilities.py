"""Refined and calibrated probabilities as in a textbook: matrices solved anew in every round."""

import numpy as np

KNOTS = (0.5, 1.5, 3.0)


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


class Newton:
    """One forecaster, and the matrix of its steps."""

    def __init__(self, width, decay, gamma=0.5, firm=5.0):
        self.decay, self.gamma, self.firm = decay, gamma, firm
        self.A, self.w = firm * np.eye(width), np.eye(width)[0]

    def forecast(self, rows):
        return softmax(rows @ self.w)

    def learn(self, rows, label, weight):
        g = weight * ((self.forecast(rows) - np.eye(len(rows))[label]) @ rows)
        if np.linalg.inv(self.A).diagonal().max() < self.decay / self.firm:
            self.A = self.decay * self.A
        self.A = self.A + self.gamma * np.outer(g, g)
        self.w = self.w - np.linalg.solve(self.A, g)


def refined(features, y, decays, stands=None):
    """The Bayes mixture of what is given, the first feature, and of Newton forecasters, before each label.

    A share of 1/(t + 1) is given back after round t. A row whose label had an even chance or better counts
    as often as ``stands`` says; where that is 0, nobody learns from it.
    """
    experts, out, rounds = [Newton(features.shape[2], d) for d in decays], [], 0
    v = np.full(1 + len(experts), 1.0 / (1 + len(experts)))
    for t, (rows, label) in enumerate(zip(features, y, strict=True)):
        said = np.stack([softmax(rows[:, 0]), *(expert.forecast(rows) for expert in experts)])
        out.append(v @ said)
        weight = 1.0 if stands is None or out[-1][label] < 0.5 else stands[t]
        if not weight:
            continue
        for expert in experts:
            expert.learn(rows, label, weight)
        rounds += 1
        v = v * said[:, label] ** weight
        v = (1.0 - 1.0 / (rounds + 1.0)) * v / v.sum() + 1.0 / (rounds + 1.0) / len(v)
    return np.array(out)


def bent(z):
    """The pieces of a line in z."""
    return [*(np.maximum(z - k, 0.0) for k in KNOTS), *(np.maximum(-z - k, 0.0) for k in KNOTS)]


def calibrated_two(z, y, stands=None):
    """The logit of class 1, from the logit z."""
    one = np.stack([z, *bent(z), np.ones(len(z))], axis=1)
    p = refined(np.stack([np.zeros_like(one), one], axis=1), y, (1.0, 0.9998), stands)
    return np.log(p[:, 1] / p[:, 0])


def calibrated_several(chances, y, stands=None):
    """Probabilities, from probabilities."""
    z = np.log(chances / (1.0 - chances))
    features = np.stack([np.log(chances), *bent(z), np.ones_like(z)], axis=2)
    return refined(features, y, (1.0, 0.9998), stands)


def stacked(logits, standard, y):
    """ln p of the combination: logits[t] of class 1, standard[t, k] the margins on one scale."""
    ones = np.ones((len(y), 1))
    one = np.hstack([logits[:, None], np.clip(standard, -1.0, 1.0), np.arcsinh(standard), ones])
    return refined(np.stack([np.zeros_like(one), one], axis=1), y, (1.0, 0.9995, 0.998))

"""Refined and calibrated probabilities as in a textbook: matrices solved anew in every round."""

import numpy as np

KNOTS = (0.5, 1.5, 3.0)


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def newton(features, y, decay, gamma=0.5, firm=5.0):
    """Class probabilities of one forecaster before each label; features[t, c] are its rows."""
    width = features.shape[2]
    A, w, out = firm * np.eye(width), np.eye(width)[0], []
    for rows, label in zip(features, y, strict=True):
        out.append(softmax(rows @ w))
        g = (out[-1] - np.eye(len(rows))[label]) @ rows
        if np.linalg.inv(A).diagonal().max() < decay / firm:
            A = decay * A
        A = A + gamma * np.outer(g, g)
        w = w - np.linalg.solve(A, g)
    return np.array(out)


def bayes(forecasts, y):
    """The mixture of forecasts[i, t, c] with a share of 1/(t + 1) given back after round t."""
    v, out = np.full(len(forecasts), 1.0 / len(forecasts)), []
    for t, label in enumerate(y):
        out.append(v @ forecasts[:, t])
        v = v * forecasts[:, t, label]
        v = (1.0 - 1.0 / (t + 2.0)) * v / v.sum() + 1.0 / (t + 2.0) / len(v)
    return np.array(out)


def refined(features, y, decays):
    """The mixture of what is given, the first feature, and of Newton forecasters."""
    given = np.array([softmax(rows[:, 0]) for rows in features])
    return bayes(np.stack([given, *(newton(features, y, d) for d in decays)]), y)


def bent(z):
    """The pieces of a line in z."""
    return [*(np.maximum(z - k, 0.0) for k in KNOTS), *(np.maximum(-z - k, 0.0) for k in KNOTS)]


def calibrated_two(z, y):
    """The logit of class 1, from the logit z."""
    one = np.stack([z, *bent(z), np.ones(len(z))], axis=1)
    p = refined(np.stack([np.zeros_like(one), one], axis=1), y, (1.0, 0.9998))
    return np.log(p[:, 1] / p[:, 0])


def calibrated_several(chances, y):
    """Probabilities, from probabilities."""
    z = np.log(chances / (1.0 - chances))
    features = np.stack([np.log(chances), *bent(z), np.ones_like(z)], axis=2)
    return refined(features, y, (1.0, 0.9998))


def stacked(logits, standard, y):
    """ln p of the combination: logits[t] of class 1, standard[t, k] the margins on one scale."""
    ones = np.ones((len(y), 1))
    one = np.hstack([logits[:, None], np.clip(standard, -1.0, 1.0), np.arcsinh(standard), ones])
    return refined(np.stack([np.zeros_like(one), one], axis=1), y, (1.0, 0.9995, 0.998))

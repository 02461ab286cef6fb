"""Random parameters of the learners; ``scale`` is the size of the features they will meet."""

import numpy as np


def log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def nothing(rng, scale):
    return {}


def exponent(rng, scale):
    return {"p": float(rng.choice([2.0, rng.uniform(2.0, 6.0), rng.uniform(6.0, 40.0)]))}


def rate(rng, scale):
    return {"eta": log_uniform(rng, 0.01, 3.0)}


def noise(rng, scale):
    return {"r": log_uniform(rng, 0.05, 20.0)}


def composite(rng, scale):
    drawn = {"l1": log_uniform(rng, 1e-4, 0.3) * scale, "l2": log_uniform(rng, 1e-4, 1.0)}
    return {key: value if rng.random() < 0.7 else 0.0 for key, value in drawn.items()}


def averaging(rng, scale):
    indexing = str(rng.choice(["corollary", "xiao"]))
    return {**rate(rng, scale), **composite(rng, scale), "indexing": indexing}


def strong(rng, scale):
    return {"l2": log_uniform(rng, 1e-3, 1.0), "l1": composite(rng, scale)["l1"]}


def multiplicative(rng, scale):
    # Exponents up to some thousands: a relative error of theirs is an absolute one of the weights'.
    total = log_uniform(rng, 0.3, 10.0)
    return {"eta": log_uniform(rng, 0.01, 100.0) / scale / total, "total": total}


def entropic(rng, scale):
    flags = {"signed": bool(rng.random() < 0.5), "adaptive": bool(rng.random() < 0.5)}
    return {**multiplicative(rng, scale), **flags}


def winnowing(rng, scale):
    return {"eta": log_uniform(rng, 0.01, 1.0) / scale, "total": log_uniform(rng, 0.3, 10.0)}


def proximal(rng, scale):
    beta = float(rng.choice([0.0, log_uniform(rng, 0.1, 3.0)]))
    return {"alpha": log_uniform(rng, 0.01, 3.0), "beta": beta, **composite(rng, scale)}


def newton(rng, scale):
    return {**rate(rng, scale), "a": log_uniform(rng, 0.1, 10.0)}


def sketched(rng, scale):
    return {**rate(rng, scale), "a": log_uniform(rng, 1.0, 100.0), "rank": int(rng.integers(1, 6))}


def invariant(rng, scale):
    return {**rate(rng, scale), "sqrt_d": bool(rng.random() < 0.5)}


def adaptive(rng, scale):
    return {**rate(rng, scale), **composite(rng, scale), "delta": log_uniform(rng, 1e-8, 1.0)}


def confidence(rng, scale):
    return {"eta": rng.uniform(0.55, 0.99), "C": log_uniform(rng, 0.05, 5.0)}

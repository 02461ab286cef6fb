"""The radius of an interval as in a textbook, one round after the other; and mutants of it."""

import numpy as np

RATES = 2.0 ** np.arange(-7.0, 2.0)
EDGE = 0.999


def psi(theta, a, h):
    edge = min(abs(theta), EDGE * h)
    slope = a * np.tan(np.pi / 2 * EDGE)
    return -a * 2 * h / np.pi * np.log(np.cos(np.pi * edge / 2 / h)) + (abs(theta) - edge) * slope


def curvature(theta, a, h):
    return a * np.pi / 2 / h / np.cos(np.pi / 2 * min(abs(theta) / h, EDGE)) ** 2


def shares(losses, gap):
    behind = losses - losses.min()
    v = (behind == 0.0) * 1.0 if gap == 0.0 else np.exp(-np.log(len(losses)) / gap * behind)
    return v / v.sum()


def rates(t, alpha):
    pairs = np.column_stack([RATES, RATES * 4.0 / np.sqrt(t)]).ravel()
    return np.append(pairs, 2.5 / alpha / (t + 9.0))


def run(scores, units, alpha, mutant=""):
    """The radii, and the sums of the ledger, in the places that the package gives them."""
    n, total, in_units, unit_sum, theta, gap = 0, 0.0, 0.0, 0.0, 0.0, 0.0
    levels, losses = np.zeros(38), np.zeros(38)
    ledger, radii = np.zeros(10), []
    for s, given in zip(scores, units, strict=True):
        unit = max(given, 0.1 * unit_sum / max(n, 1))
        unit = max(unit, 0.1 * total / max(n, 1)) if unit > 0.0 else 1.0
        unit = abs(s) if n == 0 and given == 0.0 and s != 0.0 else unit
        guess = levels * np.repeat([1.0, unit], 19)
        a, h = 0.2 * total / max(n, 1), 4.0 + 0.003 * n
        push = a * np.tan(np.pi / 2 * np.clip(theta / h, -EDGE, EDGE))
        v = shares(losses, gap)
        radius = v @ guess + (
            0.0 if mutant == "no push" else -push if mutant == "wrong way" else push
        )
        radii.append(radius)
        missed = float(s > radius)
        z = missed - (alpha / 2 if mutant == "wrong level" else alpha)
        ledger[[4, 5]] += missed, z * push
        ledger[6] += z * z / 2 * max(curvature(theta, a, h), curvature(theta + z, a, h))
        ledger[8] += (theta >= EDGE * h and missed) or (theta <= -EDGE * h and not missed)
        before, theta = psi(theta + z, a, h), theta + z
        over = s - guess
        lost = np.maximum((1 - alpha) * over, -alpha * over)
        mixed = lost[v > 0].min()
        if gap > 0.0:
            eta = np.log(38) / gap
            mixed -= np.log(v @ np.exp(-eta * (lost - mixed))) / eta
        gap = 0.995 * gap + max(0.0, v @ lost - mixed)
        losses = 0.995 * losses + lost
        n, total, in_units = n + 1, total + abs(s), in_units + abs(s) / unit
        unit_sum += abs(given)
        ledger[7] += psi(theta, 0.2 * total / n, 4.0 + 0.003 * n) - before
        sizes = np.repeat([total / n, in_units / n], 19)
        levels = levels - np.tile(rates(n, alpha), 2) * sizes * (alpha - (s > guess))
    ledger[[0, 3]] = total, n
    return np.array(radii), ledger

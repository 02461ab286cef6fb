"""Values and derivatives of every loss on a grid of margins (a script, run without the compiler).

Prints {loss: [[value, derivative], …]}.
"""

import json
import sys

import numpy as np

from fenchel.losses import derivative, value
from kernel.random_parts import margin_losses, random_part

MARGINS = [0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 5.0, -40.0, 750.0, -750.0, 1e300, -1e300, 5e-324]
LABELS = {"binary": [-1.0, 1.0], "regression": [-1.5, 0.0, 2.25, 1e300]}


def losses():
    """Every loss of one margin, with random parameters."""
    rng = np.random.default_rng(0)
    return [random_part(cls, rng, 1) for cls in margin_losses()]


def grid(loss):
    return [(margin, y) for margin in MARGINS for y in LABELS[loss.task]]


if __name__ == "__main__":
    table = {
        type(loss).__name__: [
            [float(value(loss, m, y)), float(derivative(loss, m, y))] for m, y in grid(loss)
        ]
        for loss in losses()
    }
    json.dump(table, sys.stdout)

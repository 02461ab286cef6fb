"""The triangular factor against exact arithmetic: features in units that differ by 10¹²."""

from fractions import Fraction

import numpy as np
import pytest

from fenchel import learners
from kernel.kernel_streams import shifted


def solved(A: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """A⁻¹·right, exactly, by elimination."""
    rows = [[*row, value] for row, value in zip(A, right, strict=True)]
    for i in range(len(rows)):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def exact_margins(X: np.ndarray, y: np.ndarray) -> list[float]:
    """Vovk-Azoury-Warmuth: A_t = I + Σ_{s≤t} x_s·x_sᵀ, w_t = A_t⁻¹·Σ_{s<t} y_s·x_s."""
    d = X.shape[1]
    A = [[Fraction(int(i == j)) for j in range(d)] for i in range(d)]
    theta = [Fraction(0)] * d
    margins = []
    for row, label in zip(X, y, strict=True):
        x = [Fraction(value) for value in row]
        A = [[A[i][j] + x[i] * x[j] for j in range(d)] for i in range(d)]
        margins.append(float(sum(w * v for w, v in zip(solved(A, theta), x, strict=True))))
        theta = [value + Fraction(label) * v for value, v in zip(theta, x, strict=True)]
    return margins


@pytest.mark.parametrize("first", [0, 64])  # from 64 columns on, rows wait
@pytest.mark.parametrize("scales", [[1.0, 1.0, 1.0], [1e6, 1.0, 1e-6], [1e6, 1e6, 1e6]], ids=str)
def test_full_matrix_keeps_its_digits(scales, first):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(22, 3)) * scales, rng.normal(size=22)
    margins = learners.vovk_azoury_warmuth(intercept=False).learn_many(shifted(X, first), y)
    np.testing.assert_allclose(margins, exact_margins(X, y), rtol=1e-9, atol=1e-12)

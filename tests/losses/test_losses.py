"""Losses: value against derivative, convexity, kinks, Lipschitz constants, extremes, compiled."""

import numpy as np
import pytest

from fenchel._numba import kernel
from fenchel._numba.jit import fresh
from fenchel.losses import (
    BY_NAME,
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    MulticlassHinge,
    Quantile,
    Squared,
    SquaredHinge,
    derivative,
    named,
    rival,
    value,
)
from fenchel.losses.protocol import margin_for
from kernel.plain_python import plain_python
from kernel.random_parts import knowing, random_part
from losses.loss_values import LABELS, MARGINS, grid, losses

LOSSES = losses()
NAMES = [type(loss).__name__ for loss in LOSSES]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=NAMES)


def labels(loss):
    return [y for y in LABELS[loss.task] if abs(y) < 10.0]


@every_loss
def test_derivative_is_the_slope_of_the_value(loss):
    rng = np.random.default_rng(1)
    h = 1e-6
    for y in labels(loss):
        for m in rng.uniform(-4.0, 4.0, 200):
            slope = (value(loss, m + h, y) - value(loss, m - h, y)) / (2.0 * h)
            left, right = derivative(loss, m - h, y), derivative(loss, m + h, y)
            if abs(left - right) > 1e-3:
                continue  # a kink in between
            assert derivative(loss, m, y) == pytest.approx(slope, abs=1e-5)


@every_loss
def test_value_is_convex_and_the_derivative_a_subgradient(loss):
    rng = np.random.default_rng(2)
    for y in labels(loss):
        for a, b, share in rng.uniform([-4, -4, 0], [4, 4, 1], (200, 3)):
            between = share * a + (1.0 - share) * b
            chord = share * value(loss, a, y) + (1.0 - share) * value(loss, b, y)
            assert value(loss, between, y) <= chord + 1e-12
            tangent = value(loss, a, y) + derivative(loss, a, y) * (b - a)
            assert value(loss, b, y) >= tangent - 1e-12


@every_loss
def test_value_is_not_negative_and_least_at_the_label(loss):
    rng = np.random.default_rng(3)
    for y in labels(loss):
        values = [value(loss, m, y) for m in rng.uniform(-4.0, 4.0, 100)]
        assert min(values) >= 0.0
        if loss.task == "regression":
            assert value(loss, margin_for(loss, y), y) == pytest.approx(0.0, abs=1e-15)


@every_loss
def test_lipschitz_constant_is_attained_and_not_exceeded(loss):
    slopes = [abs(derivative(loss, m, y)) for m, y in grid(loss)]
    if loss.lipschitz is None:
        assert max(slopes) >= 1e300
    else:
        assert max(slopes) == pytest.approx(loss.lipschitz)
        assert max(slopes) <= loss.lipschitz


@every_loss
def test_extreme_margins_stay_finite(loss):
    with np.errstate(over="raise", invalid="raise"):
        for m, y in grid(loss):
            slope = derivative(loss, m, y)
            assert np.isfinite(slope)
            if loss.lipschitz is not None and abs(m - y) < 1e308:
                assert np.isfinite(value(loss, m, y))


@pytest.mark.parametrize(
    ("loss", "margin", "y", "expected"),
    [
        (Hinge(), 1.0, 1.0, 0.0),
        (Hinge(), -1.0, -1.0, 0.0),
        (Hinge(), np.nextafter(1.0, 0.0), 1.0, -1.0),
        (SquaredHinge(), 1.0, 1.0, 0.0),
        (Absolute(), 2.5, 2.5, 0.0),
        (Absolute(), np.nextafter(2.5, 3.0), 2.5, 1.0),
        (EpsilonInsensitive(0.5), 1.5, 1.0, 0.0),
        (EpsilonInsensitive(0.5), 0.5, 1.0, 0.0),
        (EpsilonInsensitive(0.5), np.nextafter(1.5, 2.0), 1.0, 1.0),
        (EpsilonInsensitive(0.5), 0.4999999999999, 1.0, -1.0),
        (EpsilonInsensitive(0.0), 1.0, 1.0, 0.0),
        (Quantile(0.9), 1.0, 1.0, 0.0),
        (Quantile(0.9), np.nextafter(1.0, 2.0), 1.0, 1.0 - 0.9),
        (Quantile(0.9), np.nextafter(1.0, 0.0), 1.0, -0.9),
        (Huber(0.5), 1.5, 1.0, 0.5),
        (Huber(0.5), 0.5, 1.0, -0.5),
        (Huber(0.5), 1.0, 1.0, 0.0),
        (Squared(), 1.0, 1.0, 0.0),
        (Logistic(), 0.0, 1.0, -0.5),
    ],
    ids=str,
)
def test_derivative_exactly_at_each_kink(loss, margin, y, expected):
    assert derivative(loss, margin, y) == expected


@pytest.mark.parametrize(
    ("loss", "margin", "y", "expected"),
    [
        (Hinge(), 0.25, 1.0, 0.75),
        (SquaredHinge(), -1.0, 1.0, 2.0),
        (Logistic(), 0.0, -1.0, np.log(2.0)),
        (Logistic(), -800.0, 1.0, 800.0),
        (Logistic(), 800.0, 1.0, 0.0),
        (Squared(), 3.0, 1.0, 2.0),
        (Absolute(), -3.0, 1.0, 4.0),
        (EpsilonInsensitive(0.5), 2.0, 1.0, 0.5),
        (Quantile(0.75), 0.0, 4.0, 3.0),
        (Quantile(0.75), 4.0, 0.0, 1.0),
        (Huber(0.5), 0.25, 0.0, 0.03125),
        (Huber(0.5), 2.0, 0.0, 0.875),
    ],
    ids=str,
)
def test_value_by_hand(loss, margin, y, expected):
    assert value(loss, margin, y) == pytest.approx(expected, abs=1e-300)


def test_logistic_keeps_its_digits_in_the_tail():
    assert value(Logistic(), 40.0, 1.0) == pytest.approx(np.exp(-40.0), rel=1e-12)
    assert derivative(Logistic(), 40.0, 1.0) == pytest.approx(-np.exp(-40.0), rel=1e-12)


@kernel
def _both(loss, margins, y, out):
    for k in range(margins.shape[0]):
        out[k, 0] = value(loss, margins[k], y[k])
        out[k, 1] = derivative(loss, margins[k], y[k])


@pytest.fixture(scope="module")
def plain():
    return plain_python("losses/loss_values.py")


@every_loss
def test_compiled_is_plain_python(loss, plain):
    margins, y = np.array(grid(loss)).T.copy()
    out = np.empty((len(margins), 2))
    fresh(_both)(loss, margins, y, out)
    np.testing.assert_allclose(out, plain[type(loss).__name__], rtol=1e-14, atol=5e-324)


def test_every_loss_has_a_name_and_a_task():
    assert set(BY_NAME.values()) == set(knowing(value))
    for name, cls in BY_NAME.items():
        assert type(named(name)) is type(named(name.replace("_", "-"))) is cls
        assert cls().task in ("binary", "regression", "multiclass")
    assert len(MARGINS) == len(set(map(str, MARGINS)))


def test_unknown_losses_are_refused():
    with pytest.raises(ValueError, match="loss='hing' is unknown: choose one of hinge, "):
        named("hing")
    with pytest.raises(ValueError, match="loss=3 is neither a name nor a loss"):
        named(3)
    assert named(Huber(2.0)) == Huber(2.0)


def test_random_parameters_are_sound():
    rng = np.random.default_rng(4)
    for _ in range(20):
        assert 0.0 < random_part(Quantile, rng, 1).tau < 1.0


# ── the multiclass max-margin ────────────────────────────────────────────────────────────────────


def test_max_margin_value_and_derivative():
    rng = np.random.default_rng(5)
    loss, h = MulticlassHinge(), 1e-6
    for margins in rng.normal(size=(100, 4)):
        y = int(rng.integers(4))
        wrong = np.delete(margins, y).max()
        gap = max(0.0, 1.0 - margins[y] + wrong)
        assert value(loss, margins, y) == pytest.approx(gap)
        slope = derivative(loss, margins, y)
        steps = h * np.eye(4)
        numeric = [
            (value(loss, margins + step, y) - value(loss, margins - step, y)) / (2 * h)
            for step in steps
        ]
        np.testing.assert_allclose(slope, numeric, atol=1e-6)
        assert np.abs(slope).max() <= loss.lipschitz
        assert slope.sum() == 0.0


def test_max_margin_at_its_kinks():
    loss = MulticlassHinge()
    assert derivative(loss, np.array([1.0, 0.0, -1.0]), 0).tolist() == [0.0, 0.0, 0.0]
    # Of several best wrong classes the first moves.
    assert rival(np.array([0.0, 0.5, 0.5]), 0) == 1
    assert derivative(loss, np.array([0.0, 0.5, 0.5]), 0).tolist() == [-1.0, 1.0, 0.0]
    assert value(loss, np.array([0.3]), 0) == 0.0
    assert value(loss, np.array([-1e300, 1e300]), 1) == 0.0

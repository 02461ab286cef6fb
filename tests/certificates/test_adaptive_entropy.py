"""Steinhardt and Liang's bound: its inequality, its two sides, and streams where its assumption breaks."""

import numpy as np
import pytest

from certificates.certified import KINDS, learned, run_of, stream, uniform
from fenchel import losses, regularizers, rules
from fenchel.certificates import agrees
from fenchel.certificates.theorems import corollary_1, entropic_bounds


def test_the_inequality_under_the_proof():
    a = np.linspace(-0.5, 5.0, 100_001)
    assert np.all(np.exp(a - a * a) <= 1.0 + a)
    assert np.exp(-0.69 - 0.69**2) > 1.0 - 0.69  # and not much further


def experts(rng, rounds, d, scale):
    """Slopes of d experts, one of which is quiet."""
    G = scale * rng.uniform(-1.0, 1.0, size=(rounds, d))
    G[:, 0] *= 0.05
    return G


def run(rng, signed, scale, total=1.0, u=None):
    """Linear losses ⟨g_t, w⟩: absolute losses of a target far below every margin."""
    X = experts(rng, 60, 4, scale)
    f = regularizers.Entropic(total=total, signed=signed, adaptive=True)
    parts = (losses.Absolute(), f, rules.Subgradient(eta=1.0))
    point = total * np.eye(4)[0] if u is None else u
    return run_of(parts, X, np.full(60, -100.0), point), X


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_both_sides_by_hand(signed, seed):
    rng = np.random.default_rng(seed)
    record, G = run(rng, signed, 0.4)
    d = 8 if signed else 4
    v, corrections, achieved = np.full(d, 1.0 / d), np.zeros(d), 0.0
    for g in -np.hstack([G, -G])[:, :d]:
        achieved += g[0] - v @ g
        v = v * np.exp(g - g * g)
        v /= v.sum()
        corrections += g * g
    general, regret = (
        bound(record)
        for bound in (entropic_bounds.corrected_entropy, entropic_bounds.corrected_regret)
    )
    for c in (general, regret):
        assert c.applies
        assert c.holds
        assert c.achieved == pytest.approx(achieved, rel=1e-9, abs=1e-9)
        assert c.bound == pytest.approx(np.log(d) + corrections[0], rel=1e-6)


def test_a_quiet_expert_is_promised_more_than_corollary_1_does():
    record, _ = run(np.random.default_rng(0), False, 0.4)
    general = entropic_bounds.corrected_regret(record)
    assert general.bound < 0.7 * corollary_1.composite_bound(record).bound


# Unsigned: one step of −10 on a coordinate that u does not use. Signed: steps of ½ until most of the
# weight is there, then one of −50.
@pytest.mark.parametrize(("signed", "x"), [(False, [10.0]), (True, [-0.5] * 20 + [50.0])])
def test_beyond_one_half_it_is_not_promised_and_fails(signed, x):
    X = np.column_stack([np.zeros(len(x)), x])
    f = regularizers.Entropic(signed=signed, adaptive=True)
    parts = (losses.Absolute(), f, rules.Subgradient())
    record = run_of(parts, X, np.full(len(x), -100.0), [0.0 if signed else 1.0, 0.0])
    c = entropic_bounds.corrected_entropy(record)
    assert not c.applies
    assert c.achieved > 5.0 * c.bound


@pytest.mark.parametrize("kind", KINDS)
def test_upper_on_streams_of_every_kind(kind, record_property):
    for seed in range(8):
        rng = np.random.default_rng([seed, len(kind), 1])
        total = uniform(rng, 0.5, 4.0)
        _, X, y, weights = stream(rng, "binary", kind)
        largest = total * max(1.0, np.abs(X).max()) * 2.0
        parameters = {
            "eta": uniform(rng, 0.1, 0.6) / largest,
            "total": total,
            "signed": bool(seed % 2),
            "adaptive": True,
        }
        learner = learned(
            "exponentiated_gradient", parameters, kind, X, y, weights, rng, intercept=seed % 3 == 0
        )
        d = X.shape[1] + learner.intercept
        for u in (np.zeros(d), rng.normal(size=d), total * np.eye(d)[-1]):
            for c in learner.certificates(u):
                if c.theorem.startswith("Adaptive") and c.applies:
                    assert not c.violated, str(c)
                    assert agrees(c, learner.verify(c), 1e-6), str(c)
                    record_property("bounds of adaptive exponentiated gradient that held", 1)


def test_columns_that_come_later_are_not_covered():
    from fenchel import learners

    learner = learners.exponentiated_gradient(0.1, adaptive=True, certify=True, intercept=False)
    learner.learn_many(np.eye(2), [1, -1])
    learner.learn_many(np.eye(3), [1, -1, 1])
    found = [c for c in learner.certificates(np.zeros(3)) if c.theorem.startswith("Adaptive")]
    assert [c.applies for c in found] == [False, False]

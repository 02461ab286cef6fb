"""AdaHedge that shares: against a few lines of NumPy, and its bound on streams that change."""

from itertools import product

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.certificates.aggregate import path_bounds
from fenchel.loops.adahedge import charge_rounds, new_hedge
from fenchel.loops.switching import best_path, new_switching


def in_numpy(losses):
    """Σ h_t, by the formulas of the module."""
    experts, w, eta, gap, n, total = losses.shape[1], None, np.inf, 0.0, 0, 0.0
    w = np.full(experts, 1.0 / experts)
    for loss in losses:
        h = w @ loss
        total += h
        if np.ptp(loss) == 0.0:
            continue
        v = w * np.exp(-eta * (loss - loss.min())) if eta < np.inf else np.ones(experts)
        m = loss.min() - (np.log(v.sum()) / eta if eta < np.inf else 0.0)
        gap, n, old = gap + h - m, n + 1, eta
        eta = min(old, (np.log(experts) + np.log(n + 1)) / gap)
        u = (v / v.sum()) ** (eta / old if old < np.inf else 0.0)
        w = (1 - 1 / (n + 1)) * u / u.sum() + 1 / (n + 1) / experts
    return total


def moving(seed, rounds=1200, experts=4, every=300, scale=1.0):
    rng = np.random.default_rng(seed)
    losses = rng.uniform(0.3, 1.0, (rounds, experts))
    best = rng.permutation(experts)[np.arange(rounds) // every % experts]
    losses[np.arange(rounds), best] = rng.uniform(0.0, 0.5, rounds)
    return scale * losses


def led(losses, make=new_switching):
    hedge = make(losses.shape[1])
    charge_rounds(hedge, losses)
    return hedge


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9])
def test_it_is_the_formula(scale):
    losses = moving(0, 300, scale=scale)
    losses[::7] = scale  # rounds that tell nothing
    assert led(losses).expected[0] == pytest.approx(in_numpy(losses), rel=1e-9)


def test_paths_are_the_best_sequences():
    losses = np.random.default_rng(1).uniform(size=(7, 3))
    hedge = led(losses)
    for k in range(4):
        every = [i for i in product(range(3), repeat=7) if np.count_nonzero(np.diff(i)) <= k]
        least = min(losses[np.arange(7), list(i)].sum() for i in every)
        assert best_path(hedge, k) == pytest.approx(least)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("every", [1, 10, 150, 10_000])
def test_the_bound_holds(seed, every):
    for certificate in path_bounds(led(moving(seed, every=every))):
        assert certificate.holds, str(certificate)


def test_it_follows_changes_and_costs_little_without():
    changing, steady = moving(2), moving(2, every=10_000)
    best = best_path(led(changing), 3)
    ours, plain = (led(changing, make).expected[0] - best for make in (new_switching, new_hedge))
    assert ours < 0.5 * plain
    ours, plain = (led(steady, make).expected[0] for make in (new_switching, new_hedge))
    assert ours < 1.1 * plain


def test_in_a_learner_with_files(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    y = np.where((X[:, 0] > 0) ^ (np.arange(400) > 200), 1, -1)
    learner = learners.hedge(["perceptron", "arow"], switching=True)
    learner.learn_many(X[:300], y[:300])
    learner.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    assert np.array_equal(loaded.learn_many(X[300:], y[300:]), learner.learn_many(X[300:], y[300:]))
    assert len(loaded.certificates()) == 5
    assert all(certificate.holds for certificate in loaded.certificates())
    assert loaded.parameters["switching"] is True

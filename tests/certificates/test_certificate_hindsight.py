"""The best u in hindsight and the regret against it, held to slow and obvious versions."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from certificates.certified import block
from fenchel import learners, losses
from fenchel.certificates import Hindsight, Regret, best_in_hindsight, hindsight
from fenchel.certificates.minimise import least
from fenchel.certificates.problem import problem_of

RNG = np.random.default_rng(4)
X = RNG.normal(size=(120, 5)) * [1.0, 100.0, 1e-3, 1.0, 7.0]
NUMBERS = X @ [1.0, -0.02, 500.0, 0.0, 0.1] + 0.5 * RNG.normal(size=120)
LABELS = np.where(NUMBERS > 0.0, 1.0, -1.0)


@pytest.mark.parametrize(("loss", "y"), [(losses.Logistic(), LABELS), (losses.Squared(), NUMBERS)])
def test_minimisers_are_those_of_scipy(loss, y):
    """Whatever the units of the features; in one block or in many."""
    whole = problem_of([block(X, y)], 5, True)
    many = problem_of([block(X[a : a + 7], y[a : a + 7]) for a in range(0, 120, 7)], 5, True)
    wide = np.column_stack([np.ones(120), X])
    unit = 1.0 / np.sqrt((wide**2).sum(axis=0))

    def objective(v):
        found = whole.evaluate(loss, unit * v, np.ones(6))
        return found.value + 0.5 * np.sum((unit * v) ** 2), unit * (found.slope + unit * v)

    best = minimize(objective, np.zeros(6), jac=True, method="BFGS").fun
    for rows in (whole, many):
        u = least(rows, loss, ridge=np.ones(6)).u
        assert objective(u / unit)[0] == pytest.approx(best, rel=1e-5)


def test_a_long_stream_gives_an_even_sample(monkeypatch):
    blocks = [block(X[a : a + 10], LABELS[a : a + 10]) for a in range(0, 120, 10)]
    monkeypatch.setattr(hindsight, "MOST_HELD", 4 * blocks[0].nbytes)
    past = Hindsight(lambda: iter(blocks), 5)
    kept, share = past.gathered()
    assert [b is blocks[k] for k, b in zip((0, 4, 8), kept, strict=True)] == [True] * 3
    assert share == 0.25
    assert any("on 0.25 of the rows" in name for name in past.best(losses.Hinge(), True))


def test_the_path_goes_from_small_norms_to_small_losses():
    found = best_in_hindsight(lambda: [block(X, LABELS)], losses.Logistic(), 5, True)
    (zero, *path) = found.values()
    assert not zero.any()
    norms = [np.linalg.norm(u) for u in path]
    assert norms == sorted(norms)


def test_regret_is_against_the_best_u_of_the_same_rounds():
    learner = learners.vovk_azoury_warmuth(certify=True, intercept=False)
    margins = learner.learn_many(X, NUMBERS)
    found = learner.regret()
    assert found.rounds == (1, 2, 4, 8, 16, 32, 64, 120)
    for T, value in found.curve:
        fitted = np.linalg.lstsq(X[:T], NUMBERS[:T], rcond=None)[0]
        best = 0.5 * np.sum((NUMBERS[:T] - X[:T] @ fitted) ** 2)
        ours = 0.5 * np.sum((NUMBERS[:T] - margins[:T]) ** 2)
        assert value <= ours - best + 1e-9
        assert value == pytest.approx(ours - best, rel=0.05, abs=0.05)
    assert learner.regret(stream=[(sp.csr_array(X), NUMBERS)]).value == pytest.approx(found.value)


def test_growth_and_words():
    rounds = tuple(2**k for k in range(12))
    grown = Regret(rounds, tuple(3.0 * t + t**0.5 for t in rounds), tuple(3.0 * t for t in rounds))
    assert grown.slope == pytest.approx(0.5)
    assert "it would have won; its regret grew like T^0.50" in grown.words
    beaten = Regret(rounds, tuple(2.0 * t for t in rounds), tuple(3.0 * t for t in rounds))
    assert beaten.value == -2048.0
    assert np.isnan(beaten.slope)
    assert "no fixed model would have done better" in str(beaten)


def test_regret_needs_one_loss_and_rows():
    with pytest.raises(ValueError, match="no loss of its own"):
        learners.hedge([learners.perceptron(certify=True), learners.arow()]).regret()
    with pytest.raises(ValueError, match="nothing yet"):
        learners.perceptron(certify=True).regret()

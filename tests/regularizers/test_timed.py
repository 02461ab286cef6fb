"""√t·g and t·F beyond ‖·‖₂²: compiled as in NumPy, with the bounds of Corollary 1 as certificates."""

import numpy as np
import pytest

from fenchel import Learner, MirrorDescent, learners, losses, rules
from fenchel.certificates import agrees
from fenchel.regularizers import Entropic, Euclidean, FullAdaGrad, PNorm, Timed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = np.where(X @ [1.0, -1.0, 0.0, 0.5] + 0.3 * RNG.normal(size=60) > 0.0, 1.0, -1.0)
INNER = {
    "p-norm": PNorm(p=4.0),
    "round": Euclidean(),
    "simplex": Entropic(total=2.0),
    "signed simplex": Entropic(total=2.0, signed=True),
}
EQUATION = {0.5: "eq. (tuned-bound)", 1.0: "eq. (log-bound)"}


@pytest.mark.parametrize("power", EQUATION)
@pytest.mark.parametrize("name", INNER)
def test_compiled_as_in_numpy_and_certified(name, power):
    f, eta = Timed(INNER[name], power), 1.0 if power == 1.0 else 0.3
    parts = losses.Hinge(), f, rules.Subgradient(eta=eta)
    learner = Learner.of(*parts, certify=True, intercept=False, classes=[-1.0, 1.0])
    margins = learner.learn_many(X, Y)
    descent = MirrorDescent(f, 4)
    for x, y, m in zip(X, Y, margins, strict=True):
        assert descent.predict() @ x == pytest.approx(m, abs=1e-12)
        descent.update(eta * y * x if y * m < 1.0 else 0.0 * x)
    found = {c.equation: c for c in learner.certificates(np.full(4, 0.25))}
    assert EQUATION[power] in found
    for c in found.values():
        assert not c.applies or c.holds, str(c)
        assert agrees(c, learner.verify(c)), str(c)


def test_for_a_round_g_it_is_the_composite_of_old():
    new = Learner.of(losses.Hinge(), Timed(PNorm(p=2.0)), rules.Subgradient(0.5), intercept=False)
    plain = learners.gradient_descent(0.5, intercept=False)
    np.testing.assert_allclose(new.learn_many(X, Y), plain.learn_many(X, Y), atol=1e-12)


def test_full_matrix_adagrad_has_its_published_bound():
    """Regret ≤ ½·uᵀH·u/η + η·tr √(Σ ℓ′ℓ′ᵀ) where δ ≥ max ‖ℓ′‖ (Duchi et al., 2011, Theorem 7)."""
    eta, u = 0.5, np.array([1.0, -1.0, 0.0, 0.5])
    delta = float(np.sqrt((X**2).sum(axis=1).max()))
    descent, regret = MirrorDescent(FullAdaGrad(eta=eta, delta=delta), 4), 0.0
    for x, y in zip(X, Y, strict=True):
        m = y * float(descent.predict() @ x)
        regret += max(0.0, 1.0 - m) - max(0.0, 1.0 - y * float(u @ x))
        descent.update(eta * y * x if m < 1.0 else 0.0 * x)
    f, lemma = descent.previous, descent.certificate(u)
    assert lemma.holds
    assert regret <= lemma.bound / eta + 1e-9
    trace = float(np.trace(f.matrix - delta * np.eye(4)))
    assert lemma.bound / eta <= f.value(u) / eta + eta * trace + 1e-9

"""Mistakes that a programmer could make, each caught by a certificate; the list is printed."""

import numpy as np
import pytest
import scipy.sparse as sp

from certificates.certified import run_of
from fenchel import learners, losses, regularizers, rules
from fenchel.certificates import agrees
from fenchel.certificates.replay import Replay
from fenchel.certificates.theorems import (
    corollary_1,
    hinge_bounds,
    matrix_bounds,
    square_loss,
    theorem_1,
)
from fenchel.report.claims.errata import adversarial
from fenchel.report.claims.printed import PrintedPNorm, Slope

HINGE = losses.Hinge()


class StaleScale(regularizers.ScaleInvariantAdaGrad):
    """b_{t−1} in place of b_t: x_t counts one round late."""

    def observe(self, x):
        return self._replace(dimension=np.append(self.dimension[:1], np.abs(x)))

    def commit(self, current, z):
        seen = np.maximum(current.largest, current.dimension[1:])
        return super().commit(current._replace(largest=seen, dimension=current.dimension[:1]), z)


def flipped_sign_of_the_residual():
    rng = np.random.default_rng(0)
    X, u = rng.normal(size=(15, 2)), np.array([1.0, -2.0])
    parts = (
        losses.Squared(),
        regularizers.MaxNormScaled(regularizers.PNorm()),
        rules.Residual(eta=-1.0),
    )
    return square_loss.filtering_bound(run_of(parts, X, X @ u, u))


def flipped_sign_of_the_step():
    parts = (HINGE, regularizers.Euclidean(), rules.Conservative(eta=-1.0))
    return hinge_bounds.mistake_bound(run_of(parts, np.ones((9, 1)), np.ones(9), [1.0]))


def factor_too_many_in_update1():
    X, y, u = np.ones((200, 200)), -np.ones(200), np.eye(200)[0] * 2.76
    run = run_of((Slope(), PrintedPNorm(), rules.Subgradient()), X, y, u)
    return theorem_1.p_norm_bound(run)


def dropped_factor_in_the_step():
    f = regularizers.Composite(l2=1.0, root=0.0)
    parts = (Slope(), f, rules.Subgradient(eta=0.05))
    return corollary_1.log_bound(run_of(parts, np.ones((200, 1)), -np.ones(200), [1.0]))


def stale_b():
    x = 10.0 ** np.arange(6.0)
    run = Replay((Slope(), StaleScale().begin(1), rules.Subgradient()), 1, np.zeros(1))
    for t, value in enumerate(x):
        seen = np.array([value])
        run.descent.observe(seen)
        w = run.descent.predict()
        run.learn(seen, 1.0 if (w @ seen > 0.0 or t == 0) else -1.0, 1.0)
    return theorem_1.adagrad_bound(run.finish())


def matrix_updated_on_every_round():
    f = regularizers.FullQuadratic(always=True)
    rows = adversarial(f, np.array([[1.0, 1.0]] + [[1.0, 0.0]] * 4000), 60)
    y = np.ones(len(rows))
    return matrix_bounds.determinant_bound(
        run_of((HINGE, f, rules.Conservative()), rows, y, [1.0, 0.0])
    )


MUTATIONS = (
    flipped_sign_of_the_residual,
    flipped_sign_of_the_step,
    factor_too_many_in_update1,
    dropped_factor_in_the_step,
    stale_b,
    matrix_updated_on_every_round,
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.__name__)
def test_a_certificate_catches_the_mutation(mutation):
    certificate = mutation()
    name = mutation.__name__.replace("_", " ")
    print(
        f"{name}: caught by {certificate.theorem}, {certificate.equation}: "
        f"{certificate.achieved:.4g} > {certificate.bound:.4g}"
    )
    assert not certificate.holds


@pytest.mark.parametrize(
    ("build", "sums"),
    [
        (learners.perceptron, ("pairs", "mistakes", "size", "etas")),
        # Of a quadratic f the steps are not asked for: they telescope with the residue.
        (learners.p_norm_perceptron, ("steps", "pairs", "mistakes")),
    ],
)
def test_verification_catches_a_wrong_ledger(build, sums):
    """A sum of the compiled run that is off shows against the recomputed certificate."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3))
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    learner = build(certify=True, intercept=False)
    learner.learn_many(sp.csr_array(X), y)
    honest = learner.certificates(np.ones(3))
    for name in sums:
        liar = learner.copy()
        getattr(liar.engine.parts.ledger, name)[0] *= 0.9
        try:
            told = liar.certificates(np.ones(3))
        except ValueError:
            continue  # the stream does not fit the ledger
        checked = [liar.verify(c) for c in told]
        assert not all(agrees(a, b) for a, b in zip(told, checked, strict=True)), name
    assert all(agrees(c, learner.verify(c)) for c in honest)

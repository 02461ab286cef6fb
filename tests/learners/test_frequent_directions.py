"""The online Newton step by frequent directions: the textbook's, with a bound that says something."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel import learners
from fenchel.learners import Learner


def stream(seed, rows=300, columns=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.5)
    return X, np.sign(X @ rng.normal(size=columns) + rng.normal(size=rows))


def sketched(eta=2.0, rank=6, a=1.0, **options):
    options = {"intercept": False, **options}
    return learners.sketched_newton(eta, rank=rank, a=a, sketch="frequent_directions", **options)


def textbook(X, y, eta, rank, a):
    """Margins, Δ and the largest moment beyond each rank, by eigenvalues of the whole matrix."""
    d = X.shape[1]
    S, whole, theta, count, tail, margins = (
        np.zeros((d, d)),
        np.zeros((d, d)),
        np.zeros(d),
        0,
        0.0,
        [],
    )
    for x, label in zip(X, y, strict=True):
        w = np.linalg.solve(S + (a + tail) * np.eye(d), theta)
        margins.append(w @ x)
        g = -label / (1.0 + np.exp(label * margins[-1])) * x
        if not g.any():
            continue
        theta, S, count = theta + (g @ w - eta) * g, S + np.outer(g, g), count + 1
        whole += np.outer(g, g)
        if count == rank:
            count //= 2
            values, vectors = np.linalg.eigh(S)
            delta = max(values[-1 - count], 0.0) if count < d else 0.0
            S, tail = (vectors * np.maximum(values - delta, 0.0)) @ vectors.T, tail + delta
    return np.array(margins), tail, whole


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    rank=st.integers(2, 14),
    columns=st.integers(1, 12),
    eta=st.floats(0.1, 20.0),
    a=st.floats(0.1, 10.0),
)
def test_it_is_the_textbook(seed, rank, columns, eta, a):
    X, y = stream(seed, 120, columns)
    learner = sketched(eta, rank, a)
    margins, tail, whole = textbook(X, y, eta, rank, a)
    np.testing.assert_allclose(learner.learn_many(sp.csr_matrix(X), y), margins, atol=1e-8)
    f = learner.engine.regularizer
    np.testing.assert_allclose(f.tail[0], tail, rtol=1e-9, atol=1e-9)
    # the sketch is below the whole matrix, by Δ at most, and Δ is what lies beyond its half
    left = whole - f.basis[1 : columns + 1] @ f.basis[1 : columns + 1].T
    assert np.linalg.eigvalsh(left).min() >= -1e-9
    assert np.linalg.eigvalsh(left).max() <= tail + 1e-9
    moments = np.sort(np.linalg.eigvalsh(whole))[::-1]
    half = rank // 2
    for k in range(half + 1):
        assert tail * (half + 1 - k) <= moments[k:].sum() + 1e-9


def test_a_sketch_of_every_gradient_is_the_online_newton_step():
    X, y = stream(1, 60, 3)
    newton = learners.online_newton_step(2.0, a=1.5, loss="logistic", intercept=False)
    ours = sketched(rank=80, a=1.5).learn_many(X, y)
    np.testing.assert_allclose(ours, newton.learn_many(X, y), atol=1e-10)


@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge"])
@pytest.mark.parametrize("seed", range(4))
def test_its_bounds_hold_for_every_u_and_are_recomputed(seed, loss):
    X, y = stream(seed, 200, 8)
    learner = sketched(eta=4.0, rank=5, loss=loss, certify=True, intercept=seed % 2 == 0)
    importance = np.random.default_rng(seed).integers(0, 3, size=len(y)).astype(float)
    learner.learn_many(X, y, importance)
    for u in (None, np.zeros(8), np.random.default_rng(seed).normal(size=8)):
        found = learner.certificates(u)
        assert [c.equation for c in found] == ["sum", "log-determinant"]
        for certificate in found:
            assert certificate.holds, str(certificate)
            again = learner.verify(certificate)
            np.testing.assert_allclose(again.bound, certificate.bound, rtol=1e-7)
            np.testing.assert_allclose(again.achieved, certificate.achieved, rtol=1e-7)
        assert found[0].bound <= found[1].bound * (1.0 + 1e-12)


def test_its_bound_says_something():
    X, y = stream(0, 2000, 30)
    learner = sketched(eta=4.0, rank=20, certify=True)
    learner.learn_many(X / np.sqrt(30.0), y)
    certificate = learner.certificate()
    assert 0.0 < certificate.achieved <= certificate.bound < 10.0 * certificate.achieved


def test_a_gradient_that_cannot_be_squared_leaves_no_bound():
    learner = sketched(certify=True)
    learner.learn_many([[1.0], [1e150], [1.0]], [1.0, -1.0, 1.0])
    assert np.isfinite(learner.weights()).all()
    assert all(np.isinf(certificate.bound) for certificate in learner.certificates()[:1])


def test_a_saved_sketch_goes_on_bit_for_bit(tmp_path):
    X, y = stream(2)
    whole, half = sketched(), sketched()
    half.learn_many(X[:101], y[:101])
    half.save(tmp_path / "m.fenchel")
    again = Learner.load(tmp_path / "m.fenchel")
    again.learn_many(X[101:], y[101:])
    whole.learn_many(X, y)
    assert again.weights().tobytes() == whole.weights().tobytes()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rank": 1}, "from 2 to 100"),
        ({"rank": 2.5}, "whole number"),
        ({"sketch": "any"}, "oja or"),
    ],
)
def test_what_is_no_sketch_is_refused(options, says):
    with pytest.raises(ValueError, match=says):
        learners.sketched_newton(**{"sketch": "frequent_directions", **options})

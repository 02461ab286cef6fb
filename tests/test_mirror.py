"""Algorithm 1 in plain NumPy: the protocol, its domains, matrices, and the inequality of Lemma 1."""

import numpy as np
import pytest

from fenchel import MirrorDescent
from fenchel import regularizers as r

D, ROUNDS = 5, 30
DOMAINS = [r.Ball(0.7), r.Box(-0.4, 0.9), r.Orthant(), r.Simplex(1.5)]
VECTORS = [
    r.Euclidean(),
    *(r.Euclidean(domain) for domain in DOMAINS),
    r.PNorm(p=2.0),
    r.PNorm(p=3.3, c=0.7),
    r.WeightedPNorm(a=np.array([0.1, 1.0, 10.0, 3.0, 0.5]), p=4.0),
    r.Composite(),
    r.Composite(eta=0.5, l1=0.1, l2=0.3),
    r.Composite(l1=0.05, l2=0.4, root=0.0),
    r.Composite(eta=0.5, l2=0.1, domain=r.Ball(0.7)),
    r.DiagonalQuadratic(a=0.5, always=True),
    r.FullQuadratic(a=0.5, r=2.0, always=True),
    r.AdaGrad(eta=0.7, delta=0.1, l1=0.05),
    r.MaxNormScaled(r.PNorm(p=3.0, c=2.0)),
    r.ScaleInvariantAdaGrad(),
    r.ScaleInvariantPNorm(),
    r.Entropic(total=2.0),
    r.Entropic(total=2.0, signed=True),
]
MATRICES = [r.Schatten(p=2.0), r.Schatten(p=5.0), r.GroupComposite(eta=0.5, strength=0.2)]


def comparator(f, rng, shape):
    """A point of the regularizer's domain."""
    if isinstance(f, r.Entropic):
        u = rng.dirichlet(np.ones(2 * D if f.signed else D)) * f.total * 0.999
        return u[:D] - u[D:] if f.signed else u / u.sum() * f.total
    domain = getattr(f, "domain", r.Whole())
    return np.asarray(domain.project(rng.normal(size=shape)))


def named(part):
    return type(part).__name__


@pytest.mark.parametrize("f", [*VECTORS, *MATRICES], ids=named)
def test_the_inequality_of_lemma_1_holds_for_any_z(f):
    """Σ⟨z_t, u − w_t⟩ ≤ f_T(u) + Σ (‖z_t‖²_*/(2β_t) + f_t*(θ_t) − f_{t−1}*(θ_t)), f_0*(0) = 0."""
    shape = (3, D) if isinstance(f, (r.Schatten, r.GroupComposite)) else D
    for seed in range(20):
        rng = np.random.default_rng(seed)
        units = 10.0 ** rng.uniform(-2.0, 2.0, size=D)
        descent = MirrorDescent(f, shape)
        left = right = before = 0.0
        steps = []
        for _ in range(ROUNDS):
            x = rng.normal(size=D) * units * (rng.random(D) < 0.7)
            descent.observe(x)
            w, f_t, theta = descent.predict(), descent.regularizer, descent.theta
            right += f_t.conjugate(theta) - before
            z = rng.uniform(-1.0, 1.0) * x if isinstance(shape, int) else rng.normal(size=shape)
            right += f_t.dual_norm(z) ** 2 / (2.0 * f_t.strong_convexity) if z.any() else 0.0
            left -= np.vdot(z, w)
            steps.append(z)
            descent.update(z)
            before = f_t.conjugate(descent.theta)
        u = comparator(f, rng, shape)
        if hasattr(f_t, "largest"):
            u = u / np.maximum(f_t.largest, 1e-300)  # of the size that the features call for
        left += np.vdot(sum(steps), u)
        assert left <= (right + f_t.value(u)) * (1.0 + 1e-9) + 1e-9


@pytest.mark.parametrize("domain", DOMAINS, ids=named)
def test_every_prediction_lies_in_the_domain(domain):
    rng = np.random.default_rng(0)
    for f in (r.Euclidean(domain), r.Composite(domain=domain)):
        descent = MirrorDescent(f, D)
        for _ in range(ROUNDS):
            descent.observe(np.zeros(D))
            w = descent.predict()
            np.testing.assert_allclose(domain.project(w), w, atol=1e-12)
            descent.update(rng.normal(size=D) * 3.0)


def test_theta_is_the_sum_of_all_z():
    rng = np.random.default_rng(1)
    descent = MirrorDescent(r.PNorm(p=3.0), D)
    steps = rng.normal(size=(ROUNDS, D))
    for z in steps:
        np.testing.assert_array_equal(descent.predict(), descent.predict())
        descent.update(z)
    np.testing.assert_allclose(descent.theta, steps.sum(axis=0), atol=1e-12)


class Recorder:
    """A regularizer whose gradient tells how often it has observed and committed."""

    def __init__(self, log=(), observed=0):
        self.log, self.observed = list(log), observed

    def observe(self, x):
        return Recorder(self.log, self.observed + int(x[0]))

    def commit(self, current, z):
        kept = current if z[0] > 0.0 else self
        return Recorder([*self.log, (self.observed, current.observed)], kept.observed)

    def gradient(self, theta):
        return theta + self.observed


def test_x_is_seen_before_the_prediction_and_commit_decides_what_stays():
    descent = MirrorDescent(Recorder(), 1)
    descent.observe([5.0])
    assert descent.predict() == 5.0
    descent.update([0.0])  # refused: f_1 is forgotten
    descent.observe([2.0])
    assert descent.predict() == 2.0
    descent.update([1.0])  # kept
    descent.observe([3.0])
    assert descent.predict() == 1.0 + 5.0
    assert descent.regularizer.log == [(0, 5), (0, 2)]


def test_observing_again_replaces_the_x_of_the_round():
    descent = MirrorDescent(Recorder(), 1)
    descent.observe([5.0])
    descent.observe([2.0])
    assert descent.predict() == 2.0


def test_without_commit_f_t_stays():
    descent = MirrorDescent(r.MaxNormScaled(r.PNorm(p=2.0)), 1)
    descent.observe([2.0])
    descent.update([8.0])
    descent.observe([1.0])
    assert descent.predict() == 8.0 / 2.0**2


def test_a_regularizer_may_serve_many_descents():
    f = r.DiagonalQuadratic(always=True)
    first, second = MirrorDescent(f, 2), MirrorDescent(f, 3)
    first.observe([1.0, 2.0])
    first.update([1.0, 1.0])
    second.observe([0.0, 0.0, 0.0])
    second.update([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(second.predict(), [1.0, 2.0, 3.0])
    assert f.squares.size == 0


def test_what_was_given_is_copied():
    descent = MirrorDescent(r.Euclidean(), 2)
    z = np.array([1.0, 2.0])
    descent.update(z)
    z[:] = 9.0
    w = descent.predict()
    w[:] = 7.0
    np.testing.assert_array_equal(descent.theta, [1.0, 2.0])


def test_matrices_have_the_inner_product_of_their_entries():
    descent = MirrorDescent(r.Schatten(p=2.0), (2, 3))
    z = np.arange(6.0).reshape(2, 3)
    descent.update(z)
    np.testing.assert_allclose(descent.predict(), z, atol=1e-12)


@pytest.mark.parametrize("z", [[1.0], 1.0, [[1.0, 2.0]], [1.0, 2.0, 3.0]])
def test_a_step_of_another_shape_is_refused(z):
    descent = MirrorDescent(r.Euclidean(), 2)
    with pytest.raises(ValueError, match="give one number for each coordinate"):
        descent.update(z)
    np.testing.assert_array_equal(descent.theta, [0.0, 0.0])


# ── certificates ────────────────────────────────────────────────────────────────────────────────


class Kept(list):
    """(f_t, θ_t, z_t) of every round: Lemma 1 with nothing left out."""

    def sides(self, last, u):
        right, before, theta = last.value(u), None, 0.0
        for f, theta, z in self:
            right += f.dual_norm(z) ** 2 / (2.0 * f.strong_convexity) if z.any() else 0.0
            right += f.conjugate(theta) - (before.conjugate(theta) if before is not None else 0.0)
            before = f
        end = self[-1][1] + self[-1][2]
        right += last.conjugate(end) - before.conjugate(end)
        return sum(np.vdot(z, u - f.gradient(theta)) for f, theta, z in self), right


def heavy_run(f, shape, rng, kept):
    """Random z_t: heavy tails, rounds without a step, repeated rows."""
    descent = MirrorDescent(f, shape)
    for _ in range(ROUNDS):
        x = rng.standard_t(1.5, size=D) * (rng.random(D) < 0.7)
        descent.observe(x)
        z = rng.uniform(-1.0, 1.0) * x if isinstance(shape, int) else rng.normal(size=shape)
        z = z * (rng.random() < 0.8)
        if z.any():
            kept.append((descent.regularizer, descent.theta, z))
        descent.update(z)
    return descent


@pytest.mark.parametrize("f", [*VECTORS, *MATRICES], ids=named)
def test_a_certificate_has_both_sides_of_lemma_1(f, record_property):
    shape = (3, D) if isinstance(f, (r.Schatten, r.GroupComposite)) else D
    for seed in range(10):
        rng, kept = np.random.default_rng([seed, 1]), Kept()
        descent = heavy_run(f, shape, rng, kept)
        u = comparator(f, rng, shape)
        told = descent.certificate(u)
        left, right = kept.sides(descent.previous, u)
        assert told.holds
        assert told.slack == told.bound - told.achieved
        np.testing.assert_allclose((told.achieved, told.bound), (left, right), rtol=1e-8, atol=1e-8)
        record_property("certificates of MirrorDescent", 1)


@pytest.mark.parametrize("f", [r.Euclidean(), r.FullQuadratic(), r.Schatten(p=2.0)], ids=named)
def test_a_certificate_is_tight_where_f_is_quadratic(f):
    shape = (3, D) if isinstance(f, r.Schatten) else D
    descent = heavy_run(f, shape, np.random.default_rng(0), [])
    best = descent.previous.gradient(descent.theta)
    told = descent.certificate(best)
    assert told.bound == pytest.approx(told.achieved, rel=1e-9)
    away = descent.certificate(best + 0.1)
    assert away.slack == pytest.approx(descent.previous.value(np.full(shape, 0.1)), rel=1e-6)


def test_a_wrong_step_has_no_certificate_that_holds():
    """A regularizer that claims more curvature than it has, on steps that show it."""

    class Overdeclared(r.Euclidean):
        strong_convexity = 2.0

    descent = MirrorDescent(Overdeclared(), 1)
    descent.update([1.0])
    assert not descent.certificate([1.0]).holds


def test_what_lacks_a_formula_is_refused_by_its_name():
    class Bare:
        def gradient(self, theta):
            return theta

    descent = MirrorDescent(Bare(), 2)
    descent.update([1.0, 2.0])
    with pytest.raises(ValueError, match=r"needs conjugate, value, .*dual_norm of Bare"):
        descent.certificate([0.0, 0.0])
    with pytest.raises(ValueError, match=r"u has shape \(3,\)"):
        MirrorDescent(r.Euclidean(), 2).certificate(np.zeros(3))


def test_u_outside_the_domain_is_promised_nothing():
    descent = MirrorDescent(r.Euclidean(r.Ball(1.0)), 2)
    assert descent.certificate([0.0, 0.5]) == (0.0, 0.125, 0.125, True)  # f_T(u), nothing learned
    descent.update([3.0, 4.0])
    assert descent.certificate([3.0, 4.0]).bound == np.inf
    assert descent.certificate([0.6, 0.8]).slack > 0.0

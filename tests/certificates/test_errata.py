"""The counterexamples of the errata, executed: what is printed fails, what is corrected holds."""

import numpy as np
import pytest

from certificates.certified import run_of
from certificates.printed import PlainEntropy, PrintedExponent, PrintedPNorm, Slope
from fenchel import MirrorDescent, losses, regularizers, rules
from fenchel.certificates import classification, general, scale_invariance, second_order, squares

HINGE = losses.Hinge()
TUNED = (HINGE, regularizers.PNorm(p=2.0), rules.TunedAggressive(beta=1.0))


def test_e01_the_printed_update_breaks_theorem_1():
    X, y = np.ones((200, 200)), -np.ones(200)
    u = np.zeros(200)
    u[0] = 200.0 / np.sqrt(np.e * 201.0 * (2.0 * np.log(200.0) - 1.0))
    printed = run_of((Slope(), PrintedPNorm(), rules.Subgradient()), X, y, u)
    c = scale_invariance.p_norm_bound(printed)
    assert (round(c.achieved, 1), round(c.bound, 1)) == (448.9, 348.6)
    assert c.applies
    assert not c.holds
    fixed = run_of((Slope(), regularizers.ScaleInvariantPNorm(), rules.Subgradient()), X, y, u)
    c = scale_invariance.p_norm_bound(fixed)
    assert c.holds
    assert round(c.achieved, 1) == -440.5


def test_e02_the_printed_exponent_breaks_theorem_1():
    X, y = np.ones((60, 2)), np.tile([1.0, -1.0], 30)
    run = run_of(
        (Slope(), regularizers.ScaleInvariantPNorm(), rules.Subgradient()), X, y, np.zeros(2)
    )
    c = scale_invariance.p_norm_bound(run)
    printed = np.sqrt(np.e * 61.0 * (2.0 * np.log(2.0) - 1.0))
    assert round(c.achieved, 2) == 9.40
    assert round(printed, 2) == 8.00
    assert c.holds
    assert round(c.bound, 2) == 12.88
    # With p = 2 ln 2 < 2 the algorithm itself fails, on one coordinate of the two.
    X[1:, 1] = 0.0
    run = run_of((Slope(), PrintedExponent(), rules.Subgradient()), X, y, np.zeros(2))
    c = scale_invariance.p_norm_bound(run)
    assert not c.holds
    assert round(c.bound, 2) == 8.00


def test_e03_the_printed_sign_breaks_the_filtering_bound():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 2))
    u = np.array([1.0, -2.0])
    y = X @ u + 0.3 * rng.normal(size=15)
    f = regularizers.Leveled(regularizers.PNorm(p=2.0))
    right = squares.filtering_bound(run_of((losses.Squared(), f, rules.Residual()), X, y, u))
    wrong = run_of((losses.Squared(), f, rules.Residual(eta=-1.0)), X, y, u)
    printed = squares.filtering_bound(wrong)
    assert right.applies
    assert right.holds
    assert not printed.holds
    assert not printed.applies


def test_e05_the_condition_is_on_the_product_not_its_square():
    C = 0.01
    f = regularizers.ScaleInvariantAdaGrad(eta=C / np.sqrt(2.0))
    rule = rules.Subgradient(eta=C / np.sqrt(2.0))
    for u, inside in ((0.1, False), (0.01, True)):
        c = scale_invariance.adagrad_box_bound(run_of((Slope(), f, rule), [[1.0]], [-1.0], [u]))
        assert u**2 <= C + 1e-15  # what the paper prints
        assert c.applies == inside
        assert c.holds == inside
        assert round(c.bound, 9) == 0.02
        assert c.achieved == u


def test_e07_beta_after_t_rounds():
    X, y = np.ones((10, 20)), np.tile([1.0, -1.0], 5)
    run = run_of(
        (Slope(), regularizers.ScaleInvariantPNorm(), rules.Subgradient()), X, y, np.zeros(20)
    )
    right = scale_invariance.p_norm_bound(run).bound
    printed = np.sqrt(run.f.beta**2 + np.e)  # e·L²·p_T in place of e·L²·(p_T − 1)
    assert (round(printed, 2), round(right, 3)) == (12.33, 12.217)
    np.testing.assert_allclose(run.f.beta, right)


def test_e12_the_logarithmic_bound_needs_eta_1():
    for eta, achieved, holds in ((3.0, 2.625, False), (1.0, 0.625, True)):
        parts = (Slope(), regularizers.Composite(l2=1.0, root=0.0), rules.Subgradient(eta=eta))
        run = run_of(parts, [[1.0], [1.0]], [1.0, -1.0], [0.0])
        s = run.sums
        s.gradient /= eta  # max‖ℓ′‖
        c = general.log_bound(run)
        assert c.achieved == achieved
        assert round(c.bound, 3) == 0.847
        assert c.holds == holds == c.applies


E13 = {
    "short": ([[10.0], [0.001]], [0.0], 0.0002),
    "almost equal norms": ([[1.0, 0.0], [0.04, 0.948]], [0.0, 0.0], 0.980),
    "a u that is right everywhere": ([[1.0]] + [[0.05]] * 12 + [[1.0]] * 100, [1.0], -6.66),
}


@pytest.mark.parametrize("name", E13)
def test_e13_corollary_2_as_printed_is_false(name):
    X, u, printed = E13[name]
    run = run_of(TUNED, X, np.ones(len(X)), u)
    wrong = classification.printed_closing_bound(run)
    assert wrong.applies
    assert wrong.achieved == 1.0
    assert wrong.bound == pytest.approx(printed, abs=6e-4 if printed > 0 else 6e-3)
    assert not wrong.holds
    assert wrong.verdict == "false in general, and here"
    assert classification.mistake_bound(run).holds
    assert classification.corrected_closing_bound(run).holds


def passive_aggressive_trap():
    """Ten times a noisy short example, then 14 clean long ones, each with a feature of its own."""
    X, y = np.zeros((150, 141)), np.ones(150)
    X[:, 0] = 1.0
    y[::15] = -1.0
    clean = np.flatnonzero(y > 0.0)
    X[clean, np.arange(1, 141)] = 4.0
    return X, y


def test_e14_passive_aggressive_needs_short_rows():
    # (b) ‖x‖ ≤ 1: η = 1 on mistakes, the bounds hold, but D > 0 where the paper's η_t has D = 0.
    X, y = [[0.5], [0.5]], [1.0, 1.0]
    pa = (HINGE, regularizers.Euclidean(), rules.PassiveAggressive())
    short, tuned = run_of(pa, X, y, [1.0]), run_of(TUNED, X, y, [1.0])
    assert short.sums.excess - short.sums.error_etas == pytest.approx(1.0)
    assert tuned.sums.excess - tuned.sums.error_etas == pytest.approx(0.0)
    assert classification.mistake_bound(short).applies
    assert classification.mistake_bound(short).holds
    # (a) longer rows: η < 1 on mistakes, Corollary 2 does not apply, the hinge lemma does.
    X, y = passive_aggressive_trap()
    run = run_of(pa, X, y, np.eye(141)[0])
    c = classification.mistake_bound(run)
    assert (c.achieved, round(c.bound, 1)) == (113.0, 46.1)
    assert not c.applies
    assert classification.hinge_lemma(run).holds
    perceptron = run_of(
        (HINGE, regularizers.Euclidean(), rules.Conservative()), X, y, np.eye(141)[0]
    )
    c = classification.corrected_closing_bound(perceptron)
    assert (c.achieved, round(c.bound, 1)) == (21.0, 55.4)
    assert c.holds


def test_e15_the_matrix_grows_on_updates_alone():
    X = [[1.0, 1.0]] + [[1.0, 0.0]] * 4000
    always = regularizers.FullQuadratic(r=1.0, always=True)
    kept = regularizers.FullQuadratic(r=1.0)
    found = {}
    for name, f in (("always", always), ("updates", kept)):
        rows, y = adversarial(f, X, 60)
        run = run_of((HINGE, f, rules.Conservative()), rows, y, [1.0, 0.0])
        assert run.sums.loss_u == 0.0
        found[name] = second_order.determinant_bound(run)
    assert not found["always"].holds
    assert found["always"].achieved >= 45.0
    assert found["updates"].holds


def adversarial(f, X, rounds):
    """X, then (1, ±2) with the sign that makes the conservative learner err where one does."""
    descent = MirrorDescent(f, 2)
    rows = []

    def wrong(x):
        descent.observe(x)
        return float(descent.predict() @ x) <= 0.0

    def learn(x):
        descent.observe(x)
        descent.update(x if descent.predict() @ x <= 0.0 else 0.0 * x)
        rows.append(x)

    for x in np.array(X):
        learn(x)
    for _ in range(rounds):
        for sign in (1.0, -1.0):
            x = np.array([1.0, 2.0 * sign])
            if wrong(x):
                learn(x)
                break
    return np.array(rows), np.ones(len(rows))


def test_e15_the_tentative_diagonal_counts():
    f = regularizers.DiagonalQuadratic().begin(2)
    theta, x = np.ones(2), np.array([-1.0, 3.0])
    assert f.gradient(theta) @ x == 2.0
    assert f.observe(x).gradient(theta) @ x == pytest.approx(-0.2)


def test_e15_two_u_presumes_eta_1():
    parts = (HINGE, regularizers.DiagonalQuadratic(r=10.0), rules.Aggressive(eta=0.1))
    run = run_of(parts, np.ones((33, 1)), np.ones(33), [1.0])
    c = second_order.diagonal_bound(run)
    assert c.achieved == 33.0
    assert round(c.bound, 1) == 18.4
    assert not c.holds
    assert not c.applies


def test_e16_an_entropy_below_zero():
    X, y = np.zeros((3, 4)), np.zeros(3)
    u = np.full(4, 0.25)
    bare = general.composite_bound(run_of((Slope(), PlainEntropy(), rules.Subgradient()), X, y, u))
    assert bare.bound == pytest.approx(-np.log(4.0))
    assert not bare.holds
    assert not bare.applies
    whole = general.composite_bound(
        run_of((Slope(), regularizers.Entropic(), rules.Subgradient()), X, y, u)
    )
    assert whole.holds
    assert whole.applies


def test_e19_s_depends_on_u():
    f = regularizers.DiagonalQuadratic(r=1e-4)
    run = run_of((HINGE, f, rules.Conservative()), [[1.0, 0.0]], [1.0], [1.0, 0.0])
    right, wrong = second_order.rare_feature_bound(run), second_order.rare_feature_bound(run, 1e-4)
    assert run.sums.mistakes == 1.0
    assert (round(wrong.bound, 3), round(right.bound, 2)) == (0.061, 5.96)
    assert right.holds
    assert not wrong.holds
    assert not wrong.applies

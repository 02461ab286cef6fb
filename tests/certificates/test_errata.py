"""The counterexamples of the errata, executed: what is printed fails, what is corrected holds."""

import numpy as np
import pytest

from fenchel import regularizers
from fenchel.certificates.theorems import hinge_bounds
from fenchel.report.claims import errata
from fenchel.report.claims.errata import run_of


def test_e01_the_printed_update_breaks_theorem_1():
    printed, right = errata.printed_update()
    assert (round(printed.achieved, 1), round(printed.bound, 1)) == (448.9, 348.6)
    assert printed.applies
    assert not printed.holds
    assert right.holds
    assert round(right.achieved, 1) == -440.5


def test_e02_the_printed_right_hand_side_is_too_small():
    printed, right = errata.printed_right_hand_side()
    assert round(right.achieved, 2) == 9.40
    assert round(printed.bound, 2) == 8.00
    assert not printed.holds
    assert right.holds
    assert round(right.bound, 2) == 12.88


def test_e02_the_printed_exponent_breaks_theorem_1():
    printed, right = errata.printed_exponent()
    assert not printed.holds
    assert round(printed.bound, 2) == 8.00
    assert right.holds


def test_e03_the_printed_sign_breaks_the_filtering_bound():
    printed, right = errata.printed_sign()
    assert right.applies
    assert right.holds
    assert not printed.holds
    assert not printed.applies


def test_e05_the_condition_is_on_the_product_not_its_square():
    pair = errata.printed_box()
    for c, u, inside in zip(pair, (0.1, 0.01), (False, True), strict=True):
        assert u**2 <= 0.01 + 1e-15  # what the paper prints, C = 0.01
        assert c.applies == inside
        assert c.holds == inside
        assert round(c.bound, 9) == 0.02
        assert c.achieved == u


def test_e07_beta_after_t_rounds():
    printed, right = errata.printed_beta()
    assert (round(printed.achieved, 2), round(right.bound, 3)) == (12.33, 12.217)
    assert not printed.holds
    np.testing.assert_allclose(right.achieved, right.bound)


def test_e12_the_logarithmic_bound_needs_eta_1():
    for c, achieved, holds in zip(
        errata.logarithmic_step(), (2.625, 0.625), (False, True), strict=True
    ):
        assert c.achieved == achieved
        assert round(c.bound, 3) == 0.847
        assert c.holds == holds == c.applies


PRINTED = dict(zip(errata.COROLLARY_2, (0.0002, 0.980, -6.66), strict=True))


@pytest.mark.parametrize("name", PRINTED)
def test_e13_corollary_2_as_printed_is_false(name):
    printed = PRINTED[name]
    wrong, corrected, bound = errata.corollary_2(name)
    assert wrong.applies
    assert wrong.achieved == 1.0
    assert wrong.bound == pytest.approx(printed, abs=6e-4 if printed > 0 else 6e-3)
    assert not wrong.holds
    assert wrong.verdict == "false in general, and here"
    assert bound.holds
    assert corrected.holds


def test_e14_passive_aggressive_needs_short_rows():
    # ‖x‖ ≤ 1: η = 1 on mistakes, the bounds hold, but D > 0 where the paper's η_t has D = 0.
    X, y = [[0.5], [0.5]], [1.0, 1.0]
    short, tuned = (run_of(parts, X, y, [1.0]) for parts in (errata.PA, errata.TUNED))
    assert short.sums.excess - short.sums.error_etas == pytest.approx(1.0)
    assert tuned.sums.excess - tuned.sums.error_etas == pytest.approx(0.0)
    assert hinge_bounds.mistake_bound(short).applies
    assert hinge_bounds.mistake_bound(short).holds
    # Longer rows: η < 1 on mistakes, Corollary 2 does not apply, the hinge lemma does.
    bound, lemma = errata.long_rows()
    assert (bound.achieved, round(bound.bound, 1)) == (113.0, 46.1)
    assert not bound.applies
    assert lemma.holds
    X, y = errata.passive_aggressive_rows()
    c = hinge_bounds.corrected_closing_bound(run_of(errata.PERCEPTRON, X, y, np.eye(141)[0]))
    assert (c.achieved, round(c.bound, 1)) == (21.0, 55.4)
    assert c.holds


def test_e15_the_matrix_grows_on_updates_alone():
    always, updates = errata.matrix_of_all_rounds()
    assert not always.holds
    assert always.achieved >= 45.0
    assert updates.holds


def test_e15_the_tentative_diagonal_counts():
    f = regularizers.DiagonalQuadratic().begin(2)
    theta, x = np.ones(2), np.array([-1.0, 3.0])
    assert f.gradient(theta) @ x == 2.0
    assert f.observe(x).gradient(theta) @ x == pytest.approx(-0.2)


def test_e15_two_u_presumes_eta_1():
    c, right = errata.step_of_arow()
    assert c.achieved == 33.0
    assert round(c.bound, 1) == 18.4
    assert not c.holds
    assert not c.applies
    assert right.applies
    assert right.holds


def test_e16_an_entropy_below_zero():
    bare, whole = errata.negative_entropy()
    assert bare.bound == pytest.approx(-np.log(4.0))
    assert not bare.holds
    assert not bare.applies
    assert whole.holds
    assert whole.applies


def test_e19_s_depends_on_u():
    wrong, right = errata.rarity_of_another_u()
    assert right.achieved == 1.0
    assert (round(wrong.bound, 3), round(right.bound, 2)) == (0.061, 5.96)
    assert right.holds
    assert not wrong.holds
    assert not wrong.applies

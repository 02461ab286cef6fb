"""``half_life``: the lazy sums against the oracle that multiplies every sum in every round."""

import numpy as np
import pytest
from fading_oracle import diagonal_arow, full_arow, matrix, steps
from scipy import sparse

from fenchel import learners
from fenchel.learners import from_specification


def stream(seed: int, classes: bool) -> tuple:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((400, 5)) * (rng.random((400, 5)) < 0.5)
    X[X.any(axis=1) == 0] = 1.0
    y = X @ rng.standard_normal(5) + 0.3 * rng.standard_normal(400)
    return X, np.where(y > 0.0, 1.0, -1.0) if classes else y, float(rng.uniform(2.0, 60.0))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ahead", [True, False])
def test_least_squares_that_forget(seed, ahead):
    X, y, half_life = stream(seed, classes=False)
    name = learners.vovk_azoury_warmuth if ahead else learners.recursive_least_squares
    found = name(a=0.7, half_life=half_life, intercept=False).learn_many(X, y)
    known = matrix(X, y, 2.0 ** (-1.0 / half_life), 0.7, ahead)
    np.testing.assert_allclose(found, known, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", ["mirror", "original"])
@pytest.mark.parametrize("diagonal", [True, False])
def test_arow_that_forgets(seed, form, diagonal):
    X, y, half_life = stream(seed, classes=True)
    made = learners.arow(0.8, diagonal, form, half_life=half_life, intercept=False)
    known = (diagonal_arow if diagonal else full_arow)(X, y, 2.0 ** (-1.0 / half_life), 0.8, form)
    np.testing.assert_allclose(made.learn_many(X, y), known, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("name", ["vovk_azoury_warmuth", "second_order_perceptron", "arow"])
def test_the_ridge_fades_with_the_full_matrix_and_stays_with_the_diagonal(name, diagonal):
    """One row of 1s, then rounds of another feature: what is told of the first after them."""
    learner = getattr(learners, name)(diagonal=diagonal, half_life=2.0, intercept=False)
    learner.learn_many([[1.0, 0.0]] + [[0.0, 1.0]] * 3, [1.0, -1.0, -1.0, -1.0])
    left = 0.5**2  # of the row, in the fourth round after it
    ridge = 1.0 if diagonal else 0.5**2.5  # it was there a round before
    assert learner.decision_many([[1.0, 0.0]])[0] == pytest.approx(left / (ridge + left + 1.0))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["lms", "normalized_lms", "p_norm_lms", "dual_averaging"])
def test_steps_that_fade(seed, kind):
    X, y, half_life = stream(seed, classes=False)
    eta, told = 0.05, {"half_life": half_life, "intercept": False}
    if kind == "p_norm_lms":
        eta = 1.0
    elif kind == "dual_averaging":
        told |= {"eta": eta, "l1": 0.01, "loss": "squared"}
    else:
        told["eta"] = eta
    found = getattr(learners, kind)(**told).learn_many(X, y)
    known = steps(X, y, 2.0 ** (-1.0 / half_life), kind, eta, l1=0.01)
    np.testing.assert_allclose(found, known, rtol=1e-6, atol=1e-9)


FORGETFUL = [
    "vovk_azoury_warmuth:half_life=3",
    "vovk_azoury_warmuth:half_life=3,diagonal=yes",
    "recursive_least_squares:half_life=3",
    "lms:half_life=3",
    "p_norm_lms:half_life=3",
    "gradient_descent:half_life=3,loss=squared",
    "arow:half_life=3",
    "arow:half_life=3,form=original",
    "arow:half_life=3,diagonal=no",
    "second_order_perceptron:half_life=3",
]


@pytest.mark.parametrize("text", FORGETFUL)
def test_long_runs_stay_finite_and_blocks_change_no_bit(text):
    whole, single = from_specification(text), from_specification(text)
    X, y, _ = stream(7, whole.task == "binary")
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)  # ω passes 2^200 twice
    margins = whole.learn_many(sparse.csr_matrix(X), y)
    ones = np.concatenate([single.learn_many(X[t : t + 1], y[t : t + 1]) for t in range(len(y))])
    assert np.isfinite(margins).all()
    np.testing.assert_allclose(ones, margins, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("text", FORGETFUL)
def test_reading_is_what_the_next_round_sees_and_importance_0_is_no_round(text):
    learner = from_specification(text)
    X, y, _ = stream(3, learner.task == "binary")
    for t in range(300):
        read = learner.decision_many(X[t : t + 1])
        assert learner.learn_many(X[t : t + 1], y[t : t + 1]) == read
        if t % 7 == 0:
            learner.learn_many(X[t : t + 1], y[t : t + 1], [0.0])


def test_a_moved_target_is_followed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 3))
    y = X @ [1.0, -2.0, 0.5]
    y[2000:] = X[2000:] @ [-1.0, 1.0, 2.0]
    errors = [
        np.mean((learners.vovk_azoury_warmuth(half_life=h).learn_many(X, y) - y)[3000:] ** 2)
        for h in (None, 100.0)
    ]
    assert errors[1] < 1e-2 * errors[0]


def test_what_forgets_refuses_what_speaks_of_all_rounds():
    for option in ("averaged", "certify"):
        with pytest.raises(ValueError, match=f"{option}=True does not go with half_life"):
            learners.arow(half_life=100.0, **{option: True})
    with pytest.raises(ValueError, match=r"half_life=0\.5 must be a number of rounds"):
        learners.arow(half_life=0.5)

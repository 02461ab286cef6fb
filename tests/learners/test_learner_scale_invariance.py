"""Units of the features: what does not depend on them, to the last digits, and what does."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import BY_ID, PLAIN
from learner_streams import assert_same_margins, stream
from textbook_basics import progressive
from textbook_relatives import ScaleInvariantPNorm

from fenchel import learners

SEEDS = range(30 if PLAIN else 10)
INVARIANT = [
    "scale_invariant_p_norm",
    "scale_invariant_adagrad",
    "coin_betting",
    "naive_bayes",
    "scinol",
    "scinol-first",
    "freegrad",
    "normalized_adaptive_gradient",
]


def margins_in_two_units(case, seed):
    rng = np.random.default_rng([seed, 150])
    kind = str(rng.choice(["dense", "sparse", "heavy-tailed"]))
    given = stream(rng, "binary", kind, columns=int(rng.integers(1, 30)))
    factors = 10.0 ** rng.uniform(-150.0, 150.0, size=given.X.shape[1])
    parameters = case.parameters(rng, 1.0, widely=False)
    return (
        case.learner(parameters).learn_many(block.csr, given.y)
        for block in (given, given._replace(X=given.X * factors))
    )


@pytest.mark.parametrize("name", INVARIANT)
def test_no_rescaling_of_features_changes_a_margin(name):
    for seed in SEEDS:
        found, rescaled = margins_in_two_units(BY_ID[name], seed)
        np.testing.assert_allclose(rescaled, found, rtol=1e-9, atol=1e-9 * np.abs(found).max())


@pytest.mark.parametrize("name", ["perceptron", "arow-diagonal"])
def test_others_depend_on_the_units(name):
    found, rescaled = margins_in_two_units(BY_ID[name], 0)
    assert not np.allclose(found, rescaled)


@pytest.mark.parametrize("jump", [1e1, 1e2, 1e4, 1e8])
@pytest.mark.parametrize("columns", [5, 20, 60])
def test_a_feature_that_outgrows_itself_leaves_the_others_their_digits(columns, jump):
    """The largest |θ_j|/b_j shrinks by the jump: what is left of Σ (|θ_j|/b_j)^p is the others'."""
    others = np.ones(columns)
    X = np.array([np.r_[0.0, 1e4 * others]] + [np.r_[1.0, others]] * 5 + [np.r_[jump, others]] * 3)
    y = np.r_[0.0, np.full(8, 100.0)]
    run = progressive(ScaleInvariantPNorm(columns + 1, eta=1.0, loss="absolute"), X, y)
    learner = learners.scale_invariant_p_norm(loss="absolute", intercept=False)
    assert_same_margins(learner.learn_many(sp.csr_array(X), y), run, y)

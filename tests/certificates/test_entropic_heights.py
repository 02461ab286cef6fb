"""Σ f_t*(θ_{t+1}) − f_t*(θ_t) of entropic learners, also where a step takes nearly all mass away."""

import numpy as np
import pytest

from fenchel import learners
from fenchel.certificates import agrees

RNG = np.random.default_rng(8)
RAW = RNG.normal(size=(60, 4)) * [300.0, 1.0, 0.02, 40.0]
LABELS = np.where(RAW[:, 0] + RNG.normal(size=60) > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("adaptive", [True, False])
def test_raw_features_leave_the_sums_of_lemma_1_right(signed, adaptive):
    learner = learners.exponentiated_gradient(
        eta=0.1, signed=signed, adaptive=adaptive, total=1.5, certify=True
    )
    learner.learn_many(RAW, LABELS)
    for c in learner.certificates(np.full(5, 0.3)):
        assert agrees(c, learner.verify(c), 1e-9), str(c)


def test_a_regularizer_that_stays_the_same_has_no_residue():
    learner = learners.winnow(certify=True, intercept=False)
    learner.learn_many(RAW, LABELS)
    arrays, f = learner.state_arrays(), learner.regularizer
    s = f.total * arrays["regularizer.theta"][1:]
    height = np.logaddexp.reduce(np.concatenate([s, -s])) - np.log(2.0 * len(s))
    assert arrays["ledger.climb"][0] == pytest.approx(height, rel=1e-12)

"""AROW that begins anew: the compiled one is the textbook's, and forgets where a stream jumps alone."""

import numpy as np
import pytest

from fenchel import Learner, learners, merge, regularizers
from kernel.kernel_relatives import RELATIVES


def jumping(rows=1200, seed=0, flips=True):
    """Two classes by a line; halfway the labels change sides."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 4))
    y = np.where(X @ [1.0, -2.0, 0.5, 1.0] + 0.3 * rng.standard_normal(rows) > 0.0, 1.0, -1.0)
    return X, np.where(np.arange(rows) >= rows // 2, -y, y) if flips else y


def textbook(X, y, r, original):
    """Margins, and whether all was forgotten after each round."""
    part = regularizers.RenewedMatrix(r=r, tentative=not original)
    twin, margins, anew = RELATIVES[type(part)](part, X.shape[1]), [], []
    for x, label in zip(X, y, strict=True):
        twin.see(x, 1.0)
        margins.append(float(twin.w @ x))
        loss = max(0.0, 1.0 - label * margins[-1])
        twin.learn((label / r if original else label) * (loss > 0.0))
        anew.append(twin.n == 0.0)
    return np.array(margins), np.flatnonzero(anew)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", ["mirror", "original"])
def test_margins_are_those_of_the_textbook(form, seed):
    X, y = jumping(seed=seed)
    r = float(np.random.default_rng(seed).choice([0.1, 1.0, 10.0]))
    margins, anew = textbook(X, y, r, form == "original")
    learner = learners.arow(r=r, diagonal=False, form=form, renew=True, intercept=False)
    np.testing.assert_allclose(learner.learn_many(X, y), margins, rtol=1e-8, atol=1e-8)
    assert len(anew) == 1
    assert 600 <= anew[0] < 640


def test_a_stream_that_stays_is_learned_as_ever():
    X, y = jumping(3000, flips=False)
    plain, renewed = (learners.arow(diagonal=False, renew=on) for on in (False, True))
    assert np.array_equal(plain.learn_many(X, y), renewed.learn_many(X, y))


def test_blocks_and_files_make_no_difference(tmp_path):
    X, y = jumping()
    whole = learners.arow(diagonal=False, renew=True)
    margins = whole.learn_many(X, y)
    single, found = learners.arow(diagonal=False, renew=True), []
    for t in range(0, len(y), 75):
        found.append(single.learn_many(X[t : t + 75], y[t : t + 75]))
        single.save(tmp_path / "m")
        single = Learner.load(tmp_path / "m")
    assert np.array_equal(margins, np.concatenate(found))


def test_merged_shards_that_began_anew_are_as_if_from_nothing():
    X, y = jumping()
    start = learners.arow(diagonal=False, renew=True)
    start.learn_many(X[:400], y[:400])
    shards = [start.copy() for _ in range(2)]
    for shard, part in zip(shards, (slice(400, 1100), slice(500, 1150)), strict=True):
        shard.learn_many(X[part], y[part])
    united = merge(shards, start=start)
    assert np.mean(united.decision_many(X[1150:]) * y[1150:] > 0.0) > 0.9


def test_needs_the_full_matrix_and_no_half_life():
    for given in ({}, {"diagonal": False, "half_life": 10.0}):
        with pytest.raises(ValueError, match="renew=True"):
            learners.arow(renew=True, **given)

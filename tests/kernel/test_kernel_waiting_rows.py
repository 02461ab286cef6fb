"""Rows that wait to be turned into a full matrix, from 64 columns on, are as good as turned in."""

import numpy as np
import pytest

from fenchel import Learner, learners, models
from fenchel.parts.state import MOST_WAITING
from kernel.kernel_streams import shifted
from properties.learner_kinds import fingerprint, labels_for

KINDS = {
    "arow": lambda: learners.arow(diagonal=False, certify=True, averaged=True),
    "vovk_azoury_warmuth": lambda: learners.vovk_azoury_warmuth(certify=True),
    "online_newton_step": learners.online_newton_step,
}
ROWS, COLUMNS, WIDE = 60, 6, 64
every_kind = pytest.mark.parametrize("kind", KINDS)


def stream(kind, seed=0):
    """Rows, some of them so large that they cannot wait, labels and importances."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS)) * (rng.random((ROWS, COLUMNS)) < 0.7)
    X[rng.random(ROWS) < 0.1] *= 1e5
    y = labels_for(KINDS[kind](), rng, ROWS)
    if y.dtype != float:
        y[:2] = ["x", "y"]
    return X, y, rng.choice([0.0, 0.5, 1.0, 3.0], size=ROWS)


def certificates(learner, first):
    """Both sides of each inequality, against one u."""
    if not learner.certifies:
        return []
    u = np.r_[np.zeros(first), np.linspace(-0.1, 0.2, COLUMNS)]
    return [[c.achieved, c.bound] for c in learner.certificates(u)]


@every_kind
@pytest.mark.parametrize("count", [3, MOST_WAITING, 25, ROWS])
def test_the_same_as_without_waiting(kind, count):
    X, y, importance = stream(kind)
    narrow, wide = KINDS[kind](), KINDS[kind]()
    given = y[:count], importance[:count]
    margins = narrow.learn_many(shifted(X[:count], 0), *given)
    found = wide.learn_many(shifted(X[:count], WIDE), *given)
    np.testing.assert_allclose(found, margins, rtol=1e-9, atol=1e-9)
    assert np.any(wide.regularizer.widest >= WIDE)
    assert not np.any(narrow.regularizer.waiting)
    for read in ("decision_many", "confidence_many"):
        expected = getattr(narrow, read)(shifted(X, 0))
        np.testing.assert_allclose(
            getattr(wide, read)(shifted(X, WIDE)), expected, rtol=1e-9, atol=1e-9
        )
    np.testing.assert_allclose(wide.weights()[WIDE:], narrow.weights(), rtol=1e-9, atol=1e-9)
    # A with the large rows has a condition of 10¹⁰: f_T*(θ) in NumPy keeps so many digits less.
    np.testing.assert_allclose(certificates(wide, WIDE), certificates(narrow, 0), rtol=1e-6)


@every_kind
def test_rows_do_wait(kind):
    X, y, importance = stream(kind)
    learner, counts = KINDS[kind](), set()
    for row, target, weight in zip(X, y, importance, strict=True):
        learner.learn_many(shifted(row[None], WIDE), [target], [weight])
        counts.add(int(learner.regularizer.waiting[0]))
    assert counts == set(range(MOST_WAITING))


@every_kind
def test_resuming_between_rows_that_wait(kind, tmp_path, record_property):
    X, y, importance = stream(kind)
    X = shifted(X, WIDE)
    whole, learner = KINDS[kind](), KINDS[kind]()
    expected = whole.learn_many(X, y, importance)
    for split in range(1, ROWS):
        row = slice(split - 1, split)
        learner.learn_many(X[row], y[row], importance[row])
        learner.save(tmp_path / "half")
        resumed = Learner.load(tmp_path / "half")
        margins = resumed.learn_many(X[split:], y[split:], importance[split:])
        assert margins.tobytes() == np.ascontiguousarray(expected[split:]).tobytes(), split
        assert fingerprint(resumed) == fingerprint(whole), split
    record_property("splits among waiting rows, bit for bit the same", ROWS - 1)


def test_room_for_more_columns_changes_no_bit():
    rng = np.random.default_rng(1)
    X = shifted(np.tril(rng.normal(size=(150, 200)), 50), 0)  # a new column in each row
    y = rng.normal(size=150)
    whole, single = (learners.vovk_azoury_warmuth() for _ in range(2))
    expected = whole.learn_many(X, y)
    margins = [single.learn_many(X[t : t + 1, : t + 51], y[t : t + 1])[0] for t in range(len(y))]
    np.testing.assert_array_equal(margins, expected)
    assert fingerprint(single) == fingerprint(whole)


def test_files_from_before_rows_waited(tmp_path):
    X, y, importance = stream("vovk_azoury_warmuth")
    learner = learners.vovk_azoury_warmuth()
    learner.learn_many(X, y, importance)  # too few columns to wait
    learner.save(tmp_path / "new")
    arrays, metadata = models.read(tmp_path / "new")
    kept = {
        name: array
        for name, array in arrays.items()
        if name.rpartition(".")[2] not in ("widest", "waiting", "rows", "turns")
    }
    assert len(kept) == len(arrays) - 4
    models.write(tmp_path / "old", kept, metadata)
    old = Learner.load(tmp_path / "old")
    assert old.decision_many(X).tobytes() == learner.decision_many(X).tobytes()
    assert old.learn_many(X, y).tobytes() == learner.learn_many(X, y).tobytes()


@pytest.mark.parametrize("count", [MOST_WAITING, 1e18, -1.0, np.nan, np.inf])
def test_a_file_that_tells_nonsense_of_waiting_rows(count):
    X, y, importance = stream("vovk_azoury_warmuth")
    learner = learners.vovk_azoury_warmuth()
    learner.learn_many(shifted(X, WIDE), y, importance)
    learner.regularizer.waiting[0] = count
    assert np.all(np.isfinite(learner.learn_many(shifted(X, WIDE), y)))

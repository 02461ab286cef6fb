"""Classes and outputs that share one full matrix."""

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel._numba import blas

pytestmark = pytest.mark.skipif(
    not blas.are_available(), reason="BLAS is called in the fast way alone"
)


def stream(rows=200, columns=40, classes=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, (X @ rng.normal(size=(columns, classes))).argmax(axis=1)


def ridge(**options):
    return learners.vovk_azoury_warmuth(task="binary", **options)


def test_ridge_classification_is_one_forecaster_for_each_class():
    X, y = stream()
    shared = learners.one_against_rest(ridge(), range(4), shared=True)
    alone = learners.one_against_rest(ridge(), range(4))
    np.testing.assert_allclose(shared.learn_many(X, y), alone.learn_many(X, y), atol=1e-10)
    np.testing.assert_allclose(shared.decision_many(X), alone.decision_many(X), atol=1e-10)
    np.testing.assert_allclose(shared.all_weights(), alone.all_weights(), atol=1e-10)


def test_several_outputs_share_a_matrix():
    X, _ = stream()
    Y = X[:, :3] + 1.0
    shared = learners.multi_output(learners.vovk_azoury_warmuth(), shared=True)
    alone = learners.multi_output(learners.vovk_azoury_warmuth())
    np.testing.assert_allclose(shared.learn_many(X, Y), alone.learn_many(X, Y), atol=1e-10)


def test_arow_with_a_shared_matrix_steps_where_a_class_errs():
    """Against the formulas in NumPy: A grows by x·xᵀ/r where at least one class has a loss."""
    X, y = stream(60, 10, 3)
    learner = learners.one_against_rest(
        learners.arow(diagonal=False, intercept=False), range(3), shared=True
    )
    found = learner.learn_many(X, y)
    A, theta = np.eye(10), np.zeros((3, 10))
    for x, label, margins in zip(X, y, found, strict=True):
        tentative = A + np.outer(x, x)
        expected = theta @ np.linalg.solve(tentative, x)
        np.testing.assert_allclose(margins, expected, atol=1e-10)
        signs = np.where(np.arange(3) == label, 1.0, -1.0)
        steps = np.where(1.0 - signs * expected > 0.0, signs, 0.0)
        theta += steps[:, None] * x
        A = tentative if steps.any() else A


def test_classes_appear_later_and_blocks_may_be_cut_anywhere():
    X, y = stream()
    whole = learners.one_against_rest(learners.arow(diagonal=False), shared=True)
    cut = learners.one_against_rest(learners.arow(diagonal=False), shared=True)
    margins = whole.learn_many(X, np.where(y == 3, "late", "early"))
    for t in range(0, 200, 7):
        cut.learn_many(X[t : t + 7], np.where(y == 3, "late", "early")[t : t + 7])
    assert np.isneginf(margins[0]).all()
    assert np.isfinite(margins[-1]).all()
    np.testing.assert_allclose(whole.all_weights(), cut.all_weights(), atol=1e-10)


def test_a_model_file_and_a_copy_go_on_as_it_would(tmp_path):
    X, y = stream()
    learner = learners.one_against_rest(learners.arow(diagonal=False), shared=True)
    learner.learn_many(X[:100], y[:100])
    learner.save(tmp_path / "model")
    loaded, copied = Learner.load(tmp_path / "model"), learner.copy()
    expected = learner.learn_many(X[100:], y[100:])
    assert loaded.learn_many(X[100:], y[100:]).tobytes() == expected.tobytes()
    assert copied.learn_many(X[100:], y[100:]).tobytes() == expected.tobytes()


def test_a_diagonal_matrix_has_nothing_to_share():
    with pytest.raises(ValueError, match="shared=True needs a full matrix"):
        learners.one_against_rest(learners.arow(), shared=True)


def test_the_specification_builds_it_again():
    text = learners.one_against_rest(learners.arow(diagonal=False), shared=True).specification
    assert text == "one_against_rest:shared=yes,learner=arow:diagonal=no"
    assert learners.from_specification(text).specification == text

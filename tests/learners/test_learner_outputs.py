"""Labels and outputs: one learner for each, over one reading of the rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 4))
NUMBERS = X @ RNG.normal(size=(4, 3)) + 0.1 * RNG.normal(size=(60, 3))
LABELS = (NUMBERS > 0.3).astype(int)
WORDS = np.array(["red", "round", "ripe"])
SETS = [set(WORDS[row == 1].tolist()) for row in LABELS]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_outputs_are_those_of_separate_learners(form):
    together = learners.multi_output(learners.normalized_lms())
    margins = together.learn_many(form(X), NUMBERS, np.linspace(0.5, 2.0, 60))
    for k in range(3):
        alone = learners.normalized_lms()
        np.testing.assert_array_equal(
            margins[:, k], alone.learn_many(form(X), NUMBERS[:, k], np.linspace(0.5, 2.0, 60))
        )
        np.testing.assert_array_equal(together.members[k].weights()[1:], alone.weights())
    assert together.predict_many(X).shape == (60, 3)
    assert together.predict_one(X[0]).shape == (3,)
    assert together.weights().shape == (4, 3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_labels_are_those_of_separate_learners(form):
    together = learners.multi_label(learners.arow())
    margins = together.learn_many(X, form(LABELS))
    for k in range(3):
        alone = learners.arow()
        np.testing.assert_array_equal(margins[1:, k], alone.learn_many(X, 2 * LABELS[:, k] - 1)[1:])
    assert together.classes == [0, 1, 2]
    np.testing.assert_array_equal(together.predict_many(X), (together.decision_many(X) > 0.0))


def test_label_sets_are_the_indicator_matrix():
    declared = learners.multi_label(learners.arow(), classes=WORDS.tolist())
    matrix = learners.multi_label(learners.arow(), classes=WORDS.tolist())
    np.testing.assert_array_equal(declared.learn_many(X, SETS), matrix.learn_many(X, LABELS))
    row = dict(zip("abcd", X[0].tolist(), strict=True))
    named = learners.multi_label(learners.arow())
    for x, labels in zip(X, SETS, strict=True):
        named.learn_one(dict(zip("abcd", x.tolist(), strict=True)), labels)
    assert named.predict_one(row) <= set(WORDS)


def test_labels_that_appear_late_learn_from_there(tmp_path):
    order = [1, 0, 2]
    late = LABELS[:, order].copy()
    late[:20, 1] = late[:40, 2] = 0
    late[0, 0] = 1
    sets = [set(WORDS[order][row == 1].tolist()) for row in late]
    whole = learners.multi_label(learners.perceptron())
    margins = whole.learn_many(X, sets)
    assert whole.classes == WORDS[order].tolist()
    for k in range(3):
        begin = int(np.argmax(late[:, k]))
        assert np.all(margins[: begin + 1, k] == -np.inf)
        alone = learners.perceptron(classes=(0, 1))
        np.testing.assert_array_equal(
            margins[begin + 1 :, k], alone.learn_many(X[begin:], late[begin:, k])[1:]
        )
    pieces = learners.multi_label(learners.perceptron())
    for cut in (slice(0, 25), slice(25, 26), slice(26, 60)):
        part = pieces.learn_many(X[cut], sets[cut])
        np.testing.assert_array_equal(part, margins[cut, : part.shape[1]])
        pieces.save(tmp_path / "model")
        pieces = learners.Learner.load(tmp_path / "model")
    np.testing.assert_array_equal(pieces.decision_many(X), whole.copy().decision_many(X))


def test_outputs_resume(tmp_path):
    whole = learners.multi_output(learners.vovk_azoury_warmuth())
    whole.learn_many(X, NUMBERS)
    half = learners.multi_output(learners.vovk_azoury_warmuth())
    half.learn_many(X[:31], NUMBERS[:31])
    half.save(tmp_path / "model")
    half = learners.Learner.load(tmp_path / "model")
    half.learn_many(X[31:], NUMBERS[31:])
    np.testing.assert_array_equal(half.decision_many(X), whole.decision_many(X))
    assert half.fresh().members == []


@pytest.mark.parametrize(
    ("make", "y", "match"),
    [
        (learners.multi_output, NUMBERS[:, 0], "rows × outputs"),
        (learners.multi_output, np.where(NUMBERS > 2.0, np.nan, NUMBERS), "must be finite"),
        (learners.multi_label, LABELS * 2, "0 and 1"),
        (learners.multi_label, ["red"] * 60, "set of labels"),
        (learners.multi_label, SETS[:7], "y has shape \\(7, 3\\)"),
    ],
)
def test_what_is_no_target_is_refused_and_nothing_changes(make, y, match):
    learner = make(learners.lms() if make is learners.multi_output else learners.arow())
    with pytest.raises(ValueError, match=match):
        learner.learn_many(X, y)
    assert (learner.members, learner.classes, learner.columns) == ([], [], 0)


def test_what_cannot_serve_is_refused():
    with pytest.raises(ValueError, match="learner of regression"):
        learners.multi_output(learners.arow())
    with pytest.raises(ValueError, match="learner of two classes"):
        learners.multi_label(learners.lms())
    with pytest.raises(ValueError, match="mix inside"):
        learners.hedge([learners.multi_output(learners.lms())])

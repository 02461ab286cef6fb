"""Max-margin classes are Algorithm 1 in R^{K×d}: every learner against NumPy, however rows arrive."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import CASES, PLAIN, compiled_for
from learner_streams import KINDS, stream
from mirror_oracle import STEPS, is_mirror_descent

from fenchel import MirrorDescent, learners, regularizers
from fenchel.certificates import agrees
from fenchel.losses import rival

SEEDS = range(4 if PLAIN else 2)
SECOND_ORDER = (regularizers.FullQuadratic, regularizers.DiagonalQuadratic)


def serves(case):
    """Whether the case is one of two classes that has a NumPy regularizer and no full matrix."""
    if "binary" not in case.tasks or case.full:
        return False
    rng = np.random.default_rng(0)
    return is_mirror_descent(case.learner(case.parameters(rng, 1.0, widely=False)))


IN_NUMPY = [case for case in CASES if serves(case)]
# The compiled run keeps to three; all of them run in plain Python.
COMPILED = compiled_for("perceptron", "arow-diagonal", "scale_invariant_p_norm")
named = pytest.mark.parametrize("case", [c for c in COMPILED if c in IN_NUMPY], ids=lambda c: c.id)
few = pytest.mark.parametrize(
    "case",
    [c for c in compiled_for("perceptron", "arow-diagonal") if c in IN_NUMPY],
    ids=lambda c: c.id,
)


def drawn(case, seed, kind=None):
    """A stream of several classes, and a learner of two with random parameters."""
    rng = np.random.default_rng([seed, *map(ord, case.id)])
    given = stream(rng, "regression", kind or str(rng.choice(KINDS)))
    classes = int(rng.integers(2, 6))
    parameters = case.parameters(rng, given.scale)
    while case.task(parameters) != "binary" or isinstance(
        parameters.get("domain"), regularizers.Simplex
    ):
        parameters = case.parameters(rng, given.scale)
    y = rng.integers(0, classes, size=len(given.y))
    importance = given.importance if rng.random() < 0.5 else np.ones(len(y))
    return given.X, y, importance, classes, case.learner(parameters, intercept=rng.random() < 0.6)


def max_margin_run(learner, X, y, importance, classes):
    """Scores of every round and the last weights (columns × classes), by ``MirrorDescent``."""
    X = np.column_stack([np.ones(len(y)), X]) if learner.intercept else X
    descent = MirrorDescent(learner.regularizer, X.shape[1] * classes)
    step = STEPS[type(learner.rule).__name__]
    scores = np.empty((len(y), classes))
    sizes = np.empty((len(y), classes))
    levels, pairs = [], []
    for t, x in enumerate(X):
        root = np.sqrt(importance[t]) if isinstance(learner.regularizer, SECOND_ORDER) else 1.0
        of_class = [np.kron(x, np.eye(classes)[k]) for k in range(classes)]
        for k, row in enumerate(of_class):
            descent.observe(root * row)
            terms = descent.predict() * row
            scores[t, k], sizes[t, k] = terms.sum(), np.abs(terms).sum()
        pair = of_class[y[t]] - of_class[rival(scores[t], int(y[t]))]
        descent.observe(root * pair)
        m = descent.predict() @ pair
        levels.append(learner.regularizer.dual_norm(pair) if hasattr(learner.rule, "level") else 0)
        pairs.append(m)
        descent.update(step(learner, m, 1.0, pair, importance[t], levels) * pair)
    descent.observe(np.zeros(X.shape[1] * classes))  # a round that touches no coordinate
    weights = descent.predict().reshape(X.shape[1], classes)
    return scores, sizes, np.array(pairs), weights


def followed(scores, sizes, pairs, y):
    """Rounds up to one that rounding can decide: a tie of two rivals, a margin of 0 or 1."""
    rivals = np.where(np.arange(scores.shape[1]) == y[:, None], -np.inf, scores)
    best = np.sort(rivals, axis=1)[:, ::-1]
    gap = best[:, 0] - best[:, 1] if scores.shape[1] > 2 else np.full(len(y), np.inf)
    near = 1e-9 * sizes.max(axis=1)
    tied = (gap <= near) & (gap > 0.0)
    kink = ((np.abs(pairs) <= near) & (pairs != 0.0)) | (np.abs(pairs - 1.0) <= near)
    wild = sizes.max(axis=1) > 1e100
    return ~np.logical_or.accumulate(tied | kink | wild)


def check(case, seed, form, kind=None):
    X, y, importance, classes, learner = drawn(case, seed, kind)
    whole = learners.max_margin(learner, classes=range(classes))
    found = whole.learn_many(form(X), y, importance)
    scores, sizes, pairs, weights = max_margin_run(learner, X, y, importance, classes)
    ours = followed(scores, sizes, pairs, y)
    allowed = 1e-9 * np.maximum.accumulate(sizes.max(axis=1))[:, None] + 1e-300
    bad = (np.abs(found - scores) > allowed) & ours[:, None]
    assert not bad.any(), (np.argwhere(bad)[0], found[bad][0], scores[bad][0])
    if ours.all():
        own = whole.all_weights()[0 if learner.intercept else 1 :]
        np.testing.assert_allclose(own, weights, rtol=1e-7, atol=1e-9 * np.abs(weights).max())
    return int(ours.sum())


@named
def test_scores_are_those_of_mirror_descent_over_matrices(case, record_property):
    rounds = sum(check(case, seed, sp.csr_array) for seed in SEEDS)
    record_property("rounds of max-margin classes against NumPy", rounds)
    # Where rounding decides a tie, and so where a run ends, is up to the processor's exponential.
    assert rounds > 5 * len(SEEDS) or not PLAIN


@few
def test_dense_rows_too(case):
    assert sum(check(case, seed, np.asarray, "dense") for seed in SEEDS) > 0


@few
def test_however_the_rows_arrive_and_the_classes_appear(case, tmp_path):
    for seed in SEEDS:
        X, y, importance, _, learner = drawn(case, seed, "sparse")
        X = sp.csr_array(np.vstack([np.ones(X.shape[1]), X]))
        y, importance = np.r_[0, np.sort(y)], np.r_[1.0, importance]
        y[1::2] = y[:-1:2]
        labels = np.array([f"class {k}" for k in y], dtype=object)
        whole = learners.max_margin(learner)
        scores = whole.learn_many(X, labels, importance)
        pieces = learners.max_margin(learner)
        for cut in np.split(np.arange(len(y)), sorted({1, len(y) // 3, len(y) // 2})):
            part = pieces.learn_many(X[cut], labels[cut], importance[cut])
            np.testing.assert_array_equal(part, scores[cut, : part.shape[1]])
            assert np.all(scores[cut, part.shape[1] :] == -np.inf)
            pieces.save(tmp_path / "model")
            pieces = learners.Learner.load(tmp_path / "model").copy()
        assert pieces.classes == whole.classes
        for name, array in whole.state_arrays().items():
            np.testing.assert_array_equal(array, pieces.state_arrays()[name])
        np.testing.assert_array_equal(pieces.decision_many(X), whole.decision_many(X))


@few
def test_a_ledger_changes_no_score_and_certifies(case):
    X, y, importance, classes, learner = drawn(case, 0, "sparse")
    plain = learners.max_margin(learner, classes=range(classes))
    scores = plain.learn_many(sp.csr_array(X), y, importance)
    certified = learners.max_margin(
        learners.from_parameters(case.name, {**learner.parameters, "certify": True}),
        classes=range(classes),
    )
    np.testing.assert_array_equal(certified.learn_many(sp.csr_array(X), y, importance), scores)
    u = np.random.default_rng(0).normal(size=(X.shape[1] + learner.intercept, classes))
    found = [c for c in certified.certificates(u) if c.applies and c.kind != "printed"]
    assert found
    for c in found:
        assert c.holds, str(c)
        assert agrees(c, certified.verify(c), 1e-6), str(c)


def test_a_late_class_changes_nothing_before_it():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.r_[np.arange(30) % 2, np.arange(10) % 3]
    learner = learners.max_margin(learners.scale_invariant_adagrad())
    scores = learner.learn_many(X, y)
    early = learners.max_margin(learners.scale_invariant_adagrad())
    np.testing.assert_array_equal(early.learn_many(X[:30], y[:30]), scores[:30, :2])
    assert np.all(scores[:33, 2] == -np.inf)
    assert np.all(np.isfinite(scores[33:]))
    assert learner.classes == [0, 1, 2]
    assert learner.state_arrays()["regularizer.dimension"][0] == 12


def test_names_and_strings():
    learner = learners.max_margin(learners.perceptron())
    for _ in range(3):
        learner.learn_one({"meow": 1.0}, "cat")
        learner.learn_one({"bark": 1.0}, "dog")
        learner.learn_one({"moo": 1.0, "milk": 1.0}, "cow")
    assert [learner.predict_one({word: 1.0}) for word in ("meow", "bark", "milk")] == [
        "cat",
        "dog",
        "cow",
    ]
    assert learner.weights()["meow"].shape == (3,)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: learners.arow(diagonal=False), "full matrix"),
        (lambda: learners.lms(), "two classes"),
        (lambda: learners.auto(), "two classes"),
        (lambda: learners.perceptron(domain=regularizers.Simplex(1.0)), "Simplex"),
    ],
)
def test_what_cannot_serve_is_refused(make, match):
    with pytest.raises(ValueError, match=match):
        learners.max_margin(make())


def test_an_unsound_block_leaves_everything_as_it_was():
    learner = learners.max_margin(learners.arow())
    learner.learn_many(np.eye(3), ["a", "b", "c"])
    before = {name: array.copy() for name, array in learner.state_arrays().items()}
    with pytest.raises(ValueError, match="must be finite"):
        learner.learn_many([[1.0] * 5, [np.nan] * 5], ["d", "e"])
    assert learner.classes == ["a", "b", "c"]
    assert learner.columns == 3
    for name, array in learner.state_arrays().items():
        np.testing.assert_array_equal(array, before[name])


def test_one_against_rest_when_a_lower_class_is_missing_from_the_block():
    """A class numbered below one that appears joins with it, not at the block's first row."""
    X = np.random.default_rng(1).normal(size=(12, 2))
    y = np.array(["a", "b"] * 3 + ["d", "a"] * 3)
    known = ["a", "b", "c", "d"]
    for make in (learners.one_against_rest, learners.max_margin):
        learner = make(learners.perceptron())
        assert learner.labels.encode(np.array(known)).tolist() == [0.0, 1.0, 2.0, 3.0]
        margins = learner.learn_many(X, y)
        cut = make(learners.perceptron())
        cut.labels.encode(np.array(known))
        parts = [cut.learn_many(X[:5], y[:5]), cut.learn_many(X[5:], y[5:])]
        assert np.all(margins[:7, 2:] == -np.inf)
        np.testing.assert_array_equal(margins[:5, :2], parts[0])
        np.testing.assert_array_equal(margins[5:], parts[1])

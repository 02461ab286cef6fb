"""Several tasks with one matrix of weights: Algorithm 1 over R^{K×d}, and what sharing brings."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import MirrorDescent, learners
from fenchel.losses import derivative, named
from fenchel.regularizers import GroupComposite, Schatten

RNG = np.random.default_rng(4)
X = RNG.normal(size=(50, 4)) * (RNG.random((50, 4)) < 0.7)
Y = X @ RNG.normal(size=(4, 3)) + 0.1 * RNG.normal(size=(50, 3))
Y[RNG.random(Y.shape) < 0.4] = np.nan
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 2.0], size=50)


class RootSchatten:
    """f_t = √t·½‖·‖²_{S(q)}."""

    def __init__(self, p, t=0):
        self.inner, self.p, self.t = Schatten(p), p, t

    def observe(self, x):
        return RootSchatten(self.p, self.t + 1)

    def gradient(self, theta):
        return self.inner.gradient(theta) / np.sqrt(self.t)


def oracle(f, loss, eta, X, Y, weights):
    descent = MirrorDescent(f, (Y.shape[1], X.shape[1]))
    margins = np.zeros(Y.shape)
    for t, x in enumerate(X):
        descent.observe(x)
        margins[t] = descent.predict() @ x
        slopes = [
            0.0 if np.isnan(y) else derivative(named(loss), m, y)
            for m, y in zip(margins[t], Y[t], strict=True)
        ]
        descent.update(-eta * weights[t] * np.outer(slopes, x))
    return margins


FORMS = [
    {"regularizer": "group", "strength": 0.02},
    {"regularizer": "group", "strength": 0.3},
    {"regularizer": "schatten", "p": 2.0},
    {"regularizer": "schatten", "p": 5.0},
]


@pytest.mark.parametrize("loss", ["squared", "hinge"])
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("rows", [np.asarray, sp.csr_array])
def test_margins_are_those_of_mirror_descent(form, loss, rows):
    f = RootSchatten(form["p"]) if "p" in form else GroupComposite(0.3, form["strength"])
    targets = Y if loss == "squared" else np.sign(Y)
    for intercept in (True, False):
        learner = learners.multi_task(eta=0.3, loss=loss, intercept=intercept, **form)
        margins = learner.learn_many(rows(X), targets, WEIGHTS)
        inside = np.column_stack([np.ones(50), X]) if intercept else X
        expected = oracle(f, loss, 0.3, inside, targets, WEIGHTS)
        np.testing.assert_allclose(margins, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("form", FORMS[1::2], ids=str)
def test_pieces_files_and_names(form, tmp_path):
    whole = learners.multi_task(**form)
    margins = whole.learn_many(X, Y, WEIGHTS)
    pieces = learners.multi_task(**form)
    for cut in (slice(0, 1), slice(1, 30), slice(30, 50)):
        found = pieces.learn_many(X[cut], Y[cut], WEIGHTS[cut])
        np.testing.assert_array_equal(found, margins[cut])
        pieces.save(tmp_path / "model")
        pieces = learners.Learner.load(tmp_path / "model").copy()
    np.testing.assert_array_equal(pieces.decision_many(X), whole.decision_many(X))
    named_ = learners.multi_task(**form)
    for x, y in zip(X, Y, strict=True):
        row = dict(zip("abcd", x.tolist(), strict=True))
        known = {k: v for k, v in zip("xyz", y.tolist(), strict=True) if v == v}
        named_.learn_one(row, known)
    unweighted = learners.multi_task(**form)
    unweighted.learn_many(X, Y)
    order = ["xyz".index(task) for task in named_.classes]
    np.testing.assert_allclose(
        list(named_.predict_one(row).values()), unweighted.decision_many(X[-1])[0, order]
    )


def low_rank(rng, rows=300, tasks=12, columns=10):
    """Tasks whose weights are multiples of one vector; each row belongs to one task."""
    W = np.outer(rng.normal(size=tasks), rng.normal(size=columns))
    X = rng.normal(size=(rows, columns))
    Y = X @ W.T + 0.5 * rng.normal(size=(rows, tasks))
    Y[np.arange(tasks) != rng.integers(0, tasks, size=rows)[:, None]] = np.nan
    return X, Y, W


def test_the_schatten_norm_finds_what_tasks_have_in_common():
    errors = {}
    for p in (2.0, 6.0):
        found = []
        for seed in range(3):
            X, Y, W = low_rank(np.random.default_rng(seed))
            best = min(
                np.linalg.norm(_trained(X, Y, p, eta).weights().T - W) / np.linalg.norm(W)
                for eta in (0.1, 0.3, 1.0)
            )
            found.append(best)
        errors[p] = np.mean(found)
    assert errors[6.0] < 0.8 * errors[2.0], errors


def _trained(X, Y, p, eta):
    learner = learners.multi_task("schatten", eta, p=p, intercept=False)
    learner.learn_many(X, Y)
    return learner


def test_the_group_norm_drops_whole_columns():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 12))
    W = np.zeros((5, 12))
    W[:, :3] = rng.normal(size=(5, 3))
    learner = learners.multi_task(eta=0.3, strength=0.2, intercept=False)
    learner.learn_many(X, X @ W.T + 0.1 * rng.normal(size=(400, 5)))
    used = np.any(learner.weights() != 0.0, axis=1)
    assert used[:3].all()
    assert not used[3:].any()


def test_classification_by_tasks():
    signs = np.where(np.isnan(Y), np.nan, np.sign(Y))
    learner = learners.multi_task(loss="logistic")
    for _ in range(5):
        learner.learn_many(X, signs)
    right = learner.predict_many(X)[~np.isnan(Y)] == signs[~np.isnan(Y)]
    assert right.mean() > 0.9
    zeros = learners.multi_task(loss="logistic")
    zeros.learn_many(X, np.where(signs == -1.0, 0.0, signs))
    once = learners.multi_task(loss="logistic")
    once.learn_many(X, signs)
    np.testing.assert_array_equal(zeros.decision_many(X), once.decision_many(X))


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (Y[:, 0], "rows × tasks"),
        (np.where(np.isnan(Y), np.inf, Y), "finite, or NaN"),
        (Y[:7], "y has shape \\(7, 3\\)"),
        ([{"a": float("inf")}] * 50, r"y\[0\]\['a'\] is inf"),
    ],
)
def test_what_is_no_target_is_refused_and_nothing_changes(y, match):
    learner = learners.multi_task()
    with pytest.raises(ValueError, match=match):
        learner.learn_many(X, y)
    assert (learner.classes, learner.columns, learner.rounds) == ([], 0, 0)
    assert learner.learn_many(X, Y).shape == (50, 3)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="choose 'group' or 'schatten'"):
        learners.multi_task("trace")
    with pytest.raises(ValueError, match="is for multiclass"):
        learners.multi_task(loss="max_margin")
    text = "multi_task:regularizer=schatten,eta=0.5,p=6"
    assert learners.from_specification(text).fresh().specification == text

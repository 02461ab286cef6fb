"""The batch polish: L-BFGS over shards finds what solvers on one machine find."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LogisticRegression

from fenchel import Learner, cluster, learners
from fenchel.losses.named import BY_NAME
from fenchel.losses.protocol import derivative

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_helpers import run

T = 240
RNG = np.random.default_rng(0)
X = RNG.normal(size=(T, 4)).round(3) * [1.0, 10.0, 0.1, 1.0]
M = X @ [1.0, -0.2, 5.0, 0.0] + RNG.normal(size=T)
WITH_ONE = np.column_stack([np.ones(T), X])


def written(folder, y):
    rows = [" ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(row)) for row in X]
    for k in range(3):
        lines = [f"{y[t]} {rows[t]}\n" for t in range(k, T, 3)]
        (folder / f"part-{k}.svm").write_text("".join(lines))
    return str(folder / "part-*.svm")


@pytest.fixture
def classes(tmp_path):
    return written(tmp_path, np.where(M > 0.0, 1, -1))


@pytest.fixture
def numbers(tmp_path):
    return written(tmp_path, M.round(4))


def polished(files, learner, **options):
    with ThreadPoolExecutor(2) as executor:
        trained = cluster.train(files, learner, executor)
        return cluster.polish(files, trained, executor, iterations=200, tolerance=1e-9, **options)


def test_logistic_regression(classes):
    learner = polished(classes, "strongly_convex:l2=0.01,loss=logistic")
    peer = LogisticRegression(C=1.0 / (0.01 * T), fit_intercept=False, tol=1e-10)
    peer.fit(WITH_ONE, M > 0.0)
    np.testing.assert_allclose(learner.all_weights(), peer.coef_[0], rtol=1e-5, atol=1e-6)
    assert learner.rounds == T


@pytest.mark.parametrize(
    ("specification", "l2"),
    [("adagrad:l2=0.1,loss=squared", 0.1 * T), ("ftrl_proximal:l2=3,loss=squared", 3.0)],
)
def test_ridge_as_the_learner_counts_it(numbers, specification, l2):
    learner = polished(numbers, specification)
    gram = WITH_ONE.T @ WITH_ONE + l2 * np.eye(5)
    direct = np.linalg.solve(gram, WITH_ONE.T @ M.round(4))
    np.testing.assert_allclose(learner.all_weights(), direct, rtol=1e-5, atol=1e-6)


def test_zeros_of_the_lasso_are_exact(numbers):
    learner = polished(numbers, learners.dual_averaging(l1=0.3, loss="squared", intercept=False))
    peer = Lasso(alpha=0.3, fit_intercept=False, tol=1e-10).fit(X, M.round(4))
    np.testing.assert_allclose(learner.weights(), peer.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(learner.weights() == 0.0, peer.coef_ == 0.0)


def test_every_class_has_an_objective(tmp_path):
    files = written(tmp_path, np.digitize(M, [-1.0, 1.0]))
    inner = learners.strongly_convex(l2=0.01, loss="logistic")
    learner = polished(files, learners.one_against_rest(inner))
    peer = LogisticRegression(C=1.0 / (0.01 * T), fit_intercept=False, tol=1e-10)
    last = learner.classes.index(2)
    found = learner.all_weights()[:, last]
    np.testing.assert_allclose(found, peer.fit(WITH_ONE, M > 1.0).coef_[0], rtol=1e-5, atol=1e-6)


def test_a_polished_model_is_like_any_other(classes, tmp_path):
    learner = polished(classes, "adagrad:loss=logistic,l2=0.01")
    learner.save(tmp_path / "m.fenchel")
    loaded = Learner.load(tmp_path / "m.fenchel")
    np.testing.assert_array_equal(loaded.predict_proba_many(X), learner.predict_proba_many(X))
    lost = -np.log(loaded.predict_proba_many(X)[np.arange(T), (M > 0.0).astype(int)])
    assert lost.mean() < 0.45
    with pytest.raises(ValueError, match="or polished, and certificates speak of one run"):
        loaded.certificates()
    loaded.learn_many(X, np.where(M > 0.0, 1, -1))
    assert loaded.rounds == 2 * T


def test_bits_do_not_depend_on_the_workers(classes):
    found = []
    trained = cluster.train(classes, "adagrad:loss=logistic", ThreadPoolExecutor(1))
    for count in (1, 3):
        with ThreadPoolExecutor(count) as executor:
            found.append(cluster.polish(classes, trained, executor, iterations=5).all_weights())
    assert found[0].tobytes() == found[1].tobytes()


def test_a_learner_that_lost_its_way_begins_anew(numbers):
    start = cluster.train(numbers, "strongly_convex:l2=0.01,loss=squared", ThreadPoolExecutor(1))
    assert np.abs(start.all_weights()).max() > 1e6
    told = []
    learner = cluster.polish(numbers, start, ThreadPoolExecutor(1), tell=told.append)
    assert np.mean((learner.predict_many(X) - M) ** 2) < 1.5
    assert told[-1].objective < 1.0


@pytest.mark.parametrize(
    ("learner", "why"),
    [
        (learners.auto(), "auto has no single objective"),
        (learners.perceptron(), "perceptron: Hinge has a kink"),
        (learners.vovk_azoury_warmuth(), "FullQuadratic belongs to no objective"),
        (learners.adagrad(loss="logistic", domain="orthant"), "confined to Orthant"),
        (learners.adagrad(loss="logistic", averaged=True), "averaged weights"),
        (learners.adagrad(loss="logistic"), "has learned nothing"),
    ],
)
def test_what_cannot_be_polished_is_named(learner, why):
    with pytest.raises(ValueError, match=why):
        cluster.polish([], learner)


def test_a_specification_has_learned_nothing_to_polish(numbers):
    with pytest.raises(ValueError, match="has learned nothing: train it before it is polished"):
        cluster.polish(numbers, "adagrad:loss=squared")
    with pytest.raises(ValueError, match="arow"):
        cluster.polish(numbers, "arow")


def test_losses_without_a_kink_have_no_jump_in_their_slope():
    margins = np.linspace(-3.0, 3.0, 60_001)
    for name, loss in BY_NAME.items():
        if name == "max_margin":
            continue
        slopes = np.array([derivative(loss(), m, 1.0) for m in margins])
        jumps = np.abs(np.diff(slopes)).max() > 0.1
        assert jumps == hasattr(loss, "prox"), name


def test_the_command_polishes(classes, tmp_path):
    learner = "--learner", "strongly_convex:l2=0.01,loss=logistic"
    saved = "--save", tmp_path / "m.fenchel"
    told = run("train", classes, *learner, "--workers", 1, "--polish", 30, *saved).stderr
    assert "objective" in told
    assert (
        np.mean(Learner.load(tmp_path / "m.fenchel").predict_many(X) == np.where(M > 0, 1, -1))
        > 0.8
    )
    refused = run("train", classes, "--workers", 1, "--polish", 30, status=1).stderr
    assert "auto has no single objective to polish" in refused

"""Certificates of max-margin classes: the theorems of two classes over (e_y − e_ŷ)·xᵀ.

Run by ``test_certificate_mixtures.py`` without the compiler.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from certificates.certified import BINARY, DRAWS, KINDS, stream
from fenchel import Learner, MirrorDescent, learners
from fenchel.certificates import agrees
from fenchel.losses import named, rival, value

SERVES = (
    *("perceptron", "p_norm_perceptron", "passive_aggressive", "tuned_aggressive", "winnow"),
    *("gradient_descent", "dual_averaging", "strongly_convex", "exponentiated_gradient", "adagrad"),
    *("scale_invariant_p_norm", "scale_invariant_adagrad", "second_order_perceptron", "arow"),
)


def drawn(seed):
    """A learner of two classes with random parameters, and a stream of several classes."""
    rng = np.random.default_rng([seed, 5])
    name = SERVES[seed % len(SERVES)]
    parameters = {**DRAWS[name](rng), "certify": True, "intercept": bool(rng.integers(2))}
    if "loss" in parameters:
        parameters["loss"] = str(rng.choice(BINARY[:2]))
    if "diagonal" in parameters:
        parameters["diagonal"] = True
    _, X, _, weights = stream(rng, "regression", KINDS[seed % 6])
    classes = int(rng.integers(2, 5))
    y = rng.integers(0, classes, size=len(X))
    if seed % 3 == 0:  # an answer that the scores do not expect
        y[:] = np.argmin(X @ rng.normal(size=(X.shape[1], classes)), axis=1)
    return rng, learners.from_parameters(name, parameters), X, y, weights, classes


def learned(whole, X, y, weights, rng):
    cut = int(rng.integers(len(X)))
    for part in (slice(0, cut), slice(cut, None)):
        if len(X[part]):
            form = sp.csr_array if rng.random() < 0.5 else np.asarray
            whole.learn_many(form(X[part]), y[part], weights[part])
    return whole


@pytest.mark.parametrize("seed", range(4 * len(SERVES)))
def test_upper_every_learner_in_the_matrix_space(seed, record_property):
    rng, inner, X, y, weights, classes = drawn(seed)
    known = range(classes) if seed % 2 else None
    whole = learned(learners.max_margin(inner, classes=known), X, y, weights, rng)
    if whole.engine._parts.ledger.loss[0] > 1e12:
        pytest.skip("diverged")
    d = (whole.columns + whole.intercept, len(whole.classes))
    for u in (np.zeros(d), rng.normal(size=d), whole.all_weights()[0 if whole.intercept else 1 :]):
        for c in whole.certificates(u):
            if c.kind in ("printed", "variant") or not c.applies:
                continue
            assert not c.violated, str(c)
            assert agrees(c, whole.verify(c), 1e-6), str(c)
            record_property("certificates in the matrix space that held", 1)


def in_numpy(inner, X, y, weights, classes):
    """Algorithm 1 over R^{K·d} with scores, rivals and steps of its own; and the mistakes."""
    X = np.column_stack([np.ones(len(X)), X]) if inner.intercept else X
    descent = MirrorDescent(inner.regularizer, X.shape[1] * classes)
    rule, mistakes = inner.rule, 0
    for x, label, h in zip(X, y, weights, strict=True):
        of_class = [np.kron(x, one) for one in np.eye(classes)]
        scores = []
        for row in of_class:
            descent.observe(row)
            scores.append(descent.predict() @ row)
        other = rival(np.array(scores), int(label))
        mistakes += scores[label] <= scores[other]
        pair = of_class[label] - of_class[other]
        descent.observe(pair)
        m = float(descent.predict() @ pair)
        c = rule.step(inner.loss, descent.regularizer, pair, h, m, 1.0)
        descent.update(c * pair)
    return descent, mistakes


@pytest.mark.parametrize("name", ["perceptron", "p_norm_perceptron", "gradient_descent", "adagrad"])
@pytest.mark.parametrize("seed", range(5))
def test_upper_lemma_1_of_the_pairs_is_that_of_algorithm_1(name, seed):
    rng = np.random.default_rng([seed, 6])
    inner = learners.from_parameters(name, {"certify": True, "intercept": bool(seed % 2)})
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, size=30)
    weights = rng.choice([0.5, 1.0, 2.0], size=30)
    whole = learners.max_margin(inner, classes=range(3))
    scores = whole.learn_many(X, y, weights)
    descent, mistakes = in_numpy(inner, X, y, weights, 3)
    u = rng.normal(size=(3 + inner.intercept, 3))
    told, found = descent.certificate(u.reshape(-1)), whole.certificates(u)
    lemma = next(c for c in found if c.equation == "general")
    assert lemma.achieved == pytest.approx(told.achieved, rel=1e-9)
    assert lemma.bound == pytest.approx(told.bound, rel=1e-9)
    counted = [c.achieved for c in found if c.quantity == "mistakes"]
    assert set(counted) <= {mistakes}
    assert np.sum(whole.decode_many(scores) != y) <= mistakes


@pytest.mark.parametrize("intercept", [True, False])
def test_upper_the_pairs_charge_u_no_more_than_its_multiclass_loss(intercept):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, size=60)
    whole = learners.max_margin(learners.perceptron(certify=True, intercept=intercept))
    whole.learn_many(X, y)
    u = rng.normal(size=(3, 3))
    bound = next(c for c in whole.certificates(u) if "closing form, corrected" in c.equation).bound
    loss = sum(value(named("max_margin"), x @ u, int(k)) for x, k in zip(X, y, strict=True))
    reach = np.sqrt(2.0 * np.max((X**2).sum(axis=1) + intercept)) * np.linalg.norm(u)
    assert bound <= loss + reach**2 + reach * np.sqrt(loss)


def test_without_u_the_best_in_hindsight_and_after_saving(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), np.array(["a", "b", "c"])[rng.integers(0, 3, size=40)]
    whole = learners.max_margin(learners.perceptron(certify=True))
    whole.learn_many(X[:15], y[:15])
    whole.save(tmp_path / "model")
    resumed = Learner.load(tmp_path / "model")
    for learner in (whole, resumed):
        learner.learn_many(X[15:], y[15:])
    found = whole.certificates()
    assert all(c.holds for c in found if c.applies and c.kind != "printed")
    assert whole.certificate().applies
    assert [str(c) for c in resumed.certificates(stream=(X, y))] == [str(c) for c in found]
    with pytest.raises(ValueError, match="3 × 3 finite numbers, one column a class"):
        whole.certificates(np.zeros(3))


@pytest.mark.parametrize("late", ["class", "column", "nothing"])
def test_where_f_counts_coordinates_that_came_late_nothing_is_promised(late):
    X, y = np.eye(3)[[0, 1, 0, 1, 2, 2]], [0, 1, 0, 1, 2 if late == "class" else 1, 0]
    whole = learners.max_margin(learners.winnow(certify=True))
    width = 2 if late == "column" else 3
    whole.learn_many(X[:4, :width], y[:4])
    whole.learn_many(X[4:], y[4:])
    lacks = whole.theorems()["Lemma 1, general"]
    if late == "nothing":
        assert (lacks, len(whole.certificates(np.zeros((3, 2))))) == ([], 1)
        return
    assert lacks == ["coordinates that are all there from the first pair on, since f_t counts them"]
    assert whole.certificates() == []
    with pytest.raises(ValueError, match="no theorem covers this run"):
        whole.certificate()


def test_before_there_are_two_classes_there_is_no_round():
    whole = learners.max_margin(learners.perceptron(certify=True))
    whole.learn_many(np.eye(2), ["a", "a"])
    assert all(c.achieved == 0.0 for c in whole.certificates())


def test_a_ledger_of_other_pairs_is_found_out(monkeypatch):
    from fenchel.loops import max_margin

    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, size=30)
    original = max_margin.record
    for wrong in (
        lambda ledger, loss, f, view, row, m, y, c: original(
            ledger, loss, f, view, row._replace(rival=row.y), m, y, c
        ),
        lambda ledger, loss, f, view, row, m, y, c: original(ledger, loss, f, view, row.x, m, y, c),
        lambda ledger, loss, f, view, row, m, y, c: original(
            ledger, loss, f, view, row, 0.5 * m, y, c
        ),
    ):
        monkeypatch.setattr(max_margin, "record", wrong)
        whole = learners.max_margin(learners.arow(certify=True), classes=range(3))
        whole.learn_many(X, y)
        monkeypatch.setattr(max_margin, "record", original)
        try:
            told = whole.certificates(np.ones((3, 3)))
        except ValueError:
            continue  # the stream does not fit the ledger
        assert not all(agrees(c, whole.verify(c), 1e-6) for c in told)

"""Certificates of labels and outputs: those of each one's learner alone, and their sums.

Run by ``test_certificate_mixtures.py`` without the compiler.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from certificates.certified import DRAWS, KINDS, stream
from fenchel import Learner, learners
from fenchel.certificates import agrees
from fenchel.losses import named

LABELS = {"multi_label": "label", "multi_output": "output", "one_against_rest": "class"}
COVERED = {
    "binary": ("perceptron", "arow", "gradient_descent", "winnow", "second_order_perceptron"),
    "regression": ("vovk_azoury_warmuth", "lms", "p_norm_lms", "gradient_descent"),
}


def inner(rng, task):
    """A single learner of this task with random parameters, and what it alone needs to be told."""
    name = str(rng.choice(COVERED[task]))
    parameters = DRAWS[name](rng)
    while "loss" in parameters and named(parameters["loss"]).task != task:
        parameters = DRAWS[name](rng)
    return name, {**parameters, "intercept": bool(rng.integers(2)), "certify": True}


def targets_of(rng, X, kind, several):
    """Targets of several learners that share the rows."""
    W = rng.normal(size=(X.shape[1], several)) / (1e-9 + np.abs(X).max(axis=0)[:, None])
    numbers = X @ W + 0.3 * rng.normal(size=(len(X), several))
    return numbers if kind == "multi_output" else (numbers > 0.2).astype(int)


def alone(name, parameters, X, y, weights):
    learner = learners.from_parameters(name, parameters)
    if learner.labels is not None:
        learner.adopt_labels([-1, 1])
        y = np.where(y > 0, 1, -1)
    learner.learn_many(X, y, weights)
    return learner


@pytest.mark.parametrize("kind", ["multi_label", "multi_output"])
@pytest.mark.parametrize("seed", range(12))
def test_upper_members_promise_what_each_promises_alone(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    name, parameters = inner(rng, "regression" if kind == "multi_output" else "binary")
    _, X, _, weights = stream(rng, "regression", KINDS[seed % 6])
    Y = targets_of(rng, X, kind, 3)
    whole = getattr(learners, kind)(learners.from_parameters(name, parameters))
    cut = int(rng.integers(len(X)))
    for part in (slice(0, cut), slice(cut, None)):
        if len(X[part]):
            whole.learn_many(sp.csr_array(X[part]), Y[part], weights[part])
    u = rng.normal(size=(X.shape[1] + whole.intercept, 3))
    found = whole.certificates(u)
    for k in range(3):
        own = [c for c in found if c.comparator.startswith(f"{k}: ")]
        for c, d in zip(
            own, alone(name, parameters, X, Y[:, k], weights).certificates(u[:, k]), strict=True
        ):
            assert agrees(c, d, 1e-12), (str(c), str(d))
            if c.applies and c.kind != "printed":
                assert not c.violated
                assert agrees(c, whole.verify(c), 1e-6), str(c)
    sums = [c for c in found if c.comparator == f"a u for every {LABELS[kind]}"]
    for c in sums:
        each = [d for d in found if (d.theorem, d.equation) == (c.theorem, c.equation)][1:]
        assert c.bound == pytest.approx(sum(d.bound for d in each))
        assert c.achieved == pytest.approx(sum(d.achieved for d in each))


def test_labels_go_by_their_names_from_their_first_row_on(tmp_path):
    rng = np.random.default_rng(3)
    X, words = rng.normal(size=(50, 3)), ["red", "round", "ripe"]
    sets = [{w for w, v in zip(words, x, strict=True) if v > 0.0} | {"red"} for x in X]
    for labels in sets[:20]:
        labels.discard("ripe")
    learner = learners.multi_label(learners.perceptron(certify=True))
    learner.learn_many(X, sets)
    u = rng.normal(size=(3, 3))
    found = learner.certificates(u)
    assert {c.comparator.partition(":")[0] for c in found} == {"a u for every label", *words}
    first = next(t for t, labels in enumerate(sets) if "ripe" in labels)
    y = [1 if "ripe" in labels else -1 for labels in sets[first:]]
    own = learners.perceptron(certify=True, classes=(-1, 1))
    own.learn_many(X[first:], y)
    ripe = [c for c in found if c.comparator.startswith("ripe: ")]
    assert [c.bound for c in ripe] == [
        c.bound for c in own.certificates(u[:, learner.classes.index("ripe")])
    ]
    assert all(agrees(c, learner.verify(c)) for c in ripe)
    learner.save(tmp_path / "model")
    given = Learner.load(tmp_path / "model").certificates(u, stream=(X, sets))
    assert [str(c) for c in given] == [str(c) for c in found]
    assert learner.certificate(u).quantity.endswith("all labels")


def test_mixtures_as_members():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    Y = X @ rng.normal(size=(3, 2))
    experts = [learners.lms(0.05, certify=True), learners.vovk_azoury_warmuth()]
    learner = learners.multi_output(learners.hedge(experts))
    learner.learn_many(X, Y)
    found = learner.certificates()
    assert {c.theorem for c in found} >= {"AdaHedge", "AdaHedge and Corollary 1"}
    assert not any(c.violated for c in found if c.applies)


def test_what_is_not_the_stream_is_refused():
    X, Y = np.eye(3), np.arange(6.0).reshape(3, 2)
    learner = learners.multi_output(learners.lms(0.1, certify=True))
    learner.learn_many(X, Y)
    with pytest.raises(ValueError, match="1 targets a row"):
        learner.certificates(stream=(X, Y[:, :1]))
    with pytest.raises(ValueError, match=r"columns × 2"):
        learner.certificates(np.zeros(3))
    labels = learners.multi_label(learners.arow(certify=True))
    labels.learn_many(X, [{"a"}, {"b"}, {"a"}])
    with pytest.raises(ValueError, match="labels that were not learned"):
        labels.certificates(stream=(X, [{"a"}, {"c"}, {"a"}]))
    assert labels.classes == ["a", "b"]


def test_theorems_of_members_are_those_of_one():
    learner = learners.multi_label(learners.arow(certify=True))
    assert learner.theorems() == learners.arow(certify=True).theorems()
    learner.learn_many(np.eye(3), [{"a"}, {"b"}, {"a"}])
    offered = {name for name, lacks in learner.theorems().items() if not lacks}
    assert {f"{c.theorem}, {c.equation}" for c in learner.certificates()} == offered

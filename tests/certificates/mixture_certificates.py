"""Certificates of several learners at once: mixtures, and one against the rest.

Run by ``test_certificate_mixtures.py`` without the compiler.
"""

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.certificates import agrees, hedge_bound
from fenchel.loops.adahedge import mix_choices, new_hedge

RNG = np.random.default_rng(11)
X = RNG.normal(size=(90, 4))
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * RNG.normal(size=90)
LABELS = np.where(NUMBERS > 0.0, 1, -1)
CLASSES = np.digitize(NUMBERS, [-1.0, 1.0])
SPLITS = (1, 40, 89)


def mixture(task):
    if task == "regression":
        experts = [learners.vovk_azoury_warmuth(), learners.gradient_descent(loss="squared")]
    else:
        experts = [learners.perceptron(), learners.arow(), learners.gradient_descent()]
    return learners.hedge(experts, certify=True)


@pytest.mark.parametrize(("task", "y"), [("binary", LABELS), ("regression", NUMBERS)])
def test_upper_a_mixture_and_its_experts(task, y):
    learner = mixture(task)
    learner.learn_many(X, y)
    for u in (None, np.zeros(4), RNG.normal(size=4)):
        found = learner.certificates(u)
        assert found[0].theorem == "AdaHedge"
        assert any(c.theorem.startswith("AdaHedge and ") for c in found)
        assert all(c.holds for c in found), [str(c) for c in found if not c.holds]
    assert learner.certificate().holds
    with pytest.raises(ValueError, match="put together"):
        learner.verify(found[-1])


@pytest.mark.parametrize(
    ("task", "y"), [("binary", LABELS), ("multiclass", CLASSES), ("regression", NUMBERS)]
)
def test_upper_auto(task, y):
    plain, learner = learners.auto(task), learners.auto(task, certify=True)
    assert np.array_equal(plain.learn_many(X, y), learner.learn_many(X, y))
    assert plain.certificates() == learner.certificates()[:1]
    found = learner.certificates()
    assert all(c.holds for c in found)
    assert (len(found) > 1) == (task != "multiclass")


def test_upper_adahedge_when_experts_retire():
    """Those that stay are promised (1 + ln K/ln K′)·Δ: 2·Δ holds while all are there."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        hedge = new_hedge(6)
        for _ in range(3):
            rows = int(rng.integers(1, 60))
            y = rng.choice([0, 1], size=rows)
            margins = np.where(
                rng.random((6, rows)) < rng.random((6, 1)), 2.0 * y - 1.0, 1.0 - 2.0 * y
            )
            mix_choices(hedge, margins[:, :, None], y, np.ones(1), True, np.empty((rows, 2)))
            assert hedge_bound(hedge).holds
            hedge.active[int(rng.integers(6))] = 0.0
            if not hedge.active.any():
                break
            assert hedge_bound(hedge).holds


def test_upper_one_against_the_rest():
    learner = learners.one_against_rest(learners.perceptron(certify=True))
    margins = learner.learn_many(X, CLASSES)
    found = learner.certificates()
    assert {c.comparator.partition(":")[0] for c in found} == {"a u for every class", "0", "1", "2"}
    for c in found:
        assert c.kind == "printed" or not c.applies or c.holds, str(c)
        if c.origin is not None:
            assert agrees(c, learner.verify(c)), str(c)
    whole = learner.certificate()
    assert whole.quantity == "mistakes, all classes"
    # A row mistaken among the classes is mistaken by at least one member.
    assert np.sum(learner.decode_many(margins) != CLASSES) <= whole.achieved <= whole.bound
    given = learner.certificate(np.zeros((4, 3)))
    assert given.bound == 3.0 * 90.0 - 90.0 * 0.0 - _late(learner)


def _late(learner):
    """Rounds before a class was known, in which its learner was not charged."""
    return sum(90.0 - member.rounds for member in learner.members)


@pytest.mark.parametrize(
    ("build", "y"),
    [
        (lambda: mixture("binary"), LABELS),
        (lambda: learners.one_against_rest(learners.arow(certify=True)), CLASSES),
        (lambda: learners.auto("regression", certify=True), NUMBERS),
    ],
)
def test_ledgers_of_many_survive_saving_at_any_split(build, y, tmp_path):
    whole = build()
    if whole.task == "binary":
        whole.declare([-1, 1])
    whole.learn_many(X, y)
    promised = [str(c) for c in whole.certificates()]
    for split in SPLITS:
        learner = build()
        if whole.task == "binary":
            learner.declare([-1, 1])
        learner.learn_many(X[:split], y[:split])
        learner.save(tmp_path / "model")
        resumed = Learner.load(tmp_path / "model")
        resumed.learn_many(X[split:], y[split:])
        assert [str(c) for c in resumed.certificates(stream=(X, y))] == promised

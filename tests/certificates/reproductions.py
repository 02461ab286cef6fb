"""What an outside audit once found wrong, each reproduced: run without the compiler.

AdaHedge after a large loss, columns that grow, the best u in hindsight and other units have files of their
own.
"""

import numpy as np
import pytest

from fenchel import Learner, MirrorDescent, learners, losses, regularizers, rules
from fenchel.evaluate import embedded
from fenchel.regularizers import Simplex

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NUMBERS = X @ [1.0, -2.0, 0.5]


def named(found, equation):
    return next(c for c in found if c.equation == equation)


def test_default_adagrad_means_something():
    """Steps of 10^12 cancelled against the residue; now 1,854 for 1,492, in the units of the loss."""
    table = embedded.load("breast_cancer")
    learner = learners.adagrad(certify=True)
    learner.learn_many(table.X, np.where(table.y == "benign", 1, -1))
    found = [c for c in learner.certificates() if c.applies and not c.undecided]
    regret = named(found, "from Lemma 1")
    assert regret.holds
    assert 1.0 <= regret.ratio <= 2.0


class Shrinking(regularizers.Euclidean):
    """½‖w‖²/t: an f_t that falls, and says so."""

    nondecreasing = False


def test_a_regularizer_that_denies_growth_has_no_corollary_1():
    learner = Learner.of(losses.Hinge(), Shrinking(), rules.Subgradient(), certify=True)
    learner.learn_many(X, np.sign(NUMBERS))
    lacks = learner.theorems()["Corollary 1, eq. (composite_bound)"]
    assert lacks == ["g_t ≤ g_{t+1}, which the regularizer denies"]
    assert not any(c.equation == "eq. (composite_bound)" for c in learner.certificates(np.zeros(4)))


@pytest.mark.parametrize("name", ["gradient_descent", "strongly_convex"])
def test_a_simplex_can_be_certified(name):
    learner = getattr(learners, name)(domain=Simplex(), certify=True, intercept=False)
    learner.learn_many(X, np.sign(NUMBERS))
    found = learner.certificates(
        np.full(3, 1.0 / 3.0)
    )  # of t·F on a simplex none: Σ F(w_t) is unknown
    assert bool(found) == (name == "gradient_descent")
    assert all(c.holds for c in found if c.applies and c.kind != "printed")


def test_a_mixture_of_numbers_speaks_through_squared_losses_alone():
    """An expert under the absolute loss was subtracted from half a squared one."""
    experts = [learners.gradient_descent(loss="absolute"), learners.vovk_azoury_warmuth()]
    learner = learners.hedge(experts, certify=True)
    learner.learn_many(X, NUMBERS)
    through = {c.comparator.rpartition("by ")[2] for c in learner.certificates(np.zeros(4))[1:]}
    assert through == {"vovk_azoury_warmuth:certify=yes"}


@pytest.mark.parametrize("name", ["scale_invariant_adagrad", "exponentiated_gradient", "winnow"])
def test_scores_do_not_know_that_a_label_is_new(name):
    """The last row is scored before its label, a class that was never seen."""

    def scores(last):
        learner = learners.max_margin(getattr(learners, name)())
        return learner.learn_many(X, [*([0, 1] * 19), 0, last])[-1]

    known, new = scores(1), scores(2)
    assert np.array_equal(known[:2], new[:2])


def test_winnow_on_large_features_does_not_overflow():
    learner = learners.winnow(certify=True)
    learner.learn_many(X * 1e6, np.sign(NUMBERS))
    assert np.isfinite(learner.weights()).all()
    assert not any(c.violated for c in learner.certificates() if c.applies)


def test_labels_and_outputs_of_certified_members_certify():
    for kind, inner, y in (
        ("multi_label", learners.arow(certify=True), (X > 0.0).astype(int)),
        ("multi_output", learners.lms(0.05, certify=True), X),
    ):
        learner = getattr(learners, kind)(inner)
        learner.learn_many(X, y)
        assert learner.certifies
        assert learner.certificates(np.zeros((4, 3)))


def test_a_composite_counts_its_rounds_itself():
    told, silent = (MirrorDescent(regularizers.Composite(l1=0.1), 3) for _ in range(2))
    for x in X:
        told.observe(x)
        assert np.array_equal(told.predict(), silent.predict())
        told.update(x)
        silent.update(x)
    assert silent.previous.rounds[0] == len(X)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_nothing_is_said_to_be_violated_at_the_ends_of_the_floats(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    numbers = X @ rng.normal(size=4) + 0.1 * rng.normal(size=60)
    targets = {"binary": [np.sign(numbers)], "regression": [numbers, scale * numbers]}
    for name, entry in learners.CATALOGUE.items():
        for y in targets.get(entry.tasks[0], []) if name not in learners.NESTED else []:
            learner = learners.from_specification(f"{name}:certify=yes")
            with np.errstate(all="ignore"):  # compiled, no loop warns
                learner.learn_many(scale * X, y)
            found = learner.certificates()
            wrong = [
                c
                for c in found
                if c.violated and c.applies and c.kind not in ("printed", "variant")
            ]
            assert not wrong, f"{name}: {wrong[0]}"


def test_an_intercept_that_is_none_takes_no_part_in_a_steep_step():
    """Half of all mass moved at once, and the slot of the intercept had a share of its own."""
    learner = learners.exponentiated_gradient(
        eta=0.2, adaptive=True, signed=False, loss="squared", intercept=False, certify=True
    )
    learner.learn_many([[8.0], [7.0], [9.0], [8.0]], [1.0, 0.0, -2.0, 0.0])
    ledger = learner.engine.parts.ledger  # one coordinate has all mass: f*(θ) is linear
    assert ledger.climb[0] == pytest.approx(ledger.pairs[0], rel=1e-12)


def test_exponents_far_below_that_of_the_start_where_nothing_is_at_the_start():
    """0·exp(880) was no number, and the margin 0."""
    f = regularizers.Timed(regularizers.Entropic(3.0, signed=False), 0.5)
    learner = Learner.of(losses.Huber(), f, rules.Subgradient(eta=0.25), intercept=False)
    margins = learner.learn_many([[1500.0], [1000.0], [1500.0], [100.0]], [0.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(margins, [4500.0, 3000.0, 4500.0, 300.0])

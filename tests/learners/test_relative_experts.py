"""Experts that learn the distance from the first target."""

import numpy as np
import pytest

from fenchel import Learner, learners, merge
from fenchel.learners.mixture import Mixture
from fenchel.learners.views import Role

RNG = np.random.default_rng(5)
X = RNG.integers(-3, 4, size=(200, 3)).astype(float)
Y = (X @ [1.0, -2.0, 0.5]).round() + RNG.integers(-1, 2, 200)
OWN = "vovk_azoury_warmuth:a=0.01"


def mixture(relative=True):
    experts = [learners.from_specification(OWN).engine] * 2
    told = {"experts": [OWN, OWN]}
    return Learner(
        Mixture(experts, name="hedge", parameters=told, roles=[Role(relative=relative)] * 2)
    )


def test_where_the_targets_lie_makes_no_difference_from_the_second_round_on():
    near, far = (mixture().learn_many(X, Y + shift) for shift in (0.0, 1024.0))
    np.testing.assert_array_equal(far[1:], near[1:] + 1024.0)
    assert near[0] == far[0] == 0.0


def test_it_is_the_expert_on_the_distance():
    plain = learners.from_specification(OWN)
    found = mixture().learn_many(X, Y + 7.0)
    alone = (plain.learn_many(X, Y - Y[0]) + Y[0] + 7.0)[1:]
    within = np.minimum.accumulate(Y)[:-1] + 7.0, np.maximum.accumulate(Y)[:-1] + 7.0
    np.testing.assert_allclose(found[1:], np.clip(alone, *within), rtol=1e-12)


def test_cut_anywhere_it_is_the_same(tmp_path):
    whole, parts = mixture(), mixture()
    margins = whole.learn_many(X, Y + 50.0)
    found = [parts.learn_many(X[a : a + 1], Y[a : a + 1] + 50.0) for a in range(3)]
    np.testing.assert_array_equal(parts.decision_many(X[3:4]), margins[3:4])
    found.append(parts.copy().learn_many(X[3:], Y[3:] + 50.0))
    np.testing.assert_array_equal(np.concatenate(found), margins)


def test_late_answers_count_from_the_first_answer():
    learner = mixture()
    tickets = [learner.ask(x) for x in X[:4]]
    for ticket, y in zip(tickets, Y[:4] + 50.0, strict=True):
        assert ticket.prediction == 0.0
        learner.answer(ticket, y)
    assert learner.predict_one(X[0]) == pytest.approx(50.0, abs=10.0)


def test_a_target_too_far_from_zero_is_no_origin():
    auto = learners.auto("regression")
    assert np.isfinite(auto.learn_many(X[:4], [1.7e308, -1.7e308, 1.0, 0.0])).all()


def test_auto_names_them_and_saves_their_origin(tmp_path):
    auto = learners.auto("regression")
    auto.learn_many(X, Y + 300.0)
    assert len(auto.shares()) == len(auto.experts)
    auto.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    auto.is_frozen = True
    np.testing.assert_array_equal(loaded.predict_many(X), auto.predict_many(X))
    auto.is_frozen = loaded.is_frozen = False
    np.testing.assert_array_equal(loaded.learn_many(X, Y), auto.learn_many(X, Y))


def test_shards_with_other_first_targets_leave_one_of_them():
    parts = [learners.auto("regression") for _ in range(2)]
    for k, part in enumerate(parts):
        part.learn_many(X[k::2], Y[k::2] + 300.0 + k)
    merged = merge(parts)
    first = [k for k, role in enumerate(merged.engine.roles) if role.relative]
    known = [k for k in first if merged.engine.blend.hedge.active[k]]
    one_of = [part for part in parts if part.engine.views.origin == merged.engine.views.origin]
    assert len(one_of) == 1
    for k in known:
        theirs, found = (m.engine.weights_in_use()[k] for m in (one_of[0], merged))
        np.testing.assert_allclose(found, theirs, rtol=0.05, atol=1e-3)  # units have grown
    assert np.mean((merged.predict_many(X) - Y - 300.5) ** 2) < 4.0

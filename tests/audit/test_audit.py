"""A slice of ``make audit``: a few hundred runs of the campaign, without the compiler."""

import json

import numpy as np
import pytest

from audit import campaign, checking, textbook_theorems
from audit.random_streams import DRAWS, PARTS, drawn
from audit.runs import Run
from fenchel import learners
from fenchel.certificates import THEOREMS
from kernel.plain_python import plainly

SLICE = """
import json, numpy, warnings
warnings.simplefilter("ignore")
numpy.seterr(all="ignore")
from audit.campaign import random_runs
print(json.dumps(random_runs(25.0, seed=7, most=160).told()))
"""


def test_a_slice_of_the_campaign(record_property):
    told = json.loads(plainly("-c", SLICE))
    assert told["wrong"] == []
    assert sum(told["counts"].values()) > 200
    record_property("certificates audited by code of their own", sum(told["counts"].values()))


def test_every_theorem_and_every_learner_has_its_audit():
    assert {t.name for t in THEOREMS} == {*textbook_theorems.STATEMENTS, textbook_theorems.LANG}
    certifying = {name for name in learners.CATALOGUE if offers(name)}
    assert certifying == set(DRAWS) - set(PARTS)


def offers(name):
    """Whether a theorem covers the learner, as it is or in another form."""
    others = {"arow": "diagonal=no", "sketched_newton": "sketch=frequent_directions"}
    forms = (name, *(f"{name}:{others[n]}" for n in others if n == name))
    try:
        found = [learners.from_specification(form).theorems() for form in forms]
    except ValueError:
        return False  # made of others: audited by audit.wrappers
    return any(not lacks for each in found for lacks in each.values())


@pytest.mark.parametrize("wrong", ["bound", "achieved", "both"])
def test_a_wrong_certificate_is_found(wrong, monkeypatch):
    change = {"bound": (1.0, 1.001), "achieved": (1.001, 1.0), "both": (1.0, 0.0)}[wrong]
    true = textbook_theorems.STATEMENTS["Hinge lemma, best λ"]

    def false(run, u):
        return tuple(factor * side for factor, side in zip(change, true(run, u), strict=True))

    monkeypatch.setitem(textbook_theorems.STATEMENTS, "Hinge lemma, best λ", false)
    rng, tally = np.random.default_rng(3), checking.Tally()
    stream = drawn(rng, "binary", "plain")._replace(kind="plain")
    points = lambda d: [np.ones(d)]  # noqa: E731
    checking.audit(tally, "perceptron", {}, stream, rng, points, True)
    assert tally.wrong
    assert any("VIOLATED" in found for found in tally.wrong) == (wrong == "both")


def test_a_margin_that_is_not_that_of_the_algorithm_is_found():
    X, y = np.eye(3)[[0, 1, 0, 2]], np.array([1.0, -1.0, 1.0, 1.0])
    book = checking.BOOKS["perceptron"]()
    right = Run(book, X, y)
    assert Run(book, X, y, margins=right.m).apart == 0.0
    assert Run(book, X, y, margins=right.m + 0.5).apart > 1e-3


def test_errors_are_findings():
    tally = checking.Tally()
    campaign.guarded(tally, "seed 0, 1", lambda: 1 / 0)
    assert "seed 0, 1" in tally.wrong[0]
    assert "ZeroDivisionError" in tally.wrong[0]

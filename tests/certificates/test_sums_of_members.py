"""The sum over members applies only where each of its members does."""

import numpy as np
import pytest

from fenchel import learners
from fenchel.certificates import Assumption, Certificate
from fenchel.certificates.aggregate import every_member


def promised(holds: bool) -> Certificate:
    assumption = Assumption("η_t = 1 on mistakes", 0.0 if holds else 0.85, holds)
    return Certificate("T", "e", "mistakes", "u", 2.0, 1.0, 3.0, (assumption,))


@pytest.mark.parametrize("broken", [(0,), (1,), (2,), (0, 1, 2)])
def test_one_broken_assumption_is_broken_for_the_sum(broken):
    members = {str(k): [promised(k not in broken)] for k in range(3)}
    summed = every_member(members, "class", "classes")[0]
    assert summed.assumptions[0].measured == 0.85
    assert not summed.applies


def test_short_steps_of_every_class_promise_no_sum():
    """PA-I with C < 1 steps by less than 1 on mistakes: Corollary 2 says nothing of it."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, size=60)
    inner = learners.passive_aggressive(C=0.15, certify=True, intercept=False)
    found = learners.one_against_rest(inner, classes=range(3))
    found.learn_many(X, y)
    summed = [c for c in found.certificates(np.zeros((3, 3))) if c.theorem == "Corollary 2"]
    assert summed
    assert not any(c.applies for c in summed)

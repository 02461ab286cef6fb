"""From certificates to checks: what is promised, what rounding hides."""

import pytest

from fenchel.certificates import Assumption, Certificate
from fenchel.report.claims.claim import certified


def certificate(achieved, bound, unit, **more):
    return Certificate("T", "e", "regret", "u", achieved, bound, unit, **more)


@pytest.mark.parametrize(
    ("achieved", "bound", "unit", "applies", "violated"),
    [
        (1.0, 2.0, 3.0, True, False),
        (2.0, 1.0, 3.0, True, True),
        (2.0, 1.0, 1e12, False, False),  # the slack is hidden by the rounding of the terms
        (1.0, 2.0, 1e12, False, False),
        (0.0, 0.0, 0.0, True, False),
    ],
)
def test_what_can_be_said(achieved, bound, unit, applies, violated):
    check = certified(certificate(achieved, bound, unit), "here")
    assert (check.applies, check.violated) == (applies, violated)
    assert (check.left, check.right, check.where) == (achieved, bound, "here")


def test_a_broken_assumption_promises_nothing():
    broken = (Assumption("never", 1.0, False),)
    assert not certified(certificate(2.0, 1.0, 3.0, assumptions=broken), "").violated


def test_what_is_printed_promises_nothing():
    assert not certified(certificate(2.0, 1.0, 3.0, kind="printed"), "").promised

"""Every regularizer keeps its promises, and every promise of every regularizer is really tried."""

import pytest

from kernel.plain_python import plain_python
from kernel.random_parts import textbook_regularizers
from regularizers.regularizer_checks import BREAKAGES, SEEDS

NAMES = [cls.__name__ for cls in textbook_regularizers()]


@pytest.fixture(scope="module")
def report():
    return plain_python("regularizers/regularizer_checks.py")


@pytest.mark.parametrize("name", NAMES)
def test_regularizer_keeps_its_promises(report, name):
    assert {seed: report["whole"][f"{name}, {seed}"] for seed in SEEDS} == dict.fromkeys(SEEDS)


@pytest.mark.parametrize("breakage", BREAKAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_broken_copy_is_found_out(report, name, breakage, record_property):
    assert f"Broken{name}: " in (report["broken"][f"{name}, {breakage}"] or "nothing found")
    record_property("broken regularizers found out", 1)

"""Updates broken on purpose, in every family: each is found out, and by whom is printed."""

import pytest

from kernel.plain_python import plain_python


@pytest.fixture(scope="module")
def report():
    return plain_python("certificates/mutants.py")


def test_nothing_is_found_in_what_is_whole(report):
    assert {name: flaw for name, flaw in report["sound"].items() if flaw} == {}


def test_no_mutant_survives(report, record_property):
    found = report["mutants"]
    assert len(found) > 40
    for what, verdict in found.items():
        examiner, said = verdict or ("nobody", "")
        print(f"{what}: {examiner}: {said:.160}")
        if verdict:
            record_property(f"mutants found out by the {examiner}", 1)
    assert [what for what, verdict in found.items() if verdict is None] == []

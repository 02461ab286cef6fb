"""Mixtures have many experts: without the compiler their small runs take a few seconds."""

from pathlib import Path

from kernel.plain_python import plainly


def test_upper_mixtures_and_several_classes():
    tests = str(Path(__file__).with_name("mixture_certificates.py"))
    assert "10 passed" in plainly("-m", "pytest", "-q", "-p", "no:cacheprovider", tests)

"""Many learners at once: without the compiler their small runs take a few seconds."""

from pathlib import Path

from kernel.plain_python import plainly

HERE = Path(__file__).parent


def passed(file):
    return plainly("-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / file))


def test_upper_mixtures_and_several_classes():
    assert "10 passed" in passed("mixture_certificates.py")


def test_upper_labels_and_outputs():
    assert "28 passed" in passed("member_certificates.py")


def test_upper_max_margin_classes():
    assert "84 passed" in passed("pair_certificates.py")


def test_what_was_once_wrong():
    assert "15 passed" in passed("reproductions.py")

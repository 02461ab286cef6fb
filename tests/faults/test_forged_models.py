"""Model files with right digests and wrong contents: refused in one line, soon and in little memory."""

import random
import subprocess
import sys
import time

import numpy as np
import pytest

from attack import forged
from attack.kinds import trained
from fenchel import Learner, learners, models
from fenchel.regularizers import Simplex

MANY = {"learner": "perceptron", "parameters": {}}


@pytest.fixture
def forge(tmp_path):
    """Write a model of some kind with changes to its arrays and metadata; returns the path."""

    def write(kind, arrays=None, metadata=None):
        path = tmp_path / "m.fenchel"
        trained(kind).save(path)
        had, told = models.read(path)
        models.write(path, {**had, **(arrays or {})}, {**told, **(metadata or {})})
        return path

    return write


def test_the_number_of_coordinates_is_not_the_files_to_say(forge):
    learner = trained("simplex")
    path = forge("simplex", {"regularizer.domain.dimension": np.array([1e9])})
    assert Learner.load(path).weights().tolist() == learner.weights().tolist()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["perceptron", "auto", "one against rest", "multi task"])
def test_numbers_that_no_run_leaves_behind(forge, kind, number):
    arrays, _ = models.read(forge(kind))
    name = next(name for name in sorted(arrays) if "theta" in name)
    arrays[name].reshape(-1)[0] = number
    with pytest.raises(models.ModelRefused, match="no run leaves behind"):
        Learner.load(forge(kind, arrays))


def test_a_simplex_of_nan_is_no_simplex(forge):
    with pytest.raises(ValueError, match="total=nan"):
        learners.gradient_descent(domain=Simplex(total=np.nan))
    told = {"part": "Simplex", "total": float("nan")}
    with pytest.raises(models.ModelRefused, match="total=nan"):
        Learner.load(forge("simplex", metadata={"parameters": {"domain": told}}))


NESTED = {
    "many": {"experts": [MANY] * 100_000},
    "texts": {"experts": ["perceptron"] * 100_000},
    "deep": {"experts": [{"learner": "hedge", "parameters": {"experts": [MANY] * 300}}] * 300},
    "classes": {"experts": [MANY] * 2, "classes": list(range(10**6))},
}


@pytest.mark.parametrize("shape", NESTED)
def test_learners_without_number_are_refused_soon(forge, shape):
    path = forge("hedge", metadata={"parameters": NESTED[shape]})
    began = time.process_time()
    with pytest.raises(models.ModelRefused):
        Learner.load(path)
    assert time.process_time() - began < 4.0


def test_labels_without_number_are_refused_soon(forge):
    room = {"0.more": np.zeros(10**6, np.uint8)}
    path = forge("auto classes", room, {"labels": list(range(10**6))})
    began = time.process_time()
    with pytest.raises(models.ModelRefused):
        Learner.load(path)
    assert time.process_time() - began < 4.0


LARGEST = """
import resource, sys, time
from fenchel import Learner, models
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
try:
    Learner.load(sys.argv[1])
except models.ModelRefused as refusal:
    pass
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(time.process_time() - began, (peak - before) / 1024)
"""


def test_the_largest_header_costs_what_security_says(forge, record_property):
    path = forge("hedge", metadata={"parameters": {"experts": [MANY] * 270_000}})
    assert path.stat().st_size > 12_000_000
    done = subprocess.run(
        [sys.executable, "-c", LARGEST, str(path)], capture_output=True, text=True
    )
    seconds, megabytes = map(float, done.stdout.split())
    assert megabytes < 512.0
    record_property("megabytes that the largest forged header took", round(megabytes))
    assert seconds < 60.0  # two on an idle machine


def test_experts_that_are_all_retired(forge):
    with pytest.raises(models.ModelRefused, match="experts"):
        Learner.load(forge("hedge", {"hedge.active": np.zeros(2)}))


def test_more_experts_than_can_be_loaded_are_not_made():
    with pytest.raises(ValueError, match="more than 1000"):
        learners.hedge(["perceptron"] * 1001)


def test_variants(tmp_path, record_property):
    for what, count in forged.campaign(random.Random(3), tmp_path, 150).items():
        record_property(what, count)

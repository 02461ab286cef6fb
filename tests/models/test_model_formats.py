"""Files of every released format keep loading, value for value."""

import math
from pathlib import Path

import numpy as np
import pytest

from fenchel import Learner, models

RELEASED = Path(__file__).parent / "released"

ARRAYS = {
    "theta": np.array([[0.1, -0.0, 5e-324], [np.inf, 1e300, 1 / 3]]),
    "scale": np.array([0.5, 1.5], np.float32),
    "rounds": np.array(12, np.int64),
    "signed": np.array([-(2**31), 2**31 - 1], np.int32),
    "seen": np.array([0, 2**64 - 1], np.uint64),
    "columns": np.array([0, 2**32 - 1], np.uint32),
    "text": np.frombuffer("naïve".encode(), np.uint8),
    "active": np.array([True, False, True]),
    "empty": np.zeros((0, 3)),
}
METADATA = {
    "learner": {"name": "arow", "r": 0.1, "diagonal": True, "domain": None},
    "classes": ["no", "yes", "ναί"],
    "rounds": 12,
    "largest": 2**70,
    "certificate": {"achieved": 0.30000000000000004, "bound": math.inf},
}


# Trained and asked by the release that wrote format 1: categories of hours and sites, a price.
ROWS = [
    {"hour": 3, "site": "a", "price": 2.5},
    {"hour": "1", "site": "b", "price": 7},
    {"hour": 4.0, "site": "a", "price": 0},
]
MARGINS = [7.885051318087011, 13.785030256010955, 4.1138652592119875]
DIGESTS = {
    1: "3fe6a0eb48a8530544fe2befa53f803209b7f613087cc57d7dc3382cbabae3ab",
    2: "4da9f7bfedca3ea3819e542391475bf5c611420d6853da86a3b80ecf0a22fc9d",
}


@pytest.mark.parametrize("version", DIGESTS)
def test_every_format_is_read(version):
    path = RELEASED / f"format-{version}.fenchel"
    arrays, metadata = models.read(path)
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()
    assert metadata == METADATA
    assert models.verify(path) == DIGESTS[version]


def test_the_same_content_is_written_as_the_same_bytes(tmp_path):
    models.write(tmp_path / "m", ARRAYS, METADATA)
    assert (tmp_path / "m").read_bytes() == (
        RELEASED / f"format-{max(DIGESTS)}.fenchel"
    ).read_bytes()


def test_a_learner_of_format_1_knows_its_columns():
    learner = Learner.load(RELEASED / "learner-1.fenchel")
    assert learner.schema.label == "y"
    assert learner.schema.kinds["hour"].word == "category"
    found = [learner.decision_one(row) for row in ROWS]
    assert found == MARGINS


def test_auto_of_before_it_had_bayesian_experts_goes_on_as_it_was():
    learner = Learner.load(RELEASED / "auto-1.fenchel")
    rows = [{"a": 0.5, "b": 1.0}, {"a": 0.9, "b": -2.0}, {"b": 2.0}]
    asked = [5.856497012868723, -3.6149857340606646, -2.1384466150499644]
    later = [5.926866738317494, -3.7035110483232554, -2.109393751653005]
    assert [learner.decision_one(row) for row in rows] == pytest.approx(asked, rel=1e-12)
    learner.learn_one(rows[0], 1)
    assert [learner.decision_one(row) for row in rows] == pytest.approx(later, rel=1e-12)
    assert "bayesian_logistic" not in learner.engine.expert_names


@pytest.mark.parametrize(
    ("task", "asked", "frozen", "later"),
    [
        (
            "binary",
            [0.3074234255084959, -0.1293829762941613, 0.01770054188980219],
            [0.06740306043766084, -0.15455935202546697, 0.03478803251647763],
            [0.322318770042771, -0.16404570200319935, 0.0020219703221827645],
        ),
        (
            "regression",
            [5.1437294852934645, 4.862576449195156, 5.26966823676282],
            [5.13975978142214, 4.775368743184098, 5.2671835817134305],
            [4.968381855488271, 4.7445764026460235, 5.148788580790354],
        ),
    ],
)
def test_auto_of_before_it_saw_waves_goes_on_as_it_was(task, asked, frozen, later):
    learner = Learner.load(RELEASED / f"auto-2-{task}.fenchel").copy()
    rows = [{"a": 0.5, "b": 1.0}, {"a": 0.9, "b": -2.0}, {"b": 2.0}]
    assert [learner.copy().freeze().decision_one(row) for row in rows] == pytest.approx(
        frozen, rel=1e-12
    )
    learner = Learner.load(RELEASED / f"auto-2-{task}.fenchel")
    learner.is_frozen = False
    assert [learner.decision_one(row) for row in rows] == pytest.approx(asked, rel=1e-12)
    learner.learn_one(rows[0], 1)
    assert [learner.decision_one(row) for row in rows] == pytest.approx(later, rel=1e-12)
    assert not any("waves" in name for name in learner.engine.expert_names)

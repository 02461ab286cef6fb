"""Files of every released format keep loading, value for value."""

import math
from pathlib import Path

import numpy as np

from fenchel import models

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


def test_format_1():
    arrays, metadata = models.read(RELEASED / "format-1.fenchel")
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()
    assert metadata == METADATA
    digest = "3fe6a0eb48a8530544fe2befa53f803209b7f613087cc57d7dc3382cbabae3ab"
    assert models.verify(RELEASED / "format-1.fenchel") == digest


def test_the_same_content_is_written_as_the_same_bytes(tmp_path):
    models.write(tmp_path / "m", ARRAYS, METADATA)
    assert (tmp_path / "m").read_bytes() == (RELEASED / "format-1.fenchel").read_bytes()

"""Full matrices on a device of PyTorch's: the same code on its CPU as on a GPU.

``FENCHEL_DEVICE=cuda python -m pytest tests/learners/test_on_device.py`` runs it on a GPU.
"""

import os
import pickle

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.learners import device_matrix

torch = pytest.importorskip("torch", reason="PyTorch is not installed: the extra gpu")
DEVICE = os.environ.get("FENCHEL_DEVICE", "cpu")
MAKERS = {
    "arow": lambda **o: learners.arow(diagonal=False, **o),
    "forecaster": lambda **o: learners.vovk_azoury_warmuth(intercept=False, **o),
    "newton": lambda **o: learners.online_newton_step(**o),
}


def stream(rows=300, columns=70):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, np.where(X @ rng.normal(size=columns) + rng.normal(size=rows) > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("name", MAKERS)
def test_it_is_the_learner_of_the_cpu(name):
    X, y = stream()
    here, there = MAKERS[name](), MAKERS[name](device=DEVICE)
    np.testing.assert_allclose(there.learn_many(X, y), here.learn_many(X, y), atol=1e-10)
    np.testing.assert_allclose(there.all_weights(), here.all_weights(), atol=1e-10)
    np.testing.assert_allclose(there.decision_many(X), here.decision_many(X), atol=1e-10)
    np.testing.assert_allclose(there.confidence_many(X), here.confidence_many(X), atol=1e-10)
    assert (there.rounds, there.updates) == (here.rounds, here.updates)


def test_the_inverse_computed_anew_changes_nothing_but_the_last_digits(monkeypatch):
    X, y = stream()
    monkeypatch.setattr(device_matrix, "ROUNDS_A_COLUMN", 1)
    often = MAKERS["arow"](device=DEVICE).learn_many(X, y)
    np.testing.assert_allclose(often, MAKERS["arow"]().learn_many(X, y), atol=1e-10)


def test_rows_beyond_the_digits_of_a_block_are_learned_too():
    X, y = stream()
    X[:, 3] *= 1e5
    found = MAKERS["arow"](device=DEVICE).learn_many(X, y)
    np.testing.assert_allclose(found, MAKERS["arow"]().learn_many(X, y), atol=1e-4)


def test_tensors_and_float32_are_taken_where_they_lie():
    X, y = stream()
    learner = MAKERS["arow"](device=DEVICE, dtype="float32")
    found = learner.learn_many(torch.from_numpy(X).to(DEVICE), y)
    assert learner.engine.matrix.sigma.dtype is torch.float32
    np.testing.assert_allclose(found, MAKERS["arow"]().learn_many(X, y), atol=1e-3)


def test_a_model_of_one_device_loads_on_the_other(tmp_path):
    X, y = stream()
    learner = MAKERS["arow"](device=DEVICE)
    learner.learn_many(X, y)
    learner.save(tmp_path / "model")
    here = Learner.load(tmp_path / "model")
    again = here.to(DEVICE)
    assert here.specification == "arow:diagonal=no"
    np.testing.assert_allclose(here.decision_many(X), learner.decision_many(X), atol=1e-10)
    expected = here.learn_many(X, y)
    np.testing.assert_allclose(again.learn_many(X, y), expected, atol=1e-10)
    np.testing.assert_allclose(
        pickle.loads(pickle.dumps(learner)).learn_many(X, y), expected, atol=1e-10
    )


@pytest.mark.parametrize("classes", [4, 40])
def test_classes_share_a_matrix_there(classes):
    """Each gets its place when it appears; 40 of them are more than there is room for at first."""
    X, _ = stream()
    y = X[:, :classes].argmax(axis=1)
    make = lambda **o: learners.one_against_rest(MAKERS["arow"](**o), shared=True)  # noqa: E731
    here, there = make(), make(device=DEVICE)
    np.testing.assert_allclose(there.learn_many(X, y), here.learn_many(X, y), atol=1e-10)
    np.testing.assert_allclose(there.all_weights(), here.all_weights(), atol=1e-10)


def test_columns_that_come_later_and_values_that_are_not_finite():
    X, y = stream()
    here, there = MAKERS["arow"](), MAKERS["arow"](device=DEVICE)
    for learner in (here, there):
        learner.learn_many(X[:100, :20], y[:100])
        learner.learn_many(X[100:], y[100:])
    np.testing.assert_allclose(there.all_weights(), here.all_weights(), atol=1e-10)
    with pytest.raises(ValueError, match="not finite"):
        there.learn_many(torch.full((2, 70), torch.nan, device=DEVICE), [1, -1])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"device": "cuda:99"}, "finds no such GPU here"),
        ({"device": "moon"}, "none of PyTorch's"),
        ({"device": "cpu", "diagonal": True}, "is for full matrices"),
        ({"device": "cpu", "dtype": "float16"}, "choose float64 or float32"),
        ({"dtype": "float32"}, "needs a device"),
    ],
)
def test_what_cannot_be_had_is_said(options, says):
    with pytest.raises(ValueError, match=says):
        learners.arow(**{"diagonal": False, **options})

"""``certify=True`` at scikit-learn's door."""

import pickle

import numpy as np
from sklearn.base import clone

from fenchel import learners
from fenchel.estimators import OnlineClassifier, OnlineRegressor

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 3))
NUMBERS = X @ [1.0, -2.0, 0.5] + 0.1 * RNG.normal(size=80)


def test_a_classifier_has_its_certificate():
    y = np.where(NUMBERS > 0.0, "up", "down")
    model = OnlineClassifier(learners.perceptron(), certify=True)
    assert clone(model).get_params()["certify"] is True
    assert not hasattr(model, "certificate_")
    found = model.fit(X, y).certificate_
    assert found.holds
    assert found.applies
    assert found.theorem == "Corollary 2"
    model.partial_fit(X, y)
    assert model.certificate_.achieved >= found.achieved
    assert pickle.loads(pickle.dumps(model)).certificate_ == model.certificate_
    assert not hasattr(OnlineClassifier("perceptron").fit(X, y), "certificate_")


def test_several_classes():
    y = np.digitize(NUMBERS, [-1.0, 1.0])
    assert OnlineClassifier("perceptron", certify=True).fit(X, y).certificate_.holds


def test_a_regressor_has_its_certificate():
    found = OnlineRegressor("vovk_azoury_warmuth", certify=True).fit(X, NUMBERS).certificate_
    assert found.holds
    assert found.applies

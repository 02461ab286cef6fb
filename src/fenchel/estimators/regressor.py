"""OnlineRegressor: scikit-learn's door to regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from fenchel import learners
from fenchel.estimators.base import OnlineEstimator
from fenchel.learners.learner import Learner


class OnlineRegressor(RegressorMixin, OnlineEstimator):  # type: ignore[misc]
    """An online learner as a scikit-learn regressor.

    Parameters and attributes as those of ``OnlineClassifier``; the learner is one of regression,
    ``"auto"`` by default.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = OnlineRegressor(learner="vovk_azoury_warmuth").fit(X, y)
    >>> bool(model.score(X, y) > 0.4)
    True
    """

    _numeric = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineRegressor:
        """Learn from scratch, ``passes`` times over the data."""
        self._check_passes()
        X, y = self._checked(X, y, first=True)
        self.learner_: Learner = self._new_learner()
        self._learn_all(X, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineRegressor:
        """Learn from more rows, in their order."""
        first = not hasattr(self, "learner_")
        X, y = self._checked(X, y, first)
        if first:
            self.learner_ = self._new_learner()
        self._learn(X, y, sample_weight)
        return self

    def _new_learner(self) -> Learner:
        learner = self._template("regression")
        if learner.task != "regression":
            raise ValueError(f"learner={learner!r} is for {learner.task}: use OnlineClassifier")
        return learner

    def predict(self, X: Any) -> NDArray[np.float64]:
        """⟨coef_, x⟩ + intercept_, or a mixture's mixed prediction."""
        X = self._columns(X)
        if isinstance(self.learner_, learners.Mixture):
            return np.asarray(self.learner_.decide_many(X))
        return np.asarray(X @ self.coef_ + self.intercept_)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights."""
        return self._slots()[1:]

    @property
    def intercept_(self) -> float:
        """The weight of the intercept."""
        return float(self._slots()[0])

    def _slots(self) -> NDArray[np.float64]:
        if isinstance(getattr(self, "learner_", None), (learners.Mixture, type(None))):
            raise AttributeError("coef_ and intercept_ come with a fitted single learner")
        return self.learner_._all_weights()

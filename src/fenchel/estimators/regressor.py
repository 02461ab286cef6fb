"""OnlineRegressor: a learner as a scikit-learn regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from fenchel import learners
from fenchel.estimators.base import OnlineEstimator, checked_weights, is_linear, shape_of
from fenchel.learners.for_task import regression_loss
from fenchel.learners.learner import Learner
from fenchel.schema import Schema


class OnlineRegressor(RegressorMixin, OnlineEstimator):  # type: ignore[misc]
    """An online learner as a scikit-learn regressor.

    Parameters and attributes as those of ``OnlineClassifier``; the learner is one of regression,
    ``"auto"`` by default. Where y has several columns, one learner serves each, over one reading of
    X: ``coef_`` is then (outputs, features). With ``interval=0.9`` nine in ten targets lie inside
    ``predict_interval``.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = OnlineRegressor(learner="vovk_azoury_warmuth").fit(X, y)
    >>> bool(model.score(X, y) > 0.4)
    True
    """

    _numeric = True

    def __init__(
        self,
        learner: Any = "auto",
        *,
        passes: int = 1,
        grow: bool = False,
        certify: bool = False,
        schema: Schema | None = None,
        interval: float | None = None,
    ) -> None:
        super().__init__(learner, passes=passes, grow=grow, certify=certify, schema=schema)
        self.interval = interval

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineRegressor:
        """Learn from scratch, ``passes`` times over the data."""
        self._check_passes()
        with self._unchanged_if_refused():
            X, y = self._checked(X, y, first=True)
            weights = checked_weights(sample_weight, X.shape[0])
            self.learner_ = self._new_learner(y)
            self._learn_all(X, y, weights)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineRegressor:
        """Learn from more rows, in their order."""
        first = not hasattr(self, "learner_")
        with self._unchanged_if_refused():
            X, y = self._checked(X, y, first)
            weights = checked_weights(sample_weight, X.shape[0])
            if first:
                self.learner_ = self._new_learner(y)
            self._learn(X, y, weights)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _several_targets(self, y: Any) -> bool:
        return len(shape_of(y)) == 2

    def _new_learner(self, y: NDArray[Any]) -> Learner:
        learner = self._template("regression")
        if self.interval is not None and learner.name != "interval":
            if y.ndim == 2:
                raise ValueError("interval is around one number a row: y has several columns")
            learner = learners.interval(learner, coverage=self.interval)
        if y.ndim == 2 and learner.task == "regression":
            learner = learners.multi_output(learner)
        if learner.task not in ("regression", "multioutput"):
            raise ValueError(f"learner={learner!r} is for {learner.task}: {_remedy(learner)}")
        return learner

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row, as the next round would predict it; one column an output."""
        X = self._columns(X)
        learner = self.learner_.freeze()
        return np.asarray(learner.engine.present(learner.decision_many(X)))

    def predict_interval(self, X: Any) -> NDArray[np.float64]:
        """Predict the interval of each row, lower and upper (``interval=0.9``)."""
        X = self._columns(X)
        return np.asarray(self.learner_.predict_interval_many(X))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights, (features,) or (outputs, features)."""
        return self._slots()[1:].T

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The weight of the intercept, one for each output: of shape (outputs,)."""
        return np.atleast_1d(self._slots()[0])

    def _slots(self) -> NDArray[np.float64]:
        if not is_linear(getattr(self, "learner_", None)):
            raise AttributeError("coef_ and intercept_ come with a fitted single learner")
        weights: NDArray[np.float64] = self.learner_.all_weights()
        return weights.astype(self._float, copy=False)


def _remedy(learner: Learner) -> str:
    """The learner to use for numbers instead of one of classes."""
    if learner.task != "binary" or "loss" not in learner.get_params():
        return "use OnlineClassifier, or a learner of numbers such as vovk_azoury_warmuth"
    return f"use OnlineClassifier, or make it with loss={regression_loss(learner.name)!r}"

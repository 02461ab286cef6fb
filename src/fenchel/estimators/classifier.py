"""OnlineClassifier: scikit-learn's door to classification."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fenchel import learners
from fenchel.estimators.base import OnlineEstimator
from fenchel.learners.learner import Learner


def _is_linear(estimator: OnlineClassifier) -> bool:
    return not isinstance(getattr(estimator, "learner_", None), learners.Mixture)


class OnlineClassifier(ClassifierMixin, OnlineEstimator):  # type: ignore[misc]
    """An online learner as a scikit-learn classifier, for two classes or several.

    Parameters
    ----------
    learner
        A learner, its specification as text, or ``"auto"``: the mixture that needs no tuning. A
        learner of two classes serves several one against the rest. Its parameters are reached as
        ``learner__r`` in a grid search.
    passes
        How often ``fit`` goes over the data; ``partial_fit`` always once.
    grow
        Whether later calls of ``partial_fit`` may bring new classes and new columns.
    certify
        Whether to measure both sides of the theorems that cover the run, for ``certificate_``.

    Attributes
    ----------
    learner_
        The learner, with the stream door: ``learn_one``, ``certificate``, ``save``.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    certificate_
        The tightest certificate of the run, with ``certify=True``.
    coef_, intercept_
        The weights, except for a mixture, whose prediction is not linear.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = OnlineClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    >>> OnlineClassifier("perceptron", certify=True).fit(X, y).certificate_.holds
    True
    """

    _numeric = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineClassifier:
        """Learn from scratch, ``passes`` times over the data."""
        self._check_passes()
        X, y = self._checked(X, y, first=True)
        check_classification_targets(y)
        self._begin(np.unique(y))
        self._learn_all(X, y, sample_weight)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> OnlineClassifier:
        """Learn from more rows; the first call names the classes, or shows them in y."""
        first = not hasattr(self, "learner_")
        X, y = self._checked(X, y, first)
        check_classification_targets(y)
        if first:
            self._begin(np.unique(y if classes is None else classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={classes} differs from the first call's {self.classes_}")
        self._admit(y)
        self._learn(X, y, sample_weight)
        return self

    def _begin(self, classes: NDArray[Any]) -> None:
        if len(classes) < 2 and not self.grow:
            raise ValueError(
                f"y has one class, {classes.tolist()}: a classifier needs two; "
                "pass classes= to partial_fit or set grow=True"
            )
        self.classes_ = classes
        self.learner_: Learner = self._new_learner(classes)

    def _new_learner(self, classes: NDArray[Any]) -> Learner:
        several = len(classes) > 2 or self.grow
        learner = self._template("multiclass" if several else "binary")
        if several and learner.task == "binary":
            learner = learners.one_against_rest(learner)
        if learner.task not in ("binary", "multiclass"):
            raise ValueError(f"learner={learner!r} is for {learner.task}: use OnlineRegressor")
        learner.declare(classes.tolist())
        return learner

    def _admit(self, y: NDArray[Any]) -> None:
        """Take up new classes where that is allowed."""
        new = np.setdiff1d(y, self.classes_)
        if len(new) and not self.grow:
            raise ValueError(
                f"y has the label {new.tolist()[0]!r}, not among the classes {self.classes_.tolist()}: "
                "name it in the first partial_fit, or set grow=True"
            )
        if len(new):
            self.classes_ = np.concatenate([self.classes_, new])
            self.learner_.declare(self.classes_.tolist())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """⟨coef_, x⟩ + intercept_, or a mixture's vote; one column a class where there are several."""
        X = self._columns(X)
        if _is_linear(self):
            scores = np.asarray(X @ self.coef_.T + self.intercept_)
            return scores.ravel() if self.learner_.task == "binary" else scores
        votes = self.learner_.decide_many(X)
        return np.asarray(votes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores > 0.0).astype(int)])
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])

    def _has_probabilities(self) -> bool:
        learner = getattr(self, "learner_", None) or self._template("binary")
        loss = getattr(getattr(learner, "_pattern", learner), "loss", None)
        if isinstance(learner, learners.Mixture) or type(loss).__name__ == "Logistic":
            return True
        raise AttributeError("probabilities come with loss='logistic' or with a mixture")

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities: the sigmoid of a logistic margin, a mixture's share of votes."""
        return self.learner_._probabilities(self.decision_function(X))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights, (1, features) for two classes and (classes, features) for several."""
        return self._slots()[:, 1:]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept of each row of ``coef_``."""
        return self._slots()[:, 0]

    def _slots(self) -> NDArray[np.float64]:
        if not hasattr(self, "learner_") or not _is_linear(self):
            raise AttributeError("coef_ and intercept_ come with a fitted single learner")
        check_is_fitted(self, "learner_")
        return np.atleast_2d(self.learner_._all_weights().T)

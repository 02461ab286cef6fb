"""OnlineClassifier: a learner as a scikit-learn classifier."""

from __future__ import annotations

from copy import deepcopy as copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from fenchel import learners
from fenchel.estimators.base import OnlineEstimator, checked_weights, is_linear, shape_of
from fenchel.evaluate.class_weights import balance_of
from fenchel.learners.labels import in_order_met
from fenchel.learners.learner import Learner
from fenchel.schema import Schema


class OnlineClassifier(ClassifierMixin, OnlineEstimator):  # type: ignore[misc]
    """An online learner as a scikit-learn classifier, for two classes or several, or for labels.

    Parameters
    ----------
    learner
        A learner, its specification as text, or ``"auto"``: the mixture that needs no tuning. A
        learner of two classes serves several one against the rest, and labels (y an indicator
        matrix) one a label. Its parameters are reached as ``learner__r`` in a grid search.
    passes
        How often ``fit`` goes over the data; ``partial_fit`` always once.
    grow
        Whether later calls of ``partial_fit`` may bring new classes and new columns.
    certify
        Whether to measure both sides of the theorems that cover the run, for ``certificate_``.
    class_weight
        ``"balanced"``: every class counts alike, by the counts of labels so far, in ``partial_fit`` too;
        or a dict of weights by class. Learning and probabilities stay as they are: the class with the
        largest weight × probability is predicted.
    schema
        What the columns of a frame are, a ``fenchel.Schema``, where it is not to be guessed: numbers
        are numbers, words categories, and a missing value is absent.

    Attributes
    ----------
    learner_
        The learner, for streams: ``learn_one``, ``certificate``, ``save``.
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
    balance_: Any = None  # what weighs the classes

    def __init__(
        self,
        learner: Any = "auto",
        *,
        passes: int = 1,
        grow: bool = False,
        certify: bool = False,
        schema: Schema | None = None,
        class_weight: Any = None,
    ) -> None:
        super().__init__(learner, passes=passes, grow=grow, certify=certify, schema=schema)
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineClassifier:
        """Learn from scratch, ``passes`` times over the data."""
        self._check_passes()
        with self._unchanged_if_refused():
            X, y = self._checked(X, y, first=True)
            check_classification_targets(y)
            weights = checked_weights(sample_weight, X.shape[0])
            self.balance_ = _balance(self.class_weight, y)
            self._begin(y, *_classes_of(y))
            self._learn_all(X, y, weights)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> OnlineClassifier:
        """Learn from more rows; the first call names the classes, or shows them in y."""
        first = not hasattr(self, "learner_")
        with self._unchanged_if_refused():
            X, y = self._checked(X, y, first)
            check_classification_targets(y)
            weights = checked_weights(sample_weight, X.shape[0])
            if first:
                self.balance_ = _balance(self.class_weight, y)
            elif self.balance_ is not None:
                self.balance_ = copy(self.balance_)
                self.balance_.see(y)
            if first:
                found, labels = _classes_of(y)
                self._begin(y, found if classes is None else np.unique(classes), labels)
            elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise ValueError(f"classes={classes} differs from the first call's {self.classes_}")
            self._admit(y)
            self._learn(X, y, weights)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _several_targets(self, y: Any) -> bool:
        shape = shape_of(y)
        return len(shape) == 2 and shape[1] > 1

    def _begin(self, y: Any, classes: NDArray[Any], labels: bool) -> None:
        if len(classes) < 2 and not self.grow:
            raise ValueError(
                f"y has one class, {classes.tolist()}: a classifier needs two; "
                "pass classes= to partial_fit or set grow=True"
            )
        self.classes_ = classes
        self.learner_ = self._new_learner(classes, labels)
        # ``classes_`` is sorted, as everywhere in scikit-learn; the learner numbers labels as it would
        # by itself, in the order met.
        order = classes.tolist() if labels else in_order_met(y, classes.tolist())
        self.learner_.declare(order)

    def _new_learner(self, classes: NDArray[Any], labels: bool) -> Learner:
        several = not labels and (len(classes) > 2 or self.grow)
        learner = self._template("multiclass" if several else "binary")
        if learner.task == "binary" and labels:
            learner = learners.multi_label(learner)
        elif learner.task == "binary" and several:
            learner = learners.one_against_rest(learner)
        if learner.task not in (("multilabel",) if labels else ("binary", "multiclass")):
            remedy = "give a learner of two classes" if labels else "use OnlineRegressor"
            raise ValueError(f"learner={learner!r} is for {learner.task}: {remedy}")
        return learner

    @property
    def _has_labels(self) -> bool:
        return self.learner_.task == "multilabel"

    def _admit(self, y: NDArray[Any]) -> None:
        """Take up new classes where that is allowed."""
        if self._has_labels:
            return
        new = np.setdiff1d(y, self.classes_)
        if len(new) and not self.grow:
            raise ValueError(
                f"y has the label {new.tolist()[0]!r}, not among the classes {self.classes_.tolist()}: "
                "name it in the first partial_fit, or set grow=True"
            )
        if len(new):
            self.classes_ = np.concatenate([self.classes_, new])
            self.learner_.declare(list(dict.fromkeys([*self.learner_.classes, *y.tolist()])))

    def _places(self) -> NDArray[np.intp]:
        """The learner's number of each class of ``classes_``."""
        numbers = {label: k for k, label in enumerate(self.learner_.classes)}
        return np.array([numbers[label] for label in self.classes_.tolist()])

    def _in_order(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores, one column a class, in the order of ``classes_``; of two the second's."""
        if self._has_labels:
            return scores
        if scores.ndim == 1:
            return scores if self._places()[1] == 1 else -scores
        return scores[:, self._places()]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute the margin of each row as the next round would see it; one column a class for several."""
        X = self._columns(X)
        return self._in_order(np.asarray(self.learner_.freeze().decision_many(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, or the indicator matrix of its labels."""
        X = self._columns(X)
        margins = self.learner_.freeze().decision_many(X)
        if self._has_labels:
            return self.learner_.decode_many(margins)
        if self.balance_ is not None:
            chances = self.learner_.probabilities(margins)
            numbers = np.argmax(chances * self.balance_.factors(self.learner_.outcomes()), axis=1)
        elif margins.ndim == 2:
            numbers = np.argmax(margins, axis=1)
        else:
            numbers = (margins > 0.0).astype(int)
        return np.asarray(self.classes_[np.argsort(self._places())[numbers]])

    def _has_probabilities(self) -> bool:
        learner = getattr(self, "learner_", None) or self._template("binary")
        if learner.task != "multilabel" or learner.engine.has_probabilities:
            return True
        raise AttributeError("probabilities of labels come with loss='logistic'")

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, calibrated along the run; of labels, the probability that a row has each.

        As everywhere in scikit-learn the predicted class has the largest, and of two classes they rise
        with ``decision_function``: one that would contradict is put just beyond the border.
        """
        X = self._columns(X)
        learner = self.learner_.freeze()
        if self._has_labels:
            return learner.predict_proba_many(X)
        return learner.consistent_probabilities(learner.decision_many(X))[:, self._places()]

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Compute the logarithms of ``predict_proba``; −∞ for a class that has none."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights, (1, features) for two classes and (classes, features) for several."""
        return self._slots()[:, 1:]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept of each row of ``coef_``."""
        return self._slots()[:, 0]

    def _slots(self) -> NDArray[np.float64]:
        if not is_linear(getattr(self, "learner_", None)):
            raise AttributeError("coef_ and intercept_ come with a fitted single learner")
        check_is_fitted(self, "learner_")
        weights = self.learner_.all_weights()
        return np.atleast_2d(self._in_order(weights).T).astype(self._float, copy=False)


def _balance(class_weight: Any, y: Any) -> Any:
    """The weights of the classes once y was counted; None where they count as they come."""
    if class_weight is None:
        return None
    if np.ndim(y) != 1:
        raise ValueError("class_weight is for classes: y has a column for each label")
    found = balance_of(class_weight)
    found.see(y)
    return found


def _classes_of(y: Any) -> tuple[NDArray[Any], bool]:
    """The classes in y, and whether they are labels, of which a row may have any."""
    if type_of_target(y) == "multilabel-indicator":
        return np.arange(y.shape[1]), True
    return np.unique(y), False

"""The common base of the scikit-learn estimators: data in, a learner inside, growth where it is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from os import PathLike
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from fenchel import models
from fenchel.certificates import Certificate
from fenchel.estimators.frame_input import RawTable, as_input, is_table, repeated_rows
from fenchel.evaluate.class_weights import balance_of, counts_of
from fenchel.learners import storage
from fenchel.learners.for_task import for_task, with_parameters
from fenchel.learners.learner import Learner
from fenchel.learners.raw_input import is_raw
from fenchel.learners.registry import certified, learner_of
from fenchel.rows import validate
from fenchel.schema import Schema
from fenchel.streams.frames import is_frame

# The only checks of scikit-learn's battery that these estimators do not pass, and why; give them to
# ``check_estimator(…, expected_failed_checks=…)``.
_REASON = (
    "rows are learned in the order given, so that shuffled rows give other weights; scikit-learn's own "
    "SGDClassifier declares the same"
)
EXPECTED_FAILED_CHECKS = {
    "check_sample_weight_equivalence_on_dense_data": _REASON,
    "check_sample_weight_equivalence_on_sparse_data": _REASON,
}


def is_linear(learner: Learner | None) -> bool:
    """Whether predictions are ⟨coef_, x⟩ + intercept_: those of a mixture are not."""
    return learner is not None and learner.engine.is_linear


class OnlineEstimator(BaseEstimator):  # type: ignore[misc]
    """A learner behind scikit-learn's interface.

    Rows are learned in the order given. A row of weight w is learned ⌊w⌋ times, then once with the
    importance that is left.
    """

    _float: Any = np.float64  # of the input, which ``coef_`` has too

    def __init__(
        self,
        learner: Any = "auto",
        *,
        passes: int = 1,
        grow: bool = False,
        certify: bool = False,
        schema: Schema | None = None,
    ) -> None:
        self.learner = learner
        self.passes = passes
        self.grow = grow
        self.certify = certify
        self.schema = schema

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def certificate_(self) -> Certificate:
        """The tightest certificate of the run so far (``certify=True``)."""
        if not (self.certify and hasattr(self, "learner_")):
            raise AttributeError("certificate_ comes with a fitted estimator of certify=True")
        tightest: Certificate = self.learner_.certificate()
        return tightest

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to one safe file; ``load`` goes on from the last bit."""
        check_is_fitted(self, "learner_")
        names, classes = (getattr(self, of, None) for of in ("feature_names_in_", "classes_"))
        parameters = self.get_params(deep=False)
        for own in ("learner", "schema"):  # the file is that of a learner
            parameters.pop(own, None)
        if isinstance(parameters.get("class_weight"), dict):  # keys of JSON are texts
            parameters["class_weight"] = [list(pair) for pair in parameters["class_weight"].items()]
        told = {
            "kind": type(self).__name__,
            "parameters": parameters,
            "features": self.n_features_in_,
            "names": None if names is None else names.tolist(),
            "classes": None if classes is None else classes.tolist(),
            "class_counts": counts_of(getattr(self, "balance_", None)),
        }
        storage.save(self.learner_, path, more_metadata={"estimator": told})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load an estimator that was saved, ready to predict and for ``partial_fit``."""
        learner = Learner.load(path)
        told = models.read_metadata(path).get("estimator")
        if told is None or told["kind"] != cls.__name__:
            what = "a learner" if told is None else f"an {told['kind']}"
            raise models.ModelRefused(f"{path}: it holds {what}, not an {cls.__name__}")
        model = cls(learner.fresh(), **told["parameters"])
        model.learner_ = learner
        model.n_features_in_ = told["features"]
        if told["names"] is not None:
            model.feature_names_in_ = np.array(told["names"], dtype=object)
        if told["classes"] is not None:
            model.classes_ = np.array(told["classes"])
        if isinstance(getattr(model, "class_weight", None), list):
            model.class_weight = dict(model.class_weight)
        if getattr(model, "class_weight", None) is not None:
            model.balance_ = balance_of(model.class_weight, told["class_counts"])
        return model

    def _template(self, task: str) -> Learner:
        """A fresh learner for the task, from the parameters."""
        learner = self._plain(task)
        if self.schema is not None:
            learner.schema = self.schema.copy()
        return certified(learner) if self.certify else learner

    def _plain(self, task: str) -> Learner:
        if isinstance(self.learner, str):
            return for_task(self.learner, task)
        return learner_of(self.learner).fresh()

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, those of the learner as ``learner__r``, also where it is given as text."""
        inner = {k: v for k, v in parameters.items() if k.startswith("learner__")}
        super().set_params(**{k: v for k, v in parameters.items() if k not in inner})
        if inner and isinstance(self.learner, str):
            changed = {key.removeprefix("learner__"): value for key, value in inner.items()}
            self.learner = with_parameters(self.learner, changed)
        else:
            super().set_params(**inner)
        return self

    def _checked(self, X: Any, y: Any, first: bool) -> tuple[Any, Any]:
        """X and y as arrays; later calls may bring more columns where ``grow`` allows it."""
        by_place = self.grow and not first and not self._reads_by_name(X)
        grows = by_place and np.ndim(X) == 2 and np.shape(X)[1] > self.n_features_in_
        validate.refuse_masked(y, "y")
        targets = np.asarray(y)
        if targets.ndim == 1 and targets.dtype.kind == "f":
            validate.refuse(targets, "y", ~np.isfinite(targets), "finite, not NaN or inf")
        several = self._several_targets(y)
        X, y = self._validated(
            X, reset=first or grows, y=y, y_numeric=self._numeric, multi_output=several
        )
        if first:
            self._float = X.dtype if getattr(X, "dtype", None) == np.float32 else np.float64
        return X, y

    def _several_targets(self, y: Any) -> bool:
        """Whether y has a column for each of several targets."""
        raise NotImplementedError

    def _validated(self, X: Any, **options: Any) -> Any:
        """Checked by scikit-learn for form, by the border for every entry."""
        if self._reads_by_name(X):
            return self._table(X, **options)
        validate.refuse_masked(X, "X")
        if sp.issparse(X):  # first: what follows trusts the indices
            _refuse_unsound(X)
            if X.format == "csr" and X.indices.dtype.kind == "u":  # which SciPy cannot multiply
                X = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr), shape=X.shape)
        form = {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}
        try:
            checked = validate_data(self, X, **form, ensure_all_finite=False, **options)
        except OverflowError:  # an integer beyond the floats: the border can say which
            validate.as_values(X, "X")
            raise
        except TypeError:
            if np.ndim(X) < 2:  # dicts of named features, say: the border knows what to do
                validate.as_values(X, "X")
            raise
        if not sp.issparse(X):
            _refuse_unsound(checked[0] if isinstance(checked, tuple) else checked)
        return checked

    def _reads_by_name(self, X: Any) -> bool:
        """Whether the schema reads X, whose columns have names."""
        if is_table(X):
            return True
        given = self.schema or getattr(self.learner, "schema", None)
        return is_raw(X) and (self.grow or not (given is None or given.is_empty))

    def _table(self, X: Any, reset: bool, y: Any = None, **options: Any) -> Any:
        """A table whose columns scikit-learn has seen, and y where there is one."""
        if is_frame(X) and (reset or not self.grow):
            validate_data(self, X, reset=reset, skip_check_array=True)
        elif is_frame(X):
            known = getattr(self, "feature_names_in_", np.empty(0, object)).tolist()
            names = [*known, *(name for name in X.columns if name not in known)]
            self.feature_names_in_, self.n_features_in_ = np.array(names, dtype=object), len(names)
        elif reset:
            self.n_features_in_ = len(X[0])
        if len(X) == 0:
            raise ValueError("X has no rows: give at least one")
        if y is None:
            return RawTable(X)
        several = options["multi_output"]
        y = check_array(y, ensure_2d=False, dtype=None) if several else column_or_1d(y, warn=True)
        if options["y_numeric"]:
            y = y.astype(np.float64)
        check_consistent_length(X, y)
        return RawTable(X), y

    def _input(self, X: Any, learning: bool = False) -> Any:
        """Rows as the learner takes them."""
        return as_input(X, self.learner_, getattr(self, "feature_names_in_", None), learning)

    def _check_passes(self) -> None:
        if not isinstance(self.passes, (int, np.integer)) or self.passes < 1:
            raise ValueError(f"passes={self.passes!r} must be a whole number ≥ 1")

    def _columns(self, X: Any) -> Any:
        """X for prediction, checked."""
        check_is_fitted(self, "learner_")
        if self._reads_by_name(X):
            return self._input(self._validated(X, reset=False))
        if self.grow and np.ndim(X) == 2 and np.shape(X)[1] < self.n_features_in_:
            X = _widened(X, self.n_features_in_)
        return self._input(self._validated(X, reset=False))

    @contextmanager
    def _unchanged_if_refused(self) -> Iterator[None]:
        """Whatever is refused inside leaves the estimator as it was."""
        before = dict(self.__dict__)
        try:
            yield
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _learn_all(self, X: Any, y: Any, weights: Any) -> None:
        """All passes of ``fit``, in the order given."""
        for _ in range(self.passes):
            self._learn(X, y, weights)
        self.n_iter_ = self.passes

    def _learn(self, X: Any, y: Any, weights: Any) -> None:
        """One pass in the given order."""
        X = self._input(X, learning=True)
        if weights is None:
            self.learner_.learn_many(X, y)
            return
        rows, importance = repeated(weights)
        self.learner_.learn_many(repeated_rows(X, rows), y[rows], importance)


def shape_of(y: Any) -> tuple[int, ...]:
    """The shape of an array, or of what lists or objects would be as one."""
    return tuple(y.shape if hasattr(y, "shape") else np.asarray(y, dtype=object).shape)


def checked_weights(sample_weight: Any, count: int) -> NDArray[np.float64] | None:
    """One weight a row, from as many or from one number; None where there are none."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(count, sample_weight)
    weights = validate.as_importance(sample_weight, count, "sample_weight")
    if not weights.any():
        raise ValueError("sample_weight is zero in every row: give one at least a weight above 0")
    return weights


def _refuse_unsound(X: Any) -> None:
    validate.refuse_unsound(validate.as_rows(X))


def repeated(weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows, each as often as its weight says, and the importance of each visit.

    >>> repeated(np.array([2.0, 0.0, 0.5, 1.25]))
    (array([0, 0, 2, 3, 3]), array([1.  , 1.  , 0.5 , 1.  , 0.25]))
    """
    whole = np.floor(np.minimum(weights, MOST_VISITS)).astype(np.intp)
    rest = weights - whole
    visits = whole + (rest > 0.0)
    rows = np.repeat(np.arange(len(weights)), visits)
    importance = np.ones(len(rows))
    last = np.cumsum(visits) - 1
    partly = rest > 0.0
    importance[last[partly]] = rest[partly]
    return rows, importance


# A weight beyond this is learned so often, and what is left of it as one importance.
MOST_VISITS = 100.0


def _widened(X: Any, width: int) -> Any:
    """X with columns of zeros on the right."""
    if sp.issparse(X):
        wide = sp.csr_array(X)
        return sp.csr_array((wide.data, wide.indices, wide.indptr), shape=(X.shape[0], width))
    X = np.asarray(X)
    return np.hstack([X, np.zeros((X.shape[0], width - X.shape[1]))])

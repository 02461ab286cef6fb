"""Learners inside River's pipelines and evaluations.

    from fenchel import learners
    from fenchel.estimators.river import RiverClassifier
    model = river.preprocessing.StandardScaler() | RiverClassifier(learners.arow())

River is no dependency: where it is missing the classes have the same methods, and no pipelines.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from fenchel import learners
from fenchel.learners.learner import Learner
from fenchel.learners.registry import learner_of

if TYPE_CHECKING:

    class Classifying:
        """River's classifier."""

    class Regressing:
        """River's regressor."""

else:
    try:
        from river.base import Classifier as Classifying
        from river.base import Regressor as Regressing
    except ImportError:
        Classifying = Regressing = object


class _Adapter:
    """The common base of both: the learner given is left as it is, a twin of it learns."""

    _tasks: tuple[str, ...]

    def __init__(self, learner: Learner | str) -> None:
        learner = learner_of(learner)
        if learner.task not in self._tasks:
            raise ValueError(
                f"learner={learner!r} is for {learner.task}: "
                f"{type(self).__name__} takes one for {' or '.join(self._tasks)}"
            )
        self.learner = learner
        self.learner_ = learner.copy()
        self._met: set[Hashable] = set(self.learner_.names or ())

    def learn_one(self, x: Mapping[Hashable, Any], y: Any, w: float = 1.0) -> None:
        """Learn from one example of importance w."""
        self.learner_.learn_one(self._named(x), y, w)
        self._met.update(x)

    def predict_one(self, x: Mapping[Hashable, Any]) -> Any:
        """The label or the number predicted."""
        return self.learner_.predict_one(self._named(x))

    def _named(self, x: Mapping[Hashable, Any]) -> Mapping[str, Any]:
        """The features by strings, in the order of names where some are new: in River no order of x counts.

        To the learner a feature that has only been 0 is new.
        """
        if self._met.issuperset(x) and len(self._met) == len(self.learner_.names or ()):
            return x if _all_text(x) else {str(name): value for name, value in x.items()}
        return {str(name): x[name] for name in sorted(x, key=str)}


class RiverClassifier(_Adapter, Classifying):
    """A learner of two classes or of several as a classifier of River.

    ``learner`` is the template; ``learner_`` the one that learns, with all its own methods.

    >>> model = RiverClassifier(learners.gradient_descent(loss="logistic"))
    >>> model.learn_one({"free": 1.0}, True)
    >>> model.predict_one({"free": 1.0})
    True
    >>> {label: round(chance, 3) for label, chance in model.predict_proba_one({"free": 1.0}).items()}
    {False: 0.316, True: 0.684}
    """

    _tasks = ("binary", "multiclass")

    def predict_proba_one(self, x: Mapping[Hashable, Any]) -> dict[Any, float]:
        """The probability of each class known so far."""
        return self.learner_.predict_proba_one(self._named(x))

    @property
    def _multiclass(self) -> bool:
        return self.learner.task == "multiclass"

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"learner": learners.auto()}


class RiverRegressor(_Adapter, Regressing):
    """A learner of regression as a regressor of River.

    >>> model = RiverRegressor(learners.vovk_azoury_warmuth(intercept=False))
    >>> for y in (2.0, 2.0):
    ...     model.learn_one({"x": 1.0}, y)
    >>> model.predict_one({"x": 1.0})
    1.0
    """

    _tasks = ("regression",)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"learner": learners.vovk_azoury_warmuth()}


def _all_text(x: Mapping[Hashable, Any]) -> TypeGuard[Mapping[str, Any]]:
    """Whether all features are named by strings: in River they may be named by anything."""
    return all(type(name) is str for name in x)

"""The scikit-learn door: estimators whose learner is a parameter."""

from fenchel.estimators.classifier import OnlineClassifier
from fenchel.estimators.filter import AdaptiveFilter
from fenchel.estimators.ranker import OnlineRanker
from fenchel.estimators.regressor import OnlineRegressor

__all__ = ["AdaptiveFilter", "OnlineClassifier", "OnlineRanker", "OnlineRegressor"]

"""The scikit-learn door: estimators whose learner is a parameter."""

from fenchel.estimators.classifier import OnlineClassifier
from fenchel.estimators.regressor import OnlineRegressor

__all__ = ["OnlineClassifier", "OnlineRegressor"]

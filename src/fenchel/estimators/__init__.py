"""Estimators for scikit-learn; the learner is a parameter."""

from fenchel.estimators.base import EXPECTED_FAILED_CHECKS
from fenchel.estimators.block_filter import BlockFilter
from fenchel.estimators.classifier import OnlineClassifier
from fenchel.estimators.filter import AdaptiveFilter
from fenchel.estimators.ranker import OnlineRanker
from fenchel.estimators.regressor import OnlineRegressor

__all__ = [
    "EXPECTED_FAILED_CHECKS",
    "AdaptiveFilter",
    "BlockFilter",
    "OnlineClassifier",
    "OnlineRanker",
    "OnlineRegressor",
]

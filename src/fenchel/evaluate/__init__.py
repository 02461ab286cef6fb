"""Progressive validation: every prediction is scored before its label is learned from."""

from fenchel.evaluate.certifying import Certified, best_certificates
from fenchel.evaluate.chance import Verdict
from fenchel.evaluate.comparison import Comparison, Contest, compare
from fenchel.evaluate.constant import BestConstant
from fenchel.evaluate.feeding import learn, predict, rows_where
from fenchel.evaluate.given import columns_by_name
from fenchel.evaluate.measures import Outcome, outcome
from fenchel.evaluate.progressive import Run, Score, progressive
from fenchel.evaluate.queries import whole_queries
from fenchel.evaluate.suitable import suitable

__all__ = [
    "BestConstant",
    "Certified",
    "Comparison",
    "Contest",
    "Outcome",
    "Run",
    "Score",
    "Verdict",
    "best_certificates",
    "columns_by_name",
    "compare",
    "learn",
    "outcome",
    "predict",
    "progressive",
    "rows_where",
    "suitable",
    "whole_queries",
]

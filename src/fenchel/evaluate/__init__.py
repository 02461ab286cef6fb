"""Progressive validation: every prediction is scored before its label is learned from."""

from fenchel.evaluate.certified_runs import Certified, best_certificates
from fenchel.evaluate.constant import BestConstant
from fenchel.evaluate.contest import Comparison, Contest, compare
from fenchel.evaluate.default_learners import learners_for
from fenchel.evaluate.late_run import LateRun
from fenchel.evaluate.measures import Outcome, outcome
from fenchel.evaluate.metrics import Metrics, metric, metrics_of
from fenchel.evaluate.progressive import Run, Score, progressive
from fenchel.evaluate.queries import whole_queries
from fenchel.evaluate.scoring import Scoring
from fenchel.evaluate.significance import Verdict
from fenchel.learners.block_cutting import learn, predict

__all__ = [
    "BestConstant",
    "Certified",
    "Comparison",
    "Contest",
    "LateRun",
    "Metrics",
    "Outcome",
    "Run",
    "Score",
    "Scoring",
    "Verdict",
    "best_certificates",
    "compare",
    "learn",
    "learners_for",
    "metric",
    "metrics_of",
    "outcome",
    "predict",
    "progressive",
    "whole_queries",
]

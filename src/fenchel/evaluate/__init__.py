"""Progressive validation: every prediction is scored before its label is learned from."""

from fenchel.evaluate.block_cutting import learn, predict
from fenchel.evaluate.certified_runs import Certified, best_certificates
from fenchel.evaluate.constant import BestConstant
from fenchel.evaluate.contest import Comparison, Contest, compare
from fenchel.evaluate.default_learners import learners_for
from fenchel.evaluate.late_run import LateRun
from fenchel.evaluate.measures import Outcome, outcome
from fenchel.evaluate.progressive import Run, Score, progressive
from fenchel.evaluate.queries import whole_queries
from fenchel.evaluate.significance import Verdict

__all__ = [
    "BestConstant",
    "Certified",
    "Comparison",
    "Contest",
    "LateRun",
    "Outcome",
    "Run",
    "Score",
    "Verdict",
    "best_certificates",
    "compare",
    "learn",
    "learners_for",
    "outcome",
    "predict",
    "progressive",
    "whole_queries",
]

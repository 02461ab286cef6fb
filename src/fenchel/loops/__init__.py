"""The compiled online loops."""

from fenchel.loops.averages import Average, NoAverage, bank, pace
from fenchel.loops.online import check_rows, decide_rows, learn_rows

__all__ = ["Average", "NoAverage", "bank", "check_rows", "decide_rows", "learn_rows", "pace"]

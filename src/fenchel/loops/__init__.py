"""The compiled online loops."""

from fenchel.loops.averages import Average, Averaged, NoAverage
from fenchel.loops.online import check_rows, decide_rows, learn_rows

__all__ = ["Average", "Averaged", "NoAverage", "check_rows", "decide_rows", "learn_rows"]

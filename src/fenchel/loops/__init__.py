"""The compiled online loops."""

from fenchel.loops.averages import Average, Averaged, NoAverage
from fenchel.loops.classes import decide_classes, learn_classes
from fenchel.loops.ledger import Ledger, NoLedger
from fenchel.loops.online import (
    check_rows,
    decide_rows,
    learn_rows,
    loss_values,
    read_weights,
    spread_rows,
    trace_rows,
)

__all__ = [
    "Average",
    "Averaged",
    "Ledger",
    "NoAverage",
    "NoLedger",
    "check_rows",
    "decide_classes",
    "decide_rows",
    "learn_classes",
    "learn_rows",
    "loss_values",
    "read_weights",
    "spread_rows",
    "trace_rows",
]

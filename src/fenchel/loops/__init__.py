"""The compiled online loops."""

from fenchel.loops.averages import Average, Averaged, NoAverage, average_for
from fenchel.loops.ledger import Ledger, LossLedger, NoLedger, ledger_for
from fenchel.loops.max_margin import decide_classes, learn_classes
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
    "LossLedger",
    "NoAverage",
    "NoLedger",
    "average_for",
    "check_rows",
    "decide_classes",
    "decide_rows",
    "learn_classes",
    "learn_rows",
    "ledger_for",
    "loss_values",
    "read_weights",
    "spread_rows",
    "trace_rows",
]

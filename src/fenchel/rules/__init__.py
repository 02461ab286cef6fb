"""Rules, which choose z_t = coefficient·x_t."""

from fenchel.rules.implicit import Implicit
from fenchel.rules.invariant import Invariant
from fenchel.rules.protocol import coefficient
from fenchel.rules.steps import (
    Aggressive,
    Conservative,
    LogisticMode,
    NormalizedResidual,
    OriginalArow,
    PassiveAggressive,
    Residual,
    SoftConfidence,
    Subgradient,
    Target,
    TunedAggressive,
)

__all__ = [
    "Aggressive",
    "Conservative",
    "Implicit",
    "Invariant",
    "LogisticMode",
    "NormalizedResidual",
    "OriginalArow",
    "PassiveAggressive",
    "Residual",
    "SoftConfidence",
    "Subgradient",
    "Target",
    "TunedAggressive",
    "coefficient",
]

"""Certificates: both sides of every inequality of the paper on a run, and the best u in hindsight."""

from fenchel.certificates.aggregate import hedge_bound, through_expert
from fenchel.certificates.certificate import Assumption, Certificate, table
from fenchel.certificates.comparators import comparator
from fenchel.certificates.hindsight import Hindsight, best_in_hindsight
from fenchel.certificates.lemmas import weighted_norm_lemma
from fenchel.certificates.record import RunRecord, Sums
from fenchel.certificates.regret import Regret, regret
from fenchel.certificates.replay import replay
from fenchel.certificates.selection import (
    agrees,
    certificates,
    missing,
    seen_through,
    tightest,
    verify,
)
from fenchel.certificates.theorem import Need, Theorem
from fenchel.certificates.theorems import THEOREMS

__all__ = [
    "THEOREMS",
    "Assumption",
    "Certificate",
    "Hindsight",
    "Need",
    "Regret",
    "RunRecord",
    "Sums",
    "Theorem",
    "agrees",
    "best_in_hindsight",
    "certificates",
    "comparator",
    "hedge_bound",
    "missing",
    "regret",
    "replay",
    "seen_through",
    "table",
    "through_expert",
    "tightest",
    "verify",
    "weighted_norm_lemma",
]

"""Certificates: both sides of every inequality of the paper on a run, and the best u in hindsight."""

from fenchel.certificates.blocks import Block
from fenchel.certificates.certificate import Assumption, Certificate, table
from fenchel.certificates.hindsight import Hindsight, best_in_hindsight
from fenchel.certificates.lemmas import weighted_norm_lemma
from fenchel.certificates.offers import agrees, certificates, seen_through, tightest, verify
from fenchel.certificates.regret import Regret, regret
from fenchel.certificates.replay import replay
from fenchel.certificates.runs import Run, Sums
from fenchel.certificates.sums import hedge_bound, through_expert

__all__ = [
    "Assumption",
    "Block",
    "Certificate",
    "Hindsight",
    "Regret",
    "Run",
    "Sums",
    "agrees",
    "best_in_hindsight",
    "certificates",
    "hedge_bound",
    "regret",
    "replay",
    "seen_through",
    "table",
    "through_expert",
    "tightest",
    "verify",
    "weighted_norm_lemma",
]

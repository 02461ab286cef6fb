"""Certificates: both sides of every inequality of the paper on a run, and the best u in hindsight."""

from fenchel.certificates.blocks import Block
from fenchel.certificates.certificate import Assumption, Certificate, table
from fenchel.certificates.hindsight import best_in_hindsight
from fenchel.certificates.lemmas import hedge_bound, weighted_norm_lemma
from fenchel.certificates.offers import agrees, certificates, tightest, verify
from fenchel.certificates.replay import replay
from fenchel.certificates.runs import Run, Sums

__all__ = [
    "Assumption",
    "Block",
    "Certificate",
    "Run",
    "Sums",
    "agrees",
    "best_in_hindsight",
    "certificates",
    "hedge_bound",
    "replay",
    "table",
    "tightest",
    "verify",
    "weighted_norm_lemma",
]

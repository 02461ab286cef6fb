"""The claims of the paper, each measured: one file a family, each with a function ``measure``."""

from fenchel.report.claims.claim import Check, Claim
from fenchel.report.claims.streams import Embedded, Folder, Source

__all__ = ["Check", "Claim", "Embedded", "Folder", "Source"]

"""The claims of the paper, each measured: one file a family, each with a function ``measure``."""

from fenchel.report.claims.claim import Check, Claim
from fenchel.report.claims.data_sets import ClaimData, EmbeddedData, FolderData

__all__ = ["Check", "Claim", "ClaimData", "EmbeddedData", "FolderData"]

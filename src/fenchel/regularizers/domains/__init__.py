"""Domains S: the weights stay inside."""

from fenchel.regularizers.domains.ball import Ball
from fenchel.regularizers.domains.box import Box
from fenchel.regularizers.domains.orthant import Orthant
from fenchel.regularizers.domains.protocol import confine, follow, settle
from fenchel.regularizers.domains.simplex import Simplex
from fenchel.regularizers.domains.whole import Whole

__all__ = ["Ball", "Box", "Orthant", "Simplex", "Whole", "confine", "follow", "settle"]

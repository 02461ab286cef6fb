"""Rows of data: the container, as users bring them, and as compiled code sees them."""

from fenchel.rows.block import Block, ReadBlocks
from fenchel.rows.rows import Rows

__all__ = ["Block", "ReadBlocks", "Rows"]

"""Models taken elsewhere: ONNX, SQL, JSON, CSV, C and plain Python."""

from fenchel.export.portable import ExportRefused, Portable, portable
from fenchel.export.targets import TARGETS, export

__all__ = ["TARGETS", "ExportRefused", "Portable", "export", "portable"]

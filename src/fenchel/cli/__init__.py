"""The command line: ``fenchel train``, ``predict``, ``compare``, ``inspect``, ``learners``."""

from fenchel.cli.app import main

__all__ = ["main"]

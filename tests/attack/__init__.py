"""Hostile use, seeded: each module is one way of going at the package, with a ``campaign``."""

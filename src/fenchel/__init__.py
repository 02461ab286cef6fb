"""Online learning with linear models: mirror descent with time-varying regularizers.

Three ways to use it: ``MirrorDescent`` for theory, ``learners`` for streams, ``fenchel.estimators``
for scikit-learn. Names are imported when first used, so that ``import fenchel`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fenchel._version import __version__

if TYPE_CHECKING:
    from fenchel import learners, losses, regularizers, rules
    from fenchel.learners.learner import Learner
    from fenchel.learners.merging import merge
    from fenchel.mirror import MirrorDescent
    from fenchel.schema import Schema

__all__ = [
    "Learner",
    "MirrorDescent",
    "Schema",
    "__version__",
    "learners",
    "losses",
    "merge",
    "regularizers",
    "rules",
]

_LAZY = {
    "Learner": ("fenchel.learners.learner", "Learner"),
    "MirrorDescent": ("fenchel.mirror", "MirrorDescent"),
    "Schema": ("fenchel.schema", "Schema"),
    "learners": ("fenchel.learners", None),
    "losses": ("fenchel.losses", None),
    "merge": ("fenchel.learners.merging", "merge"),
    "regularizers": ("fenchel.regularizers", None),
    "rules": ("fenchel.rules", None),
    # Rooms of their own, not brought by a star: scikit-learn comes with one of them.
    "certificates": ("fenchel.certificates", None),
    "cluster": ("fenchel.cluster", None),
    "estimators": ("fenchel.estimators", None),
    "evaluate": ("fenchel.evaluate", None),
    "models": ("fenchel.models", None),
    "schema": ("fenchel.schema", None),
    "streams": ("fenchel.streams", None),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'fenchel' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    loaded = import_module(module)
    return loaded if attribute is None else getattr(loaded, attribute)


def __dir__() -> list[str]:
    return sorted({*__all__, *_LAZY})

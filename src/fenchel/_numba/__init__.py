"""The compiler layer: verbs, decorators, the cache on disk, and reading Python's dicts from compiled code.

Nothing outside this package touches what Numba or CPython keep to themselves.
"""

from fenchel._numba.jit import helper, kernel
from fenchel._numba.verbs import knows, required_verb, verb

__all__ = ["helper", "kernel", "knows", "required_verb", "verb"]

"""The compiler layer: verbs, decorators, the cache on disk, and reading Python's dicts from compiled code.

Nothing outside this package touches what Numba or CPython keep to themselves, and in it only ``fast``
does: ``internals`` lists every such use. ``plain`` does the same by public functions alone, for releases
of Numba that were not checked; ``choice`` tells which of the two it is.
"""

from fenchel._numba.jit import helper, kernel
from fenchel._numba.verbs import knows, required_verb, verb

__all__ = ["helper", "kernel", "knows", "required_verb", "verb"]

"""How parts reach compiled code: verbs, the house decorators, the cache, rows and state."""

from fenchel._kernel.compile import helper, kernel
from fenchel._kernel.dispatch import knows, required_verb, verb

__all__ = ["helper", "kernel", "knows", "required_verb", "verb"]

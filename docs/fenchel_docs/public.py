"""The reference: every public name of a package, each by what it is."""

import inspect
from importlib import import_module

from fenchel_docs.writing import Written, rst


class PublicNames(Written):
    """``{public-names} package``: all of its ``__all__``; learners have pages of their own."""

    required_arguments = 1

    def markdown(self):
        (package,) = self.arguments
        module = import_module(package)
        entries = [entry(package, name, getattr(module, name)) for name in sorted(module.__all__)]
        return rst("\n".join(e for e in entries if e))


def entry(package: str, name: str, value: object) -> str:
    """The autodoc directive of one name, or nothing where it is documented elsewhere."""
    from fenchel.learners import CATALOGUE

    if inspect.ismodule(value) or (package == "fenchel.learners" and name in CATALOGUE):
        return ""
    home = home_of(package, name, value)
    value = getattr(value, "py_func", value)  # of a compiled one
    if home != package:
        return f"* ``{package}.{name}``: see :class:`{home}.{name}`.\n"
    if inspect.isclass(value):
        return f".. autoclass:: {package}.{name}\n   :members:\n   :exclude-members: {HIDDEN}\n"
    if inspect.isroutine(value) or inspect.isfunction(value):
        return f".. autofunction:: {package}.{name}\n"
    if name.startswith("__"):
        return f".. py:data:: {package}.{name}\n\n   The version, ``{value}``.\n"
    return f".. py:data:: {package}.{name}\n\n   {DATA[f'{package}.{name}']}\n"


# Python keeps no docstrings of data.
DATA = {
    "fenchel.certificates.THEOREMS": "Every theorem that a run may be certified by, in the paper's "
    "order, with what it needs.",
    "fenchel.estimators.EXPECTED_FAILED_CHECKS": "The checks of scikit-learn's battery that the "
    "estimators do not pass, and why.",
    "fenchel.export.TARGETS": "The targets that ``export`` and ``--to`` take, with the function of each.",
    "fenchel.learners.CATALOGUE": "Every learner by its name: how it is built, the tasks it is for, "
    "its parts, equation, theorem and cost.",
    "fenchel.learners.NESTED": "The learners made of learners, with the parameter that takes these.",
    "fenchel.losses.BY_NAME": "The losses by the names that ``loss=`` and ``--loss`` take.",
    "fenchel.regularizers.SLOTS": "The default of a part's field that is an array of one number for "
    "each column, the intercept's first: a learner puts one of the right length in its place.",
    "fenchel.regularizers.RECORD": "The same as SLOTS, with the records of a slot side by side in "
    "memory.",
    "fenchel.regularizers.SCALAR": "The default of a field that is an array of one number.",
    "fenchel.regularizers.MATRIX": "The default of a field that is a matrix, columns by columns.",
    "fenchel.rows.ReadBlocks": "The type of a function that opens a stream anew each time it is called.",
    "fenchel.streams.FORMATS": "The formats that ``open_stream`` and ``--format`` take.",
}

HIDDEN = "set_fit_request, set_partial_fit_request, set_score_request"


def home_of(package: str, name: str, value: object) -> str:
    """The package that describes a name: the top one, or the one that defines and exports it."""
    import fenchel

    if name in fenchel.__all__:
        return "fenchel"
    room = ".".join(getattr(value, "__module__", package).split(".")[:2])
    exported = getattr(import_module(room), "__all__", ()) if room.startswith("fenchel.") else ()
    return room if name in exported else package

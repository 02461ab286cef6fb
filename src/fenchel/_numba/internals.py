"""Everything in this package that Numba, llvmlite or CPython do not promise, as data.

A name that is not listed here is not used: a test reads the list. It also says on which releases all of
it was checked; on any other release none of it is used (``way``).
"""

from __future__ import annotations

from typing import NamedTuple

# Minor releases on which the tests pass and every figure of ``benchmarks.bits`` is the same both ways.
CHECKED_NUMBA = ("0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68")
CHECKED_PYTHON = ("3.11", "3.12", "3.13")


class Use(NamedTuple):
    """Names that are used together, and what for."""

    what_for: str
    names: tuple[str, ...]


NUMBA = (
    Use(
        "functions inside kernels end as LLVM's intermediate code (fast/inline.py)",
        (
            "numba.core.analysis.compute_cfg_from_blocks",
            "numba.core.codegen.JITCodeLibrary",
            "numba.core.compiler.CompilerBase",
            "numba.core.compiler.DefaultPassBuilder",
            "numba.core.compiler_machinery.register_pass",
            "numba.core.ir",
            "numba.core.typed_passes.NativeLowering",
        ),
    ),
    Use(
        "a type of its own for each of them (fast/inline.py)",
        ("numba.core.targetconfig.ConfigStack", "numba.core.typing.templates.infer_global"),
    ),
    Use(
        "the cache on disk, one file for each signature (fast/function_cache.py)",
        ("numba.core.caching", "numba.core.serialize.dumps"),
    ),
    Use(
        "nobody compiles while the process forks",
        ("numba.core.compiler_lock.global_compiler_lock",),
    ),
    Use(
        "calls with their arguments bound: code made of LLVM's language (fast/sequence.py)",
        ("numba.core.registry.cpu_target",),
    ),
    Use(
        "a type for four numbers (fast/fours.py)",
        (
            "numba.core.typing.templates.AbstractTemplate",
            "numba.core.typing.templates.signature",
        ),
    ),
    Use("hearing that something is compiled (fast/__init__.py)", ("numba.core.event",)),
    Use(
        "machine instructions, calls by address (fast/instructions.py, objects.py, fortran.py)",
        ("llvmlite.ir", "numba.core.cgutils"),
    ),
)

# Methods and attributes of those classes that begin with an underscore, and of dispatchers.
ATTRIBUTES = (
    Use(
        "code libraries: what Ingredient overrides and calls",
        (
            "_codegen", "_data_layout", "_finalize_dynamic_globals", "_finalize_final_module",
            "_finalized", "_function_pass_manager", "_optimize_final_module", "_optimize_functions",
        ),
    ),
    Use("an array with strides of its own (fast/records.py)", ("_getvalue",)),
    Use("passes and pipelines", ("_name", "_replace", "insert_user_function")),
    Use(
        "the cache: what SourceKeyedCache overrides",
        (
            "_CacheLocator", "_cache", "_cache_file", "_impl", "_impl_class", "_index_key",
            "_locator_classes",
        ),
    ),
    Use(
        "a kernel without code for these types, and whether there is some on disk (fast/__init__.py)",
        ("_compile_for_args", "targetctx"),
    ),
    Use("a kernel's entry point, past the look at the types", ("compile", "entry_point", "overloads")),
    Use(
        "a kernel's address and how it takes its arguments (fast/sequence.py)",
        ("call_conv", "fndesc", "get_function_type", "get_pointer_to_function", "llvm_func_name"),
    ),
    Use(
        "small functions of its own (fast/sequence.py)",
        ("add_ir_module", "codegen", "create_ir_module", "create_library", "finalize", "target_context"),
    ),
)  # fmt: skip

OPTIONS = (
    Use("no entry from C, none from Python", ("no_cfunc_wrapper", "no_cpython_wrapper")),
    Use("no counting of references", ("_nrt",)),
    Use("a call is its code", ("forceinline",)),
    Use("the pipeline of fast/inline.py", ("pipeline_class",)),
)

# The type of an object is its second word, as the C macro Py_TYPE has it; the rest is C functions.
CPYTHON = (
    Use("the items of a dict, as borrowed references", ("PyDict_Next", "PyDict_GetItemWithError")),
    Use("the items of a list, as borrowed references", ("PyList_GetItem",)),
    Use("names", ("PyObject_Hash", "PyUnicode_Compare")),
    Use("numbers", ("PyFloat_AsDouble", "PyLong_AsLongLongAndOverflow")),
)


def names(uses: tuple[Use, ...]) -> set[str]:
    """All names of a table."""
    return {name for use in uses for name in use.names}


def is_checked(version: str, checked: tuple[str, ...]) -> bool:
    """Whether a version is of a minor release that was checked."""
    return ".".join(version.split(".")[:2]) in checked

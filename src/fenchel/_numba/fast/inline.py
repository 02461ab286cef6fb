"""Functions that are compiled as parts of kernels only.

Numba optimises every function and makes machine code of it, also of one that is then put in the
place of each of its calls. Here such a function ends as LLVM's intermediate code, to be optimised
with the kernel around it: the first run of a command, which compiles two hundred of them, takes a
quarter less time. Called from Python they are Python.
"""

# mypy: disallow-untyped-calls=False
# Numba has no types to tell.

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba import types
from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import infer_global
from numba.extending import models, register_model

# No fastmath: it breaks the checks for NaN and the reproducibility of sums. No entry from C: nobody
# uses it, and it takes a tenth of the time of compiling.
OPTIONS: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
# A reference that is counted is an atomic addition, for every array that a row's view holds.
LEAN: Any = {"_nrt": False}
# A call would pass every array of a part as seven arguments, which costs more than most bodies do.
INLINED: Any = {"forceinline": True}

# What these do needs the function's own environment, which comes with its machine code.
NEEDING_MORE = (ir.DynamicRaise, ir.DynamicTryRaise, ir.Print)


class Ingredient(JITCodeLibrary):
    """Code to be linked into that of others, not made machine code by itself.

    It is optimised with the kernel around it; loops before that too, since in the large they are
    not understood: those of the full matrix would take twice the time.
    """

    def __init__(self, codegen: Any, name: str, loops: bool) -> None:
        super().__init__(codegen, name)
        self._loops = loops

    def _optimize_functions(self, module: Any) -> None:
        """Like the base class, skipping declarations."""
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        if self._loops:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class IngredientLowering(NativeLowering):
    """Numba's last pass, without its end: the function can be linked and not run."""

    _name = "ingredient_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the function into an ingredient, and tell callers where it is."""
        body = [step for block in state.func_ir.blocks.values() for step in block.body]
        if any(isinstance(step, NEEDING_MORE) for step in body):
            return bool(super().run_pass(state))
        loops = compute_cfg_from_blocks(state.func_ir.blocks).loops()
        name = state.func_id.func_qualname
        state.library = Ingredient(state.targetctx.codegen(), name, bool(loops))
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        # Numba looks callees up by ``cfunc``: any unique builtin will do, it is never called.
        entry: Any = [].append
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class IngredientCompiler(CompilerBase):
    """Numba's pipeline with the pass above at its end."""

    def define_pipelines(self) -> list[Any]:
        """The passes of compiling without Python's objects, as ever but for one."""
        pipeline: Any = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (IngredientLowering if each is NativeLowering else each, what)
            for each, what in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]


class Inside(types.Callable, types.Dummy):
    """The type of a function inside kernels: which one it is depends on its arguments' types."""

    def __init__(self, name: str, choose: Callable[..., Callable[..., Any]], options: Any) -> None:
        super().__init__(f"inside({name})")
        self._choose = choose
        self._options = {
            **OPTIONS,
            **options,
            "no_cpython_wrapper": True,
            "pipeline_class": IngredientCompiler,
        }
        self._compiled = cache(self._compiled_once)

    def _compiled_once(self, chosen: Any, arguments: Any, counting: bool) -> Any:
        """The chosen function for one list of types; another for callers that count no references.

        Among several lists Numba would look for the nearest at each call, which takes it long.
        """
        return numba.njit(**self._options)(chosen)

    def _dispatcher(self, arguments: Any) -> Any:
        counting = bool(self._options.get("_nrt", ConfigStack().top().nrt))
        return numba.typeof(self._compiled(self._choose(*arguments), arguments, counting))

    def get_call_type(self, context: Any, arguments: Any, named: Any) -> Any:
        """The signature of a call; the function is compiled for it."""
        arguments = tuple(map(types.unliteral, arguments))
        return self._dispatcher(arguments).get_call_type(context, arguments, named)

    def get_impl_key(self, signature: Any) -> Any:
        """By what the caller finds the compiled function."""
        return self._dispatcher(signature.args).get_impl_key(signature)

    def get_call_signatures(self) -> Any:
        """Nothing known before a call."""
        return (), True


register_model(Inside)(models.OpaqueModel)


def inside(
    function: Callable[..., Any], choose: Callable[..., Callable[..., Any]], options: Any
) -> None:
    """In kernels a call of this function means that of the one chosen by the arguments' types."""
    name = f"{function.__module__}.{function.__qualname__}"
    infer_global(function, Inside(name, choose, options))

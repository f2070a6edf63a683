"""Constants when a kernel is compiled: settings, and which optional rules a game defines.

`if settings.killers:` and `if defines(game, "order"):` are decided before Numba compiles their branches, so disabled
code takes neither time to run nor time to compile.
"""

from typing import Any

from numba import types
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from outplay.compile.native.internals import FunctionPass, definitions_of, get_definition, guard, ir, register_pass
from outplay.compile.options import CompileTimeOptions
from outplay.rules.game import defines


class SettingsType(types.Opaque):
    """The Numba type of one combination of settings."""

    def __init__(self, settings: CompileTimeOptions) -> None:
        self.settings = settings
        super().__init__(repr(settings))


register_model(SettingsType)(models.OpaqueModel)


@typeof_impl.register(CompileTimeOptions)
def _(settings: CompileTimeOptions, context: Any) -> SettingsType:
    return SettingsType(settings)


@unbox(SettingsType)
def _(typ: SettingsType, settings: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


@register_pass(mutates_CFG=False, analysis_only=False)
class FoldConstants(FunctionPass):
    """Replace settings and `defines` calls by their values."""

    _name = "outplay_fold_constants"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Replace calls and attributes that are constants."""
        code = state.func_ir
        for block in code.blocks.values():
            for assignment in block.find_insts(ir.Assign):
                expression = assignment.value
                if isinstance(expression, ir.Expr):
                    found = _constant(code, expression, state.args)
                    if found is not None:
                        assignment.value = ir.Const(found[0], assignment.loc)
                        definitions = definitions_of(code)[assignment.target.name]
                        definitions[definitions.index(expression)] = assignment.value
        return True


def _constant(code: Any, expression: Any, args: Any) -> tuple[Any] | None:
    """The value of `expression` as a tuple of one, if it is known before type inference; else None."""

    def type_of(variable: Any) -> Any:
        definition = guard(get_definition, code, variable)
        return args[definition.index] if isinstance(definition, ir.Arg) else None

    if expression.op == "getattr":
        typ = type_of(expression.value)
        return (getattr(typ.settings, expression.attr),) if isinstance(typ, SettingsType) else None
    if expression.op == "call" and len(expression.args) == 2:
        function = guard(get_definition, code, expression.func)
        if isinstance(function, (ir.Global, ir.FreeVar)) and function.value is defines:
            typ, rule = type_of(expression.args[0]), guard(get_definition, code, expression.args[1])
            if hasattr(typ, "ask") and isinstance(rule, ir.Const):
                return (typ.ask("defines", rule.value),)
    return None

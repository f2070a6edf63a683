"""The functions that Numba compiles: blocks of statements, and the variables that these assign and read."""

from typing import Any

from numba.core.ir_utils import build_definitions, mk_unique_var

from outplay.compile.native.internals.numba_names import ir


def definitions_of(code: Any) -> Any:
    """Everything that a function assigns to each variable, by name."""
    return code._definitions


def rebuild_definitions(code: Any) -> None:
    """Recompute the assignments of a function."""
    code._definitions = build_definitions(code.blocks)


def put(code: Any, statement: Any, value: Any) -> None:
    """Let an assignment have another value."""
    definitions = definitions_of(code)[statement.target.name]
    definitions[definitions.index(statement.value)] = value
    statement.value = value


def new_variable(code: Any, block: Any, body: list[Any], value: Any) -> Any:
    """A new variable with this value, which `body`, the new statements of the block, assigns."""
    variable = ir.Var(block.scope, mk_unique_var("$made"), value.loc)
    body.append(ir.Assign(value, variable, value.loc))
    definitions_of(code)[variable.name].append(value)
    return variable


def values_assigned(blocks: Any) -> dict[str, list[Any]]:
    """The values that are assigned to each variable, by its name."""
    values: dict[str, list[Any]] = {}
    for block in blocks.values():
        for statement in block.find_insts(ir.Assign):
            values.setdefault(statement.target.name, []).append(statement.value)
    return values


def self_variables(values: dict[str, list[Any]]) -> set[str]:
    """The variables that are the first argument, and nothing else, by the values that are assigned to each variable."""
    names: set[str] = set()
    size = -1
    while size != (size := len(names)):
        for name, [value, *others] in values.items():
            is_first = isinstance(value, ir.Arg) and value.index == 0
            if not others and (is_first or (isinstance(value, ir.Var) and value.name in names)):
                names.add(name)
    return names


def is_argument(step: Any) -> bool:
    """Whether this statement takes an argument of the function."""
    return isinstance(step, ir.Assign) and isinstance(step.value, ir.Arg)


def read_by(statement: Any) -> Any:
    """The variables that a statement reads."""
    value = statement.value if isinstance(statement, ir.Assign) else statement
    if isinstance(value, ir.Var):
        return [value]
    return value.list_vars() if isinstance(value, ir.Inst) else []

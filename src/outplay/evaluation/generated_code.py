"""Functions made of lines of Python, for evaluations that were learned."""

from collections.abc import Callable, Sequence
from typing import Any


def function_from(name: str, arguments: str, lines: Sequence[str], names: dict[str, Any]) -> Callable[..., Any]:
    """A function of these lines, whose global names are `names`."""
    source = f"def {name}({arguments}):\n" + "".join(f"    {line}\n" for line in lines)
    scope: dict[str, Any] = {"__name__": __name__, **names}
    exec(compile(source, "<learned evaluation>", "exec"), scope)  # noqa: S102 - the source is ours
    function: Callable[..., Any] = scope[name]
    return function

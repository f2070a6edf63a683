"""`name(value, option=value)`, as people write games, players and options: the one reader of this form.

Values are written as in Python: numbers, 'texts', tuples, True. No code is run. Where words are allowed, a value that
is none of these is a text without quotes, and true, false and none may be written in any case.
"""

import re
from ast import literal_eval
from collections.abc import Iterable
from typing import Any, NamedTuple

from outplay.rules.errors import RulesError

_OPTION = re.compile(r"([A-Za-z_][\w-]*)\s*=(?!=)(.*)", re.DOTALL)
_CONSTANTS = {"true": True, "false": False, "none": None}
FORM = "parameters are written like (width=8) or (3, name='x')"


class Call(NamedTuple):
    """A name, and the texts of the arguments in the brackets after it."""

    name: str
    arguments: tuple[str, ...] = ()

    def with_option(self, option: str, value: str) -> str:
        """The text of the call with another value of an option.

        >>> read_call("mcts(rave=true, simulations=9)").with_option("simulations", "100")
        'mcts(rave=true, simulations=100)'
        """
        other_arguments = [text for text in self.arguments if option_of(text) != option]
        return f"{self.name}({', '.join([*other_arguments, f'{option}={value}'])})"

    @property
    def options(self) -> set[str]:
        """The names of the options that are set."""
        return {name for name in map(option_of, self.arguments) if name}


def read_call(text: str) -> Call:
    """The name, and the arguments in the brackets at the end, if there are any.

    >>> read_call("mcts(rave=true, widening=(1, 2))")
    Call(name='mcts', arguments=('rave=true', 'widening=(1, 2)'))
    >>> read_call("gtp:a 'b(c=1)'").arguments
    ()
    """
    text = text.strip()
    for place in (match.start() for match in re.finditer(r"\(", text) if text.endswith(")")):
        if (arguments := split(text[place + 1 : -1])) is not None:
            return Call(text[:place], tuple(arguments))
    return Call(text)


def split(text: str) -> list[str] | None:
    """The parts between the commas that are not within brackets or quotes; None if brackets or quotes do not match.

    >>> split("(1, 2), 'a,b', c"), split("1)/(2")
    (['(1, 2)', "'a,b'", 'c'], None)
    """
    parts, depth, quote, is_escaped = [""], 0, "", False
    for sign in text:
        if quote:
            quote = quote if is_escaped or sign != quote else ""
            is_escaped = sign == "\\" and not is_escaped
        elif sign in "'\"":
            quote = sign
        else:
            depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return None
        if sign == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += sign
    parts = [part.strip() for part in parts]
    return None if depth or quote else parts if parts[-1] else parts[:-1]


def option_of(argument: str) -> str:
    """The option that an argument sets; empty if it sets none."""
    match = _OPTION.fullmatch(argument)
    return match[1].replace("-", "_") if match else ""


def read_arguments(arguments: Iterable[str], words: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """The values of arguments without a name, and those of options. Raises `RulesError` if one of them is wrong.

    >>> read_arguments(["(3, 4, 5)", "misere=True"]), read_arguments(["selection=puct", "rave=true"], words=True)
    (([(3, 4, 5)], {'misere': True}), ([], {'selection': 'puct', 'rave': True}))
    """
    values: list[Any] = []
    options: dict[str, Any] = {}
    for argument in arguments:
        if match := _OPTION.fullmatch(argument):
            options[option_of(argument)] = read_value(match[2].strip(), words)
        elif argument and not options:
            values.append(read_value(argument, words))
        else:
            raise RulesError(f"({', '.join(arguments)}): {FORM}")
    return values, options


def read_value(text: str, words: bool = False) -> Any:
    """The value that `text` writes. Raises `RulesError` if it is none."""
    if words and text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    try:
        value = literal_eval(text)
        repr(value)  # Python cannot print ints with thousands of digits
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        if "digits" in str(error):
            raise RulesError("a number among the parameters has too many digits") from None
        if isinstance(error, MemoryError | RecursionError) or "nested" in str(error):
            raise RulesError("too many nested brackets among the parameters") from None
        if words:
            return text
        near = str(_CONSTANTS.get(text.lower(), ""))
        hint = f"did you mean {near}?" if near else "write a number, a 'text' in quotes, a tuple, True, False or None"
        raise RulesError(f"the parameter {text} is not a value; {hint}") from None
    return value

"""Errors in what a person typed, in one line: which argument or option, what is wrong, and what to write.

Typer's own texts have the usage of the command before them, and its numbers and types come without the value.
"""

import re
from difflib import get_close_matches
from typing import Any


def is_usage(error: BaseException) -> bool:
    """Whether this is an error of Typer's, in the arguments."""
    return hasattr(error, "show") and hasattr(error, "message")


def is_help(error: BaseException) -> bool:
    """Whether it is none: a command without arguments that shows its help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def in_words(error: Any) -> str:
    """What is wrong, and what to write."""
    context: Any = getattr(error, "ctx", None)
    message = str(error.message)
    command = command_of(context)
    kind, param = type(error).__name__, getattr(error, "param", None)
    if kind == "MissingParameter":
        return f"{named(param)} is missing{help_of(param)}; {example(context, command)}"
    if kind == "NoSuchOption":
        options = [option for other in context.command.params for option in other.opts if option.startswith("--")]
        similar = get_close_matches(error.option_name, options, n=1)
        hint = f"did you mean {similar[0]}?" if similar else f"{command} --help lists its options"
        return f"{command} has no option {error.option_name}; {hint}"
    if match := re.match(r"No such command '(.*?)'", message):
        similar = re.findall(r"Did you mean '?([\w-]+)", message)
        return f"there is no command {command} {match[1]}; " + (
            f"did you mean {similar[0]}?" if similar else f"{command} --help lists all"
        )
    if kind == "BadOptionUsage":
        option = option_called(context, error.option_name)
        example_text = f"{error.option_name} {option.metavar or 'VALUE'}" if option else error.option_name
        return f"{error.option_name} is without its value: write {example_text}"
    if match := re.search(r"unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        takes = " ".join(
            named(parameter) for parameter in context.command.params if parameter.param_type_name == "argument"
        )
        return f"{command} takes {takes or 'no arguments'}: {match[1]} is too much; {example(context, command)}"
    if param is None or named(param) in message:
        return message
    value = value_of(error, param)
    if number := wanted_number(param):
        return f"{named(param)}{value}: {number}{sample(context, param)}"
    return f"{named(param)}{'' if value.strip() in message else value}: {message}"


def command_of(context: Any) -> str:
    """The command, as a person types it: outplay table probe."""
    names = list[str]()
    while context is not None and context.parent is not None:
        names.insert(0, context.info_name)
        context = context.parent
    return " ".join(["outplay", *names])


def named(param: Any) -> str:
    """An option, or the word that stands for an argument in the help."""
    long = [option for option in param.opts if option.startswith("--")]
    return str((long or [str(param.metavar or param.name).strip("[]")])[0])


def help_of(param: Any) -> str:
    """What the help says of an argument."""
    text = str(getattr(param, "help", "") or "").partition("  [")[0].rstrip(". ")
    return f": {text if text[1:2].isupper() else text[:1].lower() + text[1:]}" if text else ""


def examples(context: Any) -> list[str]:
    """The examples in the help of a command."""
    return re.findall(r"^ +(outplay .*?)(?:  .*)?$", str(context.command.epilog or ""), re.MULTILINE)


def example(context: Any, command: str) -> str:
    """How the command is used, or where to read it."""
    lines = examples(context)
    return f"for example: {lines[0]}" if lines else f"{command} --help says more"


def option_called(context: Any, name: str) -> Any:
    """The option with this name; None if there is none."""
    params = context.command.params if context is not None else ()
    return next((parameter for parameter in params if name in parameter.opts), None)


def value_of(error: Any, param: Any) -> str:
    """The value that was given, after a space; empty if it is not found. `Command` leaves all `arguments` in it."""
    arguments = list(getattr(error, "arguments", ()))
    for place, text in enumerate(arguments):
        name, equals, value = text.partition("=")
        if name in param.opts:
            return f" {value}" if equals else "".join(f" {argument}" for argument in arguments[place + 1 : place + 2])
    return ""


def wanted_number(param: Any) -> str:
    """Which number is wanted, in words; empty if it is no number."""
    described: Any = getattr(param, "type_descriptor", None)
    words: dict[Any, str] = {int: "a whole number", float: "a number"}
    word = words.get(getattr(described, "annotation", None), "")
    info = getattr(described, "parameter_info", None)
    least, most = getattr(info, "min", None), getattr(info, "max", None)
    if not word or (least is None and most is None):
        return word and f"give {word}"
    if most is None:
        return f"give {word} from {least:g} up"
    return f"give {word} up to {most:g}" if least is None else f"give {word} from {least:g} to {most:g}"


def sample(context: Any, param: Any) -> str:
    """An example with this option, if the help of the command has one."""
    for line in examples(context):
        if match := re.search(rf"{named(param)}[ =](\S+)", line):
            return f", such as {named(param)} {match[1]}"
    return ""

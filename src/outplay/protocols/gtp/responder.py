"""Lines of the protocol: a command comes in, an answer goes out. Start reading at `Responder.answer`."""

import inspect
import re
from collections.abc import Callable

from outplay import __version__
from outplay.rules.errors import OutplayError
from outplay.rules.user_code import describe_error
from outplay.rules.wording import visible

Method = Callable[..., str | None]
COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
"""The players, by their names in the protocol."""


class Refused(OutplayError):
    """A command that cannot be carried out. The message is the answer."""


class Responder:
    """Answers lines. Here are the commands about the program itself; subclasses add the others."""

    def __init__(self) -> None:
        self.ended = False
        """Whether the controller has sent `quit`."""
        self.commands = self.all_commands()
        """The method of each command, by its name. Its parameters are those of the command, as text."""

    def all_commands(self) -> dict[str, Method]:
        """The method of each command."""
        return {
            "protocol_version": self.protocol_version,
            "name": self.name,
            "version": self.version,
            "known_command": self.known_command,
            "list_commands": self.list_commands,
            "quit": self.quit,
        }

    def answer(self, line: str) -> str:
        """The response to a line, which may contain anything; "" if there is no command in it."""
        text = re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", "", line.partition("#")[0]).strip()
        if not text:
            return ""
        number, words = "", text.split()
        if re.fullmatch("[0-9]+", words[0]):
            number, *words = words
        try:
            sign, content = "=", self.obey(words)
        except ValueError as error:
            sign, content = "?", str(error)
        except Exception as error:  # in the rules of a user's game: a controller has no use for a traceback
            sign, content = "?", describe_error(error)
        content = re.sub(r"\n\s*\n", "\n", visible(content)).rstrip()  # an empty line would end the response
        return f"{sign}{number} {content}".rstrip(" ") + "\n\n"

    def obey(self, words: list[str]) -> str:
        """Carry out a command and return its result. Raises `ValueError` if that is not possible."""
        if not words:
            raise Refused("syntax error: a number without a command")
        name, *arguments = words
        if name not in self.commands:
            raise Refused("unknown command")
        method = self.commands[name]
        signature = inspect.signature(method)
        try:
            signature.bind(*arguments)
        except TypeError:
            raise Refused(f"syntax error: wanted {' '.join([name, *argument_names(signature)])}") from None
        return method(*arguments) or ""

    # -- commands -----------------------------------------------------------------------------------------------------

    def protocol_version(self) -> str:
        """The version of the protocol."""
        return "2"

    def name(self) -> str:
        """The name of the engine."""
        return "outplay"

    def version(self) -> str:
        """The version of the engine."""
        return __version__

    def known_command(self, command: str) -> str:
        """Whether there is such a command."""
        return "true" if command in self.commands else "false"

    def list_commands(self) -> str:
        """All commands."""
        return "\n".join(self.commands)

    def quit(self) -> None:
        """End the engine after the answer to this command."""
        self.ended = True


# -- words ------------------------------------------------------------------------------------------------------------


def player(color: str) -> int:
    """The player of a colour."""
    if color.lower() not in COLOURS:
        raise Refused(f"invalid color: {color!r}; wanted black or white")
    return COLOURS[color.lower()]


def whole(text: str) -> int:
    """A whole number from 0."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise Refused(f"syntax error: {text!r} is not a whole number")
    return int(text)


def number(text: str, least: float = 0) -> float:
    """A number, at least `least`."""
    if not re.fullmatch(r"[-+]?([0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9})", text) or float(text) < least:
        raise Refused(f"syntax error: {text!r} is not a number" + (" from 0" if least == 0 else ""))
    return float(text)


def score(lead: float) -> str:
    """How many points black is ahead, as the protocol writes it.

    >>> score(3.5), score(-2), score(0)
    ('B+3.5', 'W+2', '0')
    """
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"


def argument_names(signature: inspect.Signature) -> list[str]:
    """The names of a command's arguments, the optional ones in brackets."""
    return [name if part.default is part.empty else f"[{name}]" for name, part in signature.parameters.items()]

"""Errors of the commands: one clear message for each, an exit code, and how an option is given that algorithms have."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from outplay.cli import usage
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.option_groups import grouped
from outplay.cli.output import complain, live, stderr
from outplay.cli.saving import exit_code_of_saving
from outplay.rules.errors import OutplayError
from outplay.rules.user_code import describe_error, place
from outplay.rules.wording import bounded, visible
from outplay.session.load import load_game

MAX_WORD = 200
"""Longer words in an error message are cut off."""


@contextmanager
def report_errors(debug: bool, game: str | None = None) -> Iterator[None]:
    """Turn every error within into one clear message and exit code 2; with `debug` it is raised.

    Ctrl-C has an exit code of its own. A closed pipe, as after `head`, is not an error.
    """
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:
        raise typer.Exit(0) from None
    except KeyboardInterrupt:
        stderr().print("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BaseException as error:
        is_end = isinstance(error, SystemExit) and not place(error)  # of --install-completion, not of the rules
        if is_end or usage.is_help(error) or (debug and not usage.is_usage(error)):
            raise
        text = usage.in_words(error) if usage.is_usage(error) else _explained(error, game)
        complain("Error", "bold red", shortened(text))
        raise typer.Exit(2) from None


def shortened(text: str) -> str:
    """`text` with very long words cut off, without its middle if it is still very long, and with visible controls."""
    return visible(bounded(re.sub(rf"(\S{{{MAX_WORD}}})\S+?([:;,.)'\"]{{0,3}})(?!\S)", r"\1…\2", text)))


class Group(TyperGroup):
    """The command `outplay`, which accepts `--debug` and `--no-check` anywhere."""

    checks = True  # whether the laws of games are checked: not with --no-check

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **options: Any) -> Any:
        """Read the options before the command."""
        with report_errors("--debug" in args):
            return super().make_context(info_name, args, *rest, **options)

    def invoke(self, context: Any) -> Any:
        """Read the options of the command and run it."""
        with report_errors(bool(context.params.get("debug"))):
            return super().invoke(context)

    def parse_args(self, context: Any, args: list[str]) -> list[str]:
        """Read the arguments, with these two options first."""
        return super().parse_args(context, sorted(args, key=lambda text: text not in ("--debug", "--no-check")))


class Command(TyperCommand):
    """A command that reports errors as `report_errors` does; with `--debug` they have a traceback."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:
        """Read the options. If one is unknown here but is an option of an algorithm, the error names `--set`."""
        arguments = list(args)
        try:
            return super().parse_args(context, args)
        except Exception as error:
            if usage.is_usage(error):  # for its text
                vars(error).update(arguments=arguments, ctx=context)
            name = str(getattr(error, "option_name", None) or "").lstrip("-").replace("-", "_")
            if type(error).__name__ == "NoSuchOption" and any(
                parameter.name == "settings" for parameter in self.params
            ):
                from outplay.cli.searchers import of_an_algorithm

                if of_an_algorithm(name):
                    raise typer.BadParameter(
                        f"there is no --{name}, but algorithms have such an option: --set {name}=VALUE"
                    ) from None
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and the options in groups."""
        arguments, options = [], []
        for param in self.get_params(ctx):
            if (line := param.get_help_record(ctx)) is None:
                continue
            if param.param_type_name == "argument":
                arguments.append(line)
            else:
                options.append((usage.named(param), line))
        for title, lines in [("Arguments", arguments), *grouped(options)]:
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)

    def invoke(self, context: Any) -> Any:
        """Run the command."""
        debug, game = bool(context.find_root().params.get("debug")), context.params.get("game")
        with report_errors(debug, game), exit_code_of_saving():
            if context.params.get("csv") and (context.params.get("json") or context.params.get("as_json")):
                raise typer.BadParameter("--json and --csv: choose one of them")
            return super().invoke(context)


def _explained(error: BaseException, game: str | None) -> str:
    """What was wrong, where, and what to do."""
    if isinstance(error, OutplayError) or (isinstance(error, ValueError) and not place(error)):
        return str(error)
    if isinstance(error, OSError) and not place(error):
        subject = "the answer cannot be written" if error.filename is None else str(error.filename)
        return f"{subject}: {error.strerror or error}"
    if isinstance(error, MemoryError) and not place(error):
        return "not enough memory: use less, for instance with a smaller --table-mb"
    if isinstance(error, RecursionError) and not place(error):
        return "something is nested too deeply, such as a tree of hundreds of plies; --debug shows where"
    if place(error):
        return f"the rules failed: {describe_error(error)}"
    broken = _broken_law(game) if game else ""
    if broken:
        return f"the compiled rules failed: {describe_error(error)}\nRun interpreted, they break a law:\n{broken}"
    return f"{describe_error(error)}\nThis may be a bug in outplay: --debug shows the traceback"


def _broken_law(text: str) -> str:
    """A law that the rules break in random games; "" if none is found. Compiled code cannot say where it failed."""
    from outplay.check.full import check_game

    try:
        with live("the rules failed; looking for the line…"):
            game = load_game(text)
            type(game).compiled = False
            failures = check_game(game, playouts=300, seconds=3).failures
    except Exception:  # the first error is the one to report
        return ""
    return str(failures[0]) if failures else ""
